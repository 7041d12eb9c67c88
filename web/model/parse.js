// parse.js: parses texts that users type or paste into filters, the inverse of the formats of
// columns.js. Numbers are read in the locale's notation; ambiguous ones are rejected with a reason.
// No DOM, no clock.

import { isEnglish, phrase } from './language.js';

// A grammar is a function of a text. It returns `{value, step}`, where `step` is the value of the
// last digit, or `{from, through}` in nanoseconds, or `{fault}`.

/** Returns the grammar for the texts of a column. */
export function grammarOf(spec, now) {
  const { column: { type, style, zone, unit = '' }, locale } = spec;
  const marks = marksOf(locale);
  const ages = { ...marks, own: '.' };  // ages use a decimal point in every locale
  if (type === 'timestamp' && style === 'age') return (text) => either({ ...agesFrom(text, ages, (age) => now - age * 1_000, 1_000), isAge: true }, () => timesFrom(text));
  if (type === 'timestamp') return (text) => timesFrom(text, zone === 'utc' ? 0 : null);
  if (style === 'age') return (text) => agesFrom(text, ages, (age) => age, 1);
  if (style === 'duration') return (text) => durationFrom(text, { ...marks, own: spec.format(0.25, now).includes(',') ? ',' : '.' });
  if (style === 'bytes') return (text) => amountFrom(text, marks, type, (letters) => bytesOf(letters, spec, now));
  return (text) => amountFrom(withoutUnit(text, unit), marks, type, (letters) => (unit === '%' && letters === '%' ? 1 : multiples.get(letters) ?? NaN));
}

const multiples = new Map([['', 1], ['k', 1e3], ['K', 1e3], ['M', 1e6], ['G', 1e9], ['T', 1e12]]);

function either(first, second) {
  if (first.fault === undefined) return first;
  const other = second();
  return other.fault === undefined ? other : first;
}

function withoutUnit(text, unit) {
  const plainUnit = tidy(unit);
  return plainUnit !== '' && text.endsWith(plainUnit) && text.length > plainUnit.length ? text.slice(0, -plainUnit.length).trimEnd() : text;
}

/** Normalizes spaces, minus signs and apostrophes, and removes marks of text direction. */
export function tidy(text) {
  return text.replace(/[\u200b\u200e\u200f\u061c\u2066-\u2069\ufeff]/g, '').replace(/[\s\u2007]+/g, ' ').trim()
    .replace(/[−‐‑–]/g, '-').replace(/[’ʼ＇]/g, "'").replaceAll('μ', 'µ');
}

const known = new Map();

/** Returns a locale's number notation; `example` is a formatted number. Results are cached. */
export function marksOf(locale) {
  let marks = known.get(locale);
  if (marks !== undefined) return marks;
  const parts = new Intl.NumberFormat(locale, /** @type {object} */ ({ useGrouping: 'always', minimumFractionDigits: 1 })).formatToParts(-12_345_678_901.5);
  const part = (kind) => tidy(parts.find(({ type }) => type === kind)?.value ?? '');
  const sizes = parts.filter(({ type }) => type === 'integer').map(({ value }) => [...value].length);
  const isSpace = /^\s$/.test(parts.find(({ type }) => type === 'group')?.value ?? '');
  const digits = [...new Intl.NumberFormat(locale, { useGrouping: false }).format(9_876_543_210)].reverse();
  const exponent = tidy(new Intl.NumberFormat(locale, { notation: 'scientific' }).formatToParts(1e30).find(({ type }) => type === 'exponentSeparator')?.value ?? 'E');
  marks = {
    group: isSpace ? ' ' : part('group'), decimal: part('decimal'), minus: part('minusSign') || '-', last: sizes.at(-1), others: sizes.at(-2) ?? sizes.at(-1),
    digits: new Map(digits.map((digit, value) => [digit, String(value)])), exponent, example: new Intl.NumberFormat(locale).format(1_234.5),
  };
  known.set(locale, marks);
  return marks;
}

