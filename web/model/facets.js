// facets.js: the facets panel's columns, the entries of a facet, and the filter terms that a choice
// of entries makes. No DOM, no clock.

import { endsOf, spanOfEnds, spansWith, spanUpTo } from './spans.js';
import { titleOf } from './columns.js';
import { rangeText } from './ranges.js';
import { wireOffsets } from './zone.js';
import { termWithout } from './narrowing.js';
import { phrase, plural } from './language.js';

/** The most facets of a client. */
export const MOST_FACETS = 8;

const mostSuggested = 4;
const leastSampled = 20;   // rows

/** Whether the server counts the values of a column. */
export function isCountable({ type }) {
  return type !== 'series' && type !== 'image';
}

/**
 * Returns the columns that the panel shows if the user has chosen none: those with states first,
 * then texts of which few differ.
 *
 * @param {object} table
 * @param {(readonly *[])[]} sample cells of some rows, in the order of the columns
 * @returns {string[]}
 */
export function suggestedFacets({ columns, severity, label }, sample) {
  const rank = (column, at) => {
    if (!isCountable(column) || column.name === label) return null;
    if (column.name === severity) return 0;
    if (column.type === 'boolean') return 3;
    if (column.type !== 'text') return null;
    if (Array.isArray(column.warn) || Array.isArray(column.critical)) return 1;
    if (column.style === 'badge') return 2;
    return isRepeated(sample.map((cells) => cells[at]).filter((cell) => cell !== null)) ? 4 : null;
  };
  const ranked = columns.map((column, at) => [column.name, rank(column, at)]).filter(([, found]) => found !== null);
  const names = ranked.toSorted(([, one], [, other]) => one - other).map(([name]) => name).slice(0, mostSuggested);
  if (names.length > 0) return names;
  const first = columns.find((column) => isCountable(column) && column.name !== label);
  return first === undefined ? [] : [first.name];
}

function isRepeated(cells) {
  return cells.length >= leastSampled && new Set(cells).size <= cells.length / 3;
}

/** Returns the facets of columns as they are sent to the server. */
export function wireFacets(names, columns, zone, offsets = []) {
  return names.map((name) => {
    const isTime = columns.find((column) => column.name === name)?.type === 'timestamp';
    return { column: name, ...(isTime && zone !== 0 ? { zone } : {}), ...(isTime ? wireOffsets(offsets) : {}) };
  });
}

/**
 * The counts of a facet, as far as they are known: `values` or `edges` with `rows`, `empty`; or
 * `moreThan`, `pending` or `reason`.
 *
 * @typedef {{values?: [*, number][], others?: {values: number, rows: number}, edges?: *[],
 *   rows?: number[], empty?: number, moreThan?: number, pending?: boolean, reason?: string}} Counts
 */

/**
 * Parses a facet of a message; null if it is malformed.
 * @returns {Counts|null}
 */
export function countsFrom({ values, others, edges, rows, empty, moreThan, pending, error }) {
  const isCount = (number) => Number.isSafeInteger(number) && number >= 0;
  if (pending === true) return { pending };
  if (error !== undefined) return typeof error?.reason === 'string' ? { reason: error.reason } : null;
  if (moreThan !== undefined) return isCount(moreThan) ? { moreThan } : null;
  if (!isCount(empty)) return null;
  if (Array.isArray(values)) {
    const isWhole = values.every((pair) => Array.isArray(pair) && isCount(pair[1])) && (others === undefined || (isCount(others?.values) && isCount(others?.rows)));
    return isWhole ? { values, ...(others === undefined ? {} : { others }), empty } : null;
  }
  const isWhole = Array.isArray(edges) && Array.isArray(rows) && rows.length === edges.length + 1 && rows.every(isCount);
  return isWhole ? { edges, rows, empty } : null;
}

/**
 * An entry of a facet: a value, a range, or the empty cells. `value` is null for empty cells and
 * undefined for a range.
 *
 * @typedef {{key: string, label: string, rows: number, value?: *, span?: [*, *]}} Entry
 */

