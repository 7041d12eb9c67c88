// exporting.js: the address under which the server gives a whole view away as a file. No DOM.

import { fittingView, hashFromView, wireFilter } from './query.js';

/** The formats there are, with what people call them. */
export const FORMATS = Object.freeze([['csv', 'CSV'], ['ndjson', 'NDJSON']]);

// The server takes 4,096 bytes of headers in all, cookies among them.
const longest = 3_000;

/**
 * Where the rows of a view are, all of them, in its order: those that pass its filters and search, sections open, with every column.
 *
 * @param {import('./query.js').View} view
 * @param {{name: string, columns: object[]}} table
 * @param {string} format one of {@link FORMATS}
 * @returns {string} empty when the filters are too long to be said in an address
 */
export function exportAddress(view, table, format) {
  const { sort, search, group, filters } = fittingView(view, table.columns);
  const said = new URLSearchParams(hashFromView({ ...view, table: '', sort, search, group, filters: [], aggregates: [], collapsed: [], columns: [] }).slice(1));
  const filter = wireFilter(filters);
  if (filter !== undefined) said.set('filter', JSON.stringify(filter));
  const text = said.toString();
  const address = `/tables/${encodeURIComponent(table.name)}.${format}${text === '' ? '' : `?${text}`}`;
  return address.length > longest ? '' : address;
}
