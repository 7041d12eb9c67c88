// display.js: the display of values in a view: the form of its times. No DOM, no clock.

import { formOf } from './columns.js';

/** The forms of times, as `[form, label]`. */
export const FORMS = Object.freeze([['local', 'Local time'], ['utc', 'UTC'], ['relative', 'Relative: 3 min ago']]);

/**
 * The form of the times of one column, or of all columns without a form of their own.
 *
 * `as` is one of {@link FORMS}, and `decimals` is 0, or 3 for milliseconds. Each is left to the
 * source if undefined.
 * @typedef {{column?: string, as?: string, decimals?: number}} TimeForm
 */

/** Returns the table's columns with what the view changes in their formats. */
export function displayedColumns(columns, { times }) {
  if (times === undefined) return columns;
  return columns.map((column) => (column.type === 'timestamp' ? withForm(column, formFor(times, column.name)) : column));
}

/** Returns the form of a column's times: its own, completed by that of all columns. */
export function formFor(times = [], name) {
  const of = (wanted) => times.find(({ column }) => column === wanted);
  const { column, ...own } = of(name) ?? {};
  const { column: none, ...all } = of(undefined) ?? {};
  return { ...all, ...own };
}

function withForm(column, { as, decimals }) {
  if (as === undefined && decimals === undefined) return column;
  if (as === 'relative') return { ...column, style: 'age', isAgo: true };
  const { word } = formOf(column);
  return {
    ...column, ...(as === undefined ? {} : { style: 'plain' }), ...(as === 'utc' ? { zone: 'utc' } : {}),
    ...(decimals === undefined || word === 'date' ? {} : { format: `${word}.${decimals}` }),
  };
}

/**
 * Returns the forms of times after a change of those of a column; `name` is undefined for all
 * columns. A member of `wish` that is undefined is left to the source, or to the form of all.
 */
export function nextTimes(times = [], name, wish) {
  const at = times.findIndex(({ column }) => column === name);
  const { as, decimals } = { ...times[at], ...wish };
  const next = { ...(name === undefined ? {} : { column: name }), ...(as === undefined ? {} : { as }), ...(decimals === undefined ? {} : { decimals }) };
  const isEmpty = as === undefined && decimals === undefined;
  const all = at < 0 ? [...times, ...(isEmpty ? [] : [next])] : times.toSpliced(at, 1, ...(isEmpty ? [] : [next]));
  return all.length === 0 ? undefined : all;
}

/** Returns forms of times as text: `utc.3,started:relative,ended:.0`. */
export function timesText(times, encode) {
  return times.map(({ column, as = '', decimals }) => (column === undefined ? '' : `${encode(column)}:`) + as + (decimals === undefined ? '' : `.${decimals}`)).join(',');
}

/** Parses the text of {@link timesText} and skips malformed parts; undefined without any. */
export function timesFrom(text, decode) {
  const times = [];
  for (const part of (text ?? '').split(',').slice(0, 2_000)) {
    const [all, name, as, decimals] = /^(?:([^:]*):)?(local|utc|relative)?(?:\.([03]))?$/.exec(part) ?? [];
    const column = name === undefined ? undefined : decode(name);
    if (!all || column === '' || (as === undefined && decimals === undefined) || times.some((other) => other.column === column)) continue;
    times.push({ ...(column === undefined ? {} : { column }), ...(as === undefined ? {} : { as }), ...(decimals === undefined ? {} : { decimals: Number(decimals) }) });
  }
  return times.length === 0 ? undefined : times;
}