/**
 * Returns the entries of a facet in the server's order. Values of the column's term that the counts
 * lack are added.
 *
 * @param {Counts} counts
 * @param {import('./columns.js').Spec} spec
 * @param {import('./query.js').Term|undefined} term
 * @returns {Entry[]}
 */
export function entriesOf({ values, edges, rows, empty = 0 }, spec, term, now) {
  const { column } = spec;
  const none = empty > 0 || marked(term, null) ? [{ key: 'empty', label: phrase('Empty'), rows: empty, value: null }] : [];
  if (edges !== undefined) return [...rangeEntries(edges, rows, spec, now), ...none];
  const entry = ([value, count]) => ({ key: JSON.stringify(value), label: value === '' ? '“”' : spec.format(value, now), rows: count, value });
  const found = (values ?? []).map(entry);
  const lacking = values === undefined ? [] : namedValues(term).filter((value) => !found.some((one) => one.value === value) && typeof value === (column.type === 'boolean' ? 'boolean' : 'string'));
  return [...found, ...lacking.map((value) => entry([value, 0])), ...none];
}

function rangeEntries(edges, rows, spec, now) {
  const { column } = spec;
  return rows.flatMap((count, at) => {
    const [from, to] = [edges[at - 1], edges[at]];
    // Nothing lies beyond the edges of most columns.
    if ((from === undefined || to === undefined) && count === 0) return [];
    const { low, high } = spanUpTo(from, to, column);
    return [{ key: JSON.stringify([from ?? null, to ?? null]), label: rangeText(from, to, spec, now), rows: count, span: [low, high] }];
  });
}

// Terms.

function namedValues(term) {
  return [...(term?.values ?? []), ...(term?.except ?? [])].filter((value) => value !== null && !Array.isArray(value));
}

// Whether a term names empty cells.
function marked(term, value) {
  return term?.op === 'isEmpty' || term?.op === 'isFilled' || term?.values?.includes(value) === true || term?.except?.includes(value) === true;
}

// The values of a term that takes or leaves out a list of values; null for another term.
function listOf(term, column) {
  switch (term?.op) {
    case undefined: return { isTaken: true, values: [] };
    case 'oneOf': case 'noneOf': return { isTaken: term.op === 'oneOf', values: term.values };
    case 'isEmpty': case 'isFilled': return { isTaken: term.op === 'isEmpty', values: [null] };
    case 'range': return { isTaken: true, values: [spanOfEnds(term, column)] };
    default: return null;
  }
}

/** @type {(values: any[]) => [*, *][]} */
const asSpans = (values) => values.filter((value) => value !== null).map((value) => (isPair(value) ? value : [value, value]));

/** @returns {value is [*, *]} */
function isPair(value) {
  return Array.isArray(value);
}

/**
 * @param {any[]} values
 * @param {Pick<Entry, 'value'|'span'>} entry
 */
function has(values, { value, span }, column) {
  if (span === undefined) return values.includes(value);
  const spans = asSpans(values);
  return spans.length > 0 && JSON.stringify(spansWith(spans, span, true, column)) === JSON.stringify(spansWith(spans, spans[0], true, column));
}

/**
 * Returns whether a column's term takes an entry (`in`), leaves it out (`out`), or neither (empty).
 *
 * @param {import('./query.js').Term|undefined} term
 * @param {Entry} entry
 */
export function markOf(term, entry, column) {
  if (term?.except !== undefined && has(term.except, entry, column)) return 'out';
  const list = listOf(term, column);
  return list !== null && has(list.values, entry, column) ? (list.isTaken ? 'in' : 'out') : '';
}

/**
 * Returns the term of a column after the user has chosen an entry, or has chosen to leave it out.
 *
 * Chosen entries add up: rows with any of them are shown. Choosing an entry again takes the choice
 * back, and leaving out replaces a choice.
 *
 * @param {import('./query.js').Term|undefined} term
 * @param {Entry} entry
 * @param {boolean} isOut whether the entry is to be left out
 * @returns {import('./query.js').Term|null} null for no term
 */
