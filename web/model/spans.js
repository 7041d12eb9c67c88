// spans.js: ranges of values that a column formats as the same text, so that a filter matches all
// values that look alike. parse.js parses the texts. No DOM, no clock.

import { isNumeric } from './columns.js';
import { grammarOf, marksOf, tidy } from './parse.js';
import { phrase } from './language.js';

/**
 * The values from `low` through `high`, in wire format, that a column formats as one text.
 *
 * `high` is less than `low` if the column has no value there, such as an integer for 1.5. `isAge`
 * marks a time that was typed as an age.
 * @typedef {{low: number|string, high: number|string, isAge?: boolean}} Span
 */

/**
 * Parses a range, including both ends. In a column of ages, a greater age is an earlier time.
 *
 * A text that the grammar rejects is matched with the texts of `cells`, some of the column's
 * values. An end whose text equals that of `before` keeps its exact value in `held`. The first
 * field may have both ends, as in `200..400 MiB`, unless the user has typed into the second.
 *
 * @param {string[]} texts the texts of the two fields
 * @param {{column: object, format: (cell: any, now: number) => string, locale?: string}} spec
 * @param {{now: number, cells?: any[], held?: {from?: *, through?: *}, before?: string[]}}
 *   how
 * @returns {{from?: *, through?: *, fault?: string, at?: number}|null} null if both fields are
 *   empty; `fault` is the reason why a field is invalid, and `at` is the index of the invalid field
 */
export function rangeFrom(texts, spec, { now, cells = [], held = {}, before = [] }) {
  const both = texts[1] === '' || texts[1] === before[1] ? bothEnds(texts[0]) : undefined;
  if (both !== undefined) {
    const found = rangeFrom(withUnit(both, spec, now), spec, { now, cells });
    return found?.fault === undefined ? found : { ...found, at: 0 };
  }
  const ends = {};
  for (const at of [0, 1]) {
    const member = ['from', 'through'][at];
    if (held[member] !== undefined && texts[at] === before[at]) {
      ends[member] = held[member];
      continue;
    }
    const span = spanFrom(texts[at], spec, { now, cells });
    if (span === undefined) continue;
    if (span.fault !== undefined) return { fault: span.fault, at };
    const isFrom = (at === 0) !== (span.isAge === true);
    ends[isFrom ? 'from' : 'through'] = isFrom ? span.low : span.high;
  }
  if (ends.from === undefined && ends.through === undefined) return null;
  if (ends.from === undefined || ends.through === undefined || compareEnds(ends.from, ends.through, spec.column) <= 0) return ends;
  return { fault: tidy(texts[0]) === tidy(texts[1]) ? phrase('No value of this column lies there.') : phrase('“From” is greater than “To”.'), at: 0 };
}

/** Returns the ends of a range that is one text, such as `5..10` or `5…`; undefined for others. */
function bothEnds(text) {
  const ends = text.split(/\.\.+|…/);
  return ends.length === 2 && ends.some((end) => tidy(end) !== '') ? ends.map((end) => end.trim()) : undefined;
}

