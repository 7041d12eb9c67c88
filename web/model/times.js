// times.js: the formats of times, ages and durations. No DOM, no clock: the caller passes the time.

import { phrase } from './language.js';

/**
 * Formats a duration in seconds: `250 ns`, `4 ms`, `0.24 s`, `3:07`, `2:03:07`, `3 d 02:03`.
 * `point` is the decimal separator.
 */
export function duration(seconds, point = '.') {
  const sign = seconds < 0 ? '−' : '';
  const length = Math.abs(seconds);
  if (length < 59.995) {
    if (length >= 0.01 || length === 0) return `${sign}${length.toFixed(2).replace('.', point)}\u202fs`;
    const [unit, factor] = length >= 0.001 ? ['ms', 1e3] : length >= 1e-6 ? ['µs', 1e6] : ['ns', 1e9];
    return `${sign}${length >= 1e-9 ? Math.round(length * factor) : String(Number((length * factor).toPrecision(2))).replace('.', point)}\u202f${unit}`;
  }
  const whole = Math.round(length);
  const [d, h, m, s] = [Math.floor(whole / 86_400), Math.floor(whole / 3_600) % 24, Math.floor(whole / 60) % 60, whole % 60];
  if (d >= 1e6) return `${sign}${d.toExponential(1).replace('+', '').replace('.', point)}\u202fd`;
  if (d > 0) return `${sign}${d}\u202fd ${two(h)}:${two(m)}`;
  return h > 0 ? `${sign}${h}:${two(m)}:${two(s)}` : `${sign}${m}:${two(s)}`;
}

/** Formats an age in seconds, rounded down: `now`, `12 s`, `3 min`, `5 h`, `12 d`. */
export function age(seconds) {
  if (Math.abs(seconds) < 1) return phrase('now');
  return seconds < 0 ? phrase('in {time}', { time: span(-seconds) }) : span(seconds);
}

// Formats a length of time in seconds, rounded down to one unit.
function span(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)}\u202fs`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}\u202fmin`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}\u202fh`;
  return `${Math.floor(seconds / 86_400)}\u202fd`;
}

/** Formats an age in seconds as a relative time: `now`, `3 min ago`, `in 5 h`. */
export function ago(seconds) {
  return seconds < 1 ? age(seconds) : phrase('{time}\u00a0ago', { time: span(seconds) });
}

/**
 * Formats milliseconds since 1970 in local time as `date`, `time` or `datetime`, in ISO order.
 * Without `decimals`, seconds have 0, 3, 6 or 9 of them, as needed.
 */
export function moment(milliseconds, word = 'datetime', decimals = undefined) {
  const date = new Date(Math.floor(milliseconds));
  if (Number.isNaN(date.getTime())) return '';
  const day = word === 'time' ? '' : `${four(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  if (word === 'date') return day;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}${fraction(milliseconds, decimals)}`;
  return day === '' ? time : `${day} ${time}`;
}

/** Formats milliseconds since 1970 in UTC like {@link moment}, with a Z at the end. */
export function momentInUTC(milliseconds, word = 'datetime', decimals = undefined) {
  const date = new Date(Math.floor(milliseconds));
  if (Number.isNaN(date.getTime())) return '';
  const day = word === 'time' ? '' : `${four(date.getUTCFullYear())}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  if (word === 'date') return `${day}Z`;
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}${fraction(milliseconds, decimals)}Z`;
  return day === '' ? time : `${day} ${time}`;
}

// Returns the fraction of a second. Doubles resolve present times to 4 decimals of a millisecond.
function fraction(milliseconds, decimals) {
  if (decimals === 0 || (decimals === undefined && milliseconds % 1_000 === 0)) return '';
  const whole = Math.floor(milliseconds);
  const finer = whole === milliseconds ? 0 : Math.floor(Number((milliseconds - whole).toFixed(4)) * 1e6);
  const digits = three(((whole % 1_000) + 1_000) % 1_000);
  if (decimals === undefined && finer === 0) return `.${digits}`;
  const all = digits + String(Math.min(finer, 999_999)).padStart(6, '0');
  return `.${all.slice(0, decimals ?? (finer % 1_000 === 0 ? 6 : 9))}`;
}

const two = (value) => (value < 10 ? `0${value}` : String(value));

const three = (value) => (value < 100 ? `0${two(value)}` : String(value));
const four = (year) => (year < 0 || year > 999 ? String(year) : String(year).padStart(4, '0'));
