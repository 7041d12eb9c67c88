// patience.js: how long nothing is said of rows that are on their way. No DOM.

import { isAway } from './viewport.js';

/** Milliseconds for which rows that are on their way need no placeholders. */
export const PATIENCE = 50;

/**
 * The rows of a jump are there after a frame or two. So long the screen stays as it is, which costs nothing, and reads better than a flicker of
 * placeholders:
 *
 *     if (!patience.isLate(scroll, copy, now)) paint();  // `again` is called when it is time to paint whatever there is
 */
export class Patience {
  constructor(again, wait = (done, time) => setTimeout(done, time)) {
    this.again = again;
    this.wait = wait;
  }
  #since = null;     // when nothing of what is in sight was held for the first time
  #isWaiting = false;

  /** Whether nothing of what is in sight is held, and has not been for long. */
  isLate({ first, count }, held, now) {
    if (!isAway(first, count, held)) {
      this.#since = null;
      return false;
    }
    this.#since ??= now;
    const left = this.#since + PATIENCE - now;
    if (left > 0 && !this.#isWaiting) {
      this.#isWaiting = true;
      this.wait(() => {
        this.#isWaiting = false;
        this.again();
      }, left);
    }
    return left > 0;
  }
}
