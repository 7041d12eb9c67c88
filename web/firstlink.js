// firstlink.js: the page's end of the first conversation, over the socket that start.js has opened. The first rows wait for no worker: what they
// come in is read where it arrives. Then a worker reads what is long, and opens the next socket when this one is gone.
//# allFunctionsCalledOnLoad

import { parseMessage } from './wire.js';

/** Characters of a frame that is read at once: to take over from a worker what has been read of it costs no less. */
const small = 16_384;

/**
 * A link as link.js describes it; `settle()` says that the first rows are there. `startReader(receive, ready)` makes a link of a worker that does
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
  /** @type {import('./link.js').WorkerLink|null} */
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
