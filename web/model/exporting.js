// exporting.js: the address under which the server gives a whole view away as a file. No DOM.

import { fittingView, hashFromView } from './query.js';

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
 * @param {(view: object) => {search: string, filter?: object}} narrowed the search and the filters as the wire has them
 * @returns {string} empty when the filters are too long to be said in an address
 */
export function exportAddress(view, table, format, narrowed) {
  const { sort, group, ...fitting } = fittingView(view, table.columns);
  const { search, filter } = narrowed(fitting);
  const said = new URLSearchParams(hashFromView({ ...view, table: '', sort, search, group, filters: [], aggregates: [], collapsed: [], columns: [] }).slice(1));
  if (filter !== undefined) said.set('filter', JSON.stringify(filter));
  const text = said.toString();
  const address = `/tables/${encodeURIComponent(table.name)}.${format}${text === '' ? '' : `?${text}`}`;
  return address.length > longest ? '' : address;
}
