// clipboard.js: selected cells as tab-separated text and as an HTML table. No DOM.

import { missingOf } from '../model/columns.js';
import { exactMoment } from '../model/exact.js';

/**
 * Returns a cell's text for a spreadsheet: numbers without separators or units, times as
 * `2026-03-01 12:00:00.123+01:00`.
 *
 * @param {*} cell
 * @param {{type: string}} column
 */
export function cellText(cell, { type }) {
  if (cell === null || cell === undefined || missingOf(cell) !== null) return '';
  if (type === 'timestamp' && typeof cell === 'number') return exactMoment(cell);
  if (Array.isArray(cell)) return cell.join(' ');
  return String(cell);
}

/** Returns a header line and the rows as tab-separated lines. */
export function tabSeparated({ specs, rows }) {
  const lines = [specs.map(({ column }) => guarded(column.title || column.name)), ...texts(specs, rows)];
  return lines.map((line) => line.map((text) => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join('\t')).join('\n');
}

/** Returns a header line and the rows as an HTML table. */
export function htmlTable({ specs, rows }) {
  const line = (kind, cells) => `<tr>${cells.map((text) => `<${kind}>${escaped(text)}</${kind}>`).join('')}</tr>`;
  const head = line('th', specs.map(({ column }) => guarded(column.title || column.name)));
  return `<meta charset="utf-8"><table><thead>${head}</thead><tbody>${texts(specs, rows).map((cells) => line('td', cells)).join('')}</tbody></table>`;
}

function texts(specs, rows) {
  return rows.map((cells) => cells.map((cell, at) => {
    const { column } = specs[at];
    const text = cellText(cell, column);
    return column.type === 'text' || column.type === 'image' ? guarded(text) : text;
  }));
}

// Same rule as the CSV export (CSVField.swift): OWASP's formula characters in all widths, after any
// quotes and invisible characters.
const formula = /^["'\s\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]*?[=+\-@\t\r\n\0＝＋－＠﹦﹢﹣﹫−]/u;

// Spreadsheets run text that begins like a formula, so such text gets a leading apostrophe.
function guarded(text) {
  return formula.test(text) ? `'${text}` : text;
}

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text) {
  return text.replaceAll('\0', '').replace(/[&<>"']/g, (letter) => entities[letter]);
}
