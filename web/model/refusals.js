// refusals.js: the parts of a view that are not applied, and the reasons. Loaded with the first
// one. No DOM.

import { titleOf } from './columns.js';
import { functionName, isFitting, isFittingTerm } from './query.js';
import { rangesAt } from './ranges.js';
import { phrase } from './language.js';

/**
 * A part of a view that is not applied.
 *
 * `key` identifies the part: `sort:NAME`, `group:NAME`, `filter:NAME`, `show:FUNCTION:NAME`,
 * `sections:NAME`, `columns:NAME`, `search`, `where` or `link:PART`. `part` is the part's content
 * as JSON. The mark is valid until the user changes it.
 * @typedef {{key: string, part: string, reason: string}} Mark
 */

/**
 * Returns the content of the part with this key as JSON; undefined if the view has no such part.
 */
export function partOf(view, key) {
  const [kind, ...rest] = key.split(':');
  const name = rest.join(':');
  const found = {
    sort: () => view.sort.find(({ column }) => column === name),
    group: () => {
      const levels = view.group.flatMap((column, level) => (column === name ? [rangesAt(view, level) ?? name] : []));
      return levels.length > 1 ? levels : levels[0];
    },
    filter: () => view.filters.find(({ column }) => column === name),
    show: () => view.aggregates.find(({ function: kindOf, column }) => `${kindOf}:${column}` === name),
    sections: () => view.sections?.find(({ column }) => column === name),
    columns: () => view.columns.find(({ column }) => column === name),
    search: () => view.search || undefined,
    where: () => view.where || undefined,
    link: () => (view.unread?.includes(name) ? name : undefined),
  }[kind]?.();
  return found === undefined ? undefined : JSON.stringify(found);
}

/** Returns the keys of all parts of a view that are sent to the server. */
function keysOf(view) {
  return [
    ...view.sort.map(({ column }) => `sort:${column}`), ...view.group.map((column) => `group:${column}`),
    ...view.filters.map(({ column }) => `filter:${column}`), ...(view.search === '' ? [] : ['search']),
    ...(view.where ? ['where'] : []), ...view.aggregates.map((one) => `show:${one.function}:${one.column}`),
    ...(view.sections ?? []).map(({ column }) => `sections:${column}`),
  ];
}

/**
 * Returns the marks for a query that the server refused.
 *
 * @param {import('./query.js').View} sent the view of the query
 * @param {string[]} at the paths of the parts at fault, from the server; if none is known, every
 *   part is marked
 * @param {string} reason
 * @returns {Mark[]}
 */
export function marksFor(sent, at, reason) {
  const keys = new Set(at.flatMap((path) => keysAt(sent, path)));
  const text = readable(reason);
  return [...(keys.size > 0 ? keys : keysOf(sent))].map((key) => ({ key, part: partOf(sent, key), reason: text }));
}

function keysAt(sent, path) {
  const [, part, index] = /^query\.(\w+)(?:\[(\d+)\])?/.exec(path) ?? [];
  const all = (list, key) => (index === undefined ? list : list.slice(Number(index), Number(index) + 1)).map(key);
  switch (part) {
    case 'sort': return all(sent.sort, ({ column }) => `sort:${column}`);
    case 'group': return all(sent.group, (column) => `group:${column}`);
    case 'aggregates': return all(sent.aggregates, (one) => `show:${one.function}:${one.column}`);
    case 'sections': return all(sent.sections ?? [], ({ column }) => `sections:${column}`);
    case 'search': return ['search'];
    case 'where': return ['where'];
    case 'filter': {
      const [, term] = /^query\.filter\.all\[(\d+)\]/.exec(path) ?? [];
      // The search is the last filter, after those of the columns.
      if (sent.search !== '' && (sent.filters.length === 0 || Number(term) === sent.filters.length)) return ['search'];
      if (sent.search !== '' && term !== undefined) return sent.filters.slice(Number(term), Number(term) + 1).map(({ column }) => `filter:${column}`);
      const terms = sent.filters.length === 1 ? sent.filters : term === undefined ? [] : sent.filters.slice(Number(term), Number(term) + 1);
      return terms.map(({ column }) => `filter:${column}`);
    }
    default: return [];
  }
}

