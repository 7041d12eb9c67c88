// highlights.js: the user's highlights of a column's values: bars, heat scales, and rules by value,
// by another column and by percentile. No DOM, no clock.

import { isNumeric, missingOf } from './columns.js';
import { isFittingTerm, operatorsFor, partsOf } from './query.js';
import { compareEnds } from './spans.js';
import { phrase, phraseKey } from './language.js';

/**
 * A highlight of a column.
 *
 * `look` is `bar` or `heat` for all values of a column of numbers, or one of {@link LOOKS} for the
 * values in rows that match `term`, whose column may be another one. The first rule that matches
 * applies.
 * @typedef {{column: string, look: string, term?: Rule}} Highlight
 *
 * A condition of a rule: a filter term, or the `percent` of the values at the top or the bottom.
 * @typedef {import('./query.js').Term & {percent?: number}} Rule
 */

/** The looks of rules, as `[look, label in English]`. Each has a colour and a shape. */
export const LOOKS = Object.freeze([
  ['red', phraseKey('Red ◆')], ['amber', phraseKey('Amber ▲')], ['green', phraseKey('Green ●')], ['blue', phraseKey('Blue ■')], ['bold', phraseKey('Bold')],
]);

/**
 * The percentile that the values at an end of a column lie beyond, by their share in percent.
 * @type {Readonly<Record<string, Record<number, string>>>}
 */
export const SHARES = Object.freeze({
  top: { 1: 'p99', 5: 'p95', 10: 'p90', 50: 'median' }, bottom: { 1: 'p1', 5: 'p5', 10: 'p10', 50: 'median' },
});

/** Returns the operators of rules for a column as `[op, label]`. */
export function rulesFor(column) {
  const shares = isRanked(column) ? [['top', phrase('among the greatest')], ['bottom', phrase('among the least')]] : [];
  return [...operatorsFor(column), ...shares];
}

/**
 * Returns the function of the percentile that a rule compares with; undefined for other rules.
 * @param {Rule} term
 * @returns {string|undefined}
 */
export function percentileOf({ op, percent }) {
  return Object.hasOwn(SHARES, op) ? SHARES[op][percent ?? 0] : undefined;
}

function isRanked({ type }) {
  return isNumeric(type) || type === 'timestamp';
}

function isFittingRule(term, columns) {
  if (!Object.hasOwn(SHARES, term?.op ?? '')) return term?.op !== 'matches' && isFittingTerm(term, columns);
  const column = columns.find(({ name }) => name === term.column);
  return column !== undefined && isRanked(column) && percentileOf(term) !== undefined;
}

/** Returns the highlights that fit a table's columns. */
export function fittingHighlights(highlights, columns) {
  return highlights.filter(({ column: name, look, term }) => {
    const column = columns.find((other) => other.name === name);
    if (column === undefined) return false;
    if (look === 'bar' || look === 'heat') return isNumeric(column.type);
    // A regular expression of a link could stop the page, because the browser's have no limit.
    return LOOKS.some(([own]) => own === look) && isFittingRule(term, columns);
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
 * The look of a column's cells. `lookOf` returns the look of the rule that applies to a value in a
 * row, or an empty string; null without rules. `readsRow` is whether it depends on other cells, and
 * `isRanked` whether it depends on percentiles. `scale` is that of the heat.
 * @typedef {{hasBar: boolean, hasHeat: boolean, scale: {least: number, most: number}|null,
 *   readsRow: boolean, isRanked: boolean,
 *   lookOf: ((value: *, cells?: readonly *[]) => string)|null,
 *   heatOf: (value: *, scale: object|null) => number}} Styling
 */

/**
 * Returns how the cells of each column look, by the column's name.
 *
 * @param {Highlight[]} highlights
 * @param {object[]} columns
 * @param {(column: string, kind: string) => *} [boundOf] returns an aggregate of a column over all
 *   rows; undefined while it is unknown
 * @returns {Map<string, Styling>}
 */
export function looksOf(highlights, columns, boundOf = () => undefined) {
  const looks = new Map();
  for (const { column: name, look, term } of fittingHighlights(highlights, columns)) {
    const own = looks.get(name) ?? { hasBar: false, hasHeat: false, rules: [], readsRow: false, isRanked: false, lookOf: null, heatOf, scale: null };
    looks.set(name, own);
    if (look === 'bar') own.hasBar = true;
    else if (look === 'heat') own.hasHeat = true;
    else own.rules.push({ look, ...ruleOf(term, name, columns, boundOf) });
  }
  for (const own of looks.values()) {
    const { rules } = own;
    if (rules.length === 0) continue;
    own.readsRow = rules.some(({ at }) => at !== undefined);
    own.isRanked = rules.some(({ isRanked: isOne }) => isOne);
    own.lookOf = (value, cells) => rules.find(({ at, matches }) => (at === undefined ? matches(value) : matchesCell(matches, cells?.[at])))?.look ?? '';
  }
  return looks;
}

// The test of a rule, with the index of its column if that is another one.
function ruleOf(term, name, columns, boundOf) {
  const at = columns.findIndex((column) => column.name === term.column);
  const kind = percentileOf(term);
  const matches = kind === undefined ? matcher(term, columns[at]) : beyond(term, columns[at], () => boundOf(term.column, kind));
  return { matches, isRanked: kind !== undefined, ...(term.column === name ? {} : { at }) };
}

// A cell that is not loaded matches no rule.
function matchesCell(matches, cell) {
  return cell !== undefined && missingOf(cell) === null && matches(cell);
}

// The test whether a value lies beyond a percentile, once that is known.
function beyond({ op }, column, bound) {
  return (value) => {
    const limit = bound();
    if (value === null || limit === undefined || limit === null) return false;
    const order = compareCells(value, limit, column);
    return op === 'top' ? order > 0 : order < 0;
  };
}

function compareCells(one, other, column) {
  return typeof one === 'number' && typeof other === 'number' ? one - other : compareEnds(one, other, column);
}

/** Returns the test of a fitting term, which matches the same values as the server's filters. */
export function matcher(term, column) {
  const tests = partsOf(term).map((part) => testOf(part, column));
  return tests.length === 1 ? tests[0] : (value) => tests.every((test) => test(value));
}

/** @param {import('./query.js').Term} term */
function testOf({ op, value: wanted, values, from, through }, column) {
  const compare = (one, other) => compareCells(one, other, column);
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
 * Returns the ends of a heat scale. Ends that still fit are kept, so that colours stay calm.
 *
 * @param {{least: number, most: number}|null} before
 * @param {*[]} values those in the window
 * @param {{least: number, most: number}|null} [known] the ends over all rows, if they are known
 */
export function heatScale(before, values, known = null) {
  const [least, most] = known === null ? endsOf(values) : [known.least, known.most];
  if (least > most) return before;
  const room = (known === null ? 2 : 1.25) * (most - least);
  const isFitting = before !== null && before.least <= least && before.most >= most && before.most - before.least <= room;
  return isFitting ? before : { least, most };
}

function endsOf(values) {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (typeof value !== 'number' || missingOf(value) !== null) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
}

/** Returns the step of a value on a heat scale, from 1 to {@link HEATS}; 0 for none. */
export function heatOf(value, scale) {
  if (scale === null || typeof value !== 'number' || !(scale.most > scale.least)) return 0;
  const share = (value / 2 - scale.least / 2) / (scale.most / 2 - scale.least / 2);
  return 1 + Math.min(HEATS - 1, Math.max(0, Math.floor(share * HEATS)));
}
