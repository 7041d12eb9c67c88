// query.js: views (table, sort, filters, groups, layout) and their form in the URL's fragment.
// No DOM.

import { isNumeric } from './columns.js';
import { layoutFrom, layoutText, linesFrom, pinsFrom, timesFrom, timesText } from './display.js';
import { distinctLevels, fittingRanges, rangesFrom, rangesText } from './ranges.js';
import { phrase, phraseKey } from './language.js';

export { layoutFrom, layoutText } from './display.js';
export { withFittingRanges } from './ranges.js';

// Filters of columns: terms as stored by the page, in wire format, and as text for the user.

/**
 * A filter of one column.
 *
 * `op` is an operator of docs/protocol.md, or `noneOf` or `isFilled`, which are sent with `not`. In
 * the `values` of `oneOf` and `noneOf`, `null` matches an empty cell. A pair `[from, through]`
 * matches a range of values that all format as the same text. `except` lists values that do not
 * match although the rest of the term does.
 * @typedef {{column: string, op: string, value?: *, values?: *[], from?: *, through?: *,
 *   ignoreCase?: boolean, except?: *[]}} Term
 */

const longestText = 1_000;
const mostValues = 1_000;
const mostTerms = 100;       // counted in wire format
const longestFilter = 48_000;  // bytes; a message may have 65,536

const labels = Object.freeze({
  contains: phraseKey('contains'), startsWith: phraseKey('starts with'), matches: phraseKey('matches'), range: phraseKey('between'), oneOf: phraseKey('is one of'),
  noneOf: phraseKey('is none of'), isEmpty: phraseKey('is empty'), isFilled: phraseKey('is not empty'),
});

/** Returns the operators for a column as `[op, label]`, the most useful first. */
export function operatorsFor({ type }) {
  const ops = type === 'text' ? ['oneOf', 'contains', 'startsWith', 'matches', 'noneOf']
    : type === 'boolean' ? ['oneOf', 'noneOf'] : type === 'timestamp' ? ['range', 'oneOf', 'noneOf'] : isNumeric(type) ? ['range', 'oneOf', 'noneOf'] : [];
  return [...ops, 'isEmpty', 'isFilled'].map((op) => [op, phrase(labels[op])]);
}

