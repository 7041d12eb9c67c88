// columns.js: format, width and position of columns. No DOM, no clock: the caller measures texts
// and passes the time.

import { severityOf } from './defaults.js';
import { age, ago, duration, moment, momentInUTC } from './times.js';
import { number, phrase, plural } from './language.js';

/** The padding at each side of a cell's text in pixels, as in the style sheet. */
export const CELL_PADDING = 10;

/** The font of cells, as in the style sheet. (A computed style would force a layout at startup.) */
export const FONT = 'system-ui, sans-serif';

const widest = 380;
const widestFit = 900;
const narrowest = 44;
const leastStretched = 160;
const edge = 4;  // margin before the first and after the last column, as in the style sheet
const badgePadding = 16;
const slack = 4;  // pixels by which kerning may make a text narrower than its characters
const sortMark = 16;
const mostMeasured = 200;

/**
 * A column as drawn. `index` is its position in the source's order and in rows' cells, `at` its
 * position on screen. `rule` is the CSS class of its cells. `source` is the table that serves its
 * images. `setWidth` is the width set by the user, or 0. `isCut` is whether the first texts are
 * wider than a column may be by itself. `tight` and `tightTotal` are texts that did not fit.
 * @typedef {{source: string|null, column: object, index: number, rule: string, at: number,
 *   kind: string, format: Function, natural: number, isCut: boolean, setWidth: number,
 *   line: DecimalLine|null,
 *   align: string, tight: string, tightTotal: string, scale: number, isPinned: boolean,
 *   left: number, width: number, advances: Advances,
 *   severity: ((value: *) => string)|null, locale?: string, rankedBy?: number,
 *   styling: import('./highlights.js').Styling|null}} Spec
 */

/**
 * Computes the specs of a table's columns once, so that later changes of values move nothing.
 * Only {@link grownWidth} widens columns later.
 * @param {object[]} columns as in `hello`
 * @param {any[][]} samples cells of the first rows
 * @param {(text: string, isTitle: boolean) => number} measure the width of a text in pixels
 * @param {{locale?: string, now: number, prefix?: string, pictures?: string|null,
 *   stylings?: Map<string, object>|null}} how `prefix` is the pane's prefix of CSS classes;
 *   `pictures` the table that serves images, or null; `stylings` as in highlights.js
 * @returns {Spec[]}
 */
export function specify(columns, samples, measure, { locale, now, prefix = 'c', pictures = null, stylings = null }) {
  const widthOf = remembering(measure);
  const digit = measure('0', false);
  const advances = new Advances((character) => measure(character, false));
  return columns.map((column, index) => {
    const values = samples.map((cells) => cells[index]).filter((cell) => cell !== null && cell !== undefined && missingOf(cell) === null);
    const format = formatter(column, { locale });
    const kind = stylings?.get(column.name)?.hasBar ? 'bar' : kindOf(column, pictures);
    const line = kind === 'badge' ? null : decimalLine(column, locale);
    line?.begin(values.slice(0, mostMeasured).map((value) => format(value, now)));
    const title = measure(titleOf(column), true) + sortMark;
    const least = column.width > 0 ? column.width * digit : 0;
    const wanted = least === 0 || isCounted(column) ? Math.max(least, widthFrom(column, kind, values, (value) => linedUp(line, format(value, now)), widthOf, digit)) : least;
    const natural = Math.ceil(Math.max(narrowest, title, Math.min(widest, wanted)) + 2 * CELL_PADDING);
    return {
      source: pictures, column, severity: severityOf(column), styling: stylings?.get(column.name) ?? null, index, rule: `${prefix}${index}`, at: index, kind, format, line, natural, isCut: wanted > widest, setWidth: 0, align: alignOf(column), tight: '', tightTotal: '', scale: 0, isPinned: false, left: 0, width: natural,
      advances, locale,
    };
  });
}

// Caches widths by text with digits replaced by 0, because all digits have the same width.
function remembering(measure) {
  const widths = new Map();
  return (text) => {
    const shape = text.replace(/\d/g, '0');
    if (!widths.has(shape)) widths.set(shape, measure(shape, false));
    return widths.get(shape);
  };
}

