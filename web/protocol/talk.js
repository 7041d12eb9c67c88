// talk.js: the conversation of the worker: between the page and its socket, and the next socket when that one is gone. Frames are read and
// checked here, away from the thread that paints; what arrives there is objects.

import { Backoff } from './link.js';
import { hello, parseMessage, SUBPROTOCOL } from './wire.js';

/**
 * Opens a socket when it is told to, and the next one when that is gone. For a page that holds the first socket itself it reads what arrives there,
 * until that one is gone.
 */
export class Talk {
  constructor(address) {
    this.#address = address;
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

  /** `{read, at}`: a frame of the page's own socket; `{lost}`: that one is gone, which stood since then; else as link.js says. */
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
      socket.send(JSON.stringify(hello('rowcast page')));  // at once: the page may be busy
      this.#wasOpen = true;
      this.#connection += 1;
      this.#backoff.opened(performance.now());
      self.postMessage({ state: 'open', connection: this.#connection });
    };
    socket.onmessage = ({ data }) => this.#read(data, performance.timeOrigin + performance.now());
    socket.onclose = () => this.#closed();
  }

  #read(data, at) {
    try {
      self.postMessage({ message: parseMessage(data), bytes: data.length, at });
    } catch (error) {
      // A message that cannot be read leaves no way to know what it would have changed: start anew.
      self.postMessage({ refused: String(error.message) });
      this.#socket?.close();
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
    const answer = await fetch(`${self.name}/session`, { cache: 'no-store' });
    // 429: it was asked too often with what is not right any more.
    self.postMessage({ isStranger: answer.status === 429 || (await answer.json()).role === null });
  } catch {
    self.postMessage({ isStranger: false });  // the server cannot be reached: that is what it looks like already
  }
}
