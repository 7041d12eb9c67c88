// Reads the golden messages, which the Swift tests use too.

import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../Fixtures/wire/', import.meta.url);

/** Returns all fixtures whose names begin with `kind`. */
export function fixtures(kind) {
  return readdirSync(folder).filter((file) => file.startsWith(kind) && file.endsWith('.json')).sort()
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
}

/** Returns a seeded random generator: `dice(n)` is an integer from 0 to n - 1. */
export function diceFrom(seed) {
  let state = seed >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * sides);
  };
}

/** The seed of random tests. Set the environment variable `SEED` to repeat a run. */
export const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
