// columns.js: how wide each column is, where it stands and how its values become text. No DOM: the ruler is passed in.
//# allFunctionsCalledOnLoad

import { arrange } from './layout.js';
import { decimalsFor, formatter, isNumeric, missingOf } from './format.js';

/** Room at both sides of a cell's text, as in the style sheet. */
export const CELL_PADDING = 10;

/** What cells are written in, as in the style sheet: to ask the page would have it laid out before there is anything in it. */
export const FONT = '-apple-system, "Segoe UI", Inter, Roboto, "Helvetica Neue", Arial, sans-serif';

const widest = 380;
const widestFit = 900;
const narrowest = 44;
const leastStretched = 160;
const edge = 4;  // the first and last column stand in line with what is above and below the table, as in the style sheet
const badgePadding = 16;
const slack = 4;  // of the room beside a text that it may take: characters together may be that much narrower than one by one
const sortMark = 16;

/**
 * A column as the page draws it. `tight` is a text that had no room in it, or empty (see {@link grownWidth}). `index` is its place in the source's order, by which rows have their cells; `at` the one in
 * which it is shown. `rule` is the class of its cells, by which they have their width, `source` the table that gives the images of `picture`s. `wished` is the width that the reader gave it, or 0.
 * @typedef {{source: string|null, column: object, index: number, rule: string, at: number, kind: string, format: Function, natural: number, wished: number,
 *   align: string, tight: string, scale: number, isPinned: boolean, left: number, width: number, advances: Advances}} Spec
 */

/**
 * Decides once per table, from its description and the first rows, so that nothing moves when values change. (Numbers and times that
 * have no room later make their column wider: {@link grownWidth}.)
 *
 * @param {object[]} columns as in `hello`
 * @param {any[][]} samples cells of the first rows
 * @param {(text: string, isTitle: boolean) => number} measure the width of a text in pixels
 * @param {{locale?: string, now: number, prefix?: string}} how `prefix` begins the names of the rules: each pane has its own;
 *   `pictures` names the table that gives the images, or is null when they are keys only
 * @returns {Spec[]}
 */
export function specify(columns, samples, measure, { locale, now, prefix = 'c', pictures = null }) {
  const digit = measure('0', false);
  const advances = new Advances((character) => measure(character, false));
  return columns.map((column, index) => {
    const values = samples.map((cells) => cells[index]).filter((cell) => cell !== null && cell !== undefined && missingOf(cell) === null);
    const format = formatter(column, { locale, decimals: decimalsFor(column, values) });
    const kind = kindOf(column, pictures);
    const title = measure(titleOf(column), true) + sortMark;
    const least = column.width > 0 ? column.width * digit : 0;
    const wish = least === 0 || isCounted(column) ? Math.max(least, wishFrom(column, kind, values, format, measure, digit, now)) : least;
    const natural = Math.ceil(Math.max(narrowest, title, Math.min(widest, wish)) + 2 * CELL_PADDING);
    return {
      source: pictures, column, index, rule: `${prefix}${index}`, at: index, kind, format, natural, wished: 0, align: alignOf(column), tight: '', scale: 0, isPinned: false, left: 0, width: natural,
      advances,
    };
  });
}

function wishFrom(column, kind, values, format, measure, digit, now) {
  if (kind === 'sparkline' || kind === 'picture') return 96;
  if (column.type === 'timestamp' && column.style !== 'age') return digit * 19;
  if (column.style === 'age' || column.style === 'duration' || column.style === 'bytes') return digit * 10;
  let most = 0;
  for (const value of values.slice(0, 200)) most = Math.max(most, measure(format(value, now), false));
  // A first window says little about numbers to come: leave room for two digits and their separator.
  return most + (isNumeric(column.type) ? 2.5 * digit : kind === 'badge' ? badgePadding : digit);
}

