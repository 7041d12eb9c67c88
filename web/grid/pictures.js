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
  /** The cache, least recently used first. @type {Map<string, ImageBitmap>} */
  #kept = new Map();
  #bytes = 0;
  /** The reasons of permanent faults, oldest first. @type {Map<string, string>} */
  #faults = new Map();
  /**
   * The pending requests by name.
   *
   * @type {Map<string, {name: string, takers: Set<Function>, id: number, timer: number,
   *   tries: number}>}
   */
  #wanted = new Map();
  /** The requests sent to the worker, by id. */
  #asked = new Map();
  #last = 0;

  want(table, key, height, take) {
    const name = `${height}/${table}/${key}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      take({ bitmap: kept });
      return () => {};
    }
    if (this.#faults.has(name)) {
      take({ fault: this.#faults.get(name) });
      return () => {};
    }
    let wish = this.#wanted.get(name);
    if (wish === undefined) {
      const address = `${globalThis.rowcast?.room ?? ''}/image?table=${encodeURIComponent(table)}&key=${encodeURIComponent(key)}`;
      wish = { name, address, height, takers: new Set(), id: 0, timer: 0, tries: 0 };
      this.#wanted.set(name, wish);
      this.#askIn(patience, wish);
    }
    wish.takers.add(take);
    return () => {
      wish.takers.delete(take);
      if (wish.takers.size === 0) this.#drop(wish);
    };
  }

  #askIn(wait, wish) {
    wish.timer = setTimeout(() => {
      wish.id = this.#last += 1;
      wish.tries += 1;
      this.#asked.set(wish.id, wish);
      this.worker.postMessage({ id: wish.id, address: wish.address, height: wish.height });
    }, wait);
  }

  #drop(wish) {
    clearTimeout(wish.timer);
    if (this.#wanted.get(wish.name) === wish) this.#wanted.delete(wish.name);
    if (this.#asked.delete(wish.id)) this.worker.postMessage({ cancel: wish.id });
  }

  #take({ id, bitmap, fault, isPassing }) {
    const wish = this.#asked.get(id);
    this.#asked.delete(id);
    if (wish === undefined) return void bitmap?.close();  // the request was cancelled
    const takers = [...wish.takers];
    if (bitmap !== undefined || !isPassing) this.#wanted.delete(wish.name);
    if (bitmap !== undefined) this.#keep(wish.name, bitmap);
    else if (isPassing) this.#askIn(Math.min(pauses.most, pauses.first * 2 ** (wish.tries - 1)), wish);
    else {
      this.#faults.set(wish.name, fault);
      if (this.#faults.size > mostFaults) this.#faults.delete(this.#faults.keys().next().value);
    }
    for (const taker of takers) taker(bitmap === undefined ? { fault } : { bitmap });
  }

  #keep(name, bitmap) {
    this.#kept.set(name, bitmap);
    this.#bytes += bytesOf(bitmap);
    for (const [oldest, other] of this.#kept) {
      if (this.#bytes <= mostBytes || oldest === name) return;
      this.#kept.delete(oldest);
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
