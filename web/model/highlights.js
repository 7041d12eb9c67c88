// highlights.js: the user's highlights of a column's values: bars, heat scales, and rules by value.
// No DOM, no clock.

import { isNumeric, missingOf } from './columns.js';
import { isFittingTerm, partsOf } from './query.js';
import { compareEnds } from './spans.js';
import { phraseKey } from './language.js';

/**
 * A highlight of a column.
 *
 * `look` is `bar` or `heat` for all values of a column of numbers, or one of {@link LOOKS} for the
 * values that match `term`. The first rule that matches a value applies.
 * @typedef {{column: string, look: string, term?: import('./query.js').Term}} Highlight
 */

/** The looks of rules, as `[look, label in English]`. Each has a colour and a shape. */
export const LOOKS = Object.freeze([
  ['red', phraseKey('Red ◆')], ['amber', phraseKey('Amber ▲')], ['green', phraseKey('Green ●')], ['blue', phraseKey('Blue ■')], ['bold', phraseKey('Bold')],
]);

/** Returns the highlights that fit a table's columns. */
export function fittingHighlights(highlights, columns) {
  return highlights.filter(({ column: name, look, term }) => {
    const column = columns.find((other) => other.name === name);
    if (column === undefined) return false;
    if (look === 'bar' || look === 'heat') return isNumeric(column.type);
    // A regular expression of a link could stop the page, because the browser's have no limit.
    return LOOKS.some(([own]) => own === look) && term?.column === name && term.op !== 'matches' && isFittingTerm(term, columns);
  });
}

/** Returns the highlights after setting a column's look, or removing it if `highlight` is null. */
export function nextHighlights(highlights, column, look, highlight) {
  const at = highlights.findIndex((other) => other.column === column && other.look === look);
  const next = at < 0 ? [...highlights, highlight] : highlights.with(at, highlight);
  const left = next.filter((other) => other !== null);
  return left.length === 0 ? undefined : left;
}

/** Returns the highlight of a column with a look, or undefined. */
export function highlightOf({ highlights = [] }, column, look) {
  return highlights.find((other) => other.column === column && other.look === look);
}

/**
 * Returns how the cells of each column look, by the column's name.
 *
 * `lookOf(value)` returns the look of the rule that applies to a value, or an empty string; null
 * without rules. `scale` is that of the heat, which {@link heatScale} computes.
 * @returns {Map<string, {hasBar: boolean, hasHeat: boolean, scale: object|null,
 *   lookOf: ((value: *) => string)|null, heatOf: (value: *, scale: object|null) => number}>}
 */
export function looksOf(highlights, columns) {
  const looks = new Map();
  for (const { column: name, look, term } of fittingHighlights(highlights, columns)) {
    const own = looks.get(name) ?? { hasBar: false, hasHeat: false, rules: [], lookOf: null, heatOf, scale: null };
    looks.set(name, own);
    if (look === 'bar') own.hasBar = true;
    else if (look === 'heat') own.hasHeat = true;
    else own.rules.push([matcher(term, columns.find((column) => column.name === name)), look]);
  }
  for (const own of looks.values()) {
    const { rules } = own;
    if (rules.length > 0) own.lookOf = (value) => rules.find(([matches]) => matches(value))?.[1] ?? '';
  }
  return looks;
}

/** Returns the test of a fitting term, which matches the same values as the server's filters. */
export function matcher(term, column) {
  const tests = partsOf(term).map((part) => testOf(part, column));
  return tests.length === 1 ? tests[0] : (value) => tests.every((test) => test(value));
}

/** @param {import('./query.js').Term} term */
function testOf({ op, value: wanted, values, from, through }, column) {
  const compare = (one, other) => (typeof one === 'number' && typeof other === 'number' ? one - other : compareEnds(one, other, column));
  const isWithin = (value, low, high) => (low === undefined || compare(value, low) >= 0) && (high === undefined || compare(value, high) <= 0);
  const isOneOf = (value) => values.some((other) => (Array.isArray(other) ? value !== null && isWithin(value, ...other) : other === value));
  const filled = (test) => (value) => value !== null && test(value);
  switch (op) {
    case 'range': return filled((value) => isWithin(value, from, through));
    case 'oneOf': return isOneOf;
    case 'noneOf': return (value) => !isOneOf(value);
    case 'contains': return filled((value) => value.toLowerCase().includes(wanted.toLowerCase()));
    case 'startsWith': return filled((value) => value.toLowerCase().startsWith(wanted.toLowerCase()));
    case 'isEmpty': return (value) => value === null;
    default: return (value) => value !== null;
  }
}

/** The number of steps of a heat scale. */
export const HEATS = 8;

/**
 * Returns the ends of a heat scale for the values in the window. Ends that still fit are kept, so
 * that colours stay calm.
 *
 * @param {{least: number, most: number}|null} before
 * @param {*[]} values
 */
export function heatScale(before, values) {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (typeof value !== 'number' || missingOf(value) !== null) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (least > most) return before;
  const isFitting = before !== null && before.least <= least && before.most >= most && before.most - before.least <= 2 * (most - least);
  return isFitting ? before : { least, most };
}

/** Returns the step of a value on a heat scale, from 1 to {@link HEATS}; 0 for none. */
export function heatOf(value, scale) {
  if (scale === null || typeof value !== 'number' || !(scale.most > scale.least)) return 0;
  const share = (value / 2 - scale.least / 2) / (scale.most / 2 - scale.least / 2);
  return 1 + Math.min(HEATS - 1, Math.max(0, Math.floor(share * HEATS)));
}