function widthFrom(column, kind, values, textOf, widthOf, digit) {
  if (kind === 'sparkline' || kind === 'picture') return 96;
  if (column.style === 'age' || column.style === 'duration' || column.style === 'bytes') return digit * (column.isAgo ? 12 : 10);
  let most = 0;
  for (const value of values.slice(0, mostMeasured)) most = Math.max(most, widthOf(textOf(value)));
  if (column.type === 'timestamp') return Math.max(most, digit * 8);
  // Leaves room for two digits and a separator, because later numbers may be longer.
  return most + (isNumeric(column.type) ? 2.5 * digit : kind === 'badge' ? badgePadding : digit);
}

/** Returns the width at which a column's title and all given values fit. */
export function fittingWidth({ column, kind, format, line }, values, measure, now) {
  if (kind === 'sparkline' || kind === 'picture') return 96 + 2 * CELL_PADDING;
  let most = measure(titleOf(column), true) + sortMark;
  for (const value of values) most = Math.max(most, measure(linedUp(line, format(value ?? null, now)), false) + (kind === 'badge' ? badgePadding : 0));
  return Math.ceil(Math.max(narrowest, Math.min(widestFit, most)) + 2 * CELL_PADDING);
}

/**
 * Returns the new width of a column in which `tight` did not fit. Numbers, times and totals get
 * room for further growth, so that this is rare; text columns keep their width and are clipped.
 */
export function grownWidth({ column, kind, natural, tight }, measure, isTotal = false) {
  if (!isCounted(column) && !isTotal) return natural;
  const room = 2.5 * measure('0', false) + (kind === 'badge' ? badgePadding : 0);
  return Math.max(natural, Math.ceil(Math.min(widest, measure(tight, false) + room) + 2 * CELL_PADDING));
}

/** Whether a column has numbers or times, which would be misread if clipped. */
export function isCounted({ type }) {
  return isNumeric(type) || type === 'timestamp';
}

/** Returns the specs of the visible columns, in the order of the user's layout. */
export function shownSpecs(specs, layout) {
  const places = arrange(specs.map(({ column }) => column), layout).filter(({ isHidden }) => !isHidden);
  return places.map(({ column: name, width, isPinned }, at) => Object.assign(specs.find(({ column }) => column.name === name), { at, setWidth: width, isPinned }));
}

/**
 * Positions the columns side by side in the available width. Text columns without a user's width
 * share what is left: those whose texts are cut off, or else all of them. If the width is too
 * small, the last one is shrunk, before the table scrolls horizontally.
 * @returns {number} the total width
 */
export function place(specs, available) {
  const natural = specs.reduce((sum, spec) => sum + (spec.setWidth || spec.natural), 2 * edge);
  const flexible = specs.filter((spec) => spec.column.type === 'text' && spec.kind !== 'badge' && spec.setWidth === 0);
  const cut = flexible.filter(({ isCut }) => isCut);
  const stretched = available < natural ? flexible.slice(-1) : cut.length > 0 ? cut : flexible;
  let rest = available - natural;
  let weight = stretched.reduce((sum, spec) => sum + spec.natural, 0);
  let left = edge;
  for (const spec of specs) {
    spec.left = left;
    spec.width = spec.setWidth || spec.natural;
    if (stretched.includes(spec)) {
      const share = Math.round(rest * spec.natural / weight);
      rest -= share;
      weight -= spec.natural;
      spec.width = Math.max(Math.min(spec.natural, leastStretched), spec.natural + share);
    }
    left += spec.width;
  }
  return Math.max(left + edge, available);
}

/** Returns the width of the undrawn columns between the pinned ones and the first drawn one. */
export function gapOf(specs, places) {
  const first = specs[places.find((at) => !specs[at].isPinned)];
  const last = specs.findLast(({ isPinned }) => isPinned);
  return first === undefined ? 0 : first.left - (last === undefined ? edge : last.left + last.width);
}

/** Whether a text may be wider than its column. False guarantees that it fits. */
export function isLong({ kind, width, advances }, text) {
  return advances.exceed(text, width - 2 * CELL_PADDING - (kind === 'badge' ? badgePadding : 0) + slack);
}

