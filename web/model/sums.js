// sums.js: statistics of the selected cells: count, sum, average, least and greatest. No DOM, no
// clock.

import { isNumeric, titleOf } from './columns.js';
import { number, phrase, plural } from './language.js';

/**
 * Returns the statistics of the cells in a column of `rows`, exact for integers of any size.
 *
 * @param {any[][]} rows
 * @param {number[]} places the columns to count, with numbers of one unit
 * @returns {{count: number, sum: number|bigint, mean: number, least: number|bigint,
 *   greatest: number|bigint}|null} null without numbers
 */
export function sumUp(rows, places) {
  let [count, sum, rest, large] = [0, 0, 0, 0n];
  let least = null;
  let greatest = null;
  for (const row of rows) {
    for (const at of places) {
      const value = numberOf(row[at]);
      if (value === null) continue;
      count += 1;
      if (least === null || value < least) least = value;
      if (greatest === null || value > greatest) greatest = value;
      if (typeof value === 'bigint') large += value;
      else if (Number.isSafeInteger(value)) large += BigInt(value);
      else {
        // Neumaier's sum keeps the digits that a large sum would lose.
        const next = sum + value;
        rest += Math.abs(sum) >= Math.abs(value) ? (sum - next) + value : (value - next) + sum;
        sum = next;
      }
    }
  }
  if (count === 0) return null;
  const isWhole = sum === 0 && rest === 0;
  const whole = isWhole ? large : Number(large) + sum + rest;
  return { count, sum: isWhole && isSafe(large) ? Number(large) : whole, mean: Number(whole) / count, least, greatest };
}

function numberOf(cell) {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : null;
  return typeof cell === 'string' && /^-?\d{1,19}$/.test(cell) ? BigInt(cell) : null;
}

function isSafe(whole) {
  return whole >= BigInt(Number.MIN_SAFE_INTEGER) && whole <= BigInt(Number.MAX_SAFE_INTEGER);
}

/**
 * Returns the statistics of a selection as text, empty for a single cell.
 *
 * Columns of different units have no common sum, so that only their cells are counted. A selection
 * of whole rows is summed up in the column `active`, if it has numbers.
 *
 * @param {{specs: object[], rows: any[][], missing: number}} chosen see `Selection.cells`
 * @param {{active?: number, isRows?: boolean, now: number, locale?: string}} how
 */
export function selectionText({ specs, rows, missing }, { active = -1, isRows = false, now, locale }) {
  const total = rows.length + missing;
  if (total * specs.length <= 1) return '';
  const numeric = specs.map((spec, at) => at).filter((at) => isNumeric(specs[at].column.type) && (!isRows || at === active));
  const units = new Set(numeric.map((at) => `${specs[at].column.unit ?? ''}/${specs[at].column.style ?? ''}`));
  const held = plural(rows.length, '{count} row', '{count} rows', {}, locale);
  const filled = rows.reduce((sum, row) => sum + row.filter((cell) => cell !== null).length, 0);
  const first = isRows ? held : plural(filled, '{count} cell', '{count} cells', {}, locale);
  const counted = missing > 0 ? phrase('{count} in the {rows} loaded here, of {total} selected', { count: first, rows: held, total }, locale) : first;
  const sums = units.size === 1 ? sumUp(rows, numeric) : null;
  if (sums === null) return phrase('Selected: {count}', { count: counted });
  const { column, format } = specs[numeric[0]];
  const isPlain = column.type === 'integer' && !column.style && !column.format;
  const show = (value) => (typeof value === 'bigint' ? number(value, undefined, locale) : format(value, now));
  const mean = isPlain ? number(sums.mean, { maximumFractionDigits: 2 }, locale) : show(sums.mean);
  const title = numeric.length === 1 && specs.length > 1 ? `${titleOf(column)} ` : '';
  return phrase('Selected: {count} · {title}sum {sum} · average {mean} · min {least} · max {greatest}', {
    count: counted, title, sum: show(sums.sum), mean, least: show(sums.least), greatest: show(sums.greatest),
  });
}
