// pictures.js: loads the images of cells in the viewport, each once, and caches them.

import { startWorker } from '../protocol/link.js';

const patience = 60;             // milliseconds before a request, to skip fast scrolling
const mostBytes = 32 << 20;      // the capacity of the cache of decoded images
const mostFaults = 1_000;
const pauses = { first: 2_000, most: 60_000 };

/**
 * The image loader, with an LRU cache of decoded images:
 *
 *     const leave = pictures.want('files', key, 72, (found) => ...);
 *     leave();  // cancels the request
 *
 * The callback receives `{bitmap}` or `{fault}`, at once or later. A bitmap may follow a fault,
 * because temporary faults are retried. The bitmap is valid only during the callback.
 */
export class Pictures {
  constructor(worker = startWorker('picture')) {
    this.worker = worker;
    worker.onmessage = ({ data }) => this.#take(data);
  }
  /**
   * The cache, least recently used first.
   * @type {Map<string, ImageBitmap>}
   */
  #cache = new Map();
  #bytes = 0;
  /**
   * The reasons of permanent faults, oldest first.
   * @type {Map<string, string>}
   */
  #faults = new Map();
  /**
   * The pending requests by name.
   *
   * @type {Map<string, {name: string, address: string, height: number, callbacks: Set<Function>,
   *   id: number, timer: number, tries: number}>}
   */
  #wanted = new Map();
  /** The requests sent to the worker, by id. */
  #pending = new Map();
  #last = 0;

  want(table, key, height, take) {
    const name = `${height}/${table}/${key}`;
    const cached = this.#cache.get(name);
    if (cached !== undefined) {
      this.#cache.delete(name);
      this.#cache.set(name, cached);
      take({ bitmap: cached });
      return () => {};
    }
    if (this.#faults.has(name)) {
      take({ fault: this.#faults.get(name) });
      return () => {};
    }
    let request = this.#wanted.get(name);
    if (request === undefined) {
      const address = `${globalThis.rowcast?.room ?? ''}/image?table=${encodeURIComponent(table)}&key=${encodeURIComponent(key)}`;
      request = { name, address, height, callbacks: new Set(), id: 0, timer: 0, tries: 0 };
      this.#wanted.set(name, request);
      this.#requestIn(patience, request);
    }
    request.callbacks.add(take);
    return () => {
      request.callbacks.delete(take);
      if (request.callbacks.size === 0) this.#drop(request);
    };
  }

  #requestIn(wait, request) {
    request.timer = setTimeout(() => {
      request.id = this.#last += 1;
      request.tries += 1;
      this.#pending.set(request.id, request);
      this.worker.postMessage({ id: request.id, address: request.address, height: request.height });
    }, wait);
  }

  #drop(request) {
    clearTimeout(request.timer);
    if (this.#wanted.get(request.name) === request) this.#wanted.delete(request.name);
    if (this.#pending.delete(request.id)) this.worker.postMessage({ cancel: request.id });
  }

  #take({ id, bitmap, fault, isPassing }) {
    const request = this.#pending.get(id);
    this.#pending.delete(id);
    if (request === undefined) return void bitmap?.close();  // the request was cancelled
    const callbacks = [...request.callbacks];
    if (bitmap !== undefined || !isPassing) this.#wanted.delete(request.name);
    if (bitmap !== undefined) this.#keep(request.name, bitmap);
    else if (isPassing) this.#requestIn(Math.min(pauses.most, pauses.first * 2 ** (request.tries - 1)), request);
    else {
      this.#faults.set(request.name, fault);
      if (this.#faults.size > mostFaults) this.#faults.delete(this.#faults.keys().next().value);
    }
    for (const callback of callbacks) callback(bitmap === undefined ? { fault } : { bitmap });
  }

  #keep(name, bitmap) {
    this.#cache.set(name, bitmap);
    this.#bytes += bytesOf(bitmap);
    for (const [oldest, other] of this.#cache) {
      if (this.#bytes <= mostBytes || oldest === name) return;
      this.#cache.delete(oldest);
      this.#bytes -= bytesOf(other);
      other.close();
    }
  }
}

function bytesOf({ width, height }) {
  return width * height * 4;
}

let shared = null;

/** Returns the page's image loader. */
export function pictures() {
  return shared ??= new Pictures();
}
