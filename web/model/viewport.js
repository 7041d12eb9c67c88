// viewport.js: scroll geometry, the rows to draw, the viewport to send to the server, and the
// animation of changes. No document, no clock: elements and times are passed in.

/** The height of a row or section header in pixels, as in the style sheet. */
export const ROW_HEIGHT = 28;

/** The height of the column headers in pixels, as in the style sheet. */
export const HEAD_HEIGHT = 32;

/** The height of the bars above and below the table in pixels, as in the style sheet. */
export const BARS_HEIGHT = 46 + 27;

/**
 * The greatest height of an element that works in every browser, in pixels.
 *
 * Firefox ignores heights above 17,895,697 px, and sticky elements (the column headers) fail beyond
 * 8,947,848 px. Chromium caps heights at 33,554,429 px. Below 2^24, 32-bit floats represent every
 * pixel of a transform exactly.
 */
export const SAFE_HEIGHT = 8_000_000;

/**
 * A scroll position in a list of any height, mapped to an element of limited height.
 *
 * `position` is global: the pixel of the whole list at the top edge of the viewport. `native` is
 * the element's scrollTop, and `base` is the difference. Item p is drawn at `p * rowHeight - base`
 * in the element.
 *
 * Wheel and keys move `position` and `native` by the same number of pixels. Only a jump of the
 * scroll bar's thumb is proportional. While the user scrolls, patches may change `base`, because
 * setting scrollTop would interrupt the motion. `settle` aligns both again.
 */
export class ScrollModel {
  constructor(rowHeight = ROW_HEIGHT, safeHeight = SAFE_HEIGHT) {
    this.rowHeight = rowHeight;
    this.safeHeight = safeHeight;
    this.total = 0;
    this.height = 0;
    this.native = 0;
    this.base = 0;
    this.isHeld = false;  // whether it stays at the end, even of a list shorter than the viewport
  }

  get position() {
    return this.native + this.base;
  }

  /** The height of the whole list in pixels. */
  get fullHeight() {
    return Math.max(this.total * this.rowHeight, this.height);
  }

  /** The height of the element in pixels. */
  get nativeHeight() {
    return Math.min(this.fullHeight, Math.max(this.safeHeight, this.height));
  }

  get isMapped() {
    return this.fullHeight > this.nativeHeight;
  }

  get last() {
    return this.fullHeight - this.height;
  }

  get nativeLast() {
    return this.nativeHeight - this.height;
  }

  get atTop() {
    return this.position < 1;
  }

  get atEnd() {
    return (this.last > 0 || this.isHeld) && this.position > this.last - 1;
  }

  /** The position of the first visible item. */
  get first() {
    return Math.floor(this.position / this.rowHeight);
  }

  /** The number of visible items, including partly visible ones. */
  get count() {
    return Math.max(1, Math.ceil(this.height / this.rowHeight) + 1);
  }

  /** Whether the item at a position is fully visible. */
  shows(position) {
    const above = position * this.rowHeight - this.position;
    return above >= 0 && above + this.rowHeight <= this.height;
  }

  /** Sets the height of the viewport in pixels. */
  resize(height) {
    this.#keep(() => { this.height = height; });
  }

  /** Sets the height of the items and keeps the first visible item in place. */
  setRowHeight(rowHeight) {
    const items = this.position / this.rowHeight;
    this.#keep(() => { this.rowHeight = rowHeight; });
    this.moveTo(items * rowHeight);
  }

  /** Sets the number of items in the list. */
  setTotal(total) {
    this.#keep(() => { this.total = total; });
  }

  /**
   * Updates the position after the user scrolled the element to `native`.
   * `wheeled` is the distance requested by wheel and touch events since the last call. A page that
   * was busy may see many wheel steps as one. They must not be mistaken for a jump of the thumb.
   */
  scrolled(native, wheeled = 0) {
    const moved = native - this.native;
    if (moved !== 0) this.isHeld = false;
    const isJump = this.isMapped && Math.abs(moved) > Math.max(4_000, this.height * 3) + wheeled;
    const position = isJump ? Math.round((native / this.nativeLast) * this.last) : this.position + moved;
    this.native = native;
    this.base = this.#clamp(position) - native;
  }

