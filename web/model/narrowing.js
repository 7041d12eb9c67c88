// narrowing.js: filter terms made from cells: for a value, without it, and from or through it. Each
// narrows the column's current term where one term can express both. No DOM, no clock.

import { partsOf } from './query.js';
import { compareEnds, endsOf, insideOf, spanOf, spanUpTo } from './spans.js';

/** @typedef {import('./query.js').Term} Term */

// The values in wire format that the page receives as this cell: `{low, high}`. They differ for
// times only, which have more digits than a double.
function exactly(cell, column) {
  return column.type === 'timestamp' ? spanOf(cell, { column, format: String }, 0) : { low: cell, high: cell };
}

/** Returns cells without repetitions, as values of a term. */
export function valuesOf(cells, column) {
  const values = new Map();
  for (const cell of cells) {
    const { low, high } = cell === null ? { low: null, high: null } : exactly(cell, column);
    values.set(JSON.stringify([low, high]), low === high ? low : [low, high]);
  }
  return [...values.values()];
}

/** Returns the term for exactly these cells. It replaces the column's current term. */
export function termFor(cells, column) {
  const values = valuesOf(cells, column);
  if (values.length > 1) return { column: column.name, op: 'oneOf', values };
  const [value] = values;
  if (value === null) return { column: column.name, op: 'isEmpty' };
  if (column.type !== 'timestamp') return { column: column.name, op: 'oneOf', values };
  const [from, through] = Array.isArray(value) ? value : [value, value];
  return { column: column.name, op: 'range', from, through };
}

/**
 * Returns the term that excludes cells from those that a column's term matches.
 * @param {Term|undefined} term
 * @returns {Term|null} null if no row could match
 */
export function termWithout(term, cells, column) {
  return withoutValues(term, valuesOf(cells, column), column);
}

/**
 * Returns the term for the values from `from` to before `to`; undefined for no limit. It replaces
 * the column's current term.
 */
export function termForRange(from, to, column) {
  const { low, high } = spanUpTo(from, to, column);
  return low === high ? { column: column.name, op: 'oneOf', values: [low] } : { column: column.name, op: 'range', ...endsOf([low, high], column) };
}

/**
 * Returns the term that excludes the values of {@link termForRange} from those that a column's term
 * matches.
 * @param {Term|undefined} term
 * @returns {Term|null} null if no row could match
 */
export function termWithoutRange(term, from, to, column) {
  const { low, high } = spanUpTo(from, to, column);
  return withoutValues(term, [low === high ? low : [low, high]], column);
}

function withoutValues(term, values, column) {
  const filled = values.filter((value) => value !== null);
  const name = column.name;
  switch (term?.op) {
    case undefined: return filled.length === 0 ? { column: name, op: 'isFilled' } : { column: name, op: 'noneOf', values };
    case 'isFilled': return filled.length === 0 ? term : { column: name, op: 'noneOf', values: [null, ...filled] };
    case 'isEmpty': return filled.length < values.length ? null : term;
    case 'noneOf': return { ...term, values: union(term.values, values) };
    case 'oneOf': {
      const left = term.values.filter((value) => !includes(values, value));
      // A value within a range of values that look alike.
      const within = filled.filter((value) => left.some((other) => Array.isArray(other) && isInside(value, other, column)));
      return left.length === 0 ? null : excepting({ ...term, values: left }, within);
    }
    default: return excepting(term, filled);  // no other term matches empty cells
  }
}

/**
 * Returns the term for values from a cell on (`end` is 'from') or up to it ('through').
 * @param {Term|undefined} term
 * @returns {Term}
 */
export function termBounded(term, cell, column, end) {
  const { low, high } = exactly(cell, column);
  const bound = end === 'from' ? low : high;
  /** @type {Term} */
  const own = { column: column.name, op: 'range', [end]: bound };
  const isWithin = (value) => (end === 'from' ? compareEnds(value, bound, column) >= 0 : compareEnds(value, bound, column) <= 0);
  switch (term?.op) {
    case 'range': {
      const other = end === 'from' ? 'through' : 'from';
      return excepting(term[other] !== undefined && isWithin(term[other]) ? { ...own, [other]: term[other] } : own, term.except ?? []);
    }
    case 'noneOf': return excepting(own, term.values.filter((value) => value !== null));
    case 'oneOf': {
      const left = term.values.flatMap((value) => {
        if (!Array.isArray(value)) return value !== null && isWithin(value) ? [value] : [];
        const [from, through] = value;
        if (!isWithin(end === 'from' ? through : from)) return [];
        return isWithin(end === 'from' ? from : through) ? [value] : [end === 'from' ? [bound, through] : [from, bound]];
      });
      return left.length === 0 ? own : excepting({ column: column.name, op: 'oneOf', values: left }, term.except ?? []);
    }
    default: return own;
  }
}

/**
 * Returns the term of a column after editing one of its two parts (see `partsOf` in query.js).
 * @param {Term|null} next the edited part, or null if it was removed
 * @param {Term|undefined} other the part that was not edited, if there is one
 * @returns {Term|null}
 */
export function joined(next, other) {
  if (next === null || other === undefined) return next ?? other ?? null;
  const [own, without] = other.op === 'noneOf' ? [next, other] : [other, next];
  if (without.op !== 'noneOf') return next;
  if (own.op === 'noneOf') return { ...own, values: union(own.values, without.values) };
  if (own.op === 'isFilled') return { ...without, values: union([null], without.values) };
  return own.op === 'isEmpty' ? own : excepting(own, without.values);
}

/** Returns the operators that a source needs for a term, see `lack` in refusals.js. */
export function operatorsOf(term) {
  const ops = partsOf(term).flatMap(({ op, values = [] }) => [op, ...(values.some(Array.isArray) ? ['range'] : []), ...(values.includes(null) ? ['isEmpty'] : [])]);
  return [...new Set(ops)];
}

/**
 * @param {Term} term
 * @returns {Term}
 */
function excepting({ except = [], ...term }, values) {
  const all = union(except, values);
  return all.length === 0 ? term : { ...term, except: all };
}

function union(values, more) {
  return [...values, ...more.filter((value) => !includes(values, value))];
}

function includes(values, value) {
  const text = JSON.stringify(value);
  return values.some((other) => JSON.stringify(other) === text);
}

/**
 * @param {any} value
 * @param {any[]} span
 */
function isInside(value, [low, high], column) {
  const [from, through] = Array.isArray(value) ? value : [value, value];
  const test = insideOf({ low, high }, column);
  return test !== null && test(from) && test(through);
}
