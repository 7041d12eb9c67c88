// exporting.js: the URL that exports a whole view as a file. No DOM.

import { fittingView, hashFromView } from './query.js';

/** The export formats, each with its label. */
export const FORMATS = Object.freeze([['csv', 'CSV'], ['ndjson', 'NDJSON']]);

// The server accepts 4,096 bytes of headers in total, including cookies.
const longest = 3_000;

/**
 * Returns the URL that exports all rows of a view.
 *
 * The export applies the view's order, filters and search. It includes collapsed sections and
 * hidden columns.
 *
 * @param {import('./query.js').View} view
 * @param {{name: string, columns: object[]}} table
 * @param {string} format one of {@link FORMATS}
 * @param {(view: object) => {search: string, where?: string, filter?: object}} narrowed returns a
 *   view's search and filters in wire format
 * @returns {string} empty if the filters are too long for a URL
 */
export function exportAddress(view, table, format, narrowed) {
  const { sort, group, ...fitting } = fittingView(view, table.columns);
  const { search, where = '', zone = 0, filter } = narrowed(fitting);
  const said = new URLSearchParams(hashFromView({ ...view, table: '', sort, search, where, group, filters: [], aggregates: [], sections: undefined, collapsed: [], columns: [] }).slice(1));
  if (filter !== undefined) said.set('filter', JSON.stringify(filter));
  if (where !== '' && zone !== 0) said.set('zone', String(zone));
  const text = said.toString();
  const address = `/tables/${encodeURIComponent(table.name)}.${format}${text === '' ? '' : `?${text}`}`;
  return address.length > longest ? '' : address;
}