/** Whether the server accepts a term for these columns. Terms from links may have any content. */
export function isFittingTerm(term, columns) {
  const column = columns.find(({ name }) => name === term?.column);
  if (column === undefined || !operatorsFor(column).some(([op]) => op === term.op)) return false;
  if (term.except !== undefined) {
    const parts = partsOf(term);
    return parts.length === 2 && term.op !== 'noneOf' && parts.every((part) => isFittingTerm(part, columns));
  }
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

/**
 * Returns the parts of a term: the term without its exceptions, and a `noneOf` term with those.
 * @param {Term} term
 * @returns {Term[]} one or two terms, which a row must both match
 */
export function partsOf({ except, ...term }) {
  return Array.isArray(except) && except.length > 0 ? [term, { column: term.column, op: 'noneOf', values: except }] : [term];
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

// Whether a value is a time in milliseconds. It is a text with up to six decimals if a double is
// too coarse. The server stores nanoseconds in 64 bits.
function isMoment(value) {
  if (typeof value === 'number') return Math.abs(value) <= 9_223_372_036_854;
  const [, sign, whole, part = ''] = (typeof value === 'string' && /^(-?)(\d{1,13})(?:\.(\d{1,6}))?$/.exec(value)) || [];
  return whole !== undefined && isWhole64(`${sign}${whole}${part.padEnd(6, '0')}`);
}

function isWhole64(digits) {
  return BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

/** Returns why the server rejects a regular expression, or an empty string if it does not. */
export function patternFault(pattern) {
  if (pattern === '') return phrase('is empty');
  if (/\(\?(?!:)/.test(pattern)) return phrase('may not look ahead or behind, or name groups');
  for (const [escape, letter] of pattern.matchAll(/\\([^])/g)) {
    if (!'tnvfrxudwsDWS^$\\.*+?()[]{}|/-'.includes(letter)) return phrase('may not use {escape}', { escape });
  }
  try {
    RegExp(pattern, 'u');
    return '';
  } catch (error) {
    return String(error.message).replace(/^Invalid regular expression: /, '');
  }
}

/** Returns the terms as a filter in wire format; undefined without terms. */
export function wireFilter(terms) {
  if (terms.length === 0) return undefined;
  const filters = terms.map(wireTerm);
  // The position in `all` is that of the term, by which the server names one at fault.
  return filters.length === 1 && terms[0].except === undefined ? filters[0] : { all: filters };
}

function wireTerm(term) {
  const { column, op } = term;
  if (term.except !== undefined) return { all: partsOf(term).map(wireTerm) };
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

/** Returns why the server rejects these terms together, or an empty string if it does not. */
export function termsFault(terms) {
  const long = terms.flatMap(partsOf).find(({ values }) => values?.length > mostValues);
  if (long !== undefined) return phrase('A filter takes {most} values at most, and these are {count}.', { most: mostValues, count: long.values.length });
  const filter = wireFilter(terms);
  if (filter === undefined) return '';
  if (countTerms(filter) > mostTerms) return phrase('All filters together have more than {most} conditions. Remove one, or tick fewer values.', { most: mostTerms });
  const isLong = new TextEncoder().encode(JSON.stringify(filter)).length > longestFilter;
  return isLong ? phrase('All filters together are too long. Remove one, or tick fewer values.') : '';
}

function countTerms({ all, any, not }) {
  const parts = all ?? any ?? (not === undefined ? [] : [not]);
  return parts.reduce((count, part) => count + countTerms(part), 1);
}

/** Returns the terms after replacing a column's only term, or removing it if `term` is null. */
export function nextTerms(terms, name, term) {
  const at = terms.findIndex(({ column }) => column === name);
  if (at < 0) return term === null ? terms : [...terms, term];
  return term === null ? terms.toSpliced(at, 1) : terms.with(at, term);
}

/** Returns the terms after removing one part of a column's term, see {@link partsOf}. */
export function withoutPart(terms, name, part) {
  const term = terms.find(({ column }) => column === name);
  return term === undefined ? terms : nextTerms(terms, name, partsOf(term)[1 - part] ?? null);
}

/** Parses the terms of a link and skips malformed ones. */
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

// Whether a link's filter was parsed completely.
function isReadable(text, terms) {
  try {
    return text === null || JSON.parse(text).length === terms.length;
  } catch {
    return false;
  }
}

/**
 * Returns a term without exceptions as text for the user, without its column: `contains “ssh”`,
 * `5 – 100`, `root, me`.
 * @param {(value: *, isExact: boolean) => string} show formats the column's cells; `isExact` is
 *   whether the text must differ from that of any other value
 * @param {(span: *[]) => {from?: *, through?: *, below?: *}} [ends] returns the ends of a span
 *   to show; `below` is a value that the span does not reach. Without it, the values of a span have
 *   the same text.
 */
export function termText(term, show, ends) {
  const list = () => {
    const isSame = (/** @type {any[]} */ [from, through]) => ends === undefined || show(from, false) === show(through, false);
    const spanText = (span) => (isSame(span) ? show(span[0], false) : rangeText(ends(span), show));
    const texts = term.values.slice(0, 3).map((value) => (value === null ? phrase('(empty)') : Array.isArray(value) ? spanText(value) : show(value, true)) || '“”');
    const list = texts.join(term.values.some((value) => Array.isArray(value) && !isSame(value)) ? phrase(' or ') : ', ');
    return term.values.length > 3 ? phrase('{list} and {count} more', { list, count: term.values.length - 3 }) : list;
  };
  switch (term.op) {
    case 'range': return rangeText(term.through === undefined || ends === undefined ? term : { ...ends([term.from ?? term.through, term.through]), from: term.from }, show);
    case 'oneOf': return list();
    case 'noneOf': return phrase('not {list}', { list: list() });
    case 'isEmpty': case 'isFilled': return phrase(labels[term.op]);
    default: return phrase('{condition} “{value}”', { condition: phrase(labels[term.op]), value: term.value });
  }
}

/** @param {{from?: *, through?: *, below?: *}} ends */
function rangeText({ from, through, below }, show) {
  if (from !== undefined && through !== undefined && show(from) === show(through)) return show(from);
  if (below !== undefined) return from === undefined ? `< ${show(below)}` : phrase('≥ {from} and < {below}', { from: show(from), below: show(below) });
  if (through === undefined) return `≥ ${show(from)}`;
  return from === undefined ? `≤ ${show(through)}` : `${show(from)} – ${show(through)}`;
}

// Views and their form in the URL's fragment.

/**
 * The order of the sections of a column: by their values, their number of rows, or a total.
 * @typedef {{column: string, by: 'value'|'count'|{column: string, function: string},
 *   descending: boolean}} SectionOrder
 */

/**
 * The content of a link: a table, its query and its layout. Parts that are not set are empty.
 *
 * - `sort` lists the terms, the most important first.
 * - `search` is a word to search for, and `where` a text of the filter bar (see where.js). The bar
 *   sets one of the two.
 * - `filters` has at most one term per column.
 * - `group` names columns, starting with the outermost sections. A column with several ranges is
 *   named once for each.
 * - `ranges` are those of grouped columns, see ranges.js; undefined if all are grouped by value.
 * - `aggregates` are computed for each section.
 * - `sections` are the orders of the sections of grouped columns; undefined if all are by value.
 * - `collapsed` identifies sections by their values, from the outermost section to their own.
 * - `columns` is the layout, which is not sent to the server.
 * - `highlights` are those of the user, see highlights.js; undefined for none.
 * - `tiles` are those of the summary strip; undefined for those that the source suggests.
 * - `facets` names the columns of the facets panel; undefined for the page's choice.
 * - `times` are the forms of times, see display.js; undefined for those of the source.
 * - `lines` is the number of lines of text of a row; undefined for one.
 * - `pins` are the keys of the rows that stay above the others; undefined for none.
 * - `isDefault` marks the view that the table's source suggests, and `isOwn` an empty view that the
 *   user chose instead.
 * - `named` is the name of the saved view that the user opened, see saved.js. The other parts may
 *   differ from it.
 * - `unread` names the parts of the link that are not readable; undefined for none.
 *
 * @typedef {{table: string, sort: {column: string, descending: boolean}[], search: string, where:
 *   string, filters: Term[], group: string[], ranges?: import('./ranges.js').Range[],
 *   aggregates: {column: string, function: string}[],
 *   sections?: SectionOrder[], collapsed: *[][], columns: import('./columns.js').Place[], tiles?:
 *   import('./tiles.js').Tile[], highlights?: import('./highlights.js').Highlight[],
 *   times?: import('./display.js').TimeForm[], lines?: number, facets?: string[],
 *   pins?: (number|string)[],
 *   isDefault?: boolean, isOwn?: boolean, named?: string, unread?: string[]}} View
 */

/**
 * Returns a view without a table or query.
 * @returns {View}
 */
export function emptyView() {
  return { table: '', sort: [], search: '', where: '', filters: [], group: [], aggregates: [], collapsed: [], columns: [] };
}

/**
 * Parses a URL's fragment and ignores parts that it does not understand.
 *
 *     #table=processes&sort=-cpu,name&search=ssh&where=cpu+>+5&filter=[...]
 *       &group=user,cpu&ranges=cpu:10&show=sum:cpu,max:memory&sections=user:-count,cpu:sum:cpu
 *       &columns=*pid,-command&times=utc&lines=3&pins=[1,"a"]
 *
 * @returns {View}
 */
export function viewFromHash(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const view = emptyView();
  view.table = fields.get('table') ?? '';
  view.search = (fields.get('search') ?? '').slice(0, 1_000);
  view.where = (fields.get('where') ?? '').slice(0, 4_096);
  const group = (fields.get('group') ?? '').split(',').map(decode).filter((column) => column !== '').slice(0, 16);
  const ranges = fittingRanges(rangesFrom(fields.get('ranges'), decode), group);
  view.group = distinctLevels(group, ranges).slice(0, 4);
  if (ranges !== undefined) view.ranges = ranges;
  view.filters = termsFrom(fields.get('filter'));
  if (!isReadable(fields.get('filter'), view.filters)) view.unread = ['filter'];
  view.collapsed = pathsFrom(fields.get('collapsed'));
  view.columns = layoutFrom(fields.get('columns'), decode);
  const sections = sectionsFrom(fields.get('sections'));
  if (sections.length > 0) view.sections = sections;
  if (fields.has('tiles')) view.tiles = tilesFrom(fields.get('tiles'));
  if (fields.has('facets')) view.facets = [...new Set(fields.get('facets').split(',').map(decode))].filter((column) => column !== '').slice(0, 8);
  const highlights = highlightsFrom(fields.get('highlight'));
  if (highlights.length > 0) view.highlights = highlights;
  const times = timesFrom(fields.get('times'), decode);
  if (times !== undefined) view.times = times;
  const lines = linesFrom(fields.get('lines'));
  if (lines !== undefined) view.lines = lines;
  const pins = pinsFrom(fields.get('pins'));
  if (pins !== undefined) view.pins = pins;
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
  if (fields.get('sort') === '') view.isOwn = true;
  if (fields.get('view')) view.named = fields.get('view').slice(0, 100);
  return view;
}

/**
 * Returns the fragment that {@link viewFromHash} parses; empty for an empty view.
 *
 * The view that a table's source suggests is its table alone. An empty view that replaces it has
 * an empty `sort`.
 *
 * @param {View} view
 */
export function hashFromView(view) {
  const { table, sort, search, where, filters, group, aggregates, collapsed, columns, highlights, facets, tiles, times, lines, pins } = view.isDefault ? { ...emptyView(), table: view.table } : view;
  const fields = new URLSearchParams();
  if (view.named) fields.set('view', view.named);
  if (table !== '') fields.set('table', table);
  if (sort.length > 0) fields.set('sort', sort.map((term) => (term.descending ? '-' : '') + encode(term.column)).join(','));
  if (search !== '') fields.set('search', search);
  if (where !== '') fields.set('where', where);
  if (filters.length > 0) fields.set('filter', JSON.stringify(filters));
  if (group.length > 0) fields.set('group', group.map(encode).join(','));
  if (aggregates.length > 0) fields.set('show', aggregates.map((one) => `${one.function}:${encode(one.column)}`).join(','));
  const ranges = fittingRanges(view.isDefault ? [] : view.ranges, group);
  if (ranges !== undefined) fields.set('ranges', rangesText(ranges, encode));
  const sections = fittingSections(view.isDefault ? [] : view.sections, group, aggregates);
  if (sections.length > 0) fields.set('sections', sections.map(sectionText).join(','));
  if (collapsed.length > 0) fields.set('collapsed', JSON.stringify(collapsed));
  if (columns.length > 0) fields.set('columns', layoutText(columns, encode));
  if (highlights !== undefined) fields.set('highlight', JSON.stringify(highlights));
  if (tiles !== undefined) fields.set('tiles', JSON.stringify(tiles));
  if (times !== undefined) fields.set('times', timesText(times, encode));
  if (lines !== undefined) fields.set('lines', String(lines));
  if (pins !== undefined) fields.set('pins', JSON.stringify(pins));
  if (facets !== undefined) fields.set('facets', facets.map(encode).join(','));
  if (view.isOwn && [...fields.keys()].every((name) => name === 'table' || name === 'view')) fields.set('sort', '');
  const text = fields.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return text === '' ? '' : `#${text}`;
}

/** Returns the key of the row that a fragment names; undefined if there is none. */
export function rowFromHash(hash) {
  const text = new URLSearchParams(hash.replace(/^#/, '')).get('row');
  if (text === null || text === '') return undefined;
  try {
    const key = JSON.parse(text);
    return Number.isSafeInteger(key) || typeof key === 'string' ? key : text;
  } catch {
    return text;
  }
}

/** Returns the fragment of a view that also names a row by its key. */
export function hashFromRow(view, key) {
  // A text that reads like JSON is quoted.
  const text = typeof key === 'number' || rowFromHash(`#row=${encodeURIComponent(key)}`) !== key ? JSON.stringify(key) : key;
  const hash = hashFromView(view);
  return `${hash || '#'}${hash === '' ? '' : '&'}${new URLSearchParams({ row: text })}`;
}

// Parses the highlights of a link and skips malformed ones.
function highlightsFrom(text) {
  try {
    const all = JSON.parse(text ?? '[]');
    return !Array.isArray(all) || text.length > longestFilter ? [] : all.slice(0, 100)
      .filter((one) => typeof one?.column === 'string' && typeof one.look === 'string')
      .map(({ column, look, term }) => ({ column, look, ...(term === undefined ? {} : { term: termsFrom(JSON.stringify([term]))[0] }) }));
  } catch {
    return [];
  }
}

// Parses the tiles of a link and skips malformed ones.
function tilesFrom(text) {
  try {
    const tiles = JSON.parse(text);
    const isText = (value, most) => value === undefined || (typeof value === 'string' && value.length <= most);
    return !Array.isArray(tiles) || text.length > longestFilter ? [] : tiles.slice(0, 6)
      .filter((tile) => typeof tile?.function === 'string' && [tile.column, tile.title, tile.search].every((value) => isText(value, longestText))
        && isText(tile.where, 4_096))
      .map(({ function: kind, column, title, terms, search, where, filter }) => ({
        function: kind, ...(column === undefined ? {} : { column }), ...(title ? { title } : {}),
        ...(Array.isArray(terms) ? { terms: termsFrom(JSON.stringify(terms)) } : {}), ...(search ? { search } : {}), ...(where ? { where } : {}),
        ...(typeof filter === 'object' && filter !== null ? { filter } : {}),
      }));
  } catch {
    return [];
  }
}

/**
 * Parses a fragment with one view, or with two for a split page.
 * @returns {View[]}
 */
export function viewsFromHash(hash) {
  const beside = new URLSearchParams(hash.replace(/^#/, '')).get('beside');
  return beside === null ? [viewFromHash(hash)] : [viewFromHash(hash), viewFromHash(beside)];
}

/** Returns the fragment that {@link viewsFromHash} parses. */
export function hashFromViews([view, beside]) {
  const hash = hashFromView(view);
  if (beside === undefined) return hash;
  return `${hash || '#'}${hash === '' ? '' : '&'}beside=${encodeURIComponent(hashFromView(beside).slice(1))}`;
}

/**
 * Returns the sort order after a click on a column's header.
 *
 * Clicks cycle through descending, ascending and none for numbers and times, and through ascending,
 * descending and none for other types. With `further` (shift-click) the column is added to the
 * order, else it replaces it.
 */
export function nextSort(sort, { name: column, type }, further = false) {
  const old = sort.find((term) => term.column === column);
  const isDescendingFirst = isNumeric(type) || type === 'timestamp';
  const next = old === undefined ? { column, descending: isDescendingFirst } : old.descending !== isDescendingFirst ? null : { column, descending: !isDescendingFirst };
  if (!further) return next === null ? [] : [next];
  if (old !== undefined) return sort.flatMap((term) => (term !== old ? [term] : next === null ? [] : [next]));
  return [...sort, next].slice(0, 8);
}

/** Returns the view without parts that do not fit the table, because the server rejects them. */
export function fittingView(view, columns) {
  const has = (name) => columns.some((column) => column.name === name);
  const ranges = fittingRanges(view.ranges, view.group.filter(has), columns);
  const group = distinctLevels(view.group.filter(has), ranges);
  const aggregates = view.aggregates.filter((one) => isFitting(one, columns));
  return {
    ...view, sort: view.sort.filter((term) => has(term.column)), group, aggregates,
    filters: view.filters.filter((term) => isFittingTerm(term, columns)),
    ...(view.sections === undefined ? {} : { sections: fittingSections(view.sections, group, aggregates) }),
    ...(view.ranges === undefined ? {} : { ranges }),
  };
}

/** Returns the section orders whose column is grouped and whose total is shown. */
export function fittingSections(sections = [], group, aggregates) {
  return sections.filter(({ column, by }) => group.includes(column)
    && (typeof by === 'string' || aggregates.some((one) => one.column === by.column && one.function === by.function)));
}

/**
 * Returns the section orders after setting that of a column; undefined if all are by value.
 * @param {SectionOrder[]|undefined} sections
 * @param {SectionOrder} order
 */
export function nextSections(sections = [], order) {
  const others = sections.filter(({ column }) => column !== order.column);
  const next = order.by === 'value' && !order.descending ? others : [...others, order];
  return next.length === 0 ? undefined : next;
}

function sectionText({ column, by, descending }) {
  return `${encode(column)}:${descending ? '-' : ''}${typeof by === 'string' ? by : `${by.function}:${encode(by.column)}`}`;
}

/**
 * Parses the section orders of a link and skips malformed ones.
 * @returns {SectionOrder[]}
 */
function sectionsFrom(text) {
  /** @type {SectionOrder[]} */
  const found = [];
  for (const term of (text ?? '').split(',').slice(0, 4)) {
    const [, name, minus, kind, of] = /^([^:]+):(-?)(\w+)(?::([^:]+))?$/.exec(term) ?? [];
    const column = decode(name ?? '');
    const by = /** @type {SectionOrder['by']} */ (of === undefined ? kind : { column: decode(of), function: kind });
    const isKnown = of === undefined ? kind === 'value' || kind === 'count' : Object.hasOwn(FUNCTIONS, kind);
    if (column !== '' && isKnown && !found.some((order) => order.column === column)) found.push({ column, by, descending: minus === '-' });
  }
  return found;
}

/** Returns the columns to group by after setting level `at` to `column`, or to '' for none. */
export function nextGroup(group, at, column) {
  if (column === '') return group.slice(0, at);
  return [...group.slice(0, at), column, ...group.slice(at + 1).filter((other) => other !== column)];
}

// A message may have 65,536 bytes, and URLs are limited too. The oldest entries are dropped.
const longestCollapsed = 12_000;

/** Returns the collapsed sections after one of them was collapsed or expanded. */
export function nextCollapsed(collapsed, path, isCollapsed) {
  const name = JSON.stringify(path);
  const next = collapsed.filter((other) => JSON.stringify(other) !== name);
  if (isCollapsed) next.push(path);
  return shortCollapsed(next);
}

/** Returns the last of these collapsed sections, as many as a view can have. */
export function shortCollapsed(paths) {
  let length = 1;
  const first = paths.findLastIndex((path) => (length += JSON.stringify(path).length + 1) > longestCollapsed);
  return paths.slice(first + 1);
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

/** Whether two views have the same query. */
export function sameQuery(one, other) {
  return one.search === other.search && one.where === other.where && restOf(one) === restOf(other) && one.sort.length === other.sort.length
    && one.sort.every((term, at) => term.column === other.sort[at].column && term.descending === other.sort[at].descending);
}

function restOf({ filters, group, ranges = [], aggregates, sections = [], collapsed, times }) {
  // Ranges of times begin at midnight in the zone in which a column shows its times.
  return JSON.stringify([filters, group, ranges, aggregates, sections, collapsed, ranges.some(({ unit }) => unit !== undefined) ? times : undefined]);
}

// Escapes commas, and a leading minus or star, because names may contain any character.
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

// Aggregates.

/** The functions of aggregates with their names in English, in the order of menus. */
export const FUNCTIONS = Object.freeze({
  sum: phraseKey('Sum'), mean: phraseKey('Average'), median: phraseKey('Median'), min: phraseKey('Minimum'), max: phraseKey('Maximum'), p1: phraseKey('1st percentile'),
  p5: phraseKey('5th percentile'), p10: phraseKey('10th percentile'), p90: phraseKey('90th percentile'),
  p95: phraseKey('95th percentile'), p99: phraseKey('99th percentile'), distinct: phraseKey('Different values'), first: phraseKey('First value'), last: phraseKey('Last value'),
});

/** Returns the name of an aggregate's function for the user. */
export function functionName(kind) {
  return Object.hasOwn(FUNCTIONS, kind) ? phrase(FUNCTIONS[kind]) : kind;
}

const numbers = ['integer', 'number'];
const ordered = [...numbers, 'timestamp'];
const named = [...ordered, 'text', 'boolean'];
const fitting = Object.freeze({
  sum: numbers, mean: numbers, median: ordered, min: ordered, max: ordered, p1: ordered, p5: ordered, p10: ordered, p90: ordered, p95: ordered, p99: ordered, first: named, last: named,
});

/** Whether the server accepts an aggregate `{column, function}` for these columns. */
export function isFitting({ column: name, function: kind }, columns) {
  const column = columns.find((other) => other.name === name);
  return column !== undefined && Object.hasOwn(FUNCTIONS, kind) && (fitting[kind]?.includes(column.type) ?? true);
}