  /** Moves the position by `items`, so that the visible items stay in place after a patch. */
  shift(items) {
    this.base = this.#clamp(this.position + items * this.rowHeight) - this.native;
  }

  /** Moves to a global pixel; {@link settle} returns the scrollTop to set. */
  moveTo(position) {
    this.isHeld = false;
    this.base = this.#clamp(Math.round(position)) - this.native;
  }

  /** Moves to the end, also of a list that is shorter than the viewport and may grow. */
  moveToEnd(isHeld = true) {
    this.moveTo(this.last);
    this.isHeld = isHeld;
  }

  /** Returns the position at which an item is fully visible, below `covered` hidden pixels. */
  reveal(item, covered = 0) {
    const top = item * this.rowHeight;
    if (top - covered < this.position) return this.#clamp(top - covered);
    if (top + this.rowHeight > this.position + this.height) return this.#clamp(top + this.rowHeight - this.height);
    return this.position;
  }

  /** Whether the element, but not the list, is near an edge, so that `settle` is due now. */
  get isCornered() {
    const above = this.position - this.native;
    const below = this.last - this.position - (this.nativeLast - this.native);
    // Unmapped, the two differ only by what patches moved. It matters only at the very edge.
    const room = this.isMapped ? this.height : 1;
    return (this.native < room && above > 0) || (this.nativeLast - this.native < room && below > 0);
  }

  /**
   * Aligns `native` with the position, and returns the scrollTop to set; the same as before if
   * nothing drifted. The caller places the rows again in the same frame.
   */
  settle() {
    const { position } = this;
    let native = position;
    if (this.isMapped) {
      // Proportional, but with room to scroll on each side: a wheel moves the list by as many
      // pixels as the element.
      const room = this.height * 4;
      native = Math.round((position / this.last) * this.nativeLast);
      native = Math.max(native, Math.min(position, room));
      native = Math.min(native, this.nativeLast - Math.min(this.last - position, room));
      // Leaves differences that the thumb would not show, because some browsers lose wheel events
      // while scrollTop is set.
      const isAmidst = position > room && this.last - position > room && this.native > room && this.nativeLast - this.native > room;
      if (isAmidst && Math.abs(native - this.native) * this.height < this.nativeHeight) return this.native;
    }
    this.native = native;
    this.base = position - native;
    return native;
  }

  // Keeps the position when heights change, within the list. The browser clamps scrollTop itself.
  #keep(change) {
    const position = this.position;
    change();
    this.native = Math.max(0, Math.min(this.nativeLast, this.native));
    this.base = this.#clamp(position) - this.native;
  }

  #clamp(position) {
    return Math.max(0, Math.min(this.last, position));
  }
}

/**
 * Returns the positions to draw, `[from, to)`.
 *
 * They are the visible ones, without a margin, because the element with the rows moves only when
 * rows are drawn. Their number is constant, so that nodes are not hidden and shown again.
 */
export function drawnRange(first, count, total, range = { from: 0, to: 0 }) {
  range.from = Math.max(0, Math.min(first, total - count));
  range.to = Math.min(total, range.from + count);
  return range;
}

/** Whether some of these items exist, but none of them is in the window. */
export function isOutside(first, count, { start, end, total }) {
  return end > start && first < total && (first >= end || first + count <= start);
}

/**
 * The number of items requested above and below the viewport after a jump. The visible rows arrive
 * first, and the rest is requested afterwards.
 */
export const NEAR = 20;

/** The number of items between two frames from which a movement is a jump rather than scrolling. */
const jump = 400;

/**
 * Decides when to send the viewport to the server.
 *
 * It is sent when few rows are left in the direction of scrolling, when the user stops scrolling,
 * and when the viewport reaches or leaves an edge of the list.
 */
export class ViewportSchedule {
  constructor() {
    this.sent = null;
    this.speed = 0;
    this.isUpward = false;
  }
  #position = 0;
  #at = 0;

