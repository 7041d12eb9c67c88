// link.js: the page's end of a connection. A worker holds the socket, except for the first
// connection, which does not wait for a worker.

import { parseMessage } from './wire.js';

/** Starts a worker: `socket` or `picture`. */
export function startWorker(kind) {
  return globalThis.rowcast.startWorker(kind);
}

/**
 * Opens a link to the server. The first link takes over the socket opened by start.js.
 *
 * @param {(event: object) => void} receive called after this returns, with
 *   `{state, connection, pause}`, `{message, bytes, at, opened}`, `{isStranger}` (whether the user
 *   must sign in) or `{refused}`
 */
export function openLink(receive) {
  const { first } = globalThis.rowcast;
  globalThis.rowcast.first = null;
  const start = () => startWorker('socket');
  return first ? new FirstLink(first, receive, (hear, ready) => new WorkerLink(hear, start, ready)) : new WorkerLink(receive, start);
}

/**
 * A link over a socket in a worker.
 *
 * With `ready`, which is called when the worker has started, it connects only after `retry()`.
 */
export class WorkerLink {
  constructor(receive, start, ready = null, dice = Math.random) {
    Object.assign(this, { receive, start, ready, dice });
    this.#begin();
  }
  #worker;
  #connection = 0;
  #backoff = new Backoff();
  #timer = 0;  // timer for another start of the worker, or 0

  #begin() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#worker = this.start();
    this.#worker.onmessage = ({ data }) => {
      if (data.ready) {
        this.#worker.onerror = null;
        return this.ready?.();
      }
      if (data.connection !== undefined) this.#connection = data.connection;
      return this.receive(data);
    };
    // The worker's script could not be loaded, because the server is down. Backoff applies, because
    // other clients retry, too.
    this.#worker.onerror = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#begin(), this.#backoff.pause(0, this.dice()));
    };
    if (this.ready === null) this.retry();
  }

  send(message) {
    this.#worker.postMessage({ connection: this.#connection, message });
  }

  /** Connects at once instead of after the pause. */
  retry() {
    if (this.#timer !== 0) this.#begin();
    else this.#worker.postMessage({ retry: true });
  }

  /** Closes the connection. The link reconnects after a pause. */
  close() {
    this.#worker.postMessage({ connection: this.#connection, close: true });
  }

  /** Closes the connection until `retry()`. */
  rest() {
    this.#worker.postMessage({ rest: true });
  }

  /** Parses a frame from the page's own socket in the worker. */
  read(frame, at) {
    this.#worker.postMessage({ read: frame, at });
  }

  /** Reports that the page's socket, open since `since`, is closed. The worker reconnects. */
  lost(since) {
    this.#worker.postMessage({ lost: since });
  }
}

// The first connection, over the socket opened by start.js. The page parses the first rows itself.
// Then a worker parses long frames, and opens the next socket when this one is closed.

/** The length in characters up to which the page parses a frame, because a worker saves nothing. */
const small = 16_384;

/**
 * The link over the first socket, see {@link openLink}.
 *
 * `startReader(receive, ready)` makes a worker's link that does not connect until `retry()`.
 */
export class FirstLink {
  constructor(first, receive, startReader, clock = () => performance.timeOrigin + performance.now()) {
    Object.assign(this, { receive, startReader, clock });
    this.#socket = first.socket;
    queueMicrotask(() => {
      for (const event of first.early.splice(0)) this.#happened(event);
      first.tell = (event) => this.#happened(event);
    });
  }
  /** The first socket; null once it is closed. @type {WebSocket|null} */
  #socket;
  #since = 0;
  /** @type {WorkerLink|null} */
  #reader = null;
  #isReaderReady = false;
  #unread = 0;  // frames at the worker; later frames follow them to keep the order
  #isResting = false;

  /** Starts the worker. Call it once the first rows are drawn. */
  settle() {
    this.#reader ??= this.startReader((event) => {
      this.#unread -= 1;
      this.#hear(event);
    }, () => this.#take());
  }

  send(message) {
    if (this.#socket === null) this.#reader.send(message);
    else if (this.#socket.readyState === 1) this.#socket.send(JSON.stringify(message));
  }

  /** Connects at once instead of after the pause. */
  retry() {
    this.#isResting = false;
    if (this.#socket === null) this.#reader.retry();
  }

  /** Closes the connection. The link reconnects after a pause. */
  close() {
    if (this.#socket === null) this.#reader.close();
    else this.#socket.close();
  }

  /** Closes the connection until `retry()`. */
  rest() {
    this.#isResting = true;
    this.settle();
    this.#reader.rest();
    this.#socket?.close();
  }

  #happened({ kind, data, at, opened }) {
    if (kind === 'open') {
      this.#since = this.clock();
      this.receive({ state: 'open' });
    } else if (kind === 'closed') this.#lost();
    else if (this.#isReaderReady && (data.length > small || this.#unread > 0)) {
      this.#unread += 1;
      this.#reader.read(data, at);
    } else this.#read(data, at, opened);
  }

  #read(data, at, opened) {
    let message;
    try {
      message = parseMessage(data);
    } catch (error) {
      return this.#hear({ refused: String(error.message) });
    }
    return this.receive({ message, bytes: data.length, at, opened });
  }

  #hear(event) {
    this.receive(event);
    // Reconnects after an unreadable message, because its changes are lost.
    if (event.refused) this.#socket?.close();
  }

  // The worker has started. Earlier frames are already parsed.
  #take() {
    this.#isReaderReady = true;
    if (this.#socket === null && !this.#isResting) this.#reader.retry();
  }

  #lost() {
    this.#socket = null;
    if (this.#isReaderReady) return this.#reader.lost(this.#since);
    this.receive({ state: 'closed', pause: 1_000 });
    return this.settle();
  }
}

// Backoff. The caller passes time and random numbers.

/**
 * Exponential backoff with full jitter, which spreads the clients' returns after a restart.
 *
 *     backoff.opened(now);                 // connected
 *     backoff.pause(now, Math.random());   // disconnected: wait this many milliseconds
 *
 * See https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export class Backoff {
  /**
   * Times in milliseconds: the bound of the first pause, the bound of all pauses, and the age at
   * which a lost connection resets the backoff.
   *
   * With the default, a server that is back at once gets at most a fifteenth of its clients within
   * 100 ms.
   */
  constructor({ first = 1_500, most = 30_000, steady = 10_000 } = {}) {
    this.first = first;
    this.most = most;
    this.steady = steady;
    this.attempts = 0;
    this.openedAt = null;
  }

  /** Records that a connection was opened at `now`. */
  opened(now) {
    this.openedAt = now;
  }

  /** Returns the pause before the next attempt in milliseconds; `dice` is in 0..<1. */
  pause(now, dice) {
    if (this.openedAt !== null && now - this.openedAt >= this.steady) this.attempts = 0;
    this.openedAt = null;
    const ceiling = Math.min(this.most, this.first * 2 ** this.attempts);
    this.attempts = Math.min(this.attempts + 1, 30);
    return dice * ceiling;
  }
}
