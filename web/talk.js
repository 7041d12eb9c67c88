// talk.js: the conversation of the worker: between the page and its socket, and the next socket when that one is gone. Frames are read and
// checked here, away from the thread that paints; what arrives there is objects.

import { Backoff } from './backoff.js';
import { hello, parseMessage, SUBPROTOCOL } from './wire.js';

/** Goes on from what has happened before it was loaded. */
export class Talk {
  /**
   * @param {WebSocket} socket the first one
   * @param {{events: object[], orders: object[], opened: object|undefined}} early what happened to it, what the page has said, and which
   *   table was asked for
   */
  constructor(socket, { events, orders, opened }) {
    this.#address = socket.url;
    self.postMessage({ state: 'connecting' });
    this.#adopt(socket);
    for (const event of events) this.#happened(socket, event, opened);
    self.onmessage = ({ data }) => this.#obey(data);
    for (const order of orders) this.#obey(order);
  }
  #address;
  #backoff = new Backoff();
  /** @type {WebSocket|null} */
  #socket = null;
  /** Numbers the connections: what the page sends for one that is gone is dropped. */
  #connection = 0;
  #timer = 0;
  #wasOpen = false;
  /** Nobody looks at what it would bring: it is not opened again until somebody does. */
  #isResting = false;

  #obey(order) {
    if (order.retry) {
      this.#isResting = false;
      this.#connect();
    } else if (order.rest) {
      this.#isResting = true;
      clearTimeout(this.#timer);
      this.#socket?.close();
    } else if (order.connection === this.#connection && this.#socket?.readyState === WebSocket.OPEN) {
      if (order.close) this.#socket.close();
      else this.#socket.send(JSON.stringify(order.message));
    }
  }

  #connect() {
    clearTimeout(this.#timer);
    if (this.#socket !== null) return;
    self.postMessage({ state: 'connecting' });
    this.#adopt(new WebSocket(this.#address, SUBPROTOCOL));
  }

  #adopt(socket) {
    this.#socket = socket;
    this.#wasOpen = false;
    socket.onopen = () => {
      socket.send(JSON.stringify(hello('rowcast page')));  // at once: the page may still be loading
      this.#happened(socket, { kind: 'open', at: performance.now() });
    };
    socket.onmessage = ({ data }) => this.#happened(socket, { kind: 'message', data, at: performance.timeOrigin + performance.now() });
    socket.onclose = () => this.#happened(socket, { kind: 'close' });
  }

  #happened(socket, { kind, data, at }, opened) {
    if (kind === 'open') {
      this.#wasOpen = true;
      this.#connection += 1;
      this.#backoff.opened(at);
      self.postMessage({ state: 'open', connection: this.#connection });
    } else if (kind === 'message') this.#read(socket, data, at, opened);
    else this.#closed();
  }

  #read(socket, data, at, opened) {
    try {
      const message = parseMessage(data);
      self.postMessage({ message, bytes: data.length, at, opened: message.type === 'hello' ? opened : undefined });
    } catch (error) {
      // A message that cannot be read leaves no way to know what it would have changed: start anew.
      self.postMessage({ refused: String(error.message) });
      socket.close();
    }
  }

  #closed() {
    this.#socket = null;
    const pause = this.#backoff.pause(performance.now(), Math.random());
    self.postMessage({ state: 'closed', pause });
    if (this.#isResting) return;
    this.#timer = setTimeout(() => this.#connect(), pause);
    if (!this.#wasOpen) askWhether();
  }
}

/** A browser does not say why a socket was refused; the server does, when it is there. */
async function askWhether() {
  try {
    const answer = await fetch('/session', { cache: 'no-store' });
    const { role } = await answer.json();
    if (role === null) self.postMessage({ refused: 'This browser is not let in: open the address that the command “rowcast url” prints' });
  } catch {
    // Nobody is there: that is what it looks like already.
  }
}
