// link.js: the page's end of a conversation, which a worker holds; but for the first one, which does not wait for a worker.

import { parseMessage } from './wire.js';

/** Starts a worker: `socket` or `picture`. */
export function startWorker(kind) {
  return globalThis.rowcast.startWorker(kind);
}

/**
 * A conversation of its own; the first one goes on from what start.js has begun.
 *
 * @param {(event: object) => void} receive `{state, connection, pause}`, `{message, bytes, at, opened}`, `{isStranger}` (whether the user must sign in) or `{refused}`; first called after this returns
 */
export function openLink(receive) {
  const { first } = globalThis.rowcast;
  globalThis.rowcast.first = null;
  const start = () => startWorker('socket');
  return first ? new FirstLink(first, receive, (hear, ready) => new WorkerLink(hear, start, ready)) : new WorkerLink(receive, start);
}

/** A conversation that a worker holds. With `ready`, which is called when the worker is there, it is not begun before `retry()`. */
export class WorkerLink {
  constructor(receive, start, ready = null, dice = Math.random) {
    Object.assign(this, { receive, start, ready, dice });
    this.#begin();
  }
  #worker;
  #connection = 0;
  #backoff = new Backoff();
  #timer = 0;  // until the worker is started again, or 0

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
    // Its files cannot be fetched: the server has gone just now, and other pages have noticed, too.
    this.#worker.onerror = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#begin(), this.#backoff.pause(0, this.dice()));
    };
    if (this.ready === null) this.retry();
  }

  send(message) {
    this.#worker.postMessage({ connection: this.#connection, message });
  }

  /** Tries at once instead of waiting. */
  retry() {
    if (this.#timer !== 0) this.#begin();
    else this.#worker.postMessage({ retry: true });
  }

  /** Ends the connection; another one follows after a pause. */
  close() {
    this.#worker.postMessage({ connection: this.#connection, close: true });
  }

  /** Ends the connection until somebody tries again. */
  rest() {
    this.#worker.postMessage({ rest: true });
  }

  /** A frame that has arrived on the page's own socket. */
  read(frame, at) {
    this.#worker.postMessage({ read: frame, at });
  }

  /** That socket, which stood since then, is gone: another one follows after a pause. */
  lost(since) {
    this.#worker.postMessage({ lost: since });
  }
}

// The page's end of the first conversation, over the socket that start.js has opened. The first rows wait for no worker: what they come in is
// read where it arrives. Then a worker reads what is long, and opens the next socket when this one is gone.

/** Characters of a frame that is read at once: to take over from a worker what has been read of it costs no less. */
const small = 16_384;

/**
 * A link as {@link openLink} describes it; `settle()` says that the first rows are there. `startReader(receive, ready)` makes a link of a worker that does
 * nothing until it is told to.
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
  /** The first socket, as long as it is there. @type {WebSocket|null} */
  #socket;
  #since = 0;
  /** @type {WorkerLink|null} */
  #reader = null;
  #isReaderReady = false;
  #unread = 0;  // frames that the worker has: what comes after them goes the same way
  #isResting = false;

  /** The first rows are on the screen: from now on a worker may read. */
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

  /** Tries at once instead of waiting. */
  retry() {
    this.#isResting = false;
    if (this.#socket === null) this.#reader.retry();
  }

  /** Ends the connection; another one follows after a pause. */
  close() {
    if (this.#socket === null) this.#reader.close();
    else this.#socket.close();
  }

  /** Ends the connection until somebody tries again. */
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
    // A message that cannot be read leaves no way to know what it would have changed: start anew.
    if (event.refused) this.#socket?.close();
  }

  // The worker is there; what has arrived before is read already.
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

// How long to wait before the next attempt to connect. No clock, no dice of its own.

/**
 * Pauses that grow and are drawn at random ("full jitter"), so that many pages do not come back to a restarted server at once:
 *
 *     backoff.opened(now);                 // a connection stands
 *     backoff.pause(now, Math.random());   // it is lost: wait this many milliseconds
 */
export class Backoff {
  /**
   * Times in milliseconds: the first greatest pause, the greatest of all, and how long a connection must stand to count. In the first one a
   * server that is back at once gets no more than a fifteenth of its pages within a tenth of a second.
   */
  constructor({ first = 1_500, most = 30_000, steady = 10_000 } = {}) {
    this.first = first;
    this.most = most;
    this.steady = steady;
    this.attempts = 0;
    this.openedAt = null;
  }

  /** A connection stands since `now`. */
  opened(now) {
    this.openedAt = now;
  }

  /** The pause before the next attempt; `dice` is from 0 up to 1. */
  pause(now, dice) {
    if (this.openedAt !== null && now - this.openedAt >= this.steady) this.attempts = 0;
    this.openedAt = null;
    const ceiling = Math.min(this.most, this.first * 2 ** this.attempts);
    this.attempts = Math.min(this.attempts + 1, 30);
    return dice * ceiling;
  }
}
