// totals.js: the aggregates of a query as text, and their places under columns. No DOM, no clock.

import { isNumeric, titleOf } from './columns.js';
import { functionName } from './query.js';
import { number, phrase, phraseKey } from './language.js';

/** The height of the row of totals in pixels, as in the style sheet. */
export const FOOT_HEIGHT = 28;

/** The width in pixels that the label of a section has at least. */
export const LABEL_WIDTH = 150;

const symbols = Object.freeze({
  sum: 'Σ', mean: phraseKey('mean'), distinct: phraseKey('different'), median: phraseKey('median'), min: phraseKey('min'), max: phraseKey('max'), first: phraseKey('first'),
  last: phraseKey('last'),
});

/** Returns the short name of a function, as shown in front of its value. */
export function symbolOf(kind) {
  return Object.hasOwn(symbols, kind) ? phrase(symbols[kind]) : kind;
}

/** Returns the name of an aggregate for screen readers and tooltips: `Sum of CPU`. */
export function nameOf(kind, column) {
  return phrase('{function} of {column}', { function: functionName(kind), column: titleOf(column) });
}

/**
 * A column with its totals: `at` is the place of an aggregate in the query.
 * @typedef {{spec: import('./columns.js').Spec, terms: {kind: string, at: number}[]}} Totalled
 */

/**
 * Returns the columns that have totals, from left to right.
 *
 * @param {{column: string, function: string}[]} aggregates of the query
 * @param {import('./columns.js').Spec[]} specs the shown columns
 * @returns {Totalled[]}
 */
export function totalledColumns(aggregates, specs) {
  return specs.flatMap((spec) => {
    const terms = aggregates.flatMap(({ column, function: kind }, at) => (column === spec.column.name ? [{ kind, at }] : []));
    return terms.length === 0 ? [] : [{ spec, terms }];
  });
}

// Formats a number with two decimals, or three significant digits if it is small.
function shortened(value, locale) {
  const isSmall = typeof value === 'number' && value !== 0 && Math.abs(value) < 0.1;
  return number(value, isSmall ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 2 }, locale);
}

/** Rounds a sum or mean, which has digits that no cell has. */
export function rounded(value) {
  const size = Math.abs(value);
  return size === 0 || size >= 0.1 ? Math.round(value * 100) / 100 : Number(value.toPrecision(3));
}

/**
 * Returns the value of an aggregate as text.
 *
 * @param {string} kind the function
 * @param {*} value as sent by the server
 * @param {import('./columns.js').Spec|undefined} spec the column with its format
 */
export function totalText(kind, value, spec, now, locale) {
  if (value === null || value === undefined) return '—';
  if (kind === 'distinct' || spec === undefined || (kind === 'mean' && spec.column.type === 'integer')) return shortened(value, locale);
  const isMade = (kind === 'mean' || kind === 'sum') && isNumeric(spec.column.type) && typeof value === 'number';
  return spec.format(isMade && !/^(bytes|duration|age)$/.test(spec.column.style) ? rounded(value) : value, now);
}

/**
 * Returns the texts of aggregates, such as `Σ CPU 12.5 %`.
 *
 * @param {{column: string, function: string}[]} aggregates of the query
 * @param {*[]} values as sent by the server, in the same order
 * @param {import('./columns.js').Spec[]} specs the columns with their formats
 * @param {(name: string) => boolean} [isWanted] whether the aggregates of a column are
 */
export function aggregateTexts(aggregates, values, specs, now, locale, isWanted = () => true) {
  return aggregates.slice(0, values.length).flatMap(({ column: name, function: kind }, at) => {
    if (!isWanted(name)) return [];
    const spec = specs.find(({ column }) => column.name === name);
    return [`${symbolOf(kind)} ${spec?.column.title || name} ${totalText(kind, values[at], spec, now, locale)}`];
  });
}
