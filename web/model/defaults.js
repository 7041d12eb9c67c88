// defaults.js: the view that a table's source suggests, and the severity of its values. No DOM, no
// clock.

/** Whether a view asks for nothing, so that the source's own view is shown. */
export function isPlain({ sort, search, where, filters, group, aggregates, collapsed, columns, highlights, facets, tiles, times, lines, pins, isOwn }) {
  return search === '' && where === '' && isOwn !== true && [highlights, facets, tiles, times, lines, pins].every((part) => part === undefined)
    && [sort, filters, group, aggregates, collapsed, columns].every(({ length }) => length === 0);
}

/**
 * Returns the parts of a view that a table suggests: sort, filters, the filter bar's text, group,
 * its ranges, aggregates and columns.
 *
 * A filter is left out unless one condition for each column expresses it.
 */
export function suggested(table) {
  const { sort = [], filter, where = '', group = [], ranges = [], aggregates = [], order = [], hidden = [], pinned = [] } = table?.view ?? {};
  const names = (table?.columns ?? []).map(({ name }) => name);
  const first = order.filter((name) => names.includes(name));
  const isPlaced = first.length + hidden.length + pinned.length > 0;
  return {
    sort: sort.map(({ column, descending }) => ({ column, descending: descending === true })),
    filters: termsOf(filter) ?? [], where, group, aggregates, ...(ranges.length > 0 ? { ranges } : {}),
    columns: !isPlaced ? [] : [...first, ...names.filter((name) => !first.includes(name))].map((column) => (
      { column, width: 0, isHidden: hidden.includes(column), isPinned: pinned.includes(column) })),
  };
}

/** Returns a plain view with what its table suggests, marked as `isDefault`; other views as is. */
export function completed(view, table) {
  if (table === undefined || !(view.isDefault || isPlain(view))) return view;
  const { isDefault, ...rest } = view;
  return { ...rest, ...suggested(table), ...(table.view === undefined ? {} : { isDefault: true }) };
}

/** Whether the view of a table has a summary strip above the rows. */
export function hasStrip(view, table) {
  return table !== undefined && ((view.tiles ?? table.view?.tiles ?? []).length > 0 || (table.severity !== undefined && !table.windowed));
}

/** Whether the page can show all that a table suggests. */
export function isShowable(table) {
  return termsOf(table?.view?.filter) !== null;
}

/** Returns a wire filter as terms of the page, at most one for each column; or null. */
export function termsOf(filter) {
  if (filter === undefined || filter === null) return [];
  const terms = (filter.all ?? [filter]).map(termOf);
  const columns = terms.map((term) => term?.column);
  return terms.includes(null) || new Set(columns).size < columns.length ? null : terms;
}

function termOf(part) {
  const { column, op, value, values, from, through, not } = part;
  if (not?.op === 'oneOf') return { column: not.column, op: 'noneOf', values: not.values };
  if (not?.op === 'isEmpty') return { column: not.column, op: 'isFilled' };
  switch (op) {
    case 'oneOf': return { column, op, values };
    case '=': return { column, op: 'oneOf', values: [value] };
    case '>=': return { column, op: 'range', from: value };
    case '<=': return { column, op: 'range', through: value };
    case 'range': return { column, op, ...(from === undefined ? {} : { from }), ...(through === undefined ? {} : { through }) };
    case 'contains': case 'startsWith': return { column, op, value };
    case 'matches': return part.ignoreCase === true ? { column, op, value } : null;
    case 'isEmpty': return { column, op };
    default: return null;
  }
}

/**
 * Returns the function from a column's value to its severity, or null for a column without rules.
 *
 * The severity is `critical`, `warn` or empty. A threshold applies upwards, or downwards in a
 * column whose higher numbers are better.
 *
 * @returns {((value: *) => string)|null}
 */
export function severityOf({ warn, critical, better }) {
  const rules = [['critical', critical], ['warn', warn]].filter(([, rule]) => typeof rule === 'number' || Array.isArray(rule));
  if (rules.length === 0) return null;
  return (value) => rules.find(([, rule]) => applies(rule, value, better === 'higher'))?.[0] ?? '';
}

function applies(rule, value, isDownwards) {
  if (Array.isArray(rule)) return rule.includes(value);
  return typeof value === 'number' && (isDownwards ? value <= rule : value >= rule);
}
