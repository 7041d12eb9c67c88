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
const edge = 4;  // the first and last column stand in line with what is above and below the table
const sortMark = 16;

/**
 * A column as the page draws it. `index` is its place in the source's order, by which rows have their cells; `at` the one in
 * which it is shown. `rule` is the class of its cells, by which they have their place, `source` the table that gives the images of `picture`s. `wished` is the width that the reader gave it, or 0.
 * @typedef {{source: string|null, column: object, index: number, rule: string, at: number, kind: string, format: Function, natural: number, wished: number,
 *   align: string, scale: number, isPinned: boolean, left: number, width: number}} Spec
 */

/**
 * Decides once per table, from its description and the first rows, so that nothing moves when values change.
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
  return columns.map((column, index) => {
    const values = samples.map((cells) => cells[index]).filter((cell) => cell !== null && cell !== undefined && missingOf(cell) === null);
    const format = formatter(column, { locale, decimals: decimalsFor(column, values) });
    const kind = kindOf(column, pictures);
    const title = measure(titleOf(column), true) + sortMark;
    const wish = column.width > 0 ? column.width * digit : wishFrom(column, kind, values, format, measure, digit, now);
    const natural = Math.ceil(Math.max(narrowest, title, Math.min(widest, wish)) + 2 * CELL_PADDING);
    return {
      source: pictures, column, index, rule: `${prefix}${index}`, at: index, kind, format, natural, wished: 0, align: alignOf(column), scale: 0, isPinned: false, left: 0, width: natural,
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
  return most + (isNumeric(column.type) ? 2.5 * digit : kind === 'badge' ? 16 : digit);
}

/** The width in which a title and all of these values are seen as a whole. */
export function fittingWidth({ column, kind, format }, values, measure, now) {
  if (kind === 'sparkline' || kind === 'picture') return 96 + 2 * CELL_PADDING;
  let most = measure(titleOf(column), true) + sortMark;
  for (const value of values) most = Math.max(most, measure(format(value ?? null, now), false) + (kind === 'badge' ? 16 : 0));
  return Math.ceil(Math.max(narrowest, Math.min(widestFit, most)) + 2 * CELL_PADDING);
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
