// clipboard.js: chosen cells as text with tabs and as a table of HTML, for spreadsheets and letters. No DOM.

import { missingOf } from '../model/columns.js';
import { exactMoment } from '../model/exact.js';

/**
 * A cell as a spreadsheet reads it: numbers without separators or units, times as `2026-03-01 12:00:00.123+01:00`.
 * @param {*} cell
 * @param {{type: string}} column
 */
export function cellText(cell, { type }) {
  if (cell === null || cell === undefined || missingOf(cell) !== null) return '';
  if (type === 'timestamp' && typeof cell === 'number') return exactMoment(cell);
  if (Array.isArray(cell)) return cell.join(' ');
  return String(cell);
}

/** Rows with their titles as tab-separated lines. */
export function tabSeparated({ specs, rows }) {
  const lines = [specs.map(({ column }) => guarded(column.title || column.name)), ...texts(specs, rows)];
  return lines.map((line) => line.map((text) => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join('\t')).join('\n');
}

/** The same as a table of HTML. */
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

// The rule of the CSV export (CSVField.swift): OWASP's characters in any of their widths, behind quotes and what nobody sees.
const formula = /^["'\s\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]*?[=+\-@\t\r\n\0＝＋－＠﹦﹢﹣﹫−]/u;

// A spreadsheet takes a text that begins so for a formula, and runs it: what a source sends must stay text there, too.
function guarded(text) {
  return formula.test(text) ? `'${text}` : text;
}

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text) {
  return text.replaceAll('\0', '').replace(/[&<>"']/g, (letter) => entities[letter]);
}
