// targets.js: the rows that an action runs on, and their names in menus and dialogs. No DOM.

import { isEnglish, number, phrase, plural } from './language.js';

/** The greatest number of rows of one action. */
export const MOST_ROWS = 1_000;

const namesShown = 3;
const identifying = /^(.+[_ ])?(id|pid|key|uuid)$/i;

/**
 * Returns a row's name for the user, and the value that identifies it in parentheses.
 *
 * The name is the cell of the table's label column, or of the first text column. The identifying
 * value is the row's key or the cell of a column named like an identifier.
 *
 * @param {import('../protocol/wire.js').Row} row
 * @param {import('./columns.js').Spec[]} specs all columns
 * @param {string|undefined} label the name of the table's label column
 * @param {number|string|undefined} key the row's key, if known
 */
export function rowName(row, specs, label, key, now = 0) {
  const named = labelSpec(specs, label);
  const text = named === undefined ? '' : named.format(row.cells[named.index] ?? null, now);
  const isKey = ({ index }) => key !== undefined && key !== null && row.cells[index] === key;
  const other = specs.filter((spec) => spec !== named && ['integer', 'text'].includes(spec.column.type));
  const spec = other.find(isKey) ?? other.find(({ column }) => identifying.test(column.name));
  const mark = spec === undefined ? String(key ?? '') : String(row.cells[spec.index] ?? '');
  if (mark === '' || mark === text) return text || phrase('Row');
  const title = spec === undefined ? '' : `${spec.column.title || spec.column.name} `;
  return text === '' ? `${title}${mark}` : `${text} (${title}${mark})`;
}

/** Returns a row's name without its identifying value, unless it has no other name. */
export function shortName(row, specs, label, key, now = 0) {
  const named = labelSpec(specs, label);
  const text = named === undefined ? '' : named.format(row.cells[named.index] ?? null, now);
  return text || rowName(row, specs, label, key, now);
}

function labelSpec(specs, label) {
  return specs.find(({ column }) => column.name === label) ?? specs.find(({ column, kind }) => column.type === 'text' && kind === 'text');
}

/** Formats a count of rows: `8 processes`, or `8 rows` if the title is not an English plural. */
export function countOf(count, table, locale) {
  const title = table.title || table.name;
  // Titles of other languages have no plural that is known here.
  const isPlural = isEnglish() && /^\p{Lu}?\p{Ll}+s$/u.test(title);
  return isPlural && count !== 1 ? `${number(count, undefined, locale)} ${title.toLowerCase()}` : plural(count, '{count} row', '{count} rows', {}, locale);
}

/**
 * Describes the rows of an action: the name of a single row, or the count and the first names.
 * `names` has at least the names shown.
 */
export function targetText(names, count, table, locale) {
  if (count === 1) return names[0];
  const shown = names.slice(0, count === namesShown + 1 ? namesShown + 1 : namesShown);
  const more = count - shown.length;
  const list = `${countOf(count, table, locale)}: ${shown.join(', ')}`;
  return more > 0 ? phrase('{list} and {count} more', { list, count: more }, locale) : list;
}

/**
 * Returns the rows between two positions of the view: those in the window as painted, the others
 * fetched.
 *
 * @param {{top: number, bottom: number}} bounds the first and the last position
 * @param {import('../protocol/wire.js').WindowCopy} copy
 * @param {(first: number, last: number) => Promise<{items: object[]}>} fetch
 * @returns {Promise<import('../protocol/wire.js').Row[]>} rejected if any row is missing
 */
export async function rowsBetween({ top, bottom }, copy, fetch) {
  const { start, end } = copy;
  const held = heldItems({ top, bottom }, copy);
  const pieces = top < start || bottom >= end ? [
    ...(top < start ? [(await fetch(top, Math.min(bottom, start - 1))).items] : []),
    held,
    ...(bottom >= end ? [(await fetch(Math.max(top, end), bottom)).items] : []),
  ] : [held];
  const items = pieces.flat();
  if (items.length < bottom - top + 1) throw new Error(phrase('the list has become shorter'));
  const rows = new Map();
  for (const item of items) {
    if (item.isHeader) continue;
    if (item.absence !== null) throw new Error(phrase('some rows are not loaded'));
    if (rows.has(item.id)) throw new Error(phrase('rows have moved while they were fetched'));
    rows.set(item.id, item);
  }
  return [...rows.values()];
}

/** Returns the items between two positions that are in the window. */
export function heldItems({ top, bottom }, copy) {
  const items = [];
  for (let at = Math.max(top, copy.start); at <= Math.min(bottom, copy.end - 1); at += 1) items.push(copy.itemAt(at));
  return items;
}

/**
 * The results of an action on several rows.
 *
 *     const batch = new Batch('Stop', 250);
 *     batch.settle(entry, name);     // for each entry that has ended
 *     batch.text;                    // 'Stop: 37 of 250 done, 2 failed'
 */
export class Batch {
  constructor(title, count, locale) {
    this.title = title;
    this.count = count;
    this.locale = locale;
    this.done = this.failed = this.gone = this.cancelled = 0;
    /**
     * Descriptions of the failures, with reasons.
     * @type {string[]}
     */
    this.faults = [];
  }

  /** Adds the result of one row's entry. */
  settle({ state, code, text, isUnclear }, name) {
    if (state === 'done') this.done += 1;
    else if (state === 'cancelled') this.cancelled += 1;
    else {
      if (code === 'rowGone') this.gone += 1;
      else this.failed += 1;
      this.faults.push(`${name}: ${code === 'rowGone' ? phrase('it is gone') : text}${isUnclear ? ` ${phrase('The action may still have run.')}` : ''}`);
    }
  }

  /** Whether all entries have ended. */
  get isOver() {
    return this.done + this.failed + this.gone + this.cancelled === this.count;
  }

  /** Whether all entries succeeded. */
  get isGood() {
    return this.done === this.count;
  }

  get text() {
    const { done, count, failed, gone, cancelled, locale } = this;
    const parts = [
      phrase('{done} of {count} done', { done, count }, locale), failed > 0 && phrase('{count} failed', { count: failed }, locale),
      gone > 0 && phrase('{count} gone', { count: gone }, locale), cancelled > 0 && phrase('{count} cancelled', { count: cancelled }, locale),
    ];
    return `${this.title}: ${parts.filter(Boolean).join(', ')}`;
  }
}
