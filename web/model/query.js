// query.js: which table, and how it is sorted, filtered and grouped; and the same as the address's fragment. No DOM.

import { isNumeric, WIDTHS } from './columns.js';

// What a column's rows must be like: terms as the page keeps them, as the wire has them, and as people read them.

/**
 * What one column asks of its rows. `op` is one of docs/protocol.md, or `noneOf` or `isFilled`, which are said there with `not`.
 * In the `values` of `oneOf` and `noneOf` an empty cell is `null`, and a list `[from, through]` is every value between the two: all that a column shows
 * as one text.
 * @typedef {{column: string, op: string, value?: *, values?: *[], from?: *, through?: *, ignoreCase?: boolean}} Term
 */

const longestText = 1_000;
const mostValues = 1_000;
const mostTerms = 100;       // as the wire counts them
const longestFilter = 48_000;  // bytes: a message has 65,536

const labels = Object.freeze({
  contains: 'contains', startsWith: 'starts with', matches: 'matches', range: 'between', oneOf: 'is one of', noneOf: 'is none of',
  isEmpty: 'is empty', isFilled: 'is not empty',
});

/** What may be asked of a column, the most useful first, as `[op, label]`. */
export function operatorsFor({ type }) {
  const ops = type === 'text' ? ['oneOf', 'contains', 'startsWith', 'matches', 'noneOf']
    : type === 'boolean' ? ['oneOf'] : type === 'timestamp' ? ['range'] : isNumeric(type) ? ['range', 'oneOf', 'noneOf'] : [];
  return [...ops, 'isEmpty', 'isFilled'].map((op) => [op, labels[op]]);
}

/** Whether the server would take a term of a table with these columns. Terms come from links: nothing about them is certain. */
export function isFittingTerm(term, columns) {
  const column = columns.find(({ name }) => name === term?.column);
  if (column === undefined || !operatorsFor(column).some(([op]) => op === term.op)) return false;
  const isValue = (value) => isValueOf(column.type, value);
  switch (term.op) {
    case 'oneOf': case 'noneOf':
      return Array.isArray(term.values) && term.values.length > 0 && term.values.length <= mostValues
        && term.values.every((value) => value === null || isValue(value) || isSpan(value, column.type));
    case 'range':
      return (term.from !== undefined || term.through !== undefined) && [term.from, term.through].every((end) => end === undefined || isValue(end));
    case 'contains': case 'startsWith': return isValue(term.value) && term.value !== '';
    case 'matches': return isValue(term.value) && patternFault(term.value) === '';
    default: return true;
  }
}

function isSpan(value, type) {
  return Array.isArray(value) && value.length === 2 && type !== 'text' && type !== 'boolean' && value.every((end) => isValueOf(type, end));
}

function isValueOf(type, value) {
  switch (type) {
    case 'text': return typeof value === 'string' && value.length <= longestText;
    case 'boolean': return typeof value === 'boolean';
    case 'integer': return Number.isSafeInteger(value) || (typeof value === 'string' && /^-?\d{1,19}$/.test(value) && isWhole64(value));
    case 'number': return typeof value === 'number' && Number.isFinite(value);
    case 'timestamp': return isMoment(value);
    default: return false;
  }
}

// Milliseconds; as text, with up to six decimals, where a double has not enough digits. The server holds nanoseconds in 64 bits.
function isMoment(value) {
  if (typeof value === 'number') return Math.abs(value) <= 9_223_372_036_854;
  const [, sign, whole, part = ''] = (typeof value === 'string' && /^(-?)(\d{1,13})(?:\.(\d{1,6}))?$/.exec(value)) || [];
  return whole !== undefined && isWhole64(`${sign}${whole}${part.padEnd(6, '0')}`);
}