  /** Updates the smoothed speed, in items per second, from the current position. */
  observe(position, rowHeight, now) {
    const passed = now - this.#at;
    if (passed <= 0) return;
    const moved = (position - this.#position) / rowHeight;
    const speed = Math.abs(moved) > jump ? 0 : moved / Math.max(passed, 8) * 1_000;
    this.speed = passed > 250 ? (moved === 0 ? 0 : speed / 4) : this.speed * 0.6 + speed * 0.4;
    if (moved !== 0) this.isUpward = moved < 0;
    this.#position = position;
    this.#at = now;
  }

  /** Resets the speed, because the user stopped scrolling. */
  rest() {
    this.speed = 0;
  }

  /** Adjusts to a patch that moved the list by `items`, which is not scrolling. */
  shifted(items, rowHeight) {
    this.#position += items * rowHeight;
    if (this.sent) this.sent.first += items;
  }

  /** Makes `next` return a viewport, because another window was requested. */
  forget() {
    this.sent = null;
  }

  /** Returns the number of items to hold ahead and behind at the current speed. */
  buffers(count) {
    const calm = Math.max(80, count * 2);
    const ahead = Math.min(900, Math.round(calm + Math.abs(this.speed) * 0.4));
    const behind = Math.max(40, count);
    return { ahead, behind };
  }

  /**
   * Returns the viewport to send now, or null.
   * @param {ScrollModel} scroll
   * @param {{start: number, end: number, total: number, seq: number}} held the window
   * @param {number|null} anchor the id of the scroll anchor's row
   * @param {boolean} isResting whether the user stopped scrolling
   */
  next(scroll, held, anchor, isResting) {
    const wanted = this.describe(scroll, held.seq, anchor);
    if (isOutside(wanted.first, wanted.count, held)) wanted.ahead = wanted.behind = NEAR;
    if (this.sent !== null && !this.#isWorthSending(wanted, held, isResting)) return null;
    this.sent = { ...wanted };
    return wanted;
  }

  /** Returns the current viewport in wire format. */
  describe(scroll, seq, anchor) {
    const count = scroll.count;
    const { ahead, behind } = this.buffers(count);
    const stick = scroll.atTop && !scroll.isHeld ? 'top' : scroll.atEnd ? 'end' : undefined;
    return {
      seq,
      // At the end, `count` would exceed the list by the part cut off at the top, and the server
      // would correct that with a shift.
      first: stick === 'end' ? Math.max(0, scroll.total - count) : scroll.first,
      count,
      // On the wire, `ahead` is always below the viewport and `behind` above it.
      ahead: this.isUpward ? behind : ahead,
      behind: this.isUpward ? ahead : behind,
      anchor: stick === undefined ? anchor : null,
      stick,
    };
  }

  #isWorthSending(wanted, held, isResting) {
    const { sent } = this;
    if (wanted.stick !== sent.stick || wanted.count !== sent.count) return true;
    const moved = Math.abs(wanted.first - sent.first);
    const grown = Math.max(Math.abs(wanted.ahead - sent.ahead), Math.abs(wanted.behind - sent.behind));
    if (isResting) return moved > 0 || wanted.anchor !== sent.anchor || grown > wanted.count;
    if (moved === 0) return false;
    // After a jump, scrolling on needs the rest now.
    if (Math.max(sent.ahead, sent.behind) === NEAR && wanted.ahead !== NEAR) return true;
    const below = Math.min(held.total, wanted.first + wanted.count + wanted.ahead * 0.7) - held.end;
    const above = held.start - Math.max(0, wanted.first - wanted.behind * 0.7);
    return (below > 0 || above > 0) && moved >= Math.min(16, wanted.count / 2);
  }
}

// The place in the list that is sent to the server and restored after the server restarts.

/** The milliseconds for which a position beyond the end of the list is remembered. */
export const REMEMBERED = 30_000;

/**
 * The user's place in the list: scroll position, scroll anchor and active cell.
 *
 * `activeOf()` returns the active cell as `{position, item}`, or null or undefined without one.
 */
export class Place {
  constructor(scroll, viewportSchedule, session, activeOf) {
    this.scroll = scroll;
    this.viewportSchedule = viewportSchedule;
    this.session = session;
    this.activeOf = activeOf;
  }
  /**
   * Finds the same rows again after a restart, or null until the user first interacts.
   * @type {import('../input/restore.js').Restore|null}
   */
  restore = null;
  #wanted = null;   // the position to return to once the list is long enough again
  #put = 0;         // the position set meanwhile by this page
  #until = 0;

