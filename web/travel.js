// travel.js: hears how the reader moves through the grid, and moves the grid. The only place where a scroll position is read or written.
//# allFunctionsCalledOnLoad

import { isAway } from './viewport.js';

const restTime = 140;       // milliseconds without a scroll event until the reader is at rest
const wheelTime = 1_000;    // how long the smooth motion of a wheel's turn may last

/** The grid's two scroll positions. `changed()` hears that there is something to draw. */
export class Travel {
  constructor(grid, scroll, changed) {
    this.grid = grid;
    this.scroll = scroll;
    /** Whether the reader is on his way up or down. */
    this.isMoving = false;
    /** How far the grid is scrolled sideways, from where its lines begin. */
    this.left = 0;
    this.#changed = changed;
    grid.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    grid.addEventListener('wheel', (event) => this.#wheeled(event), { passive: true });
  }
  #changed;
  #top = 0;           // what scrollTop is known to be
  #movedAt = 0;
  #restTimer = 0;
  #wheel = 0;         // pixels that wheels asked for and no scroll event has told of yet
  #wheelAt = 0;

  /** The reader is where he wants to be: what follows is not his motion. */
  stop() {
    this.isMoving = false;
  }

  /** Brings the element to where the geometry has it. */
  write() {
    if (this.scroll.native !== this.#top) this.grid.scrollTop = this.#top = this.scroll.native;
  }

  #scrolled() {
    // Both are known without a layout: nothing was written since the last frame.
    const { scrollTop, scrollLeft } = this.grid;
    const now = performance.now();
    this.#top = scrollTop;
    const left = Math.abs(scrollLeft);  // negative where lines begin at the right
    const isAcross = left !== this.left;
    this.left = left;
    if (scrollTop !== this.scroll.native) this.#move(scrollTop, now);
    else if (!isAcross) return;
    this.#changed();
  }

  #move(native, now) {
    if (now - this.#wheelAt > wheelTime) this.#wheel = 0;
    const moved = Math.abs(native - this.scroll.native);
    this.scroll.scrolled(native, this.#wheel);
    this.#wheel = Math.max(0, this.#wheel - moved);
    this.#start(now);
  }

  #wheeled({ deltaY, deltaMode }) {
    this.#wheelAt = performance.now();
    this.#wheel += Math.abs(deltaY) * [1, this.scroll.rowHeight, this.scroll.height][deltaMode];
    // Whoever turns back leaves the end before the browser says that he has moved: a row that comes meanwhile must not take him there again.
    if (deltaY < 0) this.#start(this.#wheelAt);
  }

  #start(now) {
    this.isMoving = true;
    this.#movedAt = now;
    if (this.#restTimer === 0) this.#restTimer = setTimeout(() => this.#rest(), restTime);
  }

  #rest() {
    const left = this.#movedAt + restTime - performance.now();
    this.#restTimer = left > 1 ? setTimeout(() => this.#rest(), left) : 0;
    if (this.#restTimer !== 0) return;
    this.isMoving = false;
    this.#changed();
  }
}

// How long nothing is said of rows that are on their way. No DOM.

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