export function termAfter(term, entry, isOut, column) {
  const mark = markOf(term, entry, column);
  const list = listOf(term, column);
  if (mark === 'out') {
    if (term.except === undefined) return termOf(without(list.values, entry, column), false, column);
    const { except, ...rest } = term;
    const left = without(except, entry, column);
    return left.length === 0 ? rest : { ...rest, except: left };
  }
  if (mark === 'in') {
    const left = without(list.values, entry, column);
    return isOut && left.length === 0 ? termOf(withEntry([], entry, column), false, column) : termOf(left, true, column);
  }
  if (isOut && list === null && entry.span === undefined) return termWithout(term, [entry.value], column);
  const isAdded = list !== null && list.isTaken !== isOut && term?.except === undefined;
  return termOf(withEntry(isAdded ? list.values : [], entry, column), !isOut, column);
}

/**
 * @param {any[]} values
 * @param {Pick<Entry, 'value'|'span'>} entry
 */
function withEntry(values, { value, span }, column) {
  if (span === undefined) return [...values, value];
  return [...values.filter((one) => one === null), ...spansWith(asSpans(values), span, true, column)];
}

/**
 * @param {any[]} values
 * @param {Pick<Entry, 'value'|'span'>} entry
 */
function without(values, { value, span }, column) {
  if (span === undefined) return values.filter((one) => one !== value);
  return [...values.filter((one) => one === null), ...spansWith(asSpans(values), span, false, column)];
}

function termOf(values, isTaken, { name: column, ...more }) {
  if (values.length === 0) return null;
  if (values.length === 1 && values[0] === null) return { column, op: isTaken ? 'isEmpty' : 'isFilled' };
  if (isTaken && values.length === 1 && isPair(values[0])) {
    const ends = endsOf(values[0], more);
    return Object.keys(ends).length === 0 ? { column, op: 'isFilled' } : { column, op: 'range', ...ends };
  }
  return { column, op: isTaken ? 'oneOf' : 'noneOf', values: values.map((value) => (Array.isArray(value) && value[0] === value[1] ? value[0] : value)) };
}

/** Returns an entry's name for screen readers. */
export function entryText({ label, rows }, mark, locale) {
  const words = `${label}, ${plural(rows, '{count} row', '{count} rows', {}, locale)}`;
  return mark === 'out' ? phrase('{entry}, left out', { entry: words }) : words;
}

/**
 * Returns entries in the order of those on the screen, with new ones at the end. Entries that have
 * gone stay without rows.
 *
 * @param {Entry[]} shown
 * @param {Entry[]} entries
 */
export function inPlace(shown, entries) {
  const stable = shown.map((old) => entries.find(({ key }) => key === old.key) ?? { ...old, rows: 0 });
  return [...stable, ...entries.filter(({ key }) => !shown.some((old) => old.key === key))];
}

/**
 * Returns the sentence below the entries of a facet; empty if it needs none.
 * @param {Counts} counts
 * @param {string} [locale]
 */
export function noteOf({ others, moreThan, pending, reason }, locale) {
  if (reason !== undefined) return reason;
  if (pending === true) return phrase('Counting…');
  if (moreThan !== undefined) {
    return plural(moreThan, 'More than {count} different value: too many to count. Narrow the rows by another column, or search.', 'More than {count} different values: too many to count. Narrow the rows by another column, or search.', {}, locale);
  }
  if (others === undefined) return '';
  const rows = plural(others.rows, '{count} row', '{count} rows', {}, locale);
  return plural(others.values, '{count} other value in {rows}', '{count} other values in {rows}', { rows }, locale);
}

/** Returns the items of the menu of columns. */
export function columnItems(columns, names, change) {
  return columns.filter(isCountable).map((column) => {
    const isChecked = names.includes(column.name);
    const isFull = !isChecked && names.length >= MOST_FACETS;
    return {
      label: titleOf(column), isChecked, run: () => change(isChecked ? names.filter((name) => name !== column.name) : [...names, column.name]),
      ...(isFull ? { isDisabled: true, why: phrase('The panel has {most} columns already.', { most: MOST_FACETS }) } : {}),
    };
  });
}
