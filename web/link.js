// link.js: the page's end of a conversation, which a worker holds; but for the first one, which does not wait for a worker (firstlink.js).
//# allFunctionsCalledOnLoad

import { Backoff } from './backoff.js';
import { FirstLink } from './firstlink.js';

/** Starts a worker: `socket` or `picture`. */
export function startWorker(kind) {
  return globalThis.rowcast.startWorker(kind);
}

/**
 * A conversation of its own; the first one goes on from what start.js has begun.
 *
 * @param {(event: object) => void} receive `{state, connection, pause}`, `{message, bytes, at, opened}` or `{refused}`; first called after this returns
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
