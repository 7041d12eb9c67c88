// motion.js: what a change looks like on its way: which way a value went, and whether rows may move visibly. No DOM, no clock.
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
