// tableprobe.js: polls the row count and source state of each table in turn, over a connection of
// its own. No DOM, no socket, no clock.

import * as wire from '../protocol/wire.js';

const round = 2_000;      // milliseconds in which each table is polled once
const shortest = 200;     // least milliseconds between two polls

/**
 * A round-robin poll of the tables.
 *
 *     const tableProbe = new TableProbe(send, later, (table, { rows, source }) => ...);
 *     tableProbe.start();         // call when the socket is open
 *     tableProbe.receive(message);  // a message parsed by wire.js
 */
export class TableProbe {
  /**
   * @param {(message: object) => void} send
   * @param {(call: () => void, milliseconds: number) => void} later
   * @param {(table: string, found: {rows?: number, source?: object}) => void} report
   */
  constructor(send, later, report) {
    this.send = send;
    this.later = later;
    this.report = report;
  }
  #names = [];
  #at = -1;
  #request = 0;
  #isWaiting = false;   // whether the last poll is unanswered
  #isIdle = true;

  start() {
    this.send(wire.hello('rowcast glance'));
  }

  receive(message) {
    switch (message.type) {
      case 'hello': case 'tables':
        this.#names = message.tables.map(({ name }) => name);
        for (const { name, rows, source } of message.tables) this.report(name, { rows, source });
        if (this.#isIdle) this.#next();
        break;
      case 'window': case 'patch':
        this.send(wire.ack(message.seq));
        if (!this.#isWaiting || message.request !== this.#request) break;
        this.#isWaiting = false;
        this.report(this.#names[this.#at], { rows: message.rows });
        this.later(() => this.#next(), Math.max(shortest, round / this.#names.length));
        break;
      case 'status': this.report(message.table, { source: message.source }); break;
      default:
    }
  }

  #next() {
    this.#isIdle = this.#names.length === 0;
    if (this.#isIdle) return;
    this.#at = (this.#at + 1) % this.#names.length;
    this.#request += 1;
    this.#isWaiting = true;
    this.send(wire.open({ table: this.#names[this.#at], request: this.#request, query: {}, viewport: { seq: 0, first: 0, count: 1, ahead: 0, behind: 0 } }));
  }
}
