// exact.js: exact texts of values, for details, tooltips and the clipboard. Loaded after the first
// rows. No DOM.

import { formOf, isNumeric, missingOf } from './columns.js';
import { moment, momentInUTC } from './times.js';
import { phrase } from './language.js';

const longestText = 1_000;

/**
 * Formats milliseconds since 1970 with all digits, in local time with the offset from UTC or in
 * UTC: `2026-03-01 12:00:00.123+01:00`, `2026-03-01 11:00:00.123Z`.
 */
export function exactMoment(milliseconds, zone = undefined) {
  if (zone === 'utc') return momentInUTC(milliseconds);
  const text = moment(milliseconds);
  return text === '' ? '' : text + offsetAt(milliseconds);
}

/** Returns the offset of local time from UTC at a given time: `+01:00`. */
export function offsetAt(milliseconds) {
  const minutes = -new Date(milliseconds).getTimezoneOffset();
  const size = Math.abs(minutes);
  const two = (value) => String(Math.floor(value)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`;
}

/** Returns the name of the local time zone: `Europe/Berlin`. */
export function zoneName() {
  ownZone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone ?? phrase('local time');
  return ownZone;
}
let ownZone;  // cached, because creating a DateTimeFormat is expensive

/**
 * Returns a cell's value as text without loss; empty for an empty cell.
 *
 * Numbers have no separators and carry the column's unit. Times carry their offset and zone.
 */
export function exactText(cell, { type, style, zone, unit = '' }) {
  if (cell === null || cell === undefined || missingOf(cell) !== null) return '';
  if (type === 'timestamp' && typeof cell === 'number') return moment(cell) === '' ? String(cell) : `${exactMoment(cell, zone)} (${zone === 'utc' ? 'UTC' : zoneName()})`;
  if (Array.isArray(cell)) return cut(cell.map((value) => value ?? '—').join(', '));
  if (!isNumeric(type)) return cut(String(cell));
  const counted = unit !== '' ? unit : style === 'bytes' ? 'B' : style === 'duration' || style === 'age' ? 's' : '';
  return String(cell) + (counted === '' || counted === '%' ? counted : ` ${counted}`);
}

/** Returns the exact text of a cell, or an empty string if its formatted text is exact. */
export function hiddenExactness(cell, column) {
  if (!isNumeric(column.type) && column.type !== 'timestamp' && column.type !== 'series') return '';
  const isWhole = isNumeric(column.type) && formOf(column).decimals === undefined && !['bytes', 'duration', 'age'].includes(column.style);
  return isWhole ? '' : exactText(cell, column);
}

/** Whether a column formats other numbers, too, as the same text as this one. */
export function isRounded(cell, { column, format }, now) {
  if (!isNumeric(column.type) || typeof cell !== 'number') return false;
  const step = column.type === 'integer' ? 1 : Math.abs(cell) * Number.EPSILON || Number.MIN_VALUE;
  const text = format(cell, now);
  return format(cell + step, now) === text || format(cell - step, now) === text;
}

/** Returns the note on time zone for a timestamp column's header, else an empty string. */
export function zoneNote({ type, zone }, now) {
  if (type !== 'timestamp') return '';
  return zone === 'utc' ? phrase('Times in UTC') : phrase('Times in {zone} (UTC{offset})', { zone: zoneName(), offset: offsetAt(now) });
}

function cut(text) {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

const extremes = Object.freeze({
  integer: ['-9223372036854775808', '9223372036854775807'], number: [String(-Number.MAX_VALUE), String(Number.MAX_VALUE)],
  timestamp: ['-9223372036854.775808', '9223372036854.775807'],
});

/**
 * Returns the ends of a span of values to show. An end is left out if the column has no value
 * beyond it. `below` is a round value directly after the span.
 *
 * @param {*[]} span in wire format
 * @returns {{from?: *, through?: *, below?: *}}
 */
export function shownEnds([from, through], { type }) {
  const [least, greatest] = extremes[type] ?? [];
  const isOpen = String(through) === greatest;
  const below = isOpen ? undefined : roundBeyond(through, type);
  return { ...(String(from) === least ? {} : { from }), ...(isOpen ? {} : { through }), ...(below === undefined ? {} : { below }) };
}

const bits = new DataView(new ArrayBuffer(8));

function roundBeyond(value, type) {
  // A time has nanoseconds only if it is a text.
  if (type === 'timestamp') return /^\d+\.999999$/.test(value) ? Math.floor(Number(value.slice(0, -7))) + 1 : undefined;
  if (type !== 'number' || value === 0) return undefined;
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + (value > 0 ? 1n : -1n));
  const next = bits.getFloat64(0);
  return String(next).length + 4 < String(value).length ? next : undefined;
}
