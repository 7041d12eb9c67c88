// format.js: cells to texts. No DOM, no clock: who shows an age says what time it is.
//# allFunctionsCalledOnLoad

const longestText = 400;  // more than any cell can show; a source may send 64 KiB

/**
 * Makes the function that turns a column's cells into text.
 *
 * @param {{type: string, style: string, unit?: string}} column
 * @param {{locale?: string, decimals?: number}} [how] `decimals`: as many for each value, so that the points stand in line
 * @returns {(cell: any, now: number) => string} empty for an empty cell
 */
export function formatter(column, { locale, decimals = 0 } = {}) {
  const { type, style, unit = '' } = column;
  if (style === 'bytes' && isNumeric(type)) return (cell) => (isNumber(cell) ? bytes(cell, locale) : isBeyond(cell) ? bytes(Number(cell), locale) : plain(cell));
  if (style === 'duration' && isNumeric(type)) return (cell) => (isNumber(cell) ? duration(cell) : plain(cell));
  if (style === 'age') {
    const since = type === 'timestamp' ? (cell, now) => (now - cell) / 1_000 : (cell) => cell;
    return (cell, now) => (isNumber(cell) ? age(since(cell, now)) : plain(cell));
  }
  if (isNumeric(type)) return numbers(locale, decimals, unit, type === 'integer' && unit === '' && isIdentifier(column.name));
  if (type === 'timestamp') return (cell) => (isNumber(cell) ? dateTime(cell) : plain(cell));
  if (type === 'boolean') return (cell) => (cell === true ? 'yes' : cell === false ? 'no' : plain(cell));
  if (type === 'series') return (cell) => (Array.isArray(cell) ? series(cell, locale) : plain(cell));
  return plain;
}

/** Whether a column's values are numbers. */
export function isNumeric(type) {
  return type === 'integer' || type === 'number';
}

/** How many decimals (0 to 3) tell these values apart as the source wrote them; one for all, so that it may be measured once. */
export function decimalsFor(column, values) {
  if (column.type !== 'number') return 0;
  if (column.unit === '%') return 1;
  let most = 0;
  let needed = 0;
  for (const value of values) {
    if (!isNumber(value)) continue;
    most = Math.max(most, Math.abs(value));
    while (needed < 3 && Math.abs(value * 10 ** needed - Math.round(value * 10 ** needed)) > 1e-6) needed += 1;
  }
  return most >= 10 ? Math.min(needed, 2) : needed;
}

/** Whether an integer is a name rather than an amount: `10,536` is no process. */
function isIdentifier(name) {
  return /(^|[_.-])(id|key|port|year|code|[pug]id|ppid|tid|inode|line)$/i.test(name);
}

function numbers(locale, decimals, unit, isName) {
  const format = simpleFormat(locale, decimals, !isName) ?? numberFormat(locale, decimals, !isName);
  const suffix = unit === '' ? '' : unit === '%' ? '%' : `\u202f${unit}`;
  return (cell) => {
    if (isNumber(cell)) return (Math.abs(cell) < tooLong ? format : scientific(locale)).format(cell) + suffix;
    if (isBeyond(cell)) return format.format(BigInt(cell)) + suffix;
    return plain(cell);
  };
}

// A whole number beyond 2^53 travels as text, and must not pass through a double where its digits count.
function isBeyond(cell) {
  return typeof cell === 'string' && /^-?\d{1,40}$/.test(cell);
}

const tooLong = 1e18;  // beyond it a number is an order of magnitude, not digits to be read
const formats = new Map();

function scientific(locale) {
  const key = `${locale}/e`;
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(locale, { notation: 'scientific', maximumFractionDigits: 3 }));
  return formats.get(key);
}

