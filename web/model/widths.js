// widths.js: sizes of ranges to offer for a column, and widths that users type. No DOM, no clock.

import { grammarOf, tidy } from './parse.js';
import { isFittingSize, UNITS } from './ranges.js';
import { phrase } from './language.js';

const fewest = 5;    // sections
const most = 20;
const wanted = 10;

const seconds = Object.freeze({ minute: 60, hour: 3_600, day: 86_400, week: 604_800, month: 2_629_746, year: 31_556_952 });

// Steps of durations in seconds that are longer than half a minute, up to a week.
const durations = [30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800];

/**
 * Returns sizes for values between two bounds, the smallest first: widths of 1, 2 or 5 times a
 * power of ten that divide them into 5 to 20 sections, or all units of times.
 *
 * @param {object} column
 * @param {[number, number]|null} bounds null if they are not known
 * @returns {{width?: number, unit?: string}[]}
 */
export function sizesFor(column, bounds) {
  if (column.type === 'timestamp') return UNITS.map((unit) => ({ unit }));
  const [low, high] = bounds ?? [0, 100];
  const span = high - low;
  const least = column.type === 'integer' ? 1 : 0;
  if (!(span > 0) || !Number.isFinite(span)) return [{ width: roundWidth(Math.max(Math.abs(low) / wanted, least) || 1) }];
  const found = stepsOf(column, span / (most * 2), span).filter((width) => width >= least && span / width <= most && span / width >= fewest);
  return (found.length > 0 ? found : [Math.max(least, roundWidth(span / wanted))]).map((width) => ({ width }));
}

/**
 * The size of ranges: a width of numbers, or a unit of times.
 * @typedef {{width?: number, unit?: string}} Size
 */

/**
 * Returns the sizes that divide the ranges of another size evenly, the largest first.
 * @returns {Size[]}
 */
export function innerSizes({ type }, { width, unit }) {
  // Weeks do not divide months or years.
  if (unit !== undefined) return UNITS.slice(0, UNITS.indexOf(unit)).filter((one) => one !== 'week').toReversed().map((one) => ({ unit: one }));
  return [2, 5, 10, 100].map((parts) => ({ width: Number((width / parts).toPrecision(12)) })).filter((one) => isFittingSize({ type }, one));
}

/** Returns the size that comes closest to ten sections. */
export function bestSize(sizes, bounds) {
  const span = bounds === null ? 0 : bounds[1] - bounds[0];
  const lengthOf = ({ width, unit }) => width ?? seconds[unit] * 1_000;
  const distance = (size) => Math.abs(Math.log(Math.max(span, 1e-300) / lengthOf(size) / wanted));
  return sizes.toSorted((one, other) => distance(one) - distance(other))[0];
}

// The steps of a column's numbers from `least` to `greatest`, ascending.
function stepsOf({ style }, least, greatest) {
  const steps = [];
  const isWhole = style === 'bytes' && least >= 1;
  for (let step = isWhole ? 2 ** Math.floor(Math.log2(least)) : roundWidth(least); step <= greatest; step = isWhole ? step * 2 : roundWidth(step * 1.5)) steps.push(step);
  if (style !== 'duration' && style !== 'age') return steps;
  return [...steps.filter((step) => step < durations[0]), ...durations.filter((step) => step >= least && step <= greatest), ...steps.filter((step) => step > durations.at(-1))];
}

// The least number of the form 1, 2 or 5 times a power of ten that is not less than another one.
function roundWidth(width) {
  for (let exponent = Math.floor(Math.log10(width)) - 1; ; exponent += 1) {
    for (const factor of [1, 2, 5]) {
      const step = Number(`${factor}e${exponent}`);
      if (step >= width) return step;
    }
  }
}

/**
 * Parses a width as a value of the column.
 *
 * @returns {{width: number}|{fault: string}}
 */
export function widthFrom(text, spec, now) {
  const { column } = spec;
  if (tidy(text) === '') return { fault: phrase('Type a width.') };
  const found = grammarOf(column.style === 'age' ? { ...spec, column: { ...column, style: 'duration' } } : spec, now)(tidy(text));
  if (found.fault !== undefined) return found;
  const size = { width: Number(found.value) };
  if (isFittingSize(column, size)) return size;
  return { fault: column.type === 'integer' ? phrase('The width must be a whole number above 0.') : phrase('The width must be above 0.') };
}