/** Ranges of characters whose widths add up: no joining or stacking, and left to right. */
const simple = [[0x20, 0x7f], [0xa0, 0xad], [0xae, 0x300], [0x370, 0x483], [0x48a, 0x530], [0x2007, 0x2009], [0x2010, 0x2028], [0x202f, 0x205f], [0x20a0, 0x20c1]];

/** A cache of character widths. Adding them up takes a hundredth of the time of `measureText`. */
export class Advances {
  /** @param {(character: string) => number} measure the width of a character in pixels */
  constructor(measure) {
    this.#measure = measure;
    for (const [from, to] of simple) this.#widths.fill(-1, from, to);
  }
  #measure;
  /** Widths by UTF-16 code: -1 if not measured yet, infinite for characters that are not simple. */
  #widths = new Float32Array(simple.at(-1)[1]).fill(Infinity);

  /** Whether a text may be wider than `room` pixels. */
  exceed(text, room) {
    const widths = this.#widths;
    let width = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      let advance = widths[code] ?? Infinity;
      if (advance < 0) advance = widths[code] = this.#measure(isDigit(code) ? '0' : text[at]);
      width += advance;
      if (width > room) return true;
    }
    return false;
  }
}

// Digits have the same width (tabular-nums in the style sheet).
const isDigit = (code) => code >= 0x30 && code <= 0x39;

/**
 * Returns the value of a full bar: 100 for percentages, else the maximum, with hysteresis: that of
 * all rows if it is known, else that of the items in the window.
 */
export function barScale(spec, items, known) {
  if (spec.column.unit === '%') return 100;
  let greatest = known ?? 0;
  if (known === undefined) for (const item of items) if (!item.isHeader && item.cells[spec.index] > greatest) greatest = item.cells[spec.index];
  const isFitting = spec.scale >= greatest && spec.scale <= greatest * (known === undefined ? 2 : 1.25);
  return isFitting ? spec.scale : greatest;
}

/** Returns a column's title, or its name if it has none. */
export function titleOf(column) {
  return column.title || column.name;
}

function kindOf({ type, style }, pictures) {
  if (type === 'image' && pictures !== null) return 'picture';
  if (style === 'bar' && isNumeric(type)) return 'bar';
  if (type === 'series') return 'sparkline';
  if (style === 'badge' && type !== 'timestamp') return 'badge';
  if (style === 'link' && type === 'text') return 'link';
  if (type === 'boolean') return 'boolean';
  return 'text';
}

function alignOf({ type, align }) {
  if (align === 'start' || align === 'end' || align === 'center') return align;
  return isNumeric(type) ? 'end' : 'start';
}

// The user's layout: visible columns, their order and widths, and which are pinned.

/** The least and greatest width that a user can set, in pixels. */
export const WIDTHS = Object.freeze({ least: 36, most: 2_000 });

/**
 * The layout of one column; `width` is 0 for an automatic width. A view has one for each column, or
 * none while the layout is the source's.
 * @typedef {{column: string, width: number, isHidden: boolean, isPinned: boolean}} Place
 */

/** Returns a place for each column: pinned ones first, then the layout's order, then new ones. */
export function arrange(columns, layout) {
  const names = new Set(columns.map(({ name }) => name));
  const known = layout.filter(({ column }) => names.has(column));
  for (const { column } of known) names.delete(column);
  const rest = columns.filter(({ name }) => names.has(name)).map(({ name }) => ({ column: name, width: 0, isHidden: false, isPinned: false }));
  const all = [...known, ...rest];
  // At least one is visible.
  if (all.length > 0 && all.every(({ isHidden }) => isHidden)) all[0] = { ...all[0], isHidden: false };
  return [...all.filter(({ isPinned }) => isPinned), ...all.filter(({ isPinned }) => !isPinned)];
}

/** The pixels at each side of the viewport in which columns are drawn in advance. */
export const MARGIN = 400;

/**
 * The columns that are drawn.
 *
 *     const columns = new DrawnColumns();
 *     columns.look(specs, scrollLeft, width);   // true if the drawn columns have changed
 *     columns.places;                           // their positions in `specs`, ascending
 *
 * They change only when the viewport comes within half a margin of their ends, so that a slow
 * horizontal scroll does not touch every row in every frame.
 */
export class DrawnColumns {
  constructor() {
    /** @type {number[]} */
    this.places = [];
  }
  #specs = null;
  #from = 0;
  #to = 0;

