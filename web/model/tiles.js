// tiles.js: the tiles of the summary strip: those of a view, their messages and their texts. No
// DOM, no clock.

import { titleOf } from './columns.js';
import { termsOf } from './defaults.js';
import { filterText } from './filtertext.js';
import { FUNCTIONS, isFitting, isFittingTerm } from './query.js';
import { rounded } from './totals.js';
import { barText } from './where.js';
import { number, phrase, phraseKey } from './language.js';

/** The most tiles that a view can have. */
export const mostTiles = 6;

/**
 * A tile: the number of rows, or an aggregate of a column, of all rows that match a filter.
 *
 * `terms`, `search` and `where` filter as in a view. A source's filter that none of them can
 * express is kept as `filter` in wire format; a click cannot apply it.
 * @typedef {{function: string, column?: string, title?: string, terms?:
 *   import('./query.js').Term[], search?: string, where?: string, filter?: object}} Tile
 */

// A tile counts rows in no order.
const { first, last, ...functions } = FUNCTIONS;
const words = Object.freeze({ ...functions, distinct: phraseKey('Different') });

/**
 * Returns the tiles of a view: the user's, or else those that the table suggests.
 * @returns {Tile[]}
 */
export function tilesOf(view, table) {
  const columns = table?.columns ?? [];
  const tiles = view.tiles ?? (table?.view?.tiles ?? []).map((tile) => fromSource(tile, columns));
  return tiles.filter((tile) => isFittingTile(tile, columns)).slice(0, mostTiles);
}

function fromSource({ filter, ...tile }, columns) {
  const terms = termsOf(filter);
  if (terms !== null) return { ...tile, terms };
  const where = filterText(filter, columns);
  return where === null ? { ...tile, filter } : { ...tile, where };
}

function isFittingTile(tile, columns) {
  return (tile.function === 'count' ? tile.column === undefined : Object.hasOwn(words, tile.function) && isFitting(tile, columns))
    && (tile.terms ?? []).every((term) => isFittingTerm(term, columns));
}

/** Returns the filter of a tile, as the members of a view. */
export function viewOfTile({ terms = [], search = '', where = '' }) {
  return { filters: terms, search, where };
}

/** Returns the filter of a view, as the members of a tile; empty for a view of all rows. */
export function filterOf({ filters, search, where }) {
  return { ...(filters.length > 0 ? { terms: filters } : {}), ...(search === '' ? {} : { search }), ...(where === '' ? {} : { where }) };
}

/** Whether a view shows exactly the rows that a tile with a filter counts. */
export function isApplied(tile, { filters, search, where }) {
  return tile.filter === undefined && isNarrow(tile) && JSON.stringify(viewOfTile(tile)) === JSON.stringify({ filters, search, where });
}

/**
 * Returns a tile as it is sent to the server.
 * @param {Tile} tile
 * @param {(view: {filters: import('./query.js').Term[], search: string, where: string}) => object}
 *   narrowed as in session.js
 */
export function wireTile({ function: kind, column, filter: own, ...tile }, narrowed) {
  const { filter, search, where = '', zone = 0, offsets } = narrowed(viewOfTile(tile));
  const text = barText({ search, where });
  return {
    function: kind, ...(column === undefined ? {} : { column }), ...(own ?? filter ? { filter: own ?? filter } : {}),
    ...(text === '' ? {} : { where: text, ...(zone === 0 ? {} : { zone }), ...(offsets === undefined ? {} : { offsets }) }),
  };
}

/** Whether two tiles show the same value. */
export function sameTile(one, other) {
  const key = (tile) => JSON.stringify([tile.function, tile.column ?? null, viewOfTile(tile), tile.filter ?? null]);
  return key(one) === key(other);
}

/** Returns the tiles with a new title of one of them; an empty title is the standard one. */
export function renamedTiles(tiles, tile, title) {
  const { title: before, ...rest } = tile;
  return tiles.map((other) => (sameTile(other, tile) ? { ...rest, ...(title === '' ? {} : { title }) } : other));
}

