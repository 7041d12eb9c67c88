// backoff.js: how long to wait before the next attempt to connect. No clock, no dice of its own.

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
