// talk.js: the worker's side of the connection. It parses and checks frames off the main thread
// and posts the messages to the page as objects.

import { Backoff } from './link.js';
import { hello, parseMessage, SUBPROTOCOL } from './wire.js';

/** The time within which a server must send its first message, in milliseconds. */
const patience = 20_000;

/**
 * A WebSocket connection that reconnects by itself. It also parses frames of the page's own first
 * socket.
 */
export class Talk {
  constructor(address) {
    this.#address = address;
  }
  #address;
  #backoff = new Backoff();
  /** @type {WebSocket|null} */
  #socket = null;
  /** The number of the connection. Messages the page sends for an earlier one are dropped. */
  #connection = 0;
  /** Connects after a pause, or abandons a connection without a message. */
  #timer = 0;
  #wasOpen = false;
  /** Whether reconnecting is suspended until the next `retry`. */
  #isResting = false;

  /** Executes a command of {@link WorkerLink}. */
  obey(order) {
    if (order.read !== undefined) this.#read(order.read, order.at);
    else if (order.lost !== undefined) {
      this.#wasOpen = true;
      this.#backoff.opened(order.lost - performance.timeOrigin);
      this.#closed();
    } else if (order.retry) {
      this.#isResting = false;
      this.#connect();
    } else if (order.rest) {
      this.#isResting = true;
      clearTimeout(this.#timer);
      this.#socket?.close();
    } else if (order.connection === this.#connection && this.#socket?.readyState === WebSocket.OPEN) {
      if (order.close) this.#socket.close();
      else if (order.abandon) this.#abandon();
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
      // The worker sends the first message, because the page may be busy.
      socket.send(JSON.stringify(hello('rowcast page')));
      this.#wasOpen = true;
      this.#connection += 1;
      this.#backoff.opened(performance.now());
      self.postMessage({ state: 'open', connection: this.#connection });
    };
    socket.onmessage = ({ data }) => {
      clearTimeout(this.#timer);
      this.#read(data, performance.timeOrigin + performance.now());
    };
    socket.onclose = () => this.#closed();
    this.#timer = setTimeout(() => this.#abandon(), patience);
  }

  // A browser waits for a minute for the answer to a close, which a server that hangs never sends.
  #abandon() {
    const socket = this.#socket;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    this.#closed();
  }

  #read(data, at) {
    try {
      self.postMessage({ message: parseMessage(data), bytes: data.length, at });
    } catch (error) {
      // Reconnect, because the effect of an unreadable message is unknown.
      self.postMessage({ refused: String(error.message) });
      this.#socket?.close();
    }
  }

  #closed() {
    this.#socket = null;
    clearTimeout(this.#timer);
    const pause = this.#backoff.pause(performance.now(), Math.random());
    self.postMessage({ state: 'closed', pause });
    if (this.#isResting) return;
    this.#timer = setTimeout(() => this.#connect(), pause);
    if (!this.#wasOpen) askWhether();
  }
}

/** Asks the server whether the user must sign in, because browsers hide why a socket failed. */
async function askWhether() {
  try {
    const answer = await fetch(`${self.name}/session`, { cache: 'no-store' });
    // 429: too many requests with an invalid cookie.
    self.postMessage({ needsSignIn: answer.status === 429 || (await answer.json()).role === null });
  } catch {
    self.postMessage({ needsSignIn: false });  // unreachable, as already shown
  }
}
