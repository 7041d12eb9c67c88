// refusals.js: what of a view is not applied, and why. Loaded when something is not. No DOM.

import { titleOf } from './columns.js';
import { isFitting, isFittingTerm } from './query.js';

/**
 * A part of a view that is not applied. `key` names the part: `sort:NAME`, `group:NAME`, `filter:NAME`, `show:FUNCTION:NAME`, `columns:NAME`,
 * `search` or `link`; `wish` is what was asked, so that a mark stands until the user asks something else.
 * @typedef {{key: string, wish: string, reason: string}} Mark
 */

/** What a view asks in the part with this key, as text; undefined when it asks nothing. */
export function wishOf(view, key) {
  const [kind, ...rest] = key.split(':');
  const name = rest.join(':');
  const found = {
    sort: () => view.sort.find(({ column }) => column === name),
    group: () => (view.group.includes(name) ? name : undefined),
    filter: () => view.filters.find(({ column }) => column === name),
    show: () => view.aggregates.find(({ function: kindOf, column }) => `${kindOf}:${column}` === name),
    columns: () => view.columns.find(({ column }) => column === name),
    search: () => view.search || undefined,
    link: () => (view.unread?.includes(name) ? name : undefined),
  }[kind]?.();
  return found === undefined ? undefined : JSON.stringify(found);
}

/** The keys of all that a view asks of the server. */
function keysOf(view) {
  return [
    ...view.sort.map(({ column }) => `sort:${column}`), ...view.group.map((column) => `group:${column}`),
    ...view.filters.map(({ column }) => `filter:${column}`), ...(view.search === '' ? [] : ['search']),
    ...view.aggregates.map((one) => `show:${one.function}:${one.column}`),
  ];
}

/**
 * The marks that a refusal leaves.
 *
 * @param {import('./query.js').View} sent the view that was asked
 * @param {string[]} at the parts of the query at fault, as the server names them; when it names none that is known, everything is marked
 * @param {string} reason
 * @returns {Mark[]}
 */
export function marksFor(sent, at, reason) {
  const keys = new Set(at.flatMap((path) => keysAt(sent, path)));
  const text = readable(reason);
  return [...(keys.size > 0 ? keys : keysOf(sent))].map((key) => ({ key, wish: wishOf(sent, key), reason: text }));
}

function keysAt(sent, path) {
  const [, part, index] = /^query\.(\w+)(?:\[(\d+)\])?/.exec(path) ?? [];
  const all = (list, key) => (index === undefined ? list : list.slice(Number(index), Number(index) + 1)).map(key);
  switch (part) {
    case 'sort': return all(sent.sort, ({ column }) => `sort:${column}`);
    case 'group': return all(sent.group, (column) => `group:${column}`);
    case 'aggregates': return all(sent.aggregates, (one) => `show:${one.function}:${one.column}`);
    case 'search': return ['search'];
    case 'filter': {
      const [, term] = /^query\.filter\.all\[(\d+)\]/.exec(path) ?? [];
      // A search is a filter behind those of the columns.
      if (sent.search !== '' && (sent.filters.length === 0 || Number(term) === sent.filters.length)) return ['search'];
      if (sent.search !== '' && term !== undefined) return sent.filters.slice(Number(term), Number(term) + 1).map(({ column }) => `filter:${column}`);
      const terms = sent.filters.length === 1 ? sent.filters : term === undefined ? [] : sent.filters.slice(Number(term), Number(term) + 1);
      return terms.map(({ column }) => `filter:${column}`);
    }
    default: return [];
  }
}