function numberFormat(locale, decimals, useGrouping = true) {
  const key = `${locale}/${decimals}/${useGrouping}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping });
    formats.set(key, format);
  }
  return format;
}

// Where digits are grouped by commas: there most numbers need no Intl, whose first object costs more time than all first rows together.
const withCommas = /^en(-(US|GB|AU|CA|IE|NZ))?$/;

// Formats as Intl does, and leaves to it what is not so simple; null for another locale.
function simpleFormat(locale, decimals, useGrouping) {
  if (!withCommas.test(locale ?? globalThis.navigator?.language ?? '')) return null;
  const format = (cell) => {
    const text = typeof cell === 'number' ? rounded(cell, decimals) : '';
    if (text === '') return numberFormat(locale, decimals, useGrouping).format(cell);
    return useGrouping ? grouped(text) : text;
  };
  return { format };
}

// A number with so many decimals, half of the last one away from zero, as its shortest digits say; empty when that is no simple matter.
// (Differences of prices have seventeen digits: those are simple, too, as long as few of them are kept.)
function rounded(number, decimals) {
  const digits = String(Math.abs(number));
  if (digits.includes('e')) return '';
  const sign = number < 0 || Object.is(number, -0) ? '-' : '';
  const point = digits.indexOf('.');
  const whole = point < 0 ? digits : digits.slice(0, point);
  const part = point < 0 ? '' : digits.slice(point + 1);
  const kept = whole + part.slice(0, decimals).padEnd(decimals, '0');
  if (kept.length > 15) return '';
  const isUp = part.length > decimals && part[decimals] >= '5';
  const all = isUp ? String(Number(kept) + 1).padStart(kept.length, '0') : kept;
  return sign + (decimals === 0 ? all : `${all.slice(0, -decimals)}.${all.slice(-decimals)}`);
}

function grouped(text) {
  const from = text[0] === '-' ? 1 : 0;
  const point = text.indexOf('.');
  let at = (point < 0 ? text.length : point) - 3;
  if (at <= from) return text;
  let rest = text.slice(at);
  for (at -= 3; at > from; at -= 3) rest = `${text.slice(at, at + 3)},${rest}`;
  return `${text.slice(0, at + 3)},${rest}`;
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** 1536 as `1.5 KiB`. */
export function bytes(value, locale) {
  let unit = 0;
  let amount = Math.abs(value);
  while (amount >= 1_023.95 && unit < byteUnits.length - 1) {
    amount /= 1_024;
    unit += 1;
  }
  return `${numberFormat(locale, unit === 0 ? 0 : 1).format(value < 0 ? -amount : amount)}\u202f${byteUnits[unit]}`;
}

/** Seconds as a length of time: `4 ms`, `0.24 s`, `12.50 s`, `3:07`, `2:03:07`, `3 d 02:03`. */
export function duration(seconds) {
  const sign = seconds < 0 ? '−' : '';
  const length = Math.abs(seconds);
  if (length < 59.995) {
    if (length >= 0.01 || length === 0) return `${sign}${length.toFixed(2)}\u202fs`;
    return length >= 0.001 ? `${sign}${Math.round(length * 1_000)}\u202fms` : `${sign}${Math.round(length * 1_000_000)}\u202fµs`;
  }
  const whole = Math.round(length);
  const [d, h, m, s] = [Math.floor(whole / 86_400), Math.floor(whole / 3_600) % 24, Math.floor(whole / 60) % 60, whole % 60];
  if (d >= 1e6) return `${sign}${d.toExponential(1).replace('+', '')}\u202fd`;
  if (d > 0) return `${sign}${d}\u202fd ${two(h)}:${two(m)}`;
  return h > 0 ? `${sign}${h}:${two(m)}:${two(s)}` : `${sign}${m}:${two(s)}`;
}

/** Seconds gone by, roughly, as people say it: `now`, `12 s`, `3 min`, `5 h`, `12 d`. */
export function age(seconds) {
  const sign = seconds < -1 ? 'in ' : '';
  const length = Math.abs(seconds);
  if (length < 1) return 'now';
  if (length < 60) return `${sign}${Math.floor(length)}\u202fs`;
  if (length < 3_600) return `${sign}${Math.floor(length / 60)}\u202fmin`;
  if (length < 86_400) return `${sign}${Math.floor(length / 3_600)}\u202fh`;
  return `${sign}${Math.floor(length / 86_400)}\u202fd`;
}

/** Milliseconds since 1970 as local date and time, in an order that sorts as it reads. */
export function dateTime(milliseconds) {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return '';
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `
    + `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The address of a link cell when it is one that may be followed: http and https only. Otherwise empty. */
export function linkTarget(cell) {
  if (typeof cell !== 'string' || !/^https?:\/\//i.test(cell)) return '';
  try {
    const url = new URL(cell);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : '';
  } catch {
    return '';
  }
}

/** Points of a sparkline in a box, as an SVG path; empty when there is nothing to draw. What is no number is a gap. */
export function sparkline(values, width, height) {
  if (!Array.isArray(values) || values.length < 2) return '';
  let least = Infinity;
  let most = -Infinity;
  for (const value of values) {
    if (!isNumber(value)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const span = most / 2 - least / 2;  // halves: the whole may be beyond the greatest number
  const step = width / (values.length - 1);
  let path = '';
  let isDrawing = false;
  for (let at = 0; at < values.length; at += 1) {
    if (!isNumber(values[at])) {
      isDrawing = false;
      continue;
    }
    const level = span > 0 ? (values[at] / 2 - least / 2) / span : 0;
    path += `${isDrawing ? 'L' : 'M'}${(at * step).toFixed(1)} ${((1 - level) * height).toFixed(1)}`;
    isDrawing = true;
  }
  return path;
}

/**
 * Why a cell of a deferred column shows no value, as text: null when it shows one (which may be empty), empty while it is on its way,
 * and the reason when it could not be loaded.
 */
export function missingOf(cell) {
  if (typeof cell !== 'object' || cell === null || Array.isArray(cell)) return null;
  return typeof cell.failed === 'string' ? (plain(cell.failed) || 'could not be loaded') : '';
}

/** Any cell as text, without a thought for its column. */
export function plain(cell) {
  if (cell === null || cell === undefined || missingOf(cell) !== null) return '';
  const text = typeof cell === 'string' ? cell : String(cell);
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

function series(values, locale) {
  const last = values.findLast(isNumber);
  return last === undefined ? '' : (Math.abs(last) < tooLong ? numberFormat(locale, 1) : scientific(locale)).format(last);
}

function isNumber(cell) {
  return typeof cell === 'number' && Number.isFinite(cell);
}

function two(value) {
  return value < 10 ? `0${value}` : String(value);
}

/** A count of rows as people read it: an estimate is about so many, and one that nobody knows at least so many. */
export function countText(rows, accuracy, locale) {
  const count = rows.toLocaleString(locale);
  return accuracy === 'estimated' ? `≈ ${count}` : accuracy === 'unknown' ? `${count}+` : count;
}