/** The width in which a title and all of these values are seen as a whole. */
export function fittingWidth({ column, kind, format }, values, measure, now) {
  if (kind === 'sparkline' || kind === 'picture') return 96 + 2 * CELL_PADDING;
  let most = measure(titleOf(column), true) + sortMark;
  for (const value of values) most = Math.max(most, measure(format(value ?? null, now), false) + (kind === 'badge' ? badgePadding : 0));
  return Math.ceil(Math.max(narrowest, Math.min(widestFit, most)) + 2 * CELL_PADDING);
}

/**
 * How wide a column is from now on that had no room for `tight`: numbers and times are seen as a whole, with room to grow again, so that this
 * is seldom. Texts are cut off instead.
 */
export function grownWidth({ column, kind, natural, tight }, measure) {
  if (!isCounted(column)) return natural;
  const room = 2.5 * measure('0', false) + (kind === 'badge' ? badgePadding : 0);
  return Math.max(natural, Math.ceil(Math.min(widest, measure(tight, false) + room) + 2 * CELL_PADDING));
}

/** Whether a column's values are read digit by digit: one that lacks some reads as another. */
export function isCounted({ type }) {
  return isNumeric(type) || type === 'timestamp';
}

/** Those of a table's columns that the reader's layout shows, in its order. */
export function shownSpecs(specs, layout) {
  const places = arrange(specs.map(({ column }) => column), layout).filter(({ isHidden }) => !isHidden);
  return places.map(({ column: name, width, isPinned }, at) => Object.assign(specs.find(({ column }) => column.name === name), { at, wished: width, isPinned }));
}

/**
 * Places the columns side by side in what is available; the last text column takes what is left, or gives up some of its own
 * before the table has to scroll sideways. A column that the reader has made as wide as it is stays so.
 * @returns {number} the width of all together
 */
export function place(specs, available) {
  const natural = specs.reduce((sum, spec) => sum + (spec.wished || spec.natural), 2 * edge);
  const stretched = specs.findLast((spec) => spec.column.type === 'text' && spec.kind !== 'badge' && spec.wished === 0);
  let left = edge;
  for (const spec of specs) {
    spec.left = left;
    spec.width = spec === stretched ? Math.max(Math.min(spec.natural, leastStretched), spec.natural + available - natural)
      : spec.wished || spec.natural;
    left += spec.width;
  }
  return Math.max(left + edge, available);
}

/** How wide the columns are that are not drawn, between those that stay at the edge and the first of the others at `places`. */
export function gapOf(specs, places) {
  const first = specs[places.find((at) => !specs[at].isPinned)];
  const last = specs.findLast(({ isPinned }) => isPinned);
  return first === undefined ? 0 : first.left - (last === undefined ? edge : last.left + last.width);
}

/** Whether a text may be wider than its column: surely not when this is false. */
export function isLong({ kind, width, advances }, text) {
  return advances.exceed(text, width - 2 * CELL_PADDING - (kind === 'badge' ? badgePadding : 0) + slack);
}

/** From where to where characters simply stand side by side: Latin, Greek and Cyrillic letters; dashes, narrow spaces and the like; currencies. Others
 *  join, stack up, or go the other way. */
const simple = [[0x20, 0x7f], [0xa0, 0xad], [0xae, 0x300], [0x370, 0x483], [0x48a, 0x530], [0x2010, 0x2028], [0x202f, 0x205f], [0x20a0, 0x20c1]];

/** How wide characters are by themselves: to add these up costs a hundredth of having a text measured. */
export class Advances {
  /** @param {(character: string) => number} measure its width in pixels */
  constructor(measure) {
    this.#measure = measure;
    for (const [from, to] of simple) this.#widths.fill(-1, from, to);
  }
  #measure;
  /** By character: -1 where it is not known yet. A text with one that is not in here may be as wide as it likes. */
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

// All as wide as each other, as the style sheet wants them.
const isDigit = (code) => code >= 0x30 && code <= 0x39;

/** What a full bar stands for: 100 for percentages, else the greatest value in sight, without shrinking at every change. */
export function barScale(spec, greatest) {
  if (spec.column.unit === '%') return 100;
  const isFitting = spec.scale >= greatest && spec.scale <= greatest * 2;
  return isFitting ? spec.scale : greatest;
}

/** What people read above a column. */
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
