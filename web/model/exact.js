// exact.js: values as the source sent them, for the details, for a pointer that rests on a cell, and for the clipboard. Loaded after the first
// rows. No DOM.

import { formOf, isNumeric, missingOf, moment } from './columns.js';

const longestText = 1_000;

/** Milliseconds since 1970 in local time with every digit and the offset from UTC: `2026-03-01 12:00:00.123+01:00`. */
export function exactMoment(milliseconds) {
  const text = moment(milliseconds);
  return text === '' ? '' : text + offsetAt(milliseconds);
}

/** The offset of local time from UTC at a moment: `+01:00`. */
export function offsetAt(milliseconds) {
  const minutes = -new Date(milliseconds).getTimezoneOffset();
  const size = Math.abs(minutes);
  const two = (value) => String(Math.floor(value)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`;
}

/** The name of the time zone that times are shown in: `Europe/Berlin`. */
export function zoneName() {
  zone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'local time';
  return zone;
}
let zone;  // asked for once: to make a format is dear

/**
 * A cell as a text that loses nothing: digits without separators, with the column's unit; times with their offset and zone.
 * Empty for an empty cell.
 */
export function exactText(cell, { type, style, unit = '' }) {
  if (cell === null || cell === undefined || missingOf(cell) !== null) return '';
  if (type === 'timestamp' && typeof cell === 'number') return moment(cell) === '' ? String(cell) : `${exactMoment(cell)} (${zoneName()})`;
  if (Array.isArray(cell)) return cut(cell.map((value) => value ?? '—').join(', '));
  if (!isNumeric(type)) return cut(String(cell));
  const counted = unit !== '' ? unit : style === 'bytes' ? 'B' : style === 'duration' || style === 'age' ? 's' : '';
  return String(cell) + (counted === '' || counted === '%' ? counted : ` ${counted}`);
}

/** The exact value of a cell whose text may not be it: empty where the text shows every digit. */
export function hiddenExactness(cell, column) {
  if (!isNumeric(column.type) && column.type !== 'timestamp' && column.type !== 'series') return '';
  const isWhole = isNumeric(column.type) && formOf(column).decimals === undefined && !['bytes', 'duration', 'age'].includes(column.style);
  return isWhole ? '' : exactText(cell, column);
}

/** What the header of a column of times says about them. */
export function zoneNote({ type }, now) {
  return type === 'timestamp' ? `Times in ${zoneName()} (UTC${offsetAt(now)})` : '';
}

function cut(text) {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}
