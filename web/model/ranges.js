// ranges.js: sections by ranges of numbers and times: their sizes in views, links and queries, and
// their texts. No DOM, no clock.

import { formatter, formOf, isNumeric, titleOf } from './columns.js';
import { formFor } from './display.js';
import { moment, momentInUTC } from './times.js';
import { isEnglish, phrase, phraseKey } from './language.js';
import { wireOffsets } from './zone.js';

/**
 * The size of the ranges of a grouped column: a width of numbers, or a unit of times. A column that
 * is grouped by several times has the ranges of its levels in their order.
 * @typedef {{column: string, width?: number, unit?: string}} Range
 */

/** The units of ranges of times, the shortest first. */
export const UNITS = Object.freeze(['minute', 'hour', 'day', 'week', 'month', 'year']);
const unitNames = Object.freeze({
  minute: phraseKey('Minute'), hour: phraseKey('Hour'), day: phraseKey('Day'), week: phraseKey('Week'), month: phraseKey('Month'), year: phraseKey('Year'),
});

/** Whether sections can have ranges of a column's values. */
export function hasRanges({ type }) {
  return isNumeric(type) || type === 'timestamp';
}

/**
 * Whether the server divides a column into ranges of a size.
 *
 * @param {{type: string}} column
 * @param {{width?: number, unit?: string}} size
 */
export function isFittingSize({ type }, { width, unit }) {
  if (type === 'timestamp') return width === undefined && UNITS.includes(unit);
  return unit === undefined && (type === 'integer' ? Number.isSafeInteger(width) : type === 'number' && Number.isFinite(width)) && width > 0;
}

/**
 * Returns the ranges whose column is grouped, and fits if `columns` are known; undefined for none.
 *
 * @param {Range[]|undefined} ranges
 * @param {string[]} group
 * @param {object[]} [columns]
 */
export function fittingRanges(ranges = [], group, columns) {
  const isFitting = (range) => columns?.some((column) => column.name === range.column && isFittingSize(column, range)) ?? true;
  const found = [];
  for (const range of ranges) {
    const levels = group.filter((name) => name === range.column).length;
    const own = found.filter(({ column }) => column === range.column);
    if (own.length < levels && isFitting(range) && !own.some((other) => isSameSize(other, range))) found.push(range);
  }
  return found.length === 0 ? undefined : found;
}

function isSameSize(one, other) {
  return one.width === other.width && one.unit === other.unit;
}

/** Returns the ranges of a level of sections; undefined if it has a section for each value. */
export function rangesAt({ group, ranges = [] }, level) {
  const before = group.slice(0, level).filter((name) => name === group[level]).length;
  return ranges.filter(({ column }) => column === group[level])[before];
}

/**
 * Returns grouped columns without repeated levels: those of a column that has another level with a
 * section for each value.
 */
export function distinctLevels(group, ranges) {
  const isPlain = (level) => rangesAt({ group, ranges }, level) === undefined;
  return group.filter((name, level) => !isPlain(level) || group.findIndex((other, at) => other === name && isPlain(at)) === level);
}

/** Returns a view without ranges of columns that are not grouped, and without repeated levels. */
export function withFittingRanges({ ranges, ...view }) {
  const fitting = fittingRanges(ranges, view.group);
  const group = distinctLevels(view.group, fitting);
  const found = group.length === view.group.length ? view : { ...view, group };
  return fitting === undefined ? found : { ...found, ranges: fitting };
}

/** Returns the ranges after setting those of a column, from the outermost level to the inner. */
export function nextRanges(ranges = [], column, sizes) {
  const next = [...ranges.filter((range) => range.column !== column), ...sizes.map((size) => ({ column, ...size }))];
  return next.length === 0 ? undefined : next;
}

/** Returns the columns of a grouping after giving a column a number of adjacent levels. */
export function nextLevels(group, column, count) {
  const first = group.indexOf(column);
  const levels = Array.from({ length: count }, () => column);
  return first < 0 ? [...group, ...levels] : group.flatMap((name, at) => (at === first ? levels : name === column ? [] : [name]));
}

/** Returns ranges as text: `cpu:10,started:hour`. */
export function rangesText(ranges, encode) {
  return ranges.map(({ column, width, unit }) => `${encode(column)}:${unit ?? width}`).join(',');
}

/** Parses the text of {@link rangesText} and skips malformed parts; undefined without any. */
export function rangesFrom(text, decode) {
  const found = [];
  for (const part of (text ?? '').split(',').slice(0, 4)) {
    const [, name, size] = /^([^:]+):([\w.+-]+)$/.exec(part) ?? [];
    const column = decode(name ?? '');
    const range = UNITS.includes(size) ? { column, unit: size } : { column, width: Number(size) };
    const isKnown = range.unit !== undefined || (range.width > 0 && Number.isFinite(range.width));
    if (column !== '' && isKnown && !found.some((one) => one.column === column && isSameSize(one, range))) found.push(range);
  }
  return found.length === 0 ? undefined : found;
}

/**
 * Returns the columns of a view's grouping in wire format.
 *
 * @param {{group: string[], ranges?: Range[], times?: object[]}} view
 * @param {number} zone the present offset of local time from UTC in minutes, for columns of local times
 * @param {import('./zone.js').Offsets} [offsets] all offsets of local time; none if it does not change
 * @returns {(string|{column: string, width?: number, unit?: string, offset?: number,
 *   offsets?: import('./zone.js').Offsets})[]}
 */
