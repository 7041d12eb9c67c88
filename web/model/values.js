// values.js: counts a column's distinct values by grouping a view by the column, and finds their
// bounds, on a separate socket. No DOM, no socket, no clock.

import * as wire from '../protocol/wire.js';
import { WindowCopy } from '../protocol/wire.js';
import { fittingView, nextTerms } from './query.js';

// A walk may miss rows that change meanwhile, and is repeated at most this often.
const mostWalks = 5;
const fewRows = 25;      // after a section of fewer rows, the next items are requested in bulk
const manyItems = 400;
const hopsForEach = 3;   // limit of requests per wanted value

/**
 * Returns what to count for a column's filter: the rows of a session's view without that filter, so
 * that values it leaves out are counted, too.
 *
 * @param {import('./session.js').Session} session
 * @param {string} column
 * @returns {{table: string, column: string, query: object}}
 */
export function questionFor(session, column) {
  const { table, search, where, filters } = fittingView(session.view, session.table?.columns ?? []);
  return { table, column, query: session.narrowed({ search, where, filters: nextTerms(filters, column, null) }) };
}

/**
 * A walk over the section headers of a grouped view. Each header's count gives the next one's
 * position.
 *
 *     const walk = new ValueWalk({ table, column, query, most: 1_000 }, send, report);
 *     walk.start();             // once the socket is open
 *     walk.receive(message);    // a message that wire.js has parsed
 */
export class ValueWalk {
  /**
   * @param {{table: string, column: string|object, query: object, most: number}} what `column` can
   *   have ranges, as in a query; `query` has the view's search and filter; `most` limits the
   *   values
   * @param {(message: object) => void} send
   * @param {(found: {values: [*, number][], isDone: boolean, isAll: boolean}) => void} report
   *   called repeatedly with the values so far, the most frequent first, until `isDone`; `isAll` is
   *   false if there are more values than `most`
   */
  constructor({ table, column, query, most }, send, report) {
    this.table = table;
    this.column = column;
    this.query = query;
    this.most = most;
    this.send = send;
    this.report = report;
  }
  #copy = new WindowCopy();
  #next = 0;              // position of the next header
  #counts = new Map();
  #walks = 1;
  #hops = 0;
  #isDone = false;

  start() {
    this.send(wire.hello('rowcast values'));
  }

  receive(message) {
    if (this.#isDone) return;
    switch (message.type) {
      case 'hello':
        this.send(wire.open({ table: this.table, request: 1, query: { ...this.query, group: [this.column] }, viewport: this.#viewport(1) }));
        break;
      case 'window': case 'patch': {
        const fault = message.type === 'window' ? this.#copy.replace(message) : this.#copy.apply(message);
        if (fault !== null) return void this.send(wire.resync(message.seq, fault));
        this.#next = Math.max(0, this.#next + (message.shift ?? 0));
        this.send(wire.ack(message.seq));
        this.#walk();
        break;
      }
      case 'error': this.#end(false); break;
      default:
    }
  }

  #walk() {
    const copy = this.#copy;
    let last = null;
    for (let item = copy.itemAt(this.#next); item !== undefined && this.#counts.size < this.most; item = copy.itemAt(this.#next)) {
      this.#next += 1;
      if (!item.isHeader) continue;  // rows were inserted: the header is further down
      this.#counts.set(item.value, item.count);
      this.#next += item.count;
      last = item;
    }
    if (this.#counts.size >= this.most) return this.#end(this.#next >= copy.total);
    this.#hops += 1;
    if (this.#hops > this.most * hopsForEach + 100) return this.#end(false);
    if (this.#next < copy.total) {
      this.send(wire.viewport(this.#viewport(last === null || last.count < fewRows ? manyItems : 1)));
      return this.#emit(false, false);
    }
    const counted = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    if (counted === copy.rows || this.#walks >= mostWalks) return this.#end(true);
    // The view is incomplete or has changed meanwhile: walk again.
    this.#walks += 1;
    this.#next = 0;
    this.#counts.clear();
    this.send(wire.viewport(this.#viewport(1)));
    return undefined;
  }

  #viewport(count) {
    return { seq: this.#copy.seq, first: this.#next, count, ahead: 0, behind: 0 };
  }

  #end(isAll) {
    this.#isDone = true;
    this.#emit(true, isAll);
  }

  #emit(isDone, isAll) {
    const values = [...this.#counts].sort((one, other) => other[1] - one[1]);
    this.report({ values, isDone, isAll });
  }
}

/**
 * A query for the bounds of a column's values, without a hundredth of them at each end.
 *
 * `report` is called once with the bounds, or null if there are none.
 */
export class BoundsQuestion {
  constructor({ table, column, query }, send, report) {
    this.table = table;
    this.column = column;
    this.query = query;
    this.send = send;
    this.report = report;
  }

  start() {
    this.send(wire.hello('rowcast bounds'));
  }

  receive(message) {
    const { column } = this;
    switch (message.type) {
      case 'hello': {
        const aggregates = ['p1', 'p99'].map((kind) => ({ column, function: kind }));
        this.send(wire.open({ table: this.table, request: 1, query: { ...this.query, aggregates }, viewport: { seq: 0, first: 0, count: 1, ahead: 0, behind: 0 } }));
        break;
      }
      case 'window': case 'patch': {
        const bounds = (message.totals ?? []).map((total) => (total === null ? NaN : Number(total)));
        if (bounds.length === 2 && bounds.every(Number.isFinite)) this.report(bounds);
        else if (message.rows === 0) this.report(null);
        else this.send(wire.ack(message.seq));  // a view under construction has no totals yet
        break;
      }
      case 'error': this.report(null); break;
      default:
    }
  }
}