/** Returns the functions that suit a column, as `[function, label]`. */
export function functionsFor(column) {
  if (column.type === 'series' || column.type === 'image') return [];
  return Object.entries(functions).filter(([kind]) => isFitting({ column: column.name, function: kind }, [column])).map(([kind, label]) => [kind, phrase(label)]);
}

/**
 * Returns a tile's heading.
 *
 * @param {string} [narrow] the filter of a tile without a title, as text
 */
export function tileTitle(tile, columns, narrow = '') {
  if (tile.title) return tile.title;
  if (tile.function === 'count') return isNarrow(tile) ? narrow || phrase('Matching rows') : phrase('Rows');
  const column = columns.find(({ name }) => name === tile.column);
  const title = `${phrase(words[tile.function])} ${column === undefined ? tile.column : titleOf(column)}`;
  if (!isNarrow(tile)) return title;
  return narrow ? `${title}: ${narrow}` : phrase('{title}, filtered', { title });
}

/**
 * Whether a tile, or a filter, does not take all rows.
 * @param {{terms?: import('./query.js').Term[], search?: string, where?: string, filter?: object}} what
 */
export function isNarrow({ terms = [], search = '', where = '', filter }) {
  return terms.length > 0 || search !== '' || where !== '' || filter !== undefined;
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
  if (isCount) return number(Number(value), undefined, locale);
  if (tile.function !== 'mean' && (spec.column.type !== 'number' || /^(bytes|duration|age)$/.test(spec.column.style))) return spec.format(value, now);
  // Sums and averages have digits that no cell has.
  return spec.format(typeof value === 'number' ? rounded(value) : value, now);
}

/** Returns the change of a tile's value as text, such as `↑ 12 in 60 s`; empty without a change. */
export function changeText(tile, { value, before, seconds }, specs, now, locale) {
  if (typeof value !== 'number' || typeof before !== 'number') return '';
  const column = specs.find((spec) => spec.column.name === tile.column)?.column;
  // The difference of two times is a duration, which the format of times cannot show.
  if (column?.type === 'timestamp' && tile.function !== 'distinct') return '';
  const difference = rounded(value - before);
  if (difference === 0) return '';
  const change = `${difference > 0 ? '↑' : '↓'} ${valueText(tile, Math.abs(difference), specs, now, locale)}`;
  return phrase('{change} in {seconds} s', { change, seconds: String(seconds) });
}

/**
 * Returns the tiles that count rows by severity, with the member `level`: of the column that
 * decides for the whole row, or else of all columns with levels.
 *
 * A row with several levels counts at the highest. A source that keeps its rows has no counts.
 * @returns {(Tile & {level: 'critical'|'warn'})[]}
 */
export function levelTiles(table) {
  if (table?.windowed) return [];
  const columns = (table?.columns ?? []).filter(({ name, warn, critical }) => (hasRule(warn) || hasRule(critical)) && (table.severity ?? name) === name);
  const critical = columns.filter((column) => hasRule(column.critical));
  const warn = columns.filter((column) => hasRule(column.warn));
  const isCritical = anyOf(critical.map((column) => termOf(column, column.critical)));
  const isWarning = anyOf(warn.map((column) => termOf(column, column.warn)));
  const tile = (level, filter) => ({ function: 'count', level, ...filterMembers(filter, table.columns) });
  return [
    ...(critical.length > 0 ? [tile('critical', isCritical)] : []),
    ...(warn.length === 0 ? [] : [columns.length === 1 ? { function: 'count', level: 'warn', terms: [warnTerm(columns[0])] }
      : tile('warn', critical.length > 0 ? { all: [isWarning, { not: isCritical }] } : isWarning)]),
  ];
}

// The members of a tile for a filter: a term of one column, or else a text for the filter bar.
function filterMembers(filter, columns) {
  if (filter.column !== undefined) return { terms: [filter] };
  const where = filterText(filter, columns);
  return where === null ? { filter } : { where };
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
