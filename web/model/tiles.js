// tiles.js: the tiles of the summary strip: those of a view, their messages and their texts. No
// DOM, no clock.

import { titleOf } from './columns.js';
import { termsOf } from './defaults.js';
import { isFitting, isFittingTerm, wireFilter } from './query.js';

/** The most tiles that a view can have. */
export const mostTiles = 6;

/**
 * A tile: the number of rows, or an aggregate of a column, of all rows that match a filter.
 *
 * `terms` is the filter as terms of the page. A source's filter that terms cannot express is kept
 * as `filter` in wire format; a click cannot apply it.
 * @typedef {{function: string, column?: string, title?: string, terms?:
 *   import('./query.js').Term[], filter?: object}} Tile
 */

const words = Object.freeze({ sum: 'Sum', mean: 'Average', min: 'Minimum', max: 'Maximum', distinct: 'Different' });

/**
 * Returns the tiles of a view: the user's, or else those that the table suggests.
 * @returns {Tile[]}
 */
export function tilesOf(view, table) {
  const columns = table?.columns ?? [];
  const tiles = view.tiles ?? (table?.view?.tiles ?? []).map(fromSource);
  return tiles.filter((tile) => isFittingTile(tile, columns)).slice(0, mostTiles);
}

function fromSource({ filter, ...tile }) {
  const terms = termsOf(filter);
  return terms === null ? { ...tile, filter } : { ...tile, terms };
}

function isFittingTile(tile, columns) {
  return (tile.function === 'count' ? tile.column === undefined : isFitting(tile, columns))
    && (tile.terms ?? []).every((term) => isFittingTerm(term, columns));
}

/** Returns a tile as it is sent to the server. */
export function wireTile({ function: kind, column, terms, filter }) {
  const own = filter ?? wireFilter(terms ?? []);
  return { function: kind, ...(column === undefined ? {} : { column }), ...(own === undefined ? {} : { filter: own }) };
}

/** Whether two tiles show the same value. */
export function sameTile(one, other) {
  return JSON.stringify(wireTile(one)) === JSON.stringify(wireTile(other));
}

/** Returns the functions that suit a column, as `[function, label]`. */
export function functionsFor(column) {
  if (column.type === 'series' || column.type === 'image') return [];
  return Object.entries(words).filter(([kind]) => isFitting({ column: column.name, function: kind }, [column]))
    .map(([kind, label]) => [kind, kind === 'distinct' ? 'Different values' : label]);
}

/** Returns a tile's heading. */
export function tileTitle(tile, columns) {
  if (tile.title) return tile.title;
  if (tile.function === 'count') return isNarrow(tile) ? 'Matching rows' : 'Rows';
  const column = columns.find(({ name }) => name === tile.column);
  return `${words[tile.function]} ${column === undefined ? tile.column : titleOf(column)}${isNarrow(tile) ? ', filtered' : ''}`;
}

/** Whether a tile does not count all rows. */
export function isNarrow({ terms = [], filter }) {
  return terms.length > 0 || filter !== undefined;
}

/**
 * Returns a value of a tile as text.
 *
 * @param {import('./columns.js').Spec[]} specs the columns with their formats
 */
export function valueText(tile, value, specs, now, locale) {
  if (value === null) return '—';
  const spec = specs.find(({ column }) => column.name === tile.column);
  const isCount = tile.function === 'count' || tile.function === 'distinct' || spec === undefined;
  if (isCount) return Number(value).toLocaleString(locale);
  if (tile.function !== 'mean' && (spec.column.type !== 'number' || /^(bytes|duration|age)$/.test(spec.column.style))) return spec.format(value, now);
  // Sums and averages have digits that no cell has.
  return spec.format(typeof value === 'number' ? rounded(value) : value, now);
}

function rounded(value) {
  const size = Math.abs(value);
  return size === 0 || size >= 0.1 ? Math.round(value * 100) / 100 : Number(value.toPrecision(3));
}

/** Returns the change of a tile's value as text, such as `↑ 12 in 60 s`; empty without a change. */
export function changeText(tile, { value, before, seconds }, specs, now, locale) {
  if (typeof value !== 'number' || typeof before !== 'number') return '';
  const column = specs.find((spec) => spec.column.name === tile.column)?.column;
  // The difference of two times is a duration, which the format of times cannot show.
  if (column?.type === 'timestamp' && tile.function !== 'distinct') return '';
  const difference = rounded(value - before);
  if (difference === 0) return '';
  return `${difference > 0 ? '↑' : '↓'} ${valueText(tile, Math.abs(difference), specs, now, locale)} in ${seconds} s`;
}

/**
 * A count of the rows at a level of severity.
 *
 * `parts` has the terms that select the rows of each column, by the column's name.
 * @typedef {{level: 'critical'|'warn', filter: object, parts: {column: string, terms:
 *   import('./query.js').Term[]}[]}} LevelTile
 */

/**
 * Returns the tiles that count rows by severity: of the column that decides for the whole row, or
 * else of all columns with levels.
 * @returns {LevelTile[]}
 */
export function levelTiles(table) {
  const columns = (table?.columns ?? []).filter(({ name, warn, critical }) => (hasRule(warn) || hasRule(critical)) && (table.severity ?? name) === name);
  const critical = columns.filter((column) => hasRule(column.critical));
  const warn = columns.filter((column) => hasRule(column.warn));
  const tiles = [];
  if (critical.length > 0) {
    tiles.push({
      level: 'critical', filter: anyOf(critical.map((column) => termOf(column, column.critical))),
      parts: critical.map((column) => ({ column: column.name, terms: [termOf(column, column.critical)] })),
    });
  }
  if (warn.length > 0) {
    const own = anyOf(warn.map((column) => termOf(column, column.warn)));
    tiles.push({
      level: 'warn', filter: tiles.length > 0 ? { all: [own, { not: tiles[0].filter }] } : own,
      parts: warn.map((column) => ({ column: column.name, terms: [warnTerm(column)] })),
    });
  }
  return tiles;
}

const hasRule = (rule) => typeof rule === 'number' || (Array.isArray(rule) && rule.length > 0);

function anyOf(filters) {
  return filters.length === 1 ? filters[0] : { any: filters };
}

// The term for the rows of a level, which is the same in wire format.
function termOf({ name: column, better }, rule) {
  if (Array.isArray(rule)) return { column, op: 'oneOf', values: rule };
  return { column, op: 'range', [better === 'higher' ? 'through' : 'from']: rule };
}

// The term for warnings that are not critical.
function warnTerm(column) {
  const { name, better, warn, critical } = column;
  if (!hasRule(critical)) return termOf(column, warn);
  if (Array.isArray(warn)) {
    const left = warn.filter((value) => (Array.isArray(critical) ? !critical.includes(value) : typeof value !== 'number' || (better === 'higher' ? value > critical : value < critical)));
    return { column: name, op: 'oneOf', values: left.length > 0 ? left : warn };
  }
  if (Array.isArray(critical)) return { ...termOf(column, warn), except: critical };
  const [from, through] = better === 'higher' ? [critical, warn] : [warn, critical];
  return { column: name, op: 'range', from, through, except: [critical] };
}
