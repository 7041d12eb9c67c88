// exporting.js: the URL that exports a whole view as a file. No DOM.

import { arrange } from './columns.js';
import { emptyView, fittingView, hashFromView } from './query.js';
import { wireGroup } from './ranges.js';
import { offsetsText } from './zone.js';
import { phraseKey } from './language.js';

/** The export formats, each with its label. */
export const FORMATS = Object.freeze([['csv', 'CSV'], ['ndjson', 'NDJSON']]);

/** The separators of CSV, each with its label in English. */
export const SEPARATORS = Object.freeze([['comma', phraseKey('Comma ,')], ['semicolon', phraseKey('Semicolon ;')], ['tab', phraseKey('Tab')]]);

// The server accepts 4,096 bytes of headers in total, including cookies.
const longest = 3_000;

/** Returns the names of the visible columns, in their order. */
export function fieldsOf(view, columns) {
  return arrange(columns, view.columns).filter(({ isHidden }) => !isHidden).map(({ column }) => column);
}

/**
 * Returns the URL that exports all rows of a view.
 *
 * The export applies the view's order, filters and search. It includes collapsed sections, and all
 * columns unless `fields` names some.
 *
 * @param {import('./query.js').View} view
 * @param {{name: string, columns: object[]}} table
 * @param {string} format one of {@link FORMATS}
 * @param {(view: object) => {search: string, where?: string, zone?: number, offsets?: import('./zone.js').Offsets, filter?: object}}
 *   narrowed returns a view's search and filters in wire format
 * @param {{separator?: string, fields?: string[], offset?: number, offsets?: import('./zone.js').Offsets}} layout `separator` is one of {@link SEPARATORS},
 *   `fields` names columns in the order of the file, `offset` is that of local time from UTC in
 *   minutes, and `offsets` are all of them
 * @returns {string} empty if the filters or the names are too long for a URL
 */
export function exportAddress(view, table, format, narrowed, { separator = 'comma', fields, offset = 0, offsets = [] } = {}) {
  const { sort, group, ranges, ...fitting } = fittingView(view, table.columns);
  const { search, where = '', zone = 0, offsets: written, filter } = narrowed(fitting);
  const parameters = new URLSearchParams(hashFromView({ ...emptyView(), sort, search, where, group, ranges }).slice(1));
  if (filter !== undefined) parameters.set('filter', JSON.stringify(filter));
  const ranged = wireGroup({ group, ranges, times: view.times }, offset, offsets).flatMap((one) => typeof one === 'string' ? [] : [one]);
  const local = ranged.find((one) => one.offset || one.offsets);
  const inUse = where !== '' ? zone : local?.offset ?? 0;
  if (inUse !== 0) parameters.set('zone', String(inUse));
  if ((local?.offsets ?? written) !== undefined && offsets.length > 1) parameters.set('offsets', offsetsText(offsets));
  const isAll = fields === undefined || JSON.stringify(fields) === JSON.stringify(table.columns.map(({ name }) => name));
  if (!isAll) parameters.set('fields', fields.map(encodeURIComponent).join(','));
  if (separator !== 'comma') parameters.set('separator', separator);
  const text = parameters.toString();
  const address = `/tables/${encodeURIComponent(table.name)}.${format}${text === '' ? '' : `?${text}`}`;
  return address.length > longest ? '' : address;
}
