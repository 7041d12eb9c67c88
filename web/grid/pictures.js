// pictures.js: the images that cells want: asked for only while somebody looks, kept as long as there is room, each once.

import { startWorker } from '../protocol/link.js';

const patience = 60;             // milliseconds until one is asked for: what flies by is never loaded
const mostBytes = 32 << 20;      // of decoded images that are kept
const mostFaults = 1_000;
const pauses = { first: 2_000, most: 60_000 };

/**
 * Answers who wants an image with `{bitmap}` or `{fault}`, at once or later, perhaps with the one after the other:
 *
 *     const leave = pictures.want('files', key, 72, (found) => ...);
 *     leave();                        // nobody looks any more: it is asked for no longer
 *
 * A bitmap may be used while the call lasts, and not kept.
 */
export class Pictures {
  constructor(worker = startWorker('picture')) {
    this.worker = worker;
    worker.onmessage = ({ data }) => this.#take(data);
  }
  /** What is kept, the least recently used first. @type {Map<string, ImageBitmap>} */
  #kept = new Map();
  #bytes = 0;
  /** Why some will never be shown. @type {Map<string, string>} */
  #faults = new Map();
  /** @type {Map<string, {name: string, takers: Set<Function>, id: number, timer: number, tries: number}>} */
  #wanted = new Map();
  /** Those that the worker has. */
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
    if (wish === undefined) return void bitmap?.close();  // it was given up when it was ready
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

/** The images of this page. */
export function pictures() {
  return shared ??= new Pictures();
}
