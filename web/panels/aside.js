// aside.js: questions beside what is shown: how a view looks at another place, or how many rows another view has. They have a socket of
// their own, opened when one is asked and put to rest soon after. No DOM, no socket, no clock.

import * as wire from '../protocol/wire.js';
import { WindowCopy } from '../protocol/wire.js';

const patience = 10_000;  // milliseconds for one answer
const idle = 5_000;       // milliseconds without a question until the socket is put to rest
const mostWaiting = 100;

/**
 * One question after the other:
 *
 *     const aside = new Aside(openLink, later);
 *     const copy = await aside.ask({ table, query, viewport });   // a WindowCopy; or it is rejected, with the reason for people
 *
 * `open(receive)` makes a link (link.js); `later(call, milliseconds)` answers how to call it off.
 */
export class Aside {
  constructor(open, later) {
    Object.assign(this, { open, later });
  }
  #link = null;
  #isGreeted = false;
  #isResting = true;
  #waiting = [];
  #current = null;
  #request = 0;
  #rest = () => {};

  /**
   * @param {{table: string, query: object, viewport: {first: number, count: number, ahead: number, behind: number}}} question
   * @param {object} [how]
   * @param {(copy: WindowCopy) => boolean} [how.isEnough] whether it is an answer already: rows of some sources come later
   * @param {(copy: WindowCopy) => void} [how.changed] hears of every change, the answer included, until something else is asked or the
   *   socket rests
   * @returns {Promise<WindowCopy>}
   */
  ask(question, { isEnough = () => true, changed = () => {} } = {}) {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= mostWaiting) return void reject(new Error('Too many requests are waiting. Try again in a moment.'));
      this.#waiting.push({ ...question, isEnough, changed, resolve, reject, isOpen: true });
      this.#rest();
      this.#next();
    });
  }

  #next() {
    if (this.#current?.isOpen || this.#waiting.length === 0) return;
    if (!this.#isGreeted) return void this.#wake();
    this.#current = this.#waiting.shift();
    this.#request += 1;
    const { table, query, viewport } = this.#current;
    Object.assign(this.#current, { request: this.#request, copy: new WindowCopy() });
    this.#current.giveUp = this.later(() => this.#failed('The server did not answer in time.'), patience);
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
    else if (state === 'closed' && !this.#isResting) this.#failed('Not connected to the server.');
  }

  #take(message) {
    switch (message.type) {
      case 'hello':
        this.#isGreeted = true;
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
      if (fault !== null) return this.#failed(`The answer was damaged (${fault}). Try again.`);
      changed(copy);
      if (this.#current.isOpen && isEnough(copy)) this.#end(({ resolve }) => resolve(copy));
    }
    this.#send(wire.ack(message.seq));
    return this.#next();
  }

  // Whoever waits is told; the next question opens a socket again.
  #failed(reason) {
    const asked = [this.#current, ...this.#waiting.splice(0)].filter((one) => one?.isOpen);
    this.#sleep();
    for (const { giveUp, reject } of asked) {
      giveUp?.();
      reject(new Error(reason));
    }
  }

  #end(tell) {
    this.#current.isOpen = false;
    this.#current.giveUp();
    tell(this.#current);
    this.#rest();
    this.#rest = this.later(() => this.#sleep(), idle);
  }

  #sleep() {
    this.#rest();
    this.#rest = () => {};
    this.#current = null;
    this.#isGreeted = false;
    if (this.#isResting) return;
    this.#isResting = true;
    this.#link.rest();
  }

  #send(message) {
    this.#link.send(message);
  }
}