  /**
   * Updates the drawn columns if the viewport requires it.
   *
   * @param {{left: number, width: number, isPinned: boolean}[]} specs from left to right
   * @returns {boolean} whether `places` has changed
   */
  look(specs, left, width) {
    const isCovered = specs === this.#specs && left - MARGIN / 2 >= this.#from && left + width + MARGIN / 2 <= this.#to;
    if (isCovered) return false;
    this.#specs = specs;
    const first = specs.findIndex((spec) => spec.left + spec.width > left - MARGIN);
    const last = specs.findLastIndex((spec) => spec.left < left + width + MARGIN);
    const places = specs.map((_, at) => at).filter((at) => specs[at].isPinned || (first >= 0 && at >= first && at <= last));
    this.#from = first <= 0 ? -Infinity : specs[first].left;
    this.#to = last === specs.length - 1 ? Infinity : specs[last]?.left + specs[last]?.width;
    const isSame = places.length === this.places.length && places.every((place, at) => place === this.places[at]);
    this.places = places;
    return !isSame;
  }

  /** Makes the next `look` start over, because widths or positions have changed. */
  forget() {
    this.#specs = null;
  }
}

const longestText = 400;  // more than a line of a cell can show; sources may send 64 KiB

/**
 * Returns the function that formats a column's cells. It keeps all digits, unless the column's
 * style or `format` rounds.
 *
 * @param {{name?: string, type: string, style: string, unit?: string, format?: string, zone?: string,
 *   isAgo?: boolean, lines?: number}} column `zone` is `utc` for times that are not local, `isAgo`
 *   adds “ago” to ages, and `lines` is the number of lines of text; see display.js
 * @param {{locale?: string}} how
 * @returns {(cell: any, now?: number) => string} empty for an empty cell
 */
export function formatter(column, { locale } = {}) {
  const { type, style, unit = '' } = column;
  if (style === 'bytes' && isNumeric(type)) return (cell) => (isNumber(cell) ? bytes(cell, locale) : isBeyond(cell) ? bytes(Number(cell), locale) : plain(cell));
  if (style === 'duration' && isNumeric(type)) {
    const point = decimalPoint(locale) === ',' ? ',' : '.';
    return (cell) => (isNumber(cell) ? duration(cell, point) : plain(cell));
  }
  if (style === 'age') {
    const since = type === 'timestamp' ? (cell, now) => (now - cell) / 1_000 : (cell) => cell;
    const shape = column.isAgo ? ago : age;
    return (cell, now) => (isNumber(cell) ? shape(since(cell, now)) : plain(cell));
  }
  const { word, decimals } = formOf(column);
  if (isNumeric(type)) return numbers(locale, decimals, unit, word === 'plain');
  if (type === 'timestamp') {
    const shape = column.zone === 'utc' ? momentInUTC : moment;
    return (cell) => (isNumber(cell) ? shape(cell, word, decimals) : plain(cell));
  }
  if (type === 'boolean') return (cell) => (cell === true ? phrase('yes') : cell === false ? phrase('no') : plain(cell));
  if (type === 'series') {
    const format = numbers(locale, undefined, '', false);
    return (cell) => (Array.isArray(cell) ? format(cell.findLast(isNumber) ?? null) : plain(cell));
  }
  if (column.lines > 1) return (cell) => plain(cell, column.lines * longestText);
  return (cell) => plain(cell);
}

/**
 * Parses a column's `format`; `decimals` is undefined if each value shows all it has. An unknown
 * format, or one that does not fit the type, is replaced by the type's default.
 *
 * @param {{type: string, format?: string, name?: string, unit?: string}} column
 */
export function formOf({ type, format, name, unit = '' }) {
  const [, word, count] = /^(plain|grouped|date|datetime|time)(?:\.(\d\d?))?$/.exec(format ?? '') ?? [];
  const decimals = count === undefined ? undefined : Number(count);
  if (type === 'timestamp') {
    return /^(date|datetime|time)$/.test(word) && !(decimals > 9) ? { word, decimals } : { word: 'datetime', decimals: undefined };
  }
  if ((word === 'plain' || word === 'grouped') && !(decimals > 15)) return { word, decimals };
  return { word: type === 'integer' && unit === '' && isIdentifier(name) ? 'plain' : 'grouped', decimals: undefined };
}

