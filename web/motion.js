// motion.js: what a change looks like on its way: which way a value went, whether rows may move visibly, lights and moves. No document, no clock:
// elements are passed in.
//# allFunctionsCalledOnLoad

/** Milliseconds in which rows slide, fade and glide. */
export const MOTION_TIME = 180;

/** How far a value has gone: `up`, `down`, or `other` where there is no such thing. */
export function directionOf(before, after) {
  const isMeasured = typeof before === 'number' && typeof after === 'number';
  if (!isMeasured || before === after || Number.isNaN(before - after)) return 'other';
  return after > before ? 'up' : 'down';
}

/**
 * Decides whether a patch is shown as motion. Not when more than a screenful of items changes its place: nobody could follow; not while
 * the reader moves himself; and not while the last motion still goes on: it would be seen as a jerk.
 */
export class MotionSense {
  #until = -Infinity;

  /**
   * @param {{left: Set, came: Set, moved: number}|null} moves what a patch did to the window (rows.js), without what was scrolled
   * @param {number} screenful how many items are in sight
   */
  allows(moves, screenful, isReaderMoving, now) {
    if (moves === null || isReaderMoving || now < this.#until) return false;
    const count = moves.left.size + moves.came.size + moves.moved;
    if (count === 0 || count > screenful) return false;
    this.#until = now + MOTION_TIME;
    return true;
  }
}

/** From where a row glides to its place, in pixels from it: never farther than it could be followed. */
export function glideFrom(before, after, height) {
  const way = before - after;
  const isSeen = (y) => y > -height / 4 && y < height * 1.25;
  if (way === 0 || (!isSeen(before) && !isSeen(after))) return 0;
  return Math.max(-height, Math.min(height, way));
}

// Changed cells light up for a moment, each in the colour of the way its value went.

const mostLit = 90;         // beyond so many at once a light says nothing, and costs
const stageTime = 350;      // milliseconds that a cell is lit, and then fades; the style sheet has the same number

/** The cells that are lit. A cell remembers what it shows: `flash` and `flashUntil`. */
export class Flashes {
  constructor() {
    /** What has changed since the last `light`: cell, direction, cell, direction, ... */
    this.fresh = [];
    /** In the order in which they end. @type {{cell: object, until: number}[]} */
    this.#lit = [];
  }
  #lit;

  /** A cell's value went this way. */
  add(cell, direction) {
    this.fresh.push(cell, direction);
  }

  /** After the cells of a frame were written: lights those that have changed, unless they are too many to look at. */
  light(now) {
    const { fresh } = this;
    if (fresh.length <= 2 * mostLit) {
      for (let at = 0; at < fresh.length; at += 2) this.#set(fresh[at], fresh[at + 1], now + stageTime);
    }
    fresh.length = 0;
  }

  /** Lets lights fade, and fading ones go out, whose time is over. */
  pass(now) {
    const lit = this.#lit;
    let ended = 0;
    for (; ended < lit.length && lit[ended].until <= now; ended += 1) {
      const { cell, until } = lit[ended];
      if (cell.flashUntil !== until) continue;  // lit anew meanwhile
      if (cell.flash === 'fading') put(cell, '', 0);
      else this.#set(cell, 'fading', now + stageTime);
    }
    lit.splice(0, ended);
  }

  /** When `pass` has something to do, or 0. */
  get next() {
    return this.#lit[0]?.until ?? 0;
  }

  #set(cell, flash, until) {
    put(cell, flash, until);
    this.#lit.push({ cell, until });
  }
}

/** A cell shows another row now: the light was not its. */
export function darken(cell) {
  if (cell.flash !== '') put(cell, '', 0);
}

function put(cell, flash, until) {
  cell.flashUntil = until;
  if (cell.flash === flash) return;
  if (cell.flash !== '') cell.el.classList.remove(cell.flash);
  if (flash !== '') cell.el.classList.add(flash);
  cell.flash = flash;
}

// Rows that slide in, fade out and glide, for a moment after a patch.

const timing = { duration: MOTION_TIME, easing: 'cubic-bezier(0.2, 0, 0, 1)' };

/** The motions of one patch. */
export class Moves {
  constructor() {
    /** @type {Map<object, {motion: Animation, done: Function|undefined}>} */
    this.running = new Map();
    this.height = 0;
    this.before = 0;
    this.native = 0;
    this.offset = 0;  // from where the item above comes
  }

  /** When the last frame was painted the element was scrolled to `before`, in this one it is to `native`. */
  begin(before, native, height) {
    Object.assign(this, { before, native, height, offset: 0 });
  }

  /** A node is about to be placed at `y`: it goes there from where it is seen now. */
  glide(node, y) {
    const from = glideFrom(node.y - this.before, y - this.native, this.height);
    this.offset = from;
    if (from !== 0) this.#run(node, [{ translate: `0 ${from}px` }, { translate: '0 0' }]);
  }

  /** A row that was not there before slides in at `y`, behind the one above it when that is on its way up: else they would be drawn over each other. */
  slideIn(node, y) {
    const from = this.offset > 0 ? this.offset : -12;
    if (this.isSeen(y - this.native)) this.#run(node, [{ opacity: 0, translate: `0 ${from}px` }, { opacity: 1, translate: '0 0' }]);
  }

  /** A row that is gone fades where it was seen, under the others; then `done()`. False when it was not seen. */
  fadeOut(node, done) {
    if (node.isHidden || !this.isSeen(node.y - this.before)) return false;
    const { el } = node;
    node.y += this.native - this.before;
    el.style.transform = `translateY(${node.y}px)`;
    el.classList.add('leaving');
    el.setAttribute('role', 'none');  // it is no row any more
    el.setAttribute('aria-hidden', 'true');
    this.#run(node, [{ opacity: 1 }, { opacity: 0 }], () => {
      el.classList.remove('leaving');
      el.setAttribute('role', 'row');
      el.removeAttribute('aria-hidden');
      done();
    });
    return true;
  }

  /** A node is wanted for something else. */
  stop(node) {
    const running = this.running.get(node);
    if (running === undefined) return;
    this.running.delete(node);
    running.motion.cancel();
    running.done?.();
  }

  isSeen(y) {
    return y > -40 && y < this.height;
  }

  #run(node, keyframes, done) {
    this.stop(node);
    const motion = node.el.animate(keyframes, timing);
    this.running.set(node, { motion, done });
    motion.onfinish = () => {
      if (this.running.get(node)?.motion === motion) this.stop(node);
    };
  }
}
