// printing.js: the pages that the browser prints: a table of the rows that the page holds. Loaded
// after the first rows.

import { make } from '../grid/elements.js';
import { linedUp, plain, titleOf } from '../model/columns.js';
import { barText } from '../model/where.js';
import { termTexts } from './chips.js';
import { viewInWords } from './announcer.js';
import { levelTitle, sectionText } from '../model/ranges.js';
import { locale, number, phrase } from '../model/language.js';

/**
 * Adds a printable copy of a pane's rows to the document while the browser prints.
 *
 * @param {import('../app/pane.js').Pane} pane
 * @param {() => {row: import('../protocol/wire.js').Row, isGone: boolean}[]} pinnedOf returns the
 *   pinned rows from top to bottom
 */
export function listenForPrint(pane, pinnedOf) {
  let sheet = null;
  addEventListener('beforeprint', () => {
    sheet?.remove();
    sheet = null;
    if (!pane.stage.isConnected || pane.session.copy.seq === 0 || pane.columns.shown.length === 0) return;
    sheet = sheetOf(pane, pinnedOf(), Date.now());
    // The first pane comes first, although its controller may have loaded last.
    const other = pane.suffix === '' ? document.querySelector('.print') : null;
    if (other === null) document.body.append(sheet);
    else other.before(sheet);
  });
  addEventListener('afterprint', () => {
    sheet?.remove();
    sheet = null;
  });
}

function sheetOf(pane, pinned, now) {
  const { session, columns: { all, shown } } = pane;
  const { copy, table, requested } = session;
  const sheet = make('section', 'print');
  sheet.append(make('h1', '', table.title || table.name), make('p', '', `${viewInWords(requested, copy.rows, (name, level) => pane.titleOfName(name, level))}.`));
  const filters = [barText(requested), ...termTexts(requested.filters, all).map(([, title, text]) => `${title} ${text}`)].filter((text) => text !== '');
  if (filters.length > 0) sheet.append(make('p', '', phrase('Filter: {text}', { text: filters.join(', ') })));
  sheet.append(make('p', 'print-range', `${rangeText(copy)} ${phrase('Printed {time}.', { time: new Date(now).toLocaleString(locale()) })}`));
  const list = make('table');
  const head = make('tr');
  head.append(...shown.map((spec) => cellOf('th', spec, titleOf(spec.column))));
  const top = make('thead');
  top.append(head);
  const body = make('tbody');
  const ids = new Set(pinned.map(({ row }) => row.id));
  for (const item of copy.items) if (item.isHeader || !ids.has(item.id)) body.append(item.isHeader ? sectionOf(item, all, requested, shown.length, now) : rowOf(item, shown, now));
  list.append(top, ...(pinned.length > 0 ? [pinnedOf(pinned, shown, now)] : []), body);
  sheet.append(list);
  return sheet;
}

// The pinned rows, under a heading and above a line. They are printed only here.
function pinnedOf(pinned, shown, now) {
  const body = make('tbody', 'print-pinned');
  const head = make('tr', 'print-section');
  const title = make('th', '', `${phrase('Pinned rows')} (${number(pinned.length)})`);
  title.colSpan = shown.length;
  title.scope = 'rowgroup';
  head.append(title);
  body.append(head);
  for (const { row, isGone } of pinned) {
    const line = rowOf(row, shown, now);
    if (isGone) line.firstElementChild.append(make('small', '', ` (${phrase('no longer in the table')})`));
    body.append(line);
  }
  return body;
}

// The part of the list that the page holds; sections count as rows of the list.
function rangeText({ start, end, total }) {
  if (end - start >= total) return '';
  return phrase('Rows {first} – {last} of {total}: those that the page holds. An export has all rows.', { first: start + 1, last: end, total });
}

function rowOf(item, shown, now) {
  const row = make('tr');
  row.append(...shown.map((spec) => {
    const value = item.absence === null ? item.cells[spec.index] ?? null : null;
    const cell = cellOf('td', spec, spec.kind === 'picture' ? '' : linedUp(spec.line, spec.format(value, now)));
    const severity = spec.severity?.(value) ?? '';
    if (severity !== '') cell.classList.add('marked');
    return cell;
  }));
  return row;
}

function sectionOf(item, all, view, width, now) {
  const spec = all.find(({ column }) => column.name === item.column);
  const value = spec === undefined ? plain(item.value) : sectionText(item, spec, now, locale());
  const cell = make('th', '', `${spec === undefined ? item.column : levelTitle(spec.column, view, item.level, locale())}: ${value || '—'} (${number(item.count)})`);
  cell.colSpan = width;
  cell.scope = 'rowgroup';
  const row = make('tr', `print-section level${item.level}`);
  row.append(cell);
  return row;
}

function cellOf(kind, spec, text) {
  return make(kind, spec.align === 'end' ? 'at-end' : '', text);
}
