// Reads the golden messages that the Swift tests read too.

import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../Fixtures/wire/', import.meta.url);

/** All fixtures whose names begin so. */
export function fixtures(kind) {
  return readdirSync(folder).filter((file) => file.startsWith(kind) && file.endsWith('.json')).sort()
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
}

/** Random numbers that a seed repeats: `dice(n)` is a whole number from 0 up to n − 1. */
export function diceFrom(seed) {
  let state = seed >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * sides);
  };
}

/** The seed of a random test; `SEED=123 node --test` repeats one. */
export const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
