// link.js: the page's end of the connection. A worker holds every socket but the first.

import { Silence } from './silence.js';
import { parseMessage } from './wire.js';

/** Starts a worker: `socket` or `picture`. */
export function startWorker(kind) {
  return globalThis.rowcast.startWorker(kind);
}

/**
 * Opens a link to the server. The first call takes over the socket that start.js opened.
 *
 * @param {(event: object) => void} receive called with `{state, connection, pause}`,
 *   `{message, bytes, at, opened}`, `{needsSignIn}` (sign-in required) or `{refused}`, never before
 *   this returns; silence.js adds messages
 */
export function openLink(receive) {
  const { first } = globalThis.rowcast;
  globalThis.rowcast.first = null;
  const start = () => startWorker('socket');
  const silence = new Silence(receive, () => link.abandon(), () => document.hidden);
  const pass = (event) => silence.pass(event);
  const link = first ? new FirstLink(first, pass, (deliver, ready) => new WorkerLink(deliver, start, ready)) : new WorkerLink(pass, start);
  return link;
}

/** A connection held by a worker. With a `ready` callback it connects only after `retry()`. */
export class WorkerLink {
  constructor(receive, start, ready = null, dice = Math.random) {
    this.receive = receive;
    this.start = start;
    this.ready = ready;
    this.dice = dice;
    this.#begin();
  }
  #worker;
  #connection = 0;
  #backoff = new Backoff();
  #timer = 0;  // restarts the worker, or 0

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
    // The worker's files failed to load. Back off, because other pages lost the server as well.
    this.#worker.onerror = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#begin(), this.#backoff.pause(0, this.dice()));
    };
    if (this.ready === null) this.retry();
  }

  send(message) {
    this.#worker.postMessage({ connection: this.#connection, message });
  }

  /** Connects now instead of after the pause. */
  retry() {
    if (this.#timer !== 0) this.#begin();
    else this.#worker.postMessage({ retry: true });
  }

  /** Closes the connection and reconnects after a pause. */
  close() {
    this.#worker.postMessage({ connection: this.#connection, close: true });
  }

  /** Reconnects after a pause, without the peer's consent to the end of the connection. */
  abandon() {
    this.#worker.postMessage({ connection: this.#connection, abandon: true });
  }

  /** Closes the connection until the next `retry()`. */
  rest() {
    this.#worker.postMessage({ rest: true });
  }

  /** Parses a frame received on the page's own socket. */
  read(frame, at) {
    this.#worker.postMessage({ read: frame, at });
  }

  /** Reconnects after a pause because the page's own socket, open since `since`, has closed. */
  lost(since) {
    this.#worker.postMessage({ lost: since });
  }
}

// The first connection, over the socket that start.js opened. The page parses its first frames
// itself, and leaves long frames and reconnects to a worker later.

/** The longest frame parsed on the page, in characters. A worker's reply costs as much. */
const small = 16_384;

/**
 * The link over the first socket, with the interface of {@link openLink}.
 * `startReader(receive, ready)` returns an idle {@link WorkerLink}.
 */
export class FirstLink {
  constructor(first, receive, startReader, clock = () => performance.timeOrigin + performance.now()) {
    this.receive = receive;
    this.startReader = startReader;
    this.clock = clock;
    this.#socket = first.socket;
    queueMicrotask(() => {
      for (const event of first.early.splice(0)) this.#happened(event);
      first.notify = (event) => { if (this.#socket !== null) this.#happened(event); };
    });
  }
  /**
   * The first socket, or null once it has closed.
   * @type {WebSocket|null}
   */
  #socket;
  #since = 0;
  /** @type {WorkerLink|null} */
  #reader = null;
  #isReaderReady = false;
  #unread = 0;  // frames at the worker; later frames follow them to keep the order
  #isResting = false;

  /** Starts the worker. Called once the first rows are on the screen. */
  settle() {
    this.#reader ??= this.startReader((event) => {
      this.#unread -= 1;
      this.#deliver(event);
    }, () => this.#take());
  }

  send(message) {
    if (this.#socket === null) this.#reader.send(message);
    else if (this.#socket.readyState === 1) this.#socket.send(JSON.stringify(message));
  }

  /** Connects now instead of after the pause. */
  retry() {
    this.#isResting = false;
    if (this.#socket === null) this.#reader.retry();
  }

  /** Closes the connection and reconnects after a pause. */
  close() {
    if (this.#socket === null) this.#reader.close();
    else this.#socket.close();
  }

  /** Reconnects after a pause, without the peer's consent to the end of the connection. */
  abandon() {
    if (this.#socket === null) return this.#reader.abandon();
    this.#socket.close();
    return this.#lost();
  }

  /** Closes the connection until the next `retry()`. */
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
      return this.#deliver({ refused: String(error.message) });
    }
    return this.receive({ message, bytes: data.length, at, opened });
  }

  #deliver(event) {
    this.receive(event);
    // Reconnect, because the effect of an unreadable message is unknown.
    if (event.refused) this.#socket?.close();
  }

  // Marks the worker as ready. Earlier frames have been parsed already.
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

// Reconnect delays. The caller supplies the clock and the random numbers.

/**
 * Exponential backoff with full jitter, so that pages do not all reconnect at the same moment.
 *
 *     backoff.opened(now);                 // connected
 *     backoff.pause(now, Math.random());   // disconnected: milliseconds to wait
 */
export class Backoff {
  /**
   * Creates a backoff. Times are in milliseconds: the first and the greatest upper bound of a
   * pause, and the connection time after which the bound is reset.
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

  /** Returns the pause before the next attempt in milliseconds. `dice` is in 0..<1. */
  pause(now, dice) {
    if (this.openedAt !== null && now - this.openedAt >= this.steady) this.attempts = 0;
    this.openedAt = null;
    const ceiling = Math.min(this.most, this.first * 2 ** this.attempts);
    this.attempts = Math.min(this.attempts + 1, 30);
    return dice * ceiling;
  }
}
