// values.js: which values a column has, and how often: the sections of a view that is grouped by it, looked at on a socket of its own.
// No DOM, no socket, no clock.

import * as wire from '../protocol/wire.js';
import { WindowCopy } from '../protocol/wire.js';

const mostWalks = 5;     // while rows change a walk may miss some of them: then it is repeated, but not for ever
const fewRows = 25;      // after a section as small as this the next ones are asked for many at a time
const manyItems = 400;
const hopsForEach = 3;   // so many questions for each value that is wanted, and no more

/**
 * Walks from header to header: each says how many rows lie before the next one.
 *
 *     const walk = new ValueWalk({ table, column, query, most: 1_000 }, send, ({ values, isDone, isAll }) => ...);
 *     walk.start();                  // the socket is open
 *     walk.receive(message);         // one that wire.js has let through
 */
export class ValueWalk {
  /**
   * @param {{table: string, column: string, query: object, most: number}} what `query` has the view's search and filter
   * @param {(message: object) => void} send
   * @param {(found: {values: [*, number][], isDone: boolean, isAll: boolean}) => void} tell the most frequent first; hears of them again and
   *   again until `isDone`; `isAll` when there are no more than were asked for
   */
  constructor({ table, column, query, most }, send, tell) {
    Object.assign(this, { table, column, query, most, send, tell });
  }
  #copy = new WindowCopy();
  #next = 0;              // the position of the next header
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
      if (!item.isHeader) continue;  // rows have come in between: the header is further on
      this.#counts.set(item.value, item.count);
      this.#next += item.count;
      last = item;
    }
    if (this.#counts.size >= this.most) return this.#end(this.#next >= copy.total);
    this.#hops += 1;
    if (this.#hops > this.most * hopsForEach + 100) return this.#end(false);
    if (this.#next < copy.total) {
      this.send(wire.viewport(this.#viewport(last === null || last.count < fewRows ? manyItems : 1)));
      return this.#say(false, false);
    }
    const counted = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    if (counted === copy.rows || this.#walks >= mostWalks) return this.#end(true);
    // The view is still being put together, or has changed on the way: it is walked through once more.
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
    this.#say(true, isAll);
  }

  #say(isDone, isAll) {
    const values = [...this.#counts].sort((one, other) => other[1] - one[1]);
    this.tell({ values, isDone, isAll });
  }
}