/** Gives a lower end without a unit the unit of the upper one, if the column has values of both. */
function withUnit([low, high], spec, now) {
  const unit = /^[\d\s.,'-]*\d\s*(?=\D*$)/.exec(tidy(high));
  if (unit === null || !/^[^\p{L}%]+$/u.test(low)) return [low, high];
  const whole = `${low}${tidy(high).slice(unit[0].trimEnd().length)}`;
  return [spanFrom(whole, spec, { now })?.fault === undefined ? whole : low, high];
}

/**
 * Parses one value.
 *
 * @returns {Partial<Span> & {fault?: string}|undefined} undefined if the text is empty; `fault` is
 *   the reason why it is invalid
 */
export function spanFrom(text, spec, { now, cells = [] }) {
  const typed = tidy(text);
  if (typed === '') return undefined;
  const domain = domainOf(spec.column);
  const shows = (place) => tidy(spec.format(domain.cell(place), now));
  const whole = (place) => domain.span(...sameShown(place, domain, shows));
  const isAge = spec.column.type === 'timestamp' && spec.column.style === 'age';
  const grammar = grammarOf(spec, now);
  const found = grammar(typed);
  if (found.fault !== undefined) {
    for (const cell of cells) {
      const place = cell === null || typeof cell === 'object' ? null : domain.place(cell);
      if (place !== null && shows(place) === typed) return { ...whole(place), isAge };
    }
    return found;
  }
  const beyond = { fault: phrase('{text} is beyond what this column can hold ({bounds}).', { text: text.trim(), bounds: domain.bounds(spec.locale) }) };
  if (found.from !== undefined) {
    if (found.from > domain.greatest || found.through < domain.least) return beyond;
    const [first, last] = [found.from < domain.least ? domain.least : found.from, found.through > domain.greatest ? domain.greatest : found.through];
    const [low, high] = sameShown(first, domain, shows);
    // More precise than the displayed text.
    if (high > last + slack) return domain.span(first, last);
    // Finer than the page's precision.
    if (last - first < slack) return domain.span(low, high);
    // When clocks are set back, two times read alike. The span covers both and the time between.
    return domain.span(low, last === domain.greatest ? last : sameShown(last - slack, domain, shows)[1]);
  }
  const { value, step } = found;
  const place = domain.nearest(value);
  // Near zero and at the ends, rounding may shift a value by one place.
  const near = place === null ? [value < 0 ? domain.least : domain.greatest] : [place, place + 1n, place - 1n];
  const shownThere = near.find((one) => shows(one) === typed);
  if (shownThere !== undefined) return { ...whole(shownThere), isAge };
  if (place === null) return beyond;
  const shown = grammar(shows(place));
  // A text with more digits than the column shows is taken literally.
  const isFiner = shown.step !== undefined && step < shown.step * (1 - 1e-9);
  return { ...(isFiner ? domain.exactly(value) : whole(place)), isAge };
}

/** Whether {@link rangeFrom} supports a column's type. */
export function isRead({ type }) {
  return isNumeric(type) || type === 'timestamp';
}

/**
 * Returns the values that a column formats like this one.
 * @returns {Span}
 */
export function spanOf(cell, { column, format }, now) {
  const domain = domainOf(column);
  const place = domain?.place(cell) ?? null;
  return place === null ? { low: cell, high: cell } : domain.span(...sameShown(place, domain, (at) => format(domain.cell(at), now)));
}

/**
 * Returns a predicate that tests whether a cell is in a span; null if none can be.
 * @param {Partial<Span>} span
 * @returns {((cell: any) => boolean)|null}
 */
export function insideOf({ low, high }, column) {
  const domain = domainOf(column);
  const [from, through] = [domain.place(low), domain.place(high)];
  if (from > through) return null;
  return (cell) => {
    const place = domain.place(cell);
    return place !== null && place >= from && place <= through;
  };
}

/**
 * Returns a text for the end of a range that parses to exactly this value. It is the column's text
 * if that is exact.
 */
export function endText(value, end, spec, now) {
  if (value === undefined) return '';
  const { column, format, locale } = spec;
  const isTime = column.type === 'timestamp';
  const marks = marksOf(locale);
  const exact = isTime ? timeText(value) : String(value).replace('.', marks.decimal).replace('e+', 'e');
  const shown = column.style === 'age' ? '' : format(isTime ? Number(value) : value, now);
  const isSame = (text) => {
    const span = text === '' ? undefined : spanFrom(text, spec, { now });
    return span !== undefined && span.fault === undefined && String(span[end]) === String(value);
  };
  return isSame(shown) ? shown : exact;
}

/** Compares two ends of ranges; negative if the first is less. */
export function compareEnds(one, other, column) {
  const domain = domainOf(column);
  const [a, b] = [domain.place(one), domain.place(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns the values from `from` on, up to `to` and without it; undefined for an end that is open.
 * @returns {Span}
 */
export function spanUpTo(from, to, column) {
  const domain = domainOf(column);
  return domain.span(from === undefined ? domain.least : domain.place(from), to === undefined ? domain.greatest : domain.place(to) - 1n);
}

/**
 * Returns spans without overlaps in ascending order, after adding one or taking it away.
 *
 * @param {[*, *][]} spans
 * @param {[*, *]} span
 * @param {boolean} isAdded
 * @returns {[*, *][]}
 */
export function spansWith(spans, span, isAdded, column) {
  const domain = domainOf(column);
  const places = ([low, high]) => [domain.place(low), domain.place(high)];
  const [from, through] = places(span);
  const others = spans.map(places).flatMap(([low, high]) => [[low, high < from ? high : from - 1n], [low > through ? low : through + 1n, high]])
    .filter(([low, high]) => low <= high);
  const joined = [];
  for (const one of (isAdded ? [...others, [from, through]] : others).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const last = joined.at(-1);
    if (last !== undefined && one[0] <= last[1] + 1n) last[1] = one[1] > last[1] ? one[1] : last[1];
    else joined.push([...one]);
  }
  return joined.map(([low, high]) => pairOf(domain.span(low, high)));
}

/**
 * @param {Span} span
 * @returns {[*, *]}
 */
function pairOf({ low, high }) {
  return [low, high];
}

/** Returns a span as the ends of a term, without an end that the column has no value beyond. */
export function endsOf([low, high], column) {
  const domain = domainOf(column);
  return { ...(domain.place(low) === domain.least ? {} : { from: low }), ...(domain.place(high) === domain.greatest ? {} : { through: high }) };
}

/**
 * Returns the ends of a term as a span.
 * @returns {[*, *]}
 */
export function spanOfEnds({ from, through }, column) {
  const domain = domainOf(column);
  const whole = domain.span(domain.least, domain.greatest);
  return [from ?? whole.low, through ?? whole.high];
}

// Places: 64-bit integers in the order of a type's values, so that neighbors can be computed.

const leastWhole = -(2n ** 63n);
const greatestWhole = 2n ** 63n - 1n;

const wholes = {
  least: leastWhole, greatest: greatestWhole,
  place(cell) {
    if (typeof cell === 'string' ? !/^-?\d{1,19}$/.test(cell) : !Number.isInteger(cell)) return null;
    return inside(BigInt(cell), this);
  },
  cell: (place) => (isSafe(place) ? Number(place) : String(place)),
  nearest(value) {
    if (typeof value !== 'bigint' && !Number.isFinite(value)) return null;
    return inside(typeof value === 'bigint' ? value : BigInt(Math.round(value)), this);
  },
  exactly: (value) => {
    const [low, high] = typeof value === 'bigint' ? [value, value] : [BigInt(Math.ceil(value)), BigInt(Math.floor(value))];
    return wholes.span(low, high);
  },
  span: (low, high) => ({ low: wholes.cell(low), high: wholes.cell(high) }),
  bounds: (locale) => phrase('{least} to {greatest}', { least: leastWhole, greatest: greatestWhole }, locale),
};

const bits = new DataView(new ArrayBuffer(8));

function placeOfNumber(number) {
  bits.setFloat64(0, Math.abs(number));
  const place = bits.getBigInt64(0);
  return number < 0 ? -place : place;
}

const numbers = {
  greatest: placeOfNumber(Number.MAX_VALUE), least: -placeOfNumber(Number.MAX_VALUE),
  place: (cell) => (typeof cell === 'number' && Number.isFinite(cell) ? placeOfNumber(cell) : null),
  cell(place) {
    bits.setBigInt64(0, place < 0n ? -place : place);
    const number = bits.getFloat64(0);
    return place < 0n ? -number : number;
  },
  nearest(value) {
    const number = Number(value);
    return Number.isFinite(number) ? placeOfNumber(number) : null;
  },
  exactly: (value) => ({ low: Number(value), high: Number(value) }),
  span: (low, high) => ({ low: numbers.cell(low), high: numbers.cell(high) }),
  bounds: (locale) => `±${Number.MAX_VALUE.toLocaleString(locale, { notation: 'scientific', maximumFractionDigits: 1 })}`,
};

// In nanoseconds. The page has times as doubles in milliseconds, which are coarser, and may round
// the last nanoseconds of a second up.
const slack = 1_000n;
const times = {
  least: leastWhole, greatest: greatestWhole,
  place(cell) {
    const [, sign, whole, part = ''] = /^(-?)(\d{1,16})(?:\.(\d{1,6}))?$/.exec(typeof cell === 'number' ? plainDigits(cell) : String(cell)) ?? [];
    if (whole === undefined) return null;
    return inside((sign === '-' ? -1n : 1n) * (BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'))), this);
  },
  cell: (place) => Number(millisecondsText(place)),
  nearest(value) {
    return Number.isFinite(value) ? inside(BigInt(Math.round(value * 1e6)), this) : null;
  },
  exactly: (value) => {
    const place = times.nearest(value);
    return times.span(place, place);
  },
  span: (low, high) => ({ low: timeCell(low), high: timeCell(high) }),
  bounds: () => phrase('{least} to {greatest}', { least: timeText(millisecondsText(leastWhole)), greatest: timeText(millisecondsText(greatestWhole)) }),
};

function domainOf({ type }) {
  return type === 'integer' ? wholes : type === 'number' ? numbers : type === 'timestamp' ? times : undefined;
}

function inside(place, { least, greatest }) {
  return place < least || place > greatest ? null : place;
}

function isSafe(whole) {
  return whole >= -BigInt(Number.MAX_SAFE_INTEGER) && whole <= BigInt(Number.MAX_SAFE_INTEGER);
}

// Returns milliseconds in wire format: at most six decimals, without an exponent.
function plainDigits(milliseconds) {
  return Number.isFinite(milliseconds) ? milliseconds.toFixed(6).replace(/\.?0+$/, '') : '';
}

function millisecondsText(nanoseconds) {
  const length = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const part = String(length % 1_000_000n).padStart(6, '0').replace(/0+$/, '');
  return `${nanoseconds < 0n ? '-' : ''}${length / 1_000_000n}${part === '' ? '' : `.${part}`}`;
}

function timeCell(nanoseconds) {
  return nanoseconds % 1_000_000n === 0n ? Number(nanoseconds / 1_000_000n) : millisecondsText(nanoseconds);
}

/**
 * Returns the least and greatest place with the same text as `place`, found by exponential search.
 */
function sameShown(place, domain, shows) {
  const text = shows(place);
  const edge = (sign, end) => {
    let held = place;
    let step = 1n;
    let other = null;
    while (other === null && held !== end) {
      let next = held + sign * step;
      if (sign * (next - end) > 0n) next = end;
      if (shows(next) === text) {
        held = next;
        step *= 2n;
      } else other = next;
    }
    while (other !== null && (other - held) * sign > 1n) {
      const middle = (held + other) / 2n;
      if (shows(middle) === text) held = middle;
      else other = middle;
    }
    return held;
  };
  return [edge(-1n, domain.least), edge(1n, domain.greatest)];
}


/** Returns a time with all its digits, as parse.js parses it; `value` is in wire format. */
function timeText(value) {
  const place = times.place(value);
  if (place === null) return '';
  const seconds = place / 1_000_000_000n - (place % 1_000_000_000n < 0n ? 1n : 0n);
  const part = String(place - seconds * 1_000_000_000n).padStart(9, '0').replace(/0+$/, '');
  const date = new Date(Number(seconds) * 1_000);
  const two = (number) => String(number).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
    + (part === '' ? '' : `.${part}`);
}
