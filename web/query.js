// query.js: which table, and how it is sorted, filtered and grouped; and the same as the address's fragment. No DOM.
//# allFunctionsCalledOnLoad

import { isFitting } from './aggregates.js';
import { isFittingTerm, termsFrom } from './filter.js';
import { layoutFrom, layoutText } from './layout.js';

/**
 * What a link shows. `sort` holds `{column, descending}`, the most important first; `group` names columns, the outermost sections'
 * first; `aggregates` are asked for of each section; `collapsed` names sections by their
 * values, from the outermost one's to its own; `filters` has a term for each column that asks something of the rows; `columns`
 * says how they are laid out, and is the only part that the server does not hear of. Texts are empty when not said.
 * @typedef {{table: string, sort: {column: string, descending: boolean}[], search: string, filters: import('./filter.js').Term[],
 *   group: string[], aggregates: {column: string, function: string}[], collapsed: *[][], columns: import('./layout.js').Place[]}} View
 */

/** @returns {View} nothing said */
export function emptyView() {
  return { table: '', sort: [], search: '', filters: [], group: [], aggregates: [], collapsed: [], columns: [] };
}

/**
 * Reads `#table=processes&sort=-cpu,name&search=ssh&filter=[...]&group=user,state&show=sum:cpu,max:memory&columns=*pid,-command`.
 * Whatever it does not understand it passes over.
 * @returns {View}
 */
export function viewFromHash(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const view = emptyView();
  view.table = fields.get('table') ?? '';
  view.search = (fields.get('search') ?? '').slice(0, 1_000);
  view.group = [...new Set((fields.get('group') ?? '').split(',').map(decode))].filter((column) => column !== '').slice(0, 4);
  view.filters = termsFrom(fields.get('filter'));
  view.collapsed = pathsFrom(fields.get('collapsed'));
  view.columns = layoutFrom(fields.get('columns'), decode);
  for (const term of (fields.get('show') ?? '').split(',')) {
    const [kind, column = ''] = term.split(':');
    if (column !== '') view.aggregates.push({ column: decode(column), function: kind });
  }
  view.aggregates.length = Math.min(view.aggregates.length, 16);
  for (const term of (fields.get('sort') ?? '').split(',')) {
    const descending = term.startsWith('-');
    const column = decode(descending ? term.slice(1) : term);
    if (column !== '' && !view.sort.some((other) => other.column === column)) view.sort.push({ column, descending });
  }
  view.sort.length = Math.min(view.sort.length, 8);
  return view;
}

/** The fragment that {@link viewFromHash} reads back; empty when nothing is said. */
export function hashFromView({ table, sort, search, filters, group, aggregates, collapsed, columns }) {
  const fields = new URLSearchParams();
  if (table !== '') fields.set('table', table);
  if (sort.length > 0) fields.set('sort', sort.map((term) => (term.descending ? '-' : '') + encode(term.column)).join(','));
  if (search !== '') fields.set('search', search);
  if (filters.length > 0) fields.set('filter', JSON.stringify(filters));
  if (group.length > 0) fields.set('group', group.map(encode).join(','));
  if (aggregates.length > 0) fields.set('show', aggregates.map((one) => `${one.function}:${encode(one.column)}`).join(','));
  if (collapsed.length > 0) fields.set('collapsed', JSON.stringify(collapsed));
  if (columns.length > 0) fields.set('columns', layoutText(columns, encode));
  const text = fields.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return text === '' ? '' : `#${text}`;
}

/** One view or two, side by side: `#table=a&sort=-x&beside=table%3Db`. @returns {View[]} */
export function viewsFromHash(hash) {
  const beside = new URLSearchParams(hash.replace(/^#/, '')).get('beside');
  return beside === null ? [viewFromHash(hash)] : [viewFromHash(hash), viewFromHash(beside)];
}

/** The fragment that {@link viewsFromHash} reads back. */
export function hashFromViews([view, beside]) {
  const hash = hashFromView(view);
  if (beside === undefined) return hash;
  return `${hash || '#'}${hash === '' ? '' : '&'}beside=${encodeURIComponent(hashFromView(beside).slice(1))}`;
}

/**
 * The order after a click on a column's header: ascending, descending, none. With `further` the column joins the order
 * (shift-click); otherwise it is the order.
 */
export function nextSort(sort, column, further = false) {
  const old = sort.find((term) => term.column === column);
  const next = old === undefined ? { column, descending: false } : old.descending ? null : { column, descending: true };
  if (!further) return next === null ? [] : [next];
  if (old !== undefined) return sort.flatMap((term) => (term !== old ? [term] : next === null ? [] : [next]));
  return [...sort, next].slice(0, 8);
}

/** The same view without columns that the table does not have: the server refuses those. */
export function fittingView(view, columns) {
  const has = (name) => columns.some((column) => column.name === name);
  return {
    ...view, sort: view.sort.filter((term) => has(term.column)), group: view.group.filter(has),
    filters: view.filters.filter((term) => isFittingTerm(term, columns)),
    aggregates: view.aggregates.filter((one) => isFitting(one, columns)),
  };
}

/** The columns to group by after level `at` was set to `column`, '' for none. */
export function nextGroup(group, at, column) {
  if (column === '') return group.slice(0, at);
  return [...group.slice(0, at), column, ...group.slice(at + 1).filter((other) => other !== column)];
}

// A message may have 65,536 bytes, and an address is not endless: what was collapsed first is forgotten first.
const longestCollapsed = 12_000;

/** The collapsed sections after one of them was collapsed or expanded. */
export function nextCollapsed(collapsed, path, isCollapsed) {
  const name = JSON.stringify(path);
  const next = collapsed.filter((other) => JSON.stringify(other) !== name);
  if (isCollapsed) next.push(path);
  while (JSON.stringify(next).length > longestCollapsed) next.shift();
  return next;
}

function pathsFrom(text) {
  try {
    const paths = JSON.parse(text ?? '[]');
    const isCell = (value) => value === null || ['string', 'number', 'boolean'].includes(typeof value);
    const isPath = (path) => Array.isArray(path) && path.length > 0 && path.length <= 4 && path.every(isCell);
    return Array.isArray(paths) && text !== null && text.length <= longestCollapsed ? paths.filter(isPath) : [];
  } catch {
    return [];
  }
}

/** Whether two views ask the same of a table. */
export function sameQuery(one, other) {
  return one.search === other.search && named(one) === named(other) && one.sort.length === other.sort.length
    && one.sort.every((term, at) => term.column === other.sort[at].column && term.descending === other.sort[at].descending);
}

function named({ filters, group, aggregates, collapsed }) {
  return JSON.stringify([filters, group, aggregates, collapsed]);
}

// A column may be called anything: a comma, a leading minus or a star must not read as syntax.
function encode(name) {
  return encodeURIComponent(name).replace(/^-/, '%2D').replace(/^\*/, '%2A');
}

function decode(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return '';
  }
}