// Removes the path from a reason, because the mark is displayed at that part.
function readable(reason) {
  if (/^query[\w.[\]]* is not a regular expression: it is too large/.test(reason)) return phrase('This expression is too large: use smaller repetitions.');
  const text = reason.replace(/^query\.where, character \d+: /, '').replace(/^query[\w.[\]]* /, 'The value ');
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Returns the marks whose part is unchanged in the view. */
export function standing(marks, view) {
  return marks.filter(({ key, part }) => partOf(view, key) === part);
}

/**
 * Returns the view to query instead: marked parts are replaced by those of `good`, the last view
 * that the server answered, or removed.
 */
export function applied(view, marks, good) {
  const isMarked = (key) => marks.some((mark) => mark.key === key);
  const has = (kind) => marks.some(({ key }) => key.startsWith(`${kind}:`));
  const list = (kind) => (has(kind) ? good?.[kind] ?? view[kind].filter((one) => !isMarked(`${kind}:${one.column ?? one}`)) : view[kind]);
  return {
    ...view, sort: list('sort'), group: list('group'), ...(has('group') && good?.ranges !== view.ranges ? { ranges: good?.ranges } : {}),
    collapsed: has('group') ? good?.collapsed ?? [] : view.collapsed,
    search: isMarked('search') ? good?.search ?? '' : view.search,
    where: isMarked('where') ? good?.where ?? '' : view.where,
    filters: view.filters.flatMap((term) => (isMarked(`filter:${term.column}`) ? good?.filters.filter(({ column }) => column === term.column) ?? [] : [term])),
    aggregates: view.aggregates.filter((one) => !isMarked(`show:${one.function}:${one.column}`)),
    ...(view.sections === undefined ? {} : { sections: view.sections.filter(({ column }) => !isMarked(`sections:${column}`)) }),
  };
}

/** Returns marks for the parts of a link that do not fit the table. */
export function misfits(view, columns) {
  const byName = (name) => columns.find((column) => column.name === name);
  const marks = [];
  const add = (key, reason) => marks.push({ key, part: partOf(view, key), reason });
  const unknown = (name) => phrase('No column called “{name}”.', { name });
  for (const { column } of view.sort) if (!byName(column)) add(`sort:${column}`, unknown(column));
  for (const column of view.group) if (!byName(column)) add(`group:${column}`, unknown(column));
  for (const term of view.filters) {
    if (!isFittingTerm(term, columns)) add(`filter:${term.column}`, byName(term.column) ? phrase('This filter does not fit the column “{column}”.', { column: titleOf(byName(term.column)) }) : unknown(term.column));
  }
  for (const one of view.aggregates) {
    if (isFitting(one, columns)) continue;
    add(`show:${one.function}:${one.column}`, byName(one.column) ? phrase('The column “{column}” has no “{function}”.', { column: titleOf(byName(one.column)), function: one.function }) : unknown(one.column));
  }
  for (const { column } of view.columns) if (!byName(column)) add(`columns:${column}`, unknown(column));
  for (const name of view.unread ?? []) add(`link:${name}`, phrase('The part “{name}” of this link is not readable.', { name }));
  return marks;
}

/** Returns a mark's title for the user: `Sort by Fare`, `Search for “JFK”`. */
export function markTitle({ key, part }, columns) {
  const [kind, ...rest] = key.split(':');
  const name = rest.join(':');
  const title = (column) => titleOf(columns.find((one) => one.name === column) ?? { name: column });
  switch (kind) {
    case 'sort': return phrase('Sort by {column}', { column: title(name) });
    case 'group': return phrase('Group by {column}', { column: title(name) });
    case 'filter': return phrase('Filter of {column}', { column: title(name) });
    case 'show': return phrase('{function} of {column}', { function: functionName(rest[0]), column: title(rest.slice(1).join(':')) });
    case 'sections': return phrase('Order of the sections of {column}', { column: title(name) });
    case 'columns': return phrase('Column {column}', { column: name });
    case 'search': return phrase('Search for “{text}”', { text: JSON.parse(part) });
    case 'where': return phrase('Filter “{text}”', { text: JSON.parse(part) });
    default: return phrase('Link');
  }
}

/** Returns the change of a view that removes a marked part. */
export function without(view, key) {
  const [kind, ...rest] = key.split(':');
  const name = rest.join(':');
  switch (kind) {
    case 'sort': return { sort: view.sort.filter(({ column }) => column !== name) };
    case 'group': return { group: view.group.filter((column) => column !== name), collapsed: [] };
    case 'filter': return { filters: view.filters.filter(({ column }) => column !== name) };
    case 'show': return { aggregates: view.aggregates.filter((one) => `${one.function}:${one.column}` !== name) };
    case 'sections': return { sections: view.sections?.filter(({ column }) => column !== name) };
    case 'columns': return { columns: view.columns.filter(({ column }) => column !== name) };
    case 'search': return { search: '' };
    case 'where': return { where: '' };
    default: return { unread: view.unread?.filter((one) => one !== name) };
  }
}

// Capabilities of a remote table's source.

/** The capabilities in `windowed.filters` that each operator of the page needs. */
const powers = Object.freeze({
  contains: ['contains'], startsWith: ['startsWith'], matches: ['matches'], range: ['range'], oneOf: ['oneOf'], noneOf: ['oneOf', 'not'],
  isEmpty: ['isEmpty'], isFilled: ['isEmpty', 'not'],
});

/**
 * Returns why a command is unavailable, or an empty string if it is available.
 *
 * A command is unavailable if the source cannot do it and the table has too many rows for the
 * server to do it.
 *
 * @param {object|undefined} table as described by the server
 * @param {number} rows the number of rows of the current query
 * @param {{sort?: string, group?: string, filter?: string, op?: string, search?: boolean,
 *   aggregate?: boolean, order?: boolean, ranges?: boolean}} what the command; columns by name
 */
export function lack(table, rows, what) {
  const can = table?.windowed;
  if (!can || rows <= can.rowLimit) return '';
  const fits = what.sort !== undefined ? can.sort.includes(what.sort)
    : what.group !== undefined ? can.group.includes(what.group)
      : what.search ? can.search
        : what.aggregate || what.order || what.ranges ? false
          : (can.filterColumns?.includes(what.filter) ?? true) && (powers[what.op] ?? []).every((power) => can.filters.includes(power));
  if (fits) return '';
  const fault = what.sort !== undefined ? phrase('This source cannot sort by this column') : what.group !== undefined ? phrase('This source cannot group by this column')
    : what.search ? phrase('This source cannot search') : what.aggregate ? phrase('This source cannot compute this') : what.order ? phrase('This source cannot order sections') : what.ranges ? phrase('This source cannot group by ranges')
      : what.op === 'matches' ? phrase('This source cannot run regular expressions') : phrase('This source cannot filter this way');
  return phrase('{fault}, and {rows} rows are too many to do it here (limit {limit}). Narrow it down first.', { fault, rows, limit: can.rowLimit });
}