export function wireGroup({ group, ranges, times }, zone, offsets = []) {
  return group.map((name, level) => {
    const { column, width, unit } = rangesAt({ group, ranges }, level) ?? {};
    if (column === undefined) return name;
    if (unit === undefined) return { column, width };
    if (formFor(times, name).as === 'utc') return { column, unit };
    // A server that does not know offsets uses the present one.
    return { column, unit, ...(zone === 0 ? {} : { offset: zone }), ...wireOffsets(offsets) };
  });
}

// Texts.

/**
 * Returns the size of ranges as text: `10 %`, `64 KiB`, `Hour`.
 *
 * @param {{width?: number, unit?: string}} size
 */
export function sizeText({ width, unit }, format, now) {
  return unit === undefined ? format(width, now) : phrase(unitNames[unit]);
}

/**
 * Returns the title of a level of sections: that of its column. If the column has several levels,
 * it has the size of the ranges as well: `At (day)`.
 *
 * @param {object} column
 * @param {{group: string[], ranges?: Range[]}} view
 * @param {number} [level] none for the title of the column
 * @param {string} [locale]
 */
export function levelTitle(column, view, level, locale) {
  const size = level === undefined || view.group.filter((name) => name === column.name).length < 2 ? undefined : rangesAt(view, level);
  if (size === undefined) return titleOf(column);
  const text = sizeText(size, widthFormat({ column, format: formatter(column, { locale }) }, locale), 0);
  return `${titleOf(column)} (${size.unit !== undefined && isEnglish() ? text.toLowerCase() : text})`;
}

/**
 * Returns the text of a section's value or range: `10 – 20`, `2026-11-26 14:00 – 15:00`.
 *
 * @param {{value: any, end?: any}} header a section header, or its value. `end` is the first value
 *   after the range; undefined if there is none, or no range
 * @param {import('./columns.js').Spec} spec
 * @param {string} [locale]
 */
export function sectionText({ value, end }, spec, now, locale) {
  if (end === undefined) return spec.format(value, now);
  return rangeText(value, end, { ...spec, format: widthFormat(spec, locale) }, now, spec.column.zone === 'utc');
}

/**
 * Returns the format of a column's bounds and widths. They have all digits, also in a column that
 * rounds its values, and those of ages are durations.
 */
export function widthFormat({ column, format }, locale) {
  if (!isNumeric(column.type)) return format;
  if (column.style === 'age') return formatter({ ...column, style: 'duration' }, { locale });
  const { word, decimals } = formOf(column);
  return decimals === undefined ? format : formatter({ ...column, format: word }, { locale });
}

/** Returns the text of the values from `from` to before `to`; undefined for no limit. */
export function rangeText(from, to, { column, format }, now, isUTC = false) {
  if (from === undefined && to === undefined) return phrase('All');
  if (column.type === 'timestamp') return timesText(from, to, isUTC);
  if (from === undefined) return `< ${format(to, now)}`;
  if (to === undefined) return `≥ ${format(from, now)}`;
  if (column.type !== 'integer' || ['bytes', 'duration', 'age'].includes(column.style)) return `${format(from, now)} – ${format(to, now)}`;
  const last = typeof to === 'string' ? String(BigInt(to) - 1n) : to - 1;
  return String(last) === String(from) ? format(from, now) : `${format(from, now)} – ${format(last, now)}`;
}

const second = 1_000;
const day = 86_400 * second;

// Times to the precision of the bounds. The second of two times on a day has no date.
function timesText(from, to, isUTC) {
  const shape = isUTC ? momentInUTC : moment;
  const dayText = (time) => shape(time, 'date').slice(0, 10);
  const isMidnight = (time) => shape(time, 'time', 0).startsWith('00:00') && time % (60 * second) === 0;
  const ends = [from, to].filter((end) => end !== undefined).map(Number);
  const isDays = ends.every(isMidnight) && (ends.length < 2 || ends[1] - ends[0] > day / 2);
  const clock = (time) => shape(time, 'time').slice(0, ends.every((end) => end % (60 * second) === 0) ? 5 : undefined);
  const text = (time) => (isDays ? dayText(time) : `${dayText(time)} ${clock(time)}`);
  if (from === undefined) return phrase('before {time}', { time: text(ends[0]) });
  if (to === undefined) return phrase('from {time}', { time: text(ends[0]) });
  if (!isDays) return `${text(ends[0])} – ${dayText(ends[0]) === dayText(ends[1]) || isMidnight(ends[1]) ? clock(ends[1]) : text(ends[1])}`;
  const [first, last, next] = [dayText(ends[0]), dayText(ends[1] - 1), dayText(ends[1])];
  if (first === last) return first;
  const isBeginning = (suffix) => first.endsWith(suffix) && next.endsWith(suffix);
  if (isBeginning('-01-01') && last.startsWith(first.slice(0, -6))) return first.slice(0, -6);
  return isBeginning('-01') && last.startsWith(first.slice(0, -3)) ? first.slice(0, -3) : `${first} – ${last}`;
}