function inDigits(text, { digits }) {
  return [...text].map((character) => digits.get(character) ?? character).join('');
}

function unclear(text, { example }) {
  return phrase('“{text}” is unclear: numbers are written like {example} here.', { text, example });
}

const numberText = /^(.*?[\d.,])\s*([^\d\s.,]*)$/u;

/** Parses a number with a suffix; `scaleOf(letters)` returns the suffix's factor, or NaN. */
function amountFrom(text, marks, type, scaleOf) {
  const fault = { fault: phrase('“{text}” is not a number. Write it like {example}.', { text, example: marks.example }) };
  const [, number, letters] = numberText.exec(inDigits(text, marks)) ?? [];
  if (number === undefined) return fault;
  const scale = scaleOf(letters);
  if (letters === 'm' && Number.isNaN(scale)) return { fault: phrase('“{text}” may mean a million or a thousandth: write {number}M, or all digits.', { text, number }) };
  if (Number.isNaN(scale)) return fault;
  const found = decimalFrom(number.trim(), marks);
  if (found === null) return fault;
  if (found === 'unclear') return { fault: unclear(text, marks), isUnclear: true };
  const { digits, decimals } = found;
  const value = decimals <= 0 && scale === 1 && type === 'integer' && digits.length < 40 && /^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits) * scale;
  return { value, step: 10 ** -decimals * scale };
}

/**
 * Parses a decimal number. Returns its digits in JavaScript's notation and its number of decimals;
 * null if it is not a number; or `unclear` if it may be another locale's notation.
 */
function decimalFrom(text, { group, decimal, last, others, minus, exponent }) {
  let rest = text;
  let sign = '';
  for (const one of [minus, '-', '+']) {
    if (!rest.startsWith(one)) continue;
    if (one !== '+') sign = '-';
    rest = rest.slice(one.length).trimStart();
    break;
  }
  let power = 0;
  for (const letters of [exponent, 'E', 'e', '×10^']) {
    const at = rest.indexOf(letters);
    if (at <= 0) continue;
    const [, tenth] = /^([-+]?\d{1,4})$/.exec(rest.slice(at + letters.length).replace(minus, '-')) ?? [];
    if (tenth === undefined) return null;
    power = Number(tenth);
    rest = rest.slice(0, at);
    break;
  }
  if (!/^[\d.,' ٬٫]*\d[\d.,' ٬٫]*$/u.test(rest)) return null;
  const [whole, part = '', ...more] = rest.split(decimal);
  if (more.length > 0 || !/^\d*$/.test(part)) return 'unclear';
  const groups = group === '' ? [whole] : whole.split(group);
  const isGrouped = groups.length > 1 && groups.every((digits, at) => /^\d+$/.test(digits)
    && (at === 0 ? digits.length <= others : digits.length === (at === groups.length - 1 ? last : others)));
  if (groups.length > 1 ? !isGrouped : !/^\d*$/.test(whole)) return 'unclear';
  const digits = `${sign}${groups.join('') || '0'}${part === '' ? '' : `.${part}`}`;
  return { digits: power === 0 ? digits : `${digits}e${power}`, decimals: part.length - power };
}

const powers = { k: 1, m: 2, g: 3, t: 4, p: 5, e: 6 };

// Prefixes without i, such as MB, have the factor of the column's format: 1,000 or 1,024.
function bytesOf(letters, { format }, now) {
  const [, letter, i] = /^(?:([kmgtpe])(i)?)?b?$/i.exec(letters) ?? [undefined, '?'];
  if (letter === undefined) return 1;
  const isBinary = i !== undefined || /i/i.test(format(3_000_000, now).replace(/[^a-z]/gi, ''));
  return (isBinary ? 1_024 : 1_000) ** (powers[letter.toLowerCase()] ?? NaN);
}