  /** Returns the viewport in wire format, or with `isTop` that at the top of another list. */
  describe(seq, isTop = false) {
    const { scroll, viewportSchedule } = this;
    if (!isTop) return viewportSchedule.describe(scroll, seq, this.anchor);
    const { ahead } = viewportSchedule.buffers(scroll.count);
    return { seq, first: 0, count: scroll.count, ahead, behind: 0, anchor: null, stick: 'top' };
  }

  /**
   * The id of the scroll anchor's row, or null.
   *
   * It is the active row if fully visible, else the first fully visible row.
   */
  get anchor() {
    const { scroll, session: { copy } } = this;
    const { position = null, item = null } = this.activeOf() ?? {};
    const top = Math.ceil(scroll.position / scroll.rowHeight);
    if (position !== null && scroll.shows(position) && item?.id !== undefined) return item.id;
    return (copy.itemAt(top)?.id ?? copy.itemAt(top + 1)?.id) ?? null;
  }

  /** Stops returning if the user has scrolled. Call it before applying a message. */
  look() {
    if (this.scroll.position !== this.#put) this.#wanted = null;
    this.restore?.look();
  }

  /**
   * Adjusts to a restarted server, which may not have read all rows yet.
   * @param {import('../protocol/wire.js').WindowCopy} before the previous window
   * @param {number} total the number of items in the new list
   */
  replace(before, total, now) {
    const { position } = this.scroll;
    this.restore?.renew(before, now);
    this.scroll.setTotal(total);
    this.#put = this.scroll.position;
    if (this.#wanted !== null || this.#put >= position) return;
    this.#wanted = position;
    this.#until = now + REMEMBERED;
  }

  /** Scrolls to the global pixel of a restored row. */
  find(position) {
    this.#wanted = null;
    this.scroll.moveTo(position);
    this.restore.stay();
  }

  /**
   * Adjusts to a changed window. A viewport at the end of the list stays at the end. A position
   * beyond a list that was too short is restored when the list grows.
   */
  follow(copy, isMoving, now) {
    const { scroll } = this;
    const wasAtEnd = scroll.atEnd;
    scroll.setTotal(copy.total);
    if (wasAtEnd && !isMoving) scroll.moveToEnd(scroll.isHeld);
    if (this.#wanted !== null) {
      scroll.moveTo(this.#wanted);
      this.#put = scroll.position;
      if (this.#put === this.#wanted || now > this.#until) this.#wanted = null;
    }
    this.restore?.follow(copy);
  }
}

// How a change is shown: its direction, and whether rows are animated.

/** The duration of row animations in milliseconds. */
export const MOTION_TIME = 180;

/** Classifies a change as `better`, `worse` or, without a defined direction, `other`. */
export function directionOf(before, after, better = undefined) {
  const isMeasured = typeof before === 'number' && typeof after === 'number';
  if (!isMeasured || before === after || Number.isNaN(before - after)) return 'other';
  if (better !== 'higher' && better !== 'lower') return 'other';
  return (after > before) === (better === 'higher') ? 'better' : 'worse';
}

/**
 * Decides whether a patch is animated.
 *
 * It is not if more than a screenful of items moves, because no user can follow that; while the
 * user scrolls; or while the previous animation runs, because an interruption looks like a jerk.
 */
export class MotionSense {
  #until = -Infinity;

  /**
   * @param {{left: Set, came: Set, moved: number}|null} moves the items that a patch removed,
   *   inserted and moved, without those that scrolled in or out
   * @param {number} screenful the number of visible items
   */
  allows(moves, screenful, isUserMoving, now) {
    if (moves === null || isUserMoving || now < this.#until) return false;
    const count = moves.left.size + moves.came.size + moves.moved;
    if (count === 0 || count > screenful) return false;
    this.#until = now + MOTION_TIME;
    return true;
  }
}

/** Returns the offset in pixels at which a row's glide starts; 0 if it is not animated. */
export function glideFrom(before, after, height) {
  const way = before - after;
  const isSeen = (y) => y > -height / 4 && y < height * 1.25;
  if (way === 0 || (!isSeen(before) && !isSeen(after))) return 0;
  return Math.max(-height, Math.min(height, way));
}

// Changed cells are highlighted for a moment, in a color that depends on the change.

// More changed cells in one frame are not highlighted: too many to read, and slow.
const mostLit = 90;
// Milliseconds of the highlight and of its fading, as in the style sheet.
const stageTime = 350;

/** The highlighted cells. A cell stores its state in `flash` and `flashUntil`. */
export class Flashes {
  constructor() {
    /** Changes since the last `light`, alternating: cell, direction, cell, direction, ... */
    this.fresh = [];
    /** @type {{cell: object, until: number}[]} Highlighted cells in the order in which they end. */
    this.#lit = [];
  }
  #lit;

  /** Adds a cell whose value changed in a direction. */
  add(cell, direction) {
    this.fresh.push(cell, direction);
  }

  /** Highlights the cells added in this frame, unless they are too many. Call it after drawing. */
  light(now) {
    const { fresh } = this;
    if (fresh.length <= 2 * mostLit) {
      for (let at = 0; at < fresh.length; at += 2) this.#set(fresh[at], fresh[at + 1], now + stageTime);
    }
    fresh.length = 0;
  }

  /** Fades highlights and removes faded ones whose time is over. */
  pass(now) {
    const lit = this.#lit;
    let ended = 0;
    for (; ended < lit.length && lit[ended].until <= now; ended += 1) {
      const { cell, until } = lit[ended];
      if (cell.flashUntil !== until) continue;  // highlighted again meanwhile
      if (cell.flash === 'fading') put(cell, '', 0);
      else this.#set(cell, 'fading', now + stageTime);
    }
    lit.splice(0, ended);
  }

  /** The time at which `pass` has something to do, or 0. */
  get next() {
    return this.#lit[0]?.until ?? 0;
  }

  #set(cell, flash, until) {
    put(cell, flash, until);
    this.#lit.push({ cell, until });
  }
}

/** Removes the highlight of a cell that is reused for another row. */
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

// Rows slide in, fade out and glide after a patch.

const timing = { duration: MOTION_TIME, easing: 'cubic-bezier(0.2, 0, 0, 1)' };

/** The animations of one patch. */
export class Moves {
  constructor() {
    /** @type {Map<object, {motion: Animation, done: Function|undefined}>} */
    this.running = new Map();
    this.height = 0;
    this.before = 0;
    this.native = 0;
    this.offset = 0;  // the start offset of the item above
  }

  /** Begins a patch. `before` is the scrollTop last painted, and `native` that of this frame. */
  begin(before, native, height) {
    Object.assign(this, { before, native, height, offset: 0 });
  }

  /** Animates a node from its painted position to `y`. */
  glide(node, y) {
    const from = glideFrom(node.y - this.before, y - this.native, this.height);
    this.offset = from;
    if (from !== 0) this.#run(node, [{ translate: `0 ${from}px` }, { translate: '0 0' }]);
  }

  /** Slides a new row in at `y`, below a row above it that moves up, to avoid overlap. */
  slideIn(node, y) {
    const from = this.offset > 0 ? this.offset : -12;
    if (this.isSeen(y - this.native)) this.#run(node, [{ opacity: 0, translate: `0 ${from}px` }, { opacity: 1, translate: '0 0' }]);
  }

  /** Fades a removed row out, then calls `done`. Returns false if the row was not visible. */
  fadeOut(node, done) {
    if (node.isHidden || !this.isSeen(node.y - this.before)) return false;
    const { el } = node;
    node.y += this.native - this.before;
    el.style.transform = `translateY(${node.y}px)`;
    el.classList.add('leaving');
    el.setAttribute('role', 'none');  // no longer a row
    el.setAttribute('aria-hidden', 'true');
    this.#run(node, [{ opacity: 1 }, { opacity: 0 }], () => {
      el.classList.remove('leaving');
      el.setAttribute('role', 'row');
      el.removeAttribute('aria-hidden');
      done();
    });
    return true;
  }

  /** Ends a node's animation, because the node is reused. */
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
