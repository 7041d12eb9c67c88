// display.js: the display of values in a view: the form of its times, the lines of text of its
// rows, its pinned rows, and the layout of its columns in links. No DOM, no clock.

import { formOf, WIDTHS } from './columns.js';
import { phraseKey } from './language.js';

/** The forms of times, as `[form, label in English]`. */
export const FORMS = Object.freeze([['local', phraseKey('Local time')], ['utc', 'UTC'], ['relative', phraseKey('Relative: 3 min ago')]]);

/** The numbers of lines of text that a row can have. */
export const LINES = Object.freeze([1, 2, 3, 5]);

/** The height of a line of text in a row with several in pixels, as in the style sheet. */
export const LINE_HEIGHT = 18;

/**
 * The form of the times of one column, or of all columns without a form of their own.
 *
 * `as` is one of {@link FORMS}, and `decimals` is 0, or 3 for milliseconds. Each is left to the
 * source if undefined.
 * @typedef {{column?: string, as?: string, decimals?: number}} TimeForm
 */

/** Returns the height of a row in pixels; `base` is that of a row with one line. */
export function rowHeightOf(base, lines = 1) {
  return base + (lines - 1) * LINE_HEIGHT;
}

/** Returns the table's columns with what the view changes in their formats. */
export function displayedColumns(columns, { times, lines }) {
  if (times === undefined && lines === undefined) return columns;
  return columns.map((column) => {
    if (column.type === 'timestamp') return withForm(column, formFor(times, column.name));
    return lines !== undefined && (column.type === 'text' || column.type === 'image') ? { ...column, lines } : column;
  });
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
 * columns. A member of `form` that is undefined is left to the source, or to the form of all.
 *
 * @param {TimeForm[]} times
 * @param {string|undefined} name
 * @param {{as?: string, decimals?: number}} form
 */
export function nextTimes(times = [], name, form) {
  const at = times.findIndex(({ column }) => column === name);
  const { as, decimals } = { ...times[at], ...form };
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

/** Parses the number of lines of a link; undefined for one line. */
export function linesFrom(text) {
  const lines = Number(text);
  return lines > 1 && LINES.includes(lines) ? lines : undefined;
}

/** The most rows that stay above the others. */
export const MOST_PINS = 10;

/**
 * Parses the keys of pinned rows of a link; undefined without any.
 * @returns {(number|string)[]|undefined}
 */
export function pinsFrom(text) {
  try {
    const keys = JSON.parse(text ?? '[]');
    const isKey = (key) => Number.isSafeInteger(key) || (typeof key === 'string' && key.length <= 256);
    const found = Array.isArray(keys) ? [...new Set(keys.filter(isKey))].slice(0, MOST_PINS) : [];
    return found.length > 0 ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the keys of pinned rows after pinning or unpinning one; undefined without any. */
export function nextPins(pins = [], key, isPinned) {
  const next = isPinned ? [...pins.filter((other) => other !== key), key].slice(-MOST_PINS) : pins.filter((other) => other !== key);
  return next.length > 0 ? next : undefined;
}

/** Returns the layout as text: `*pid,name:220,-command`. A star pins, a minus hides. */
export function layoutText(layout, encode) {
  return layout.map(({ column, width, isHidden, isPinned }) =>
    (isPinned ? '*' : '') + (isHidden ? '-' : '') + encode(column) + (width > 0 ? `:${width}` : '')).join(',');
}

/** Parses the text of {@link layoutText}. */
export function layoutFrom(text, decode) {
  const layout = [];
  for (const term of (text ?? '').split(',').slice(0, 2_000)) {
    const [, pin, hide, name, width = '0'] = /^(\*?)(-?)([^:]*)(?::(\d{1,5}))?$/.exec(term) ?? [];
    const column = decode(name ?? '');
    if (column === '' || layout.some((place) => place.column === column)) continue;
    const given = Number(width);
    layout.push({
      column, width: given === 0 ? 0 : Math.max(WIDTHS.least, Math.min(WIDTHS.most, given)), isHidden: hide === '-', isPinned: pin === '*',
    });
  }
  return layout;
}