const lengths = new Map(Object.entries({
  d: 86_400, day: 86_400, days: 86_400, h: 3_600, hr: 3_600, hour: 3_600, hours: 3_600, m: 60, min: 60, minute: 60, minutes: 60,
  s: 1, sec: 1, second: 1, seconds: 1, ms: 1e-3, 'µs': 1e-6, us: 1e-6, ns: 1e-9,
}));

/** Parses a duration in seconds: `1:00`, `1:02:03`, `3 d 02:03`, `2d 3h`, `4 ms`, `90`. */
function durationFrom(text, marks) {
  const fault = { fault: phrase('“{text}” is not a duration. Write it like 1:02:03, 2d 3h or 1.5 s.', { text }) };
  const plain = inDigits(text, marks);
  const [, minus, length] = /^(-?)\s*(.*)$/.exec(plain);
  const sign = minus === '' ? 1 : -1;
  const clock = /^(?:(\d+) ?d ?)?(\d+):([0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?$/.exec(length);
  if (clock !== null) {
    const [, days = '0', first, second, third, part = ''] = clock;
    const hasHours = third !== undefined || clock[1] !== undefined;
    const [h, m, s] = hasHours ? [Number(first), Number(second), Number(third ?? 0)] : [0, Number(first), Number(second)];
    if (clock[1] !== undefined && h > 23) return fault;
    return { value: sign * (Number(days) * 86_400 + h * 3_600 + m * 60 + s + Number(`0.${part || '0'}`)), step: hasHours && third === undefined ? 60 : 10 ** -part.length };
  }
  if (!/[a-zµ]/i.test(length.replace(/\de[-+]?\d/gi, '00'))) {
    const seconds = amountFrom(text, withOwn(plain, marks), 'number', (letters) => (letters === '' ? 1 : NaN));
    return seconds.fault === undefined || seconds.isUnclear ? seconds : fault;
  }
  let value = 0;
  let step = Infinity;
  let rest = length;
  while (rest !== '') {
    const [all, number, letters] = /^([\d.,' ]*\d(?:e[-+]?\d{1,3})?) ?([a-zµ]+) ?/i.exec(rest) ?? [];
    const unit = lengths.get(letters?.toLowerCase()) ?? NaN;
    if (all === undefined || !(unit < step)) return fault;  // units descend, each at most once
    const found = decimalFrom(number.trim(), withOwn(number.trim(), marks));
    if (found === null || found === 'unclear') return found === null ? fault : { fault: unclear(text, marks) };
    value += Number(found.digits) * unit;
    step = unit;
    rest = rest.slice(all.length);
    if (found.decimals > 0 && rest !== '') return fault;
    if (rest === '') step = 10 ** -found.decimals * unit;
  }
  return { value: sign * value, step };
}

// Durations have their own decimal mark, which may be the locale's group separator.
function withOwn(number, marks) {
  return marks.own !== undefined && marks.own !== marks.decimal && /^-?\d+[.,]\d+(e.*)?$/i.test(number.replace(/ ?[a-z]+$/i, '')) && number.includes(marks.own)
    ? { ...marks, decimal: marks.own, group: '' } : marks;
}

/**
 * Parses an age: `12 s`, `3 min`, `in 5 h`, `now`. `valueOf(seconds)` converts it to the column's
 * value.
 */
function agesFrom(text, marks, valueOf, scale) {
  const [, isComing, length] = /^(in )?(.*?)(?: ago)?$/i.exec(inEnglish(text));
  if (/^(just )?now$/i.test(length) || length.toLowerCase() === phrase('now')) return { value: valueOf(0), step: scale };
  const found = durationFrom(length, marks);
  if (found.fault !== undefined) return { fault: phrase('“{text}” is not an age. Write it like 5 min, 2 h or 3 d.', { text }) };
  return { value: valueOf(isComing === undefined ? found.value : -found.value), step: found.step * scale };
}

// Returns an age in the user's language in English: `3 min` for `vor 3 min`.
function inEnglish(text) {
  if (isEnglish()) return text;
  const ahead = timeIn(text, phrase('in {time}'));
  return ahead === undefined ? timeIn(text, phrase('{time}\u00a0ago')) ?? text : `in ${ahead}`;
}

// Returns what `{time}` of a pattern stands for in a text; undefined if the text is another.
function timeIn(text, pattern) {
  const [before, after] = pattern.split('{time}').map((part) => tidy(part).toLowerCase());
  const plain = text.toLowerCase();
  return plain.startsWith(before) && plain.endsWith(after) ? text.slice(before.length, text.length - after.length).trim() : undefined;
}

const timePattern = /^([-+]?\d{4,6})-(\d{1,2})(?:-(\d{1,2})(?:(?:T| |, )(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?)?\s?(Z|UTC|GMT|(?:UTC|GMT)?[-+]\d{1,2}(?::?\d{2})?)?$/i;

// Parses a time, with a zone or else in that of the column, an offset from UTC in minutes or null
// for local time. Returns the whole day, minute or second that it names.
function timesFrom(text, own = null) {
  const example = '2026-11-23 14:05:09';
  const [, year, month, day, hour, minute, second, part = '', zone] = timePattern.exec(text) ?? [];
  if (year === undefined) return { fault: phrase('“{text}” is not a time. Write it like {example}, or only its beginning.', { text, example }) };
  const fields = [Number(year), Number(month) - 1, Number(day ?? 1), Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)];
  const next = [...fields];
  next[second !== undefined ? 5 : minute !== undefined ? 4 : day !== undefined ? 2 : 1] += 1;
  const offset = offsetOf(zone) ?? own;
  const [from, isThere] = momentOf(fields, offset, false);
  if (!isThere || Number.isNaN(from)) return { fault: phrase('“{text}” is not a time that exists.', { text }) };
  const unit = 10n ** BigInt(9 - part.length);
  const ahead = part === '' ? 0n : BigInt(part) * unit;
  const after = part === '' ? BigInt(momentOf(next, offset, minute !== undefined)[0]) * 1_000_000n
    : BigInt(momentOf(fields, offset, true)[0]) * 1_000_000n + ahead + unit;
  return { from: BigInt(from) * 1_000_000n + ahead, through: after - 1n };
}

function offsetOf(zone) {
  if (zone === undefined) return null;
  const [, sign, hours, minutes = '0'] = /([-+])(\d{1,2}):?(\d{2})?$/.exec(zone) ?? [];
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/**
 * Returns the milliseconds of a calendar time, and whether it exists. With `isLate` it is the later
 * of two equal readings, when clocks are set back.
 * @param {number[]} fields year, month, day, hour, minute and second
 * @returns {[number, boolean]}
 */
function momentOf([year, month, day, hour, minute, second], offset, isLate) {
  const isIn = month >= 0 && hour < 24 && minute < 60 && second < 60;
  const date = new Date(0);
  if (offset !== null) {
    date.setUTCFullYear(year, month, day);
    date.setUTCHours(hour, minute, second);
    const isReal = isIn && month < 12 && day >= 1 && day <= new Date(Date.UTC(2_000 + (((year % 400) + 400) % 400), month + 1, 0)).getUTCDate();
    return [date.getTime() - offset * 60_000, isReal];
  }
  date.setFullYear(year, month, day);
  date.setHours(hour, minute, second, 0);
  const reads = (one) => one.getFullYear() === year && one.getMonth() === month && one.getDate() === day && one.getHours() === hour && one.getMinutes() === minute;
  const isReal = isIn && reads(date);
  if (isLate && isReal) {
    for (const minutes of [30, 60, 120]) {
      const later = new Date(date.getTime() + minutes * 60_000);
      if (reads(later)) return [later.getTime(), true];
    }
  }
  return [date.getTime(), isReal];
}
