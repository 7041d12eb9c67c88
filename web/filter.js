// filter.js: what a column's rows must be like: terms as the page keeps them, as the wire has them, and as people read them. No DOM.

import { isNumeric } from './format.js';

/**
 * What one column asks of its rows. `op` is one of docs/protocol.md, or `noneOf` or `isFilled`, which are said there with `not`.
 * In the `values` of `oneOf` and `noneOf` an empty cell is `null`.
 * @typedef {{column: string, op: string, value?: *, values?: *[], from?: *, through?: *, ignoreCase?: boolean}} Term
 */

const longestText = 1_000;
const mostValues = 1_000;
const mostTerms = 24;

const labels = Object.freeze({
  contains: 'contains', startsWith: 'starts with', matches: 'matches', range: 'between', oneOf: 'is one of', noneOf: 'is none of',
  isEmpty: 'is empty', isFilled: 'is not empty',
});

/** What may be asked of a column, the most useful first, as `[op, label]`. */
export function operatorsFor({ type }) {
  const ops = type === 'text' ? ['oneOf', 'contains', 'startsWith', 'matches', 'noneOf']
    : type === 'boolean' ? ['oneOf'] : type === 'timestamp' ? ['range'] : isNumeric(type) ? ['range', 'oneOf', 'noneOf'] : [];
  return [...ops, 'isEmpty', 'isFilled'].map((op) => [op, labels[op]]);
}

/** Whether the server would take a term of a table with these columns. Terms come from links: nothing about them is certain. */
export function isFittingTerm(term, columns) {
  const column = columns.find(({ name }) => name === term?.column);
  if (column === undefined || !operatorsFor(column).some(([op]) => op === term.op)) return false;
  const isValue = (value) => isValueOf(column.type, value);
  switch (term.op) {
    case 'oneOf': case 'noneOf':
      return Array.isArray(term.values) && term.values.length > 0 && term.values.length <= mostValues
        && term.values.every((value) => value === null || isValue(value));
    case 'range':
      return (term.from !== undefined || term.through !== undefined) && [term.from, term.through].every((end) => end === undefined || isValue(end));
    case 'contains': case 'startsWith': return isValue(term.value) && term.value !== '';
    case 'matches': return isValue(term.value) && patternFault(term.value) === '';
    default: return true;
  }
}

function isValueOf(type, value) {
  switch (type) {
    case 'text': return typeof value === 'string' && value.length <= longestText;
    case 'boolean': return typeof value === 'boolean';
    case 'integer': return Number.isSafeInteger(value) || (typeof value === 'string' && /^-?\d{1,19}$/.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value));
    case 'number': case 'timestamp': return typeof value === 'number' && Number.isFinite(value);
    default: return false;
  }
}

/** Why the server would not take a regular expression, for people; empty when it would. */
export function patternFault(pattern) {
  if (pattern === '') return 'is empty';
  if (/\(\?(?!:)/.test(pattern)) return 'may not look ahead or behind, or name groups';
  for (const [escape, letter] of pattern.matchAll(/\\([^])/g)) {
    if (!'tnvfrxudwsDWS^$\\.*+?()[]{}|/-'.includes(letter)) return `may not use ${escape}`;
  }
  try {
    RegExp(pattern, 'u');
    return '';
  } catch (error) {
    return String(error.message).replace(/^Invalid regular expression: /, '');
  }
}

/** The terms as a FILTER of the wire; undefined when nothing is asked. */
export function wireFilter(terms) {
  if (terms.length === 0) return undefined;
  const filters = terms.map(wireTerm);
  return filters.length === 1 ? filters[0] : { all: filters };
}

function wireTerm(term) {
  const { column, op } = term;
  switch (op) {
    case 'isFilled': return { not: { column, op: 'isEmpty' } };
    case 'noneOf': return { not: wireTerm({ ...term, op: 'oneOf' }) };
    case 'oneOf': {
      const values = term.values.filter((value) => value !== null);
      if (values.length === term.values.length) return { column, op, values };
      return values.length === 0 ? { column, op: 'isEmpty' } : { any: [{ column, op, values }, { column, op: 'isEmpty' }] };
    }
    case 'matches': return { column, op, value: term.value, ignoreCase: true };
    case 'range': {
      const ends = { column, op };
      if (term.from !== undefined) ends.from = term.from;
      if (term.through !== undefined) ends.through = term.through;
      return ends;
    }
    default: return op === 'isEmpty' ? { column, op } : { column, op, value: term.value };
  }
}

/** The terms after a column has another one; `null` takes its own away. A column has one. */
export function nextTerms(terms, name, term) {
  const at = terms.findIndex(({ column }) => column === name);
  if (at < 0) return term === null ? terms : [...terms, term].slice(-mostTerms);
  return term === null ? terms.toSpliced(at, 1) : terms.with(at, term);
}

/** Terms from the text of a link; whatever has no shape of one is passed over. */
export function termsFrom(text) {
  try {
    const terms = JSON.parse(text ?? '[]');
    if (!Array.isArray(terms)) return [];
    const shaped = terms.filter((term) => typeof term === 'object' && term !== null && typeof term.column === 'string' && typeof term.op === 'string');
    return shaped.filter(({ column }, at) => shaped.findIndex((other) => other.column === column) === at).slice(0, mostTerms);
  } catch {
    return [];
  }
}

/**
 * What a term asks, for people, without its column: `contains “ssh”`, `5 – 100`, `root, me`.
 * @param {(value: *) => string} show how the column's cells are shown
 */
export function termText(term, show) {
  const list = () => {
    const texts = term.values.slice(0, 3).map((value) => (value === null ? '(empty)' : show(value) || '“”'));
    return texts.join(', ') + (term.values.length > 3 ? ` and ${term.values.length - 3} more` : '');
  };
  switch (term.op) {
    case 'range':
      if (term.through === undefined) return `≥ ${show(term.from)}`;
      return term.from === undefined ? `≤ ${show(term.through)}` : `${show(term.from)} – ${show(term.through)}`;
    case 'oneOf': return list();
    case 'noneOf': return `not ${list()}`;
    case 'isEmpty': case 'isFilled': return labels[term.op];
    default: return `${labels[term.op]} “${term.value}”`;
  }
}

const multiples = { '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };
const powers = { ki: 1, mi: 2, gi: 3, ti: 4, k: 1, m: 2, g: 3, t: 4, '': 0 };

/**
 * What people type for a value of a numeric column: `5`, `1,500.5`, `-3e4`, `20 %`, `10 MiB` where bytes are shown, `2k`.
 * @returns {number|string|undefined|null} undefined when nothing is typed, null when it is no number; a text beyond 2^53
 */
export function amountFrom(text, { type, style, unit = '' }) {
  let typed = text.trim().replaceAll('−', '-').replaceAll('\u202f', ' ');
  if (typed === '') return undefined;
  if (unit !== '' && typed.endsWith(unit)) typed = typed.slice(0, -unit.length).trimEnd();
  if (/^[-+]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(typed)) typed = typed.replaceAll(',', '');
  if (type === 'integer' && /^-?\d{16,19}$/.test(typed) && !Number.isSafeInteger(Number(typed))) return typed;
  const [, digits, suffix] = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?)\s*([a-z]*)$/i.exec(typed) ?? [];
  if (digits === undefined) return null;
  const letters = suffix.toLowerCase();
  const scale = style === 'bytes' ? 1_024 ** (powers[letters.replace(/b$/, '')] ?? NaN) : multiples[letters] ?? NaN;
  const amount = Number(digits) * scale;
  if (!Number.isFinite(amount)) return null;
  return type === 'integer' ? Math.round(amount) : amount;
}
