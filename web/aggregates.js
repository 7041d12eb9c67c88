// aggregates.js: what a query asks of its sections, as text. No DOM.

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
    const shown = value === null ? '—' : isPlain ? value.toLocaleString(locale, { maximumFractionDigits: 2 }) : spec.format(value, now);
    return `${symbols[kind] ?? kind} ${spec?.column.title || name} ${shown}`;
  });
}
