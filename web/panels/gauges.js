// gauges.js: what goes on, counted second by second. No DOM, no clock.

const history = 60;     // seconds that are kept
const samples = 600;    // times that are kept
const window = 5;       // whole seconds that a rate is the mean of

/**
 * Counts by name, and times:
 *
 *     const gauges = new Gauges(now);
 *     gauges.add('patches', 1, now);
 *     gauges.rate('patches', now);      // a second, over the last whole seconds
 *     gauges.took(4.2);
 *     gauges.quantile(0.99);            // of the last times, or null
 */
export class Gauges {
  constructor(now) {
    this.#start = Math.floor(now / 1_000);
  }
  #start;
  /** For each name a ring of seconds. @type {Map<string, {second: number, counts: Float64Array}>} */
  #rings = new Map();
  #times = [];
  #next = 0;

  /** Something has happened so many times. */
  add(name, amount, now) {
    const second = Math.floor(now / 1_000);
    this.#ringOf(name, second).counts[second % history] += amount;
  }

  /** How often a second, over the last whole seconds; 0 before the first has passed. */
  rate(name, now) {
    const second = Math.floor(now / 1_000);
    const passed = Math.min(window, second - this.#start);
    if (passed <= 0) return 0;
    let sum = 0;
    const { counts } = this.#ringOf(name, second);
    for (let back = 1; back <= passed; back += 1) sum += counts[(second - back) % history];
    return sum / passed;
  }

  /** How often in each of the last whole seconds, the oldest first. */
  history(name, now) {
    const second = Math.floor(now / 1_000);
    const { counts } = this.#ringOf(name, second);
    const length = Math.max(0, Math.min(history - 1, second - this.#start));
    return Array.from({ length }, (_, at) => counts[(second - length + at) % history]);
  }

  /** Something took so many milliseconds. */
  took(milliseconds) {
    this.#times[this.#next] = milliseconds;
    this.#next = (this.#next + 1) % samples;
  }

  /** The time that this part of the last ones stayed below; null when there are none. */
  quantile(part) {
    if (this.#times.length === 0) return null;
    const ordered = this.#times.toSorted((one, other) => one - other);
    return ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * part))];
  }

  // Seconds in which nothing was counted are emptied when the next one comes.
  #ringOf(name, second) {
    let ring = this.#rings.get(name);
    if (ring === undefined) this.#rings.set(name, ring = { second, counts: new Float64Array(history) });
    const passed = Math.min(history, second - ring.second);
    for (let at = 1; at <= passed; at += 1) ring.counts[(ring.second + at) % history] = 0;
    ring.second = Math.max(ring.second, second);
    return ring;
  }
}