// Alignment at the decimal separator.

const mostDecimals = 8;  // values with more decimals, such as 1/3, are not aligned
const narrow = '\u2008';  // punctuation space: as wide as a point
const figure = '\u2007';  // figure space: as wide as a digit

/**
 * Padding that aligns the decimal separators of a column, with figure spaces for missing digits.
 * `decimals` only grows; `isUneven` is set when cells drawn earlier need more padding.
 */
class DecimalLine {
  constructor(point, suffix) {
    this.point = point;
    this.suffix = suffix;
    this.decimals = 0;
    this.isUneven = false;
  }
  #pads = [''];

  /** Adds the column's first texts, before any cell is drawn. */
  begin(texts) {
    for (const text of texts) this.add(text);
    this.isUneven = false;
  }

  /** Returns a text's number of decimals; -1 without digits, with too many or an exponent. */
  #count(text) {
    const end = text.length - this.suffix.length;
    if (end <= 0 || !isDigit(text.charCodeAt(end - 1)) || text.includes('E')) return -1;
    const at = text.lastIndexOf(this.point);
    const count = at < 0 ? 0 : end - at - 1;
    return count > mostDecimals ? -1 : count;
  }

  /** Adds a text of the column and returns it with its padding. */
  add(text) {
    const count = this.#count(text);
    if (count > this.decimals) {
      this.decimals = count;
      this.isUneven = true;
      this.#pads = Array.from({ length: count + 1 }, (_, has) => (has === 0 ? narrow : '') + figure.repeat(count - has));
    }
    return count < 0 || count === this.decimals ? text : text + this.#pads[count];
  }
}

// Returns null for columns that need no padding.
function decimalLine(column, locale) {
  const { type, style, unit = '' } = column;
  if (alignOf(column) !== 'end' || formOf(column).decimals !== undefined) return null;
  if (type === 'timestamp' && style !== 'age') return new DecimalLine('.', column.zone === 'utc' ? 'Z' : '');
  if (type !== 'number' || !(style === 'plain' || style === 'bar' || style === undefined)) return null;
  return new DecimalLine(decimalPoint(locale), suffixOf(unit));
}

/** Returns a cell's text with the padding of its column. */
export function linedUp(line, text) {
  return line === null || line === undefined ? text : line.add(text);
}

function decimalPoint(locale) {
  return withCommas.test(localeOf(locale)) ? '.' : numberFormat(locale).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
}

const suffixOf = (unit) => (unit === '' ? '' : unit === '%' ? '%' : `\u202f${unit}`);

/** Whether a column's values are numbers. */
export function isNumeric(type) {
  return type === 'integer' || type === 'number';
}

/** Whether a column's name suggests identifiers, which have no separators: a PID is 10536. */
function isIdentifier(name) {
  return /(^|[_.-])(id|key|port|year|code|[pug]id|ppid|tid|inode|line)$/i.test(name);
}

function numbers(locale, decimals, unit, isName) {
  const format = simpleFormat(locale, decimals, !isName) ?? numberFormat(locale, decimals, !isName);
  const suffix = suffixOf(unit);
  const least = decimals === undefined ? tooSmall : 0;
  return (cell) => {
    if (isNumber(cell)) {
      const size = Math.abs(cell);
      return (size < tooLong && (size >= least || size === 0) ? format : scientific(locale)).format(cell) + suffix;
    }
    if (isBeyond(cell)) return format.format(BigInt(cell)) + suffix;
    return plain(cell);
  };
}

// Integers beyond 2^53 are sent as text, because a double would lose digits.
function isBeyond(cell) {
  return typeof cell === 'string' && /^-?\d{1,40}$/.test(cell);
}

const tooLong = 1e18;   // numbers from here on use scientific notation
const tooSmall = 1e-6;  // as do numbers below this
const formats = new Map();

function scientific(locale) {
  const key = `${locale}/e`;
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(locale, { notation: 'scientific', maximumFractionDigits: 17 }));
  return formats.get(key);
}