function isWhole64(digits) {
  return BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

/** Why the server would not take a regular expression, for people; empty when it would. */
export function patternFault(pattern) {
  if (pattern === '') return 'is empty';
  if (/\(\?(?!:)/.test(pattern)) return 'may not look ahead or behind, or name groups';
  for (const [escape, letter] of pattern.matchAll(/\\([^])/g)) {
    if (!'tnvfrxudwsDWS^$\\.*+?()[]{}|/-'.includes(letter)) return `may not use ${escape}`;
  }
  try {
    RegExp(pattern, 'u');
    return '';
  } catch (error) {
    return String(error.message).replace(/^Invalid regular expression: /, '');
  }
}

/** The terms as a FILTER of the wire; undefined when nothing is asked. */
export function wireFilter(terms) {
  if (terms.length === 0) return undefined;
  const filters = terms.map(wireTerm);
  return filters.length === 1 ? filters[0] : { all: filters };
}

function wireTerm(term) {
  const { column, op } = term;
  switch (op) {
    case 'isFilled': return { not: { column, op: 'isEmpty' } };
    case 'noneOf': return { not: wireTerm({ ...term, op: 'oneOf' }) };
    case 'oneOf': {
      const values = term.values.filter((value) => value !== null && !Array.isArray(value));
      const any = term.values.filter(Array.isArray).map(([from, through]) => ({ column, op: 'range', from, through }));
      if (values.length > 0) any.unshift({ column, op, values });
      if (term.values.includes(null)) any.push({ column, op: 'isEmpty' });
      return any.length === 1 ? any[0] : { any };
    }
    case 'matches': return { column, op, value: term.value, ignoreCase: true };
    case 'range': {
      const ends = { column, op };
      if (term.from !== undefined) ends.from = term.from;
      if (term.through !== undefined) ends.through = term.through;
      return ends;
    }
    default: return op === 'isEmpty' ? { column, op } : { column, op, value: term.value };
  }
}

/** Why the server would not take all of these terms together, for people; empty when it would. */
export function termsFault(terms) {
  const long = terms.find(({ values }) => values?.length > mostValues);
  if (long !== undefined) return `A filter takes ${mostValues.toLocaleString()} values at most, and these are ${long.values.length.toLocaleString()}.`;
  const filter = wireFilter(terms);
  if (filter === undefined) return '';
  if (countTerms(filter) > mostTerms) return `All filters together have more than ${mostTerms} conditions. Remove one, or tick fewer values.`;
  const isLong = new TextEncoder().encode(JSON.stringify(filter)).length > longestFilter;
  return isLong ? 'All filters together are too long. Remove one, or tick fewer values.' : '';
}

function countTerms({ all, any, not }) {
  const parts = all ?? any ?? (not === undefined ? [] : [not]);
  return parts.reduce((count, part) => count + countTerms(part), 1);
}

/** The terms after a column has another one; `null` takes its own away. A column has one. */
export function nextTerms(terms, name, term) {
  const at = terms.findIndex(({ column }) => column === name);
  if (at < 0) return term === null ? terms : [...terms, term];
  return term === null ? terms.toSpliced(at, 1) : terms.with(at, term);
}

/** Terms from the text of a link; whatever has no shape of one is passed over. */
export function termsFrom(text) {
  try {
    const terms = JSON.parse(text ?? '[]');
    if (!Array.isArray(terms)) return [];
    const shaped = terms.filter((term) => typeof term === 'object' && term !== null && typeof term.column === 'string' && typeof term.op === 'string');
    return shaped.filter(({ column }, at) => shaped.findIndex((other) => other.column === column) === at);
  } catch {
    return [];
  }
}

// Whether a link's filter was read as a whole.
function isReadable(text, terms) {
  try {
    return text === null || JSON.parse(text).length === terms.length;
  } catch {
    return false;
  }
}

/**
 * What a term asks, for people, without its column: `contains “ssh”`, `5 – 100`, `root, me`.
 * @param {(value: *) => string} show how the column's cells are shown
 */
export function termText(term, show) {
  const list = () => {
    const texts = term.values.slice(0, 3).map((value) => (value === null ? '(empty)' : show(Array.isArray(value) ? value[0] : value) || '“”'));
    return texts.join(', ') + (term.values.length > 3 ? ` and ${term.values.length - 3} more` : '');
  };
  switch (term.op) {
    case 'range':
      if (term.through === undefined) return `≥ ${show(term.from)}`;
      if (term.from === undefined) return `≤ ${show(term.through)}`;
      return show(term.from) === show(term.through) ? show(term.from) : `${show(term.from)} – ${show(term.through)}`;
    case 'oneOf': return list();
    case 'noneOf': return `not ${list()}`;
    case 'isEmpty': case 'isFilled': return labels[term.op];
    default: return `${labels[term.op]} “${term.value}”`;
  }
}

// What a link shows, and the address says.

/**
 * What a link shows. `sort` holds `{column, descending}`, the most important first; `group` names columns, the outermost sections'
 * first; `aggregates` are asked for of each section; `collapsed` names sections by their
 * values, from the outermost one's to its own; `filters` has a term for each column that asks something of the rows; `columns`
 * says how they are laid out, and is the only part that the server does not hear of. Texts are empty when not said.
 * @typedef {{table: string, sort: {column: string, descending: boolean}[], search: string, filters: Term[],
 *   group: string[], aggregates: {column: string, function: string}[], collapsed: *[][], columns: import('./columns.js').Place[]}} View
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
  if (!isReadable(fields.get('filter'), view.filters)) view.unread = ['filter'];
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
 * The order after a click on a column's header: numbers and times descending, ascending, none, and all else ascending, descending, none. With
 * `further` the column joins the order (shift-click); otherwise it is the order.
 */
export function nextSort(sort, { name: column, type }, further = false) {
  const old = sort.find((term) => term.column === column);
  const isDescendingFirst = isNumeric(type) || type === 'timestamp';
  const next = old === undefined ? { column, descending: isDescendingFirst } : old.descending !== isDescendingFirst ? null : { column, descending: !isDescendingFirst };
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

// What a query asks of its sections, as text.

const symbols = Object.freeze({ sum: 'Σ', mean: 'mean', min: 'min', max: 'max', distinct: 'different' });
const fitting = Object.freeze({
  sum: ['integer', 'number'],
  mean: ['integer', 'number'],
  min: ['integer', 'number', 'timestamp'],
  max: ['integer', 'number', 'timestamp'],
});

/** Whether the server would take `{column, function}` of a table with these columns. */
export function isFitting({ column: name, function: kind }, columns) {
  const column = columns.find((other) => other.name === name);
  return column !== undefined && Object.hasOwn(symbols, kind) && (fitting[kind]?.includes(column.type) ?? true);
}

// A mean of whole numbers: two decimals, or as many as it takes to have three digits.
function shortened(value, locale) {
  const isSmall = typeof value === 'number' && value !== 0 && Math.abs(value) < 0.1;
  return value.toLocaleString(locale, isSmall ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 2 });
}

/**
 * What a header or the bar says: `Σ CPU 12.5 %`, one text for each aggregate.
 *
 * @param {{column: string, function: string}[]} aggregates of the query
 * @param {*[]} values as the server sends them, in the same order
 * @param {{column: object, format: Function}[]} specs how columns show their cells
 */
export function aggregateTexts(aggregates, values, specs, now, locale) {
  return aggregates.slice(0, values.length).map(({ column: name, function: kind }, at) => {
    const spec = specs.find(({ column }) => column.name === name);
    const value = values[at];
    const isPlain = kind === 'distinct' || spec === undefined || (kind === 'mean' && spec.column.type === 'integer');
    const shown = value === null ? '—' : isPlain ? shortened(value, locale) : spec.format(value, now);
    return `${symbols[kind] ?? kind} ${spec?.column.title || name} ${shown}`;
  });
}

/** The layout as a text for the address: `*pid,name:220,-command`; a star pins, a minus hides. */
export function layoutText(layout, encode) {
  return layout.map(({ column, width, isHidden, isPinned }) =>
    (isPinned ? '*' : '') + (isHidden ? '-' : '') + encode(column) + (width > 0 ? `:${width}` : '')).join(',');
}

/** Reads {@link layoutText} back. */
export function layoutFrom(text, decode) {
  const layout = [];
  for (const term of (text ?? '').split(',').slice(0, 2_000)) {
    const [, pin, hide, name, width = '0'] = /^(\*?)(-?)([^:]*)(?::(\d{1,5}))?$/.exec(term) ?? [];
    const column = decode(name ?? '');
    if (column === '' || layout.some((place) => place.column === column)) continue;
    const wished = Number(width);
    layout.push({
      column, width: wished === 0 ? 0 : Math.max(WIDTHS.least, Math.min(WIDTHS.most, wished)), isHidden: hide === '-', isPinned: pin === '*',
    });
  }
  return layout;
}
