// gauges.js: counters per second and quantiles of durations. No DOM, no clock.

const history = 60;     // seconds of counts kept
const samples = 600;    // durations kept
const window = 5;       // whole seconds over which a rate is averaged

/**
 * Named counters with rates, and a sample of durations.
 *
 *     const gauges = new Gauges(now);
 *     gauges.add('patches', 1, now);
 *     gauges.rate('patches', now);      // per second, over the last whole seconds
 *     gauges.took(4.2);
 *     gauges.quantile(0.99);            // of the latest durations, or null
 */
export class Gauges {
  constructor(now) {
    this.#start = Math.floor(now / 1_000);
  }
  #start;
  /**
   * A ring buffer of counts per second for each name.
   * @type {Map<string, {second: number, counts: Float64Array}>}
   */
  #rings = new Map();
  #times = [];
  #next = 0;

  /** Adds `amount` to a counter. */
  add(name, amount, now) {
    const second = Math.floor(now / 1_000);
    this.#ringOf(name, second).counts[second % history] += amount;
  }

  /** Returns the rate per second over the last whole seconds; 0 during the first second. */
  rate(name, now) {
    const second = Math.floor(now / 1_000);
    const passed = Math.min(window, second - this.#start);
    if (passed <= 0) return 0;
    let sum = 0;
    const { counts } = this.#ringOf(name, second);
    for (let back = 1; back <= passed; back += 1) sum += counts[(second - back) % history];
    return sum / passed;
  }

  /** Returns the counts of the last whole seconds, oldest first. */
  history(name, now) {
    const second = Math.floor(now / 1_000);
    const { counts } = this.#ringOf(name, second);
    const length = Math.max(0, Math.min(history - 1, second - this.#start));
    return Array.from({ length }, (_, at) => counts[(second - length + at) % history]);
  }

  /** Records a duration in milliseconds. */
  took(milliseconds) {
    this.#times[this.#next] = milliseconds;
    this.#next = (this.#next + 1) % samples;
  }

  /** Returns a quantile (0 to 1) of the latest durations, or null if there are none. */
  quantile(part) {
    if (this.#times.length === 0) return null;
    const ordered = this.#times.toSorted((one, other) => one - other);
    return ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * part))];
  }

  // Advances the ring to `second`, and clears the seconds in between.
  #ringOf(name, second) {
    let ring = this.#rings.get(name);
    if (ring === undefined) this.#rings.set(name, ring = { second, counts: new Float64Array(history) });
    const passed = Math.min(history, second - ring.second);
    for (let at = 1; at <= passed; at += 1) ring.counts[(ring.second + at) % history] = 0;
    ring.second = Math.max(ring.second, second);
    return ring;
  }
}
