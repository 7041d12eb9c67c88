// filtertext.js: filters in wire format as text of the filter bar (docs/filtering.md). No DOM.

import { isNumeric } from './columns.js';

const longest = 4_096;  // bytes
const plainName = /^[a-z_]\w*$/i;
const keyword = /^(?:and|or|not|in|is|empty)$/i;

/**
 * Returns a filter as text with the same meaning; null if the language cannot express it, as with
 * times, whose text has no fractions of a millisecond.
 *
 *     filterText({ any: [{ column: 'cpu', op: '>', value: 80 }, ...] }, columns)
 *     // 'cpu > 80 or state in ("failed", "gone")'
 *
 * @param {object} filter as in a client's query
 * @param {object[]} columns of the table
 */
export function filterText(filter, columns) {
  const text = textOf(filter, columns, false);
  return text === null || new TextEncoder().encode(text).length > longest ? null : text;
}

// `isPart` puts a filter of several parts in parentheses.
function textOf(filter, columns, isPart) {
  if (filter.all !== undefined) return joined(filter.all, ' and ', columns, isPart);
  if (filter.any !== undefined) return joined(filter.any, ' or ', columns, isPart);
  if (filter.not !== undefined) {
    const inner = textOf(filter.not, columns, true);
    return inner === null ? null : `not ${inner}`;
  }
  const column = columns.find(({ name }) => name === filter.column);
  return column === undefined ? null : testText(filter, column, isPart);
}

function joined(parts, word, columns, isPart) {
  const texts = parts.map((part) => textOf(part, columns, parts.length > 1 || isPart));
  if (texts.length === 0 || texts.includes(null)) return null;
  const text = texts.join(word);
  return isPart && texts.length > 1 ? `(${text})` : text;
}

function testText({ op, value, values, from, through, ignoreCase }, { name, type }, isPart) {
  const column = plainName.test(name) && !keyword.test(name) ? name : name.includes('`') ? null : `\`${name}\``;
  if (column === null || type === 'timestamp') return null;
  const isText = type === 'text';
  switch (op) {
    case 'isEmpty': return `${column} is empty`;
    case 'contains': return isText ? `${column}: ${quoted(value)}` : null;
    case 'startsWith': return isText ? `${column} ^= ${quoted(value)}` : null;
    case 'matches': return isText && ignoreCase === true ? `${column} ~ ${quoted(value)}` : null;
    case 'oneOf': return oneOfText(column, values, type, isPart);
    case '=': return oneOfText(column, [value], type, isPart);
    case 'range': {
      if (!isNumeric(type)) return null;
      const ends = [...(from === undefined ? [] : [`${column} >= ${from}`]), ...(through === undefined ? [] : [`${column} <= ${through}`])];
      return ends.length > 1 && isPart ? `(${ends.join(' and ')})` : ends.join(' and ') || null;
    }
    case '<': case '<=': case '>': case '>=': return isNumeric(type) ? `${column} ${op} ${value}` : null;
    default: return null;
  }
}

function oneOfText(column, values, type, isPart) {
  if (values.length === 0) return null;
  // The language compares numbers as shown, and bounds exactly.
  if (isNumeric(type)) {
    const texts = values.map((value) => `(${column} >= ${value} and ${column} <= ${value})`);
    return texts.length > 1 && isPart ? `(${texts.join(' or ')})` : texts.join(' or ');
  }
  if (type !== 'text' && type !== 'boolean') return null;
  const texts = values.map((value) => (type === 'text' ? quoted(value) : String(value)));
  return texts.length === 1 ? `${column} = ${texts[0]}` : `${column} in (${texts.join(', ')})`;
}

function quoted(text) {
  return `"${String(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