// Where in the message something is wrong means nothing to people: the mark stands at that place.
function readable(reason) {
  if (/^query[\w.[\]]* is no regular expression: it is too large/.test(reason)) return 'This expression is too large: use smaller repetitions.';
  const text = reason.replace(/^query[\w.[\]]* /, 'The value ');
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** The marks whose part is still asked for. */
export function standing(marks, view) {
  return marks.filter(({ key, wish }) => wishOf(view, key) === wish);
}

/** The view that the server is asked for: without the marked parts, in whose place stands what `good`, the last view it has answered, has there. */
export function applied(view, marks, good) {
  const isMarked = (key) => marks.some((mark) => mark.key === key);
  const has = (kind) => marks.some(({ key }) => key.startsWith(`${kind}:`));
  const list = (kind) => (has(kind) ? good?.[kind] ?? view[kind].filter((one) => !isMarked(`${kind}:${one.column ?? one}`)) : view[kind]);
  return {
    ...view, sort: list('sort'), group: list('group'),
    collapsed: has('group') ? good?.collapsed ?? [] : view.collapsed,
    search: isMarked('search') ? good?.search ?? '' : view.search,
    filters: view.filters.flatMap((term) => (isMarked(`filter:${term.column}`) ? good?.filters.filter(({ column }) => column === term.column) ?? [] : [term])),
    aggregates: view.aggregates.filter((one) => !isMarked(`show:${one.function}:${one.column}`)),
  };
}

/** Marks for what a link asks of a table that this one does not have. */
export function misfits(view, columns) {
  const byName = (name) => columns.find((column) => column.name === name);
  const marks = [];
  const add = (key, reason) => marks.push({ key, wish: wishOf(view, key), reason });
  const unknown = (name) => `No column called “${name}”.`;
  for (const { column } of view.sort) if (!byName(column)) add(`sort:${column}`, unknown(column));
  for (const column of view.group) if (!byName(column)) add(`group:${column}`, unknown(column));
  for (const term of view.filters) {
    if (!isFittingTerm(term, columns)) add(`filter:${term.column}`, byName(term.column) ? `This filter does not fit the column “${titleOf(byName(term.column))}”.` : unknown(term.column));
  }
  for (const one of view.aggregates) {
    if (isFitting(one, columns)) continue;
    add(`show:${one.function}:${one.column}`, byName(one.column) ? `The column “${titleOf(byName(one.column))}” has no “${one.function}”.` : unknown(one.column));
  }
  for (const { column } of view.columns) if (!byName(column)) add(`columns:${column}`, unknown(column));
  for (const name of view.unread ?? []) add(`link:${name}`, `The part “${name}” of this link cannot be read.`);
  return marks;
}

const functions = { sum: 'Sum', mean: 'Average', min: 'Minimum', max: 'Maximum', distinct: 'Different values' };

/** What a mark is about, for people: `Sort by Fare`, `Search for “JFK”`. */
export function markTitle({ key, wish }, columns) {
  const [kind, ...rest] = key.split(':');
  const name = rest.join(':');
  const title = (column) => titleOf(columns.find((one) => one.name === column) ?? { name: column });
  switch (kind) {
    case 'sort': return `Sort by ${title(name)}`;
    case 'group': return `Group by ${title(name)}`;
    case 'filter': return `Filter of ${title(name)}`;
    case 'show': return `${functions[rest[0]] ?? rest[0]} of ${title(rest.slice(1).join(':'))}`;
    case 'columns': return `Column ${name}`;
    case 'search': return `Search for “${JSON.parse(wish)}”`;
    default: return 'Link';
  }
}

/** The change that takes a marked part out of a view. */
export function without(view, key) {
  const [kind, ...rest] = key.split(':');
  const name = rest.join(':');
  switch (kind) {
    case 'sort': return { sort: view.sort.filter(({ column }) => column !== name) };
    case 'group': return { group: view.group.filter((column) => column !== name), collapsed: [] };
    case 'filter': return { filters: view.filters.filter(({ column }) => column !== name) };
    case 'show': return { aggregates: view.aggregates.filter((one) => `${one.function}:${one.column}` !== name) };
    case 'columns': return { columns: view.columns.filter(({ column }) => column !== name) };
    case 'search': return { search: '' };
    default: return { unread: view.unread?.filter((one) => one !== name) };
  }
}

// What a table says that its source cannot do.

/** By which word a table's `windowed.filters` has an operator of the page. */
const powers = Object.freeze({
  contains: ['contains'], startsWith: ['startsWith'], matches: ['matches'], range: ['range'], oneOf: ['oneOf'], noneOf: ['oneOf', 'not'],
  isEmpty: ['isEmpty'], isFilled: ['isEmpty', 'not'],
});

/**
 * Why something is not to be offered: the source cannot do it, and `rows` are too many for the server to do it. Empty when it can be done.
 *
 * @param {object|undefined} table as the server describes it
 * @param {number} rows how many rows the query shows now
 * @param {{sort?: string, group?: string, filter?: string, op?: string, search?: boolean, aggregate?: boolean}} what columns by name
 */
export function lack(table, rows, what) {
  const can = table?.windowed;
  if (!can || rows <= can.rowLimit) return '';
  const fits = what.sort !== undefined ? can.sort.includes(what.sort)
    : what.group !== undefined ? can.group.includes(what.group)
      : what.search ? can.search
        : what.aggregate ? false
          : (can.filterColumns?.includes(what.filter) ?? true) && (powers[what.op] ?? []).every((power) => can.filters.includes(power));
  if (fits) return '';
  const cannot = what.sort !== undefined ? 'sort by this column' : what.group !== undefined ? 'group by this column' : what.search ? 'search'
    : what.aggregate ? 'compute this' : what.op === 'matches' ? 'run regular expressions' : 'filter this way';
  return `This source cannot ${cannot}, and ${rows.toLocaleString()} rows are too many to do it here (limit ${can.rowLimit.toLocaleString()}). Narrow it down first.`;
}
