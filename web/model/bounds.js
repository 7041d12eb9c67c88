// bounds.js: the least and greatest values and the percentiles of columns over all rows of a view,
// which bars, heat scales and rules by percentile need. No DOM, no socket, no clock.

import { percentileOf } from './highlights.js';
import { isNumeric } from './columns.js';
import { filterOf, wireTile } from './tiles.js';

/** The most bounds that a view requests; bars and scales beyond that follow the window. */
export const MOST_BOUNDS = 16;

/**
 * The most rows for which bars that the source chose have bounds, because the server keeps memory
 * for each row. What the user chooses has bounds in any table.
 */
export const MOST_ROWS = 250_000;

/**
 * A bound of a column: an aggregate over all rows.
 * @typedef {{function: string, column: string}} Bound
 */

/**
 * Returns the bounds that the shown columns need: first the percentiles of rules, then the ends of
 * heat scales, then those of bars.
 *
 * @param {import('./highlights.js').Highlight[]} highlights those that fit the table
 * @param {import('./columns.js').Spec[]} shown the shown columns
 * @param {boolean} [isLarge] whether the view has more than {@link MOST_ROWS} rows
 * @returns {Bound[]}
 */
export function wantedBounds(highlights, shown, isLarge = false) {
  const isShown = (name) => shown.some(({ column }) => column.name === name);
  const own = highlights.filter(({ column }) => isShown(column));
  const percentiles = own.flatMap(({ term }) => {
    const kind = term === undefined ? undefined : percentileOf(term);
    return kind === undefined ? [] : [{ function: kind, column: term.column }];
  });
  const heats = own.filter(({ look }) => look === 'heat').flatMap(({ column }) => ends(column));
  const isWanted = ({ name, type, unit }) => isNumeric(type) && unit !== '%' && (!isLarge || own.some(({ column, look }) => column === name && look === 'bar'));
  const bars = shown.filter(({ kind, column }) => kind === 'bar' && isWanted(column)).map(({ column }) => ({ function: 'max', column: column.name }));
  const keys = new Set();
  return [...percentiles, ...heats, ...bars].filter((bound) => {
    const key = keyOf(bound.column, bound.function);
    return !keys.has(key) && keys.add(key);
  }).slice(0, MOST_BOUNDS);
}

function ends(column) {
  return [{ function: 'min', column }, { function: 'max', column }];
}

function keyOf(column, kind) {
  return `${kind} ${column}`;
}

/**
 * The bounds of a view's columns.
 *
 *     bounds.want(view, table, wanted);  // requests them, if they are others than before
 *     bounds.take(outcomes);             // the values that the server sent
 *     bounds.valueOf('cpu', 'p95');      // undefined while it is unknown
 */
export class Bounds {
  /**
   * @param {(tiles: object[]) => void} send requests values of tiles in wire format
   * @param {(view: import('./query.js').View) => object} narrowed the filter of a view in wire format
   */
  constructor(send, narrowed) {
    this.send = send;
    this.narrowed = narrowed;
    /** The number of changes of the values. */
    this.seq = 0;
  }
  /** @type {Bound[]} */
  #wanted = [];
  #key = '';
  /** @type {Map<string, *>} The known values, by function and column. */
  #values = new Map();

  /**
   * Requests bounds over the rows of a view. Values of other rows are kept until the new ones are
   * known, but not those of another table.
   *
   * @param {import('./query.js').View} view the part that fits the table
   * @param {object} table as in `hello`
   * @param {Bound[]} wanted
   */
  want(view, table, wanted) {
    const possible = table.windowed ? [] : wanted;  // a source that keeps its rows has no bounds
    const tiles = possible.map((bound) => wireTile({ ...bound, ...filterOf(view) }, this.narrowed));
    const key = JSON.stringify([view.table, table.generation, tiles]);
    if (key === this.#key) return;
    if (!this.#key.startsWith(JSON.stringify([view.table, table.generation]).slice(0, -1))) this.#forget();
    this.#key = key;
    this.#wanted = possible;
    this.send(tiles);
  }

  #forget() {
    if (this.#values.size > 0) this.seq += 1;
    this.#values.clear();
  }

  /** Takes the values that the server sent, and returns whether any has changed. */
  take(outcomes) {
    if (outcomes.length !== this.#wanted.length) return false;
    const before = this.#values;
    this.#values = new Map();
    outcomes.forEach(({ value, pending, error }, at) => {
      const key = keyOf(this.#wanted[at].column, this.#wanted[at].function);
      if (pending === true) value = before.get(key);
      if (error === undefined && value !== undefined) this.#values.set(key, value);
    });
    const isOther = before.size !== this.#values.size || [...before].some(([key, value]) => this.#values.get(key) !== value);
    if (isOther) this.seq += 1;
    return isOther;
  }

  /** Returns a bound of a column; undefined while it is unknown, null without values. */
  valueOf(column, kind) {
    return this.#values.get(keyOf(column, kind));
  }

  /** Returns the ends of a column's numbers; null while one of them is unknown. */
  rangeOf(column) {
    const [least, most] = [this.valueOf(column, 'min'), this.valueOf(column, 'max')];
    return typeof least === 'number' && typeof most === 'number' ? { least, most } : null;
  }

  /** Returns the greatest number of a column; undefined while it is unknown. */
  mostOf(column) {
    const most = this.valueOf(column, 'max');
    return typeof most === 'number' ? most : undefined;
  }
}
