// sidequeries.js: queries in addition to the one on screen, such as rows outside the window or
// another view's count. They share a connection, opened on demand and closed when idle. No DOM, no
// socket, no clock.

import * as wire from '../protocol/wire.js';
import { WindowCopy } from '../protocol/wire.js';
import { phrase } from '../model/language.js';

const patience = 10_000;  // milliseconds until a query times out
const idle = 5_000;       // milliseconds without a query until the connection closes
const mostWaiting = 100;

/**
 * A queue of queries, sent one at a time.
 *
 *     const sideQueries = new SideQueries(openLink, later);
 *     const copy = await sideQueries.ask({ table, query, viewport });  // a WindowCopy
 *
 * `open(receive)` makes a link (link.js). `later(call, milliseconds)` returns a function that
 * cancels the call.
 */
export class SideQueries {
  constructor(open, later) {
    this.open = open;
    this.later = later;
  }
  #link = null;
  #hasHello = false;
  #isResting = true;
  #waiting = [];
  #current = null;
  #request = 0;
  #rest = () => {};

  /**
   * Queues a query and returns its window. The promise is rejected with a message for the user.
   *
   * @param {{table: string, query: object, viewport: {first: number, count: number, ahead: number,
   *   behind: number}}} sideQuery
   * @param {object} how
   * @param {(copy: WindowCopy) => boolean} [how.isEnough] whether the window is complete enough to
   *   return: rows of some sources arrive later
   * @param {(copy: WindowCopy) => void} [how.changed] called with each version of the window,
   *   including the one returned, until the next query is sent or the connection closes
   * @returns {Promise<WindowCopy>}
   */
  ask(sideQuery, { isEnough = () => true, changed = () => {} } = {}) {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= mostWaiting) return void reject(new Error(phrase('Too many requests are waiting. Try again in a moment.')));
      this.#waiting.push({ ...sideQuery, isEnough, changed, resolve, reject, isOpen: true });
      this.#rest();
      this.#next();
    });
  }

  #next() {
    if (this.#current?.isOpen || this.#waiting.length === 0) return;
    if (!this.#hasHello) return void this.#wake();
    this.#current = this.#waiting.shift();
    this.#request += 1;
    const { table, query, viewport } = this.#current;
    Object.assign(this.#current, { request: this.#request, copy: new WindowCopy() });
    this.#current.giveUp = this.later(() => this.#failed(phrase('The server did not answer in time.')), patience);
    this.#send(wire.open({ table, request: this.#request, query, viewport: { seq: 0, ...viewport }, interval: 0 }));
  }

  #wake() {
    if (!this.#isResting) return;
    this.#isResting = false;
    if (this.#link === null) this.#link = this.open((event) => this.#receive(event));
    else this.#link.retry();
  }

  #receive({ message, state, refused }) {
    if (message !== undefined) this.#take(message);
    else if (refused !== undefined) this.#failed(refused);
    else if (state === 'closed' && !this.#isResting) this.#failed(phrase('Not connected to the server.'));
  }

  #take(message) {
    switch (message.type) {
      case 'hello':
        this.#hasHello = true;
        this.#next();
        break;
      case 'window': case 'patch': this.#answered(message); break;
      case 'error': this.#failed(message.reason || message.code); break;
      default:
    }
  }

  #answered(message) {
    const { request, copy, isEnough, changed } = this.#current ?? {};
    if (message.request === request) {
      const fault = message.type === 'window' ? copy.replace(message) : copy.apply(message);
      if (fault !== null) return this.#failed(phrase('The answer was damaged ({fault}). Try again.', { fault }));
      changed(copy);
      if (this.#current.isOpen && isEnough(copy)) this.#end(({ resolve }) => resolve(copy));
    }
    this.#send(wire.ack(message.seq));
    return this.#next();
  }

  // Rejects all pending queries. The next query opens a new connection.
  #failed(reason) {
    const open = [this.#current, ...this.#waiting.splice(0)].filter((one) => one?.isOpen);
    this.#sleep();
    for (const { giveUp, reject } of open) {
      giveUp?.();
      reject(new Error(reason));
    }
  }

  #end(call) {
    this.#current.isOpen = false;
    this.#current.giveUp();
    call(this.#current);
    this.#rest();
    this.#rest = this.later(() => this.#sleep(), idle);
  }

  #sleep() {
    this.#rest();
    this.#rest = () => {};
    this.#current = null;
    this.#hasHello = false;
    if (this.#isResting) return;
    this.#isResting = true;
    this.#link.rest();
  }

  #send(message) {
    this.#link.send(message);
  }
}