function numberFormat(locale, decimals, useGrouping = true) {
  const key = `${locale}/${decimals}/${useGrouping}`;
  let format = formats.get(key);
  if (format === undefined) {
    const digits = decimals === undefined ? { maximumSignificantDigits: 21 } : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    format = new Intl.NumberFormat(locale, { ...digits, useGrouping });
    formats.set(key, format);
  }
  return format;
}

// Locales with comma grouping, formatted without Intl: creating the first Intl object takes longer
// than drawing the first rows.
const withCommas = /^en(-(US|GB|AU|CA|IE|NZ))?$/;

const localeOf = (locale) => locale ?? globalThis.navigator?.language ?? '';

// Formats like Intl, to which it falls back for hard cases. Null for other locales.
function simpleFormat(locale, decimals, useGrouping) {
  if (!withCommas.test(localeOf(locale))) return null;
  const format = (cell) => {
    const text = typeof cell !== 'number' ? '' : decimals !== undefined ? rounded(cell, decimals) : Object.is(cell, -0) ? '-0' : String(cell);
    if (text === '') return numberFormat(locale, decimals, useGrouping).format(cell);
    return useGrouping ? grouped(text) : text;
  };
  return { format };
}

// Rounds a number's shortest decimal form, halves away from zero. Empty for an exponent or more
// than 15 kept digits.
function rounded(number, decimals) {
  const digits = String(Math.abs(number));
  if (digits.includes('e')) return '';
  const sign = number < 0 || Object.is(number, -0) ? '-' : '';
  const point = digits.indexOf('.');
  const whole = point < 0 ? digits : digits.slice(0, point);
  const part = point < 0 ? '' : digits.slice(point + 1);
  const truncated = whole + part.slice(0, decimals).padEnd(decimals, '0');
  if (truncated.length > 15) return '';
  const isUp = part.length > decimals && part[decimals] >= '5';
  const all = isUp ? String(Number(truncated) + 1).padStart(truncated.length, '0') : truncated;
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

/** Formats a number of bytes: 1536 as `1.5 KiB`. */
export function bytes(value, locale) {
  let unit = 0;
  let amount = Math.abs(value);
  while (amount >= 1_023.95 && unit < byteUnits.length - 1) {
    amount /= 1_024;
    unit += 1;
  }
  return `${numberFormat(locale, unit === 0 ? undefined : 1).format(value < 0 ? -amount : amount)}\u202f${byteUnits[unit]}`;
}

/** Returns a link cell's URL if its scheme is http or https, else an empty string. */
export function linkTarget(cell) {
  if (typeof cell !== 'string' || !/^https?:\/\//i.test(cell)) return '';
  try {
    const url = new URL(cell);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : '';
  } catch {
    return '';
  }
}

/** Returns the SVG path of a sparkline, with gaps at non-numbers; empty without two values. */
export function sparkline(values, width, height) {
  if (!Array.isArray(values) || values.length < 2) return '';
  let least = Infinity;
  let most = -Infinity;
  for (const value of values) {
    if (!isNumber(value)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const span = most / 2 - least / 2;  // halved, because the full span may overflow
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
 * Returns why a deferred cell has no value: an empty string while it loads, or the reason why it
 * failed. Null if the cell has a value, which may be empty.
 */
export function missingOf(cell) {
  if (typeof cell !== 'object' || cell === null || Array.isArray(cell)) return null;
  return typeof cell.failed === 'string' ? (plain(cell.failed) || phrase('could not be loaded')) : '';
}

/** Returns any cell as text, without its column's format, cut off after `longest` characters. */
export function plain(cell, longest = longestText) {
  if (cell === null || cell === undefined || missingOf(cell) !== null) return '';
  const text = typeof cell === 'string' ? cell : String(cell);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const isNumber = (cell) => typeof cell === 'number' && Number.isFinite(cell);

/** Formats a count of rows with the word: `≈ 1,000 rows`. */
export function rowsText({ rows, accuracy }, locale) {
  return plural(rows, '{number} row', '{number} rows', { number: countText(rows, accuracy, locale) });
}

/** Formats a count of rows: `≈ 1,000` if estimated, `1,000+` if only a lower bound is known. */
export function countText(rows, accuracy, locale) {
  const count = number(rows, undefined, locale);
  return accuracy === 'estimated' ? `≈ ${count}` : accuracy === 'unknown' ? `${count}+` : count;
}
