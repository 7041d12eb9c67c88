// viewport.js: geometry. Which items are in sight, where they are drawn, what to ask the server for, and what a change looks like on its way. No
// document, no clock: elements are passed in.

/** The height of every item, in pixels. The style sheet has the same number. */
export const ROW_HEIGHT = 28;

/** The height of the column headers. The style sheet has the same number. */
export const HEAD_HEIGHT = 32;

/** The height of what stands above and below the table. The style sheet has the same numbers. */
export const BARS_HEIGHT = 46 + 27;

/**
 * The tallest element that is safe: Firefox drops heights above 17,895,697 px and lets go of what sticks (the column headers) beyond
 * 8,947,848 px, Chromium caps heights at 33,554,429 px, and below 2^24 every pixel of a transform is exact in 32-bit floats.
 */
export const SAFE_HEIGHT = 8_000_000;

/**
 * The reader's place in a list of any height, beside the scroll position of an element of limited height.
 *
 * `position` is global: the pixel of the whole list at the top edge of what is visible. `native` is the element's own scrollTop.
 * `base` is the difference, and what rows are placed by: item p stands at `p * ROW_HEIGHT - base` in the element. A wheel or a
 * key moves both by the same pixels; only a jump of the thumb is proportional. While the reader scrolls, `base` may drift (a
 * patch shifts the list: setting scrollTop then would break the wheel's motion); `settle` brings both together again.
 */
export class ScrollModel {
  constructor(rowHeight = ROW_HEIGHT, safeHeight = SAFE_HEIGHT) {
    this.rowHeight = rowHeight;
    this.safeHeight = safeHeight;
    this.total = 0;
    this.height = 0;
    this.native = 0;
    this.base = 0;
  }

  get position() {
    return this.native + this.base;
  }

  /** The whole list's height. */
  get fullHeight() {
    return Math.max(this.total * this.rowHeight, this.height);
  }

  /** The element's height. */
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
    return this.last > 0 && this.position > this.last - 1;
  }

  /** The position of the first item in sight. */
  get first() {
    return Math.floor(this.position / this.rowHeight);
  }

  /** How many items are in sight, those in part too. */
  get count() {
    return Math.max(1, Math.ceil(this.height / this.rowHeight) + 1);
  }

  /** Whether the item at a position is in sight as a whole. */
  shows(position) {
    const above = position * this.rowHeight - this.position;
    return above >= 0 && above + this.rowHeight <= this.height;
  }

  /** What is visible is `height` pixels tall. */
  resize(height) {
    this.#keep(() => { this.height = height; });
  }

  /** Items become as tall; the one at the top stays there. */
  setRowHeight(rowHeight) {
    const items = this.position / this.rowHeight;
    this.#keep(() => { this.rowHeight = rowHeight; });
    this.moveTo(items * rowHeight);
  }

  /** The list has `total` items. */
  setTotal(total) {
    this.#keep(() => { this.total = total; });
  }

  /**
   * The reader moved the element's scroll position. `wheeled` is how far wheels and fingers asked to go meanwhile: a page that was held
   * up sees many of their steps as one, and must not take it for the thumb.
   */
  scrolled(native, wheeled = 0) {
    const moved = native - this.native;
    const isJump = this.isMapped && Math.abs(moved) > Math.max(4_000, this.height * 3) + wheeled;
    const position = isJump ? Math.round((native / this.nativeLast) * this.last) : this.position + moved;
    this.native = native;
    this.base = this.#clamp(position) - native;
  }

  /** The list moved by `items` under the reader: what is read stays where it is. */
  shift(items) {
    this.base = this.#clamp(this.position + items * this.rowHeight) - this.native;
  }

  /** Goes to a global pixel; {@link settle} says what scrollTop becomes. */
  moveTo(position) {
    this.base = this.#clamp(Math.round(position)) - this.native;
  }

  /** The global pixel to go to so that an item is in sight as a whole, `covered` pixels of the top being hidden. */
  reveal(item, covered = 0) {
    const top = item * this.rowHeight;
    if (top - covered < this.position) return this.#clamp(top - covered);
    if (top + this.rowHeight > this.position + this.height) return this.#clamp(top + this.rowHeight - this.height);
    return this.position;
  }

  /** Whether scrolling on would hit the element's edge before the list's: then `settle` cannot wait. */
  get isCornered() {
    const above = this.position - this.native;
    const below = this.last - this.position - (this.nativeLast - this.native);
    // Where nothing is mapped the two differ by what patches moved, which a reader in motion need not feel before he is stopped by it.
    const room = this.isMapped ? this.height : 1;
    return (this.native < room && above > 0) || (this.nativeLast - this.native < room && below > 0);
  }

  /** What scrollTop has to become; the same as it is when nothing drifted. Rows must be placed anew in the same frame. */
  settle() {
    const { position } = this;
    let native = position;
    if (this.isMapped) {
      // In proportion, but always with room for a wheel to turn: a pixel of the element is many of the list, yet moves it by one.
      const room = this.height * 4;
      native = Math.round((position / this.last) * this.nativeLast);
      native = Math.max(native, Math.min(position, room));
      native = Math.min(native, this.nativeLast - Math.min(this.last - position, room));
      // What the thumb would not show is left: a wheel that turns just while the position is written is not exact in every browser.
      const isAmidst = position > room && this.last - position > room && this.native > room && this.nativeLast - this.native > room;
      if (isAmidst && Math.abs(native - this.native) * this.height < this.nativeHeight) return this.native;
    }
    this.native = native;
    this.base = position - native;
    return native;
  }

  // A change of heights leaves the position, as far as the list still reaches. The browser clamps scrollTop by itself.
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
 * The positions to draw, `[from, to)`: what is in sight, for the sheet that carries the rows moves only when they are drawn. Always as many, so
 * that nodes are not hidden and shown again.
 */
export function drawnRange(first, count, total, range = { from: 0, to: 0 }) {
  range.from = Math.max(0, Math.min(first, total - count));
  range.to = Math.min(total, range.from + count);
  return range;
}

/** Whether of these items, some of which exist, none is held. */
export function isAway(first, count, { start, end, total }) {
  return end > start && first < total && (first >= end || first + count <= start);
}

/** How many items are asked for above and below what is in sight where nothing is held yet: what is looked at comes first, the rest when that is here. */
export const NEAR = 20;

/** So many items on at once are a jump: no wheel gets that far in a frame, and nobody goes on at that speed. */
const jump = 400;

/**
 * Decides when the server must hear where the reader is. Not for each pixel: when the rows left in the direction of travel get
 * few, when the reader comes to rest, and when he comes to or leaves an edge.
 */
export class Sight {
  constructor() {
    this.sent = null;
    this.speed = 0;
    this.isUpward = false;
  }
  #position = 0;
  #at = 0;

  /** Takes in where the reader is now; keeps a smoothed speed in items a second. */
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

  /** The reader has stopped. */
  rest() {
    this.speed = 0;
  }

  /** The list moved under the reader by whole items; that is not travel. */
  shifted(items, rowHeight) {
    this.#position += items * rowHeight;
    if (this.sent) this.sent.first += items;
  }

  /** The next message must be sent whatever it says: another window was asked for. */
  forget() {
    this.sent = null;
  }

  /** How many items to hold ahead and behind at the present speed. */
  buffers(count) {
    const calm = Math.max(80, count * 2);
    const ahead = Math.min(900, Math.round(calm + Math.abs(this.speed) * 0.4));
    const behind = Math.max(40, count);
    return { ahead, behind };
  }

  /**
   * The viewport to send now, or null.
   *
   * @param {ScrollModel} scroll
   * @param {{start: number, end: number, total: number, seq: number}} held the copy of the window
   * @param {number|null} anchor the row that is being read
   * @param {boolean} isResting the reader has stopped
   */
  ask(scroll, held, anchor, isResting) {
    const wanted = this.describe(scroll, held.seq, anchor);
    if (isAway(wanted.first, wanted.count, held)) wanted.ahead = wanted.behind = NEAR;
    if (this.sent !== null && !this.#isWorthSending(wanted, held, isResting)) return null;
    this.sent = { ...wanted };
    return wanted;
  }

  /** What is in sight now, as the wire has it. */
  describe(scroll, seq, anchor) {
    const count = scroll.count;
    const { ahead, behind } = this.buffers(count);
    const stick = scroll.atTop ? 'top' : scroll.atEnd ? 'end' : undefined;
    return {
      seq,
      // At the end `count` would reach beyond the list by what is cut off at the top: the server would put that right with a shift.
      first: stick === 'end' ? Math.max(0, scroll.total - count) : scroll.first,
      count,
      // The wire's `ahead` is below what is visible and `behind` above, wherever the reader goes.
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
    if (Math.max(sent.ahead, sent.behind) === NEAR && wanted.ahead !== NEAR) return true;  // whoever goes on from where he jumped to needs the rest now
    const below = Math.min(held.total, wanted.first + wanted.count + wanted.ahead * 0.7) - held.end;
    const above = held.start - Math.max(0, wanted.first - wanted.behind * 0.7);
    return (below > 0 || above > 0) && moved >= Math.min(16, wanted.count / 2);
  }
}

// Where the reader is, as the server is told, and where he was before a server that starts anew had lost its rows.

/** Milliseconds for which a place that a list is too short for is remembered. */
export const REMEMBERED = 30_000;

/** Joins what knows it: the scroll position, the sight, the copy, and the active cell, `{position, item}`, which `activeOf()` answers if there is one. */
export class Place {
  constructor(scroll, sight, session, activeOf) {
    Object.assign(this, { scroll, sight, session, activeOf });
  }
  /** What finds his rows again once he reaches for anything, or null. @type {import('../input/restore.js').Kept|null} */
  kept = null;
  #wanted = null;   // where he was, as long as the list does not reach there again
  #put = 0;         // where he was put meanwhile
  #until = 0;

  /** What is in sight now; or, `isTop`, would be at the top of another list. */
  describe(seq, isTop = false) {
    const { scroll, sight } = this;
    if (!isTop) return sight.describe(scroll, seq, this.anchor);
    const { ahead } = sight.buffers(scroll.count);
    return { seq, first: 0, count: scroll.count, ahead, behind: 0, anchor: null, stick: 'top' };
  }

  /** The id of the row that is being read, or null: the active one while it is in sight, else the first that is in sight as a whole. */
  get anchor() {
    const { scroll, session: { copy } } = this;
    const { position = null, item = null } = this.activeOf() ?? {};
    const top = Math.ceil(scroll.position / scroll.rowHeight);
    if (position !== null && scroll.shows(position) && item?.id !== undefined) return item.id;
    return (copy.itemAt(top)?.id ?? copy.itemAt(top + 1)?.id) ?? null;
  }

  /** Before anything that arrives is taken in: whoever has moved by himself is where he wants to be. */
  look() {
    if (this.scroll.position !== this.#put) this.#wanted = null;
    this.kept?.look();
  }

  /** The list is another one, of so many rows: a server has started anew, and may have to read its rows first. `before` is what was held. */
  replace(before, total, now) {
    const { position } = this.scroll;
    this.kept?.renew(before, now);
    this.scroll.setTotal(total);
    this.#put = this.scroll.position;
    if (this.#wanted !== null || this.#put >= position) return;
    this.#wanted = position;
    this.#until = now + REMEMBERED;
  }

  /** The row that he reads is there now, at this global pixel. */
  find(position) {
    this.#wanted = null;
    this.scroll.moveTo(position);
    this.kept.stay();
  }

  /** The copy has changed: whoever follows the list's end goes on following it, and who was further down than it went goes back to there. */
  follow(copy, isMoving, now) {
    const { scroll } = this;
    const wasAtEnd = scroll.atEnd;
    scroll.setTotal(copy.total);
    if (wasAtEnd && !isMoving) scroll.moveTo(scroll.last);
    if (this.#wanted !== null) {
      scroll.moveTo(this.#wanted);
      this.#put = scroll.position;
      if (this.#put === this.#wanted || now > this.#until) this.#wanted = null;
    }
    this.kept?.follow(copy);
  }
}

// What a change looks like on its way: which way a value went, whether rows may move visibly, lights and moves.

/** Milliseconds in which rows slide, fade and glide. */
export const MOTION_TIME = 180;

/** How far a value has gone: `up`, `down`, or `other` where there is no such thing. */
export function directionOf(before, after, better = undefined) {
  const isMeasured = typeof before === 'number' && typeof after === 'number';
  if (!isMeasured || before === after || Number.isNaN(before - after)) return 'other';
  if (better !== 'higher' && better !== 'lower') return 'other';
  return (after > before) === (better === 'higher') ? 'better' : 'worse';
}

/**
 * Decides whether a patch is shown as motion. Not when more than a screenful of items changes its place: nobody could follow; not while
 * the reader moves himself; and not while the last motion still goes on: it would be seen as a jerk.
 */
export class MotionSense {
  #until = -Infinity;

  /**
   * @param {{left: Set, came: Set, moved: number}|null} moves what a patch did to the window, as its copy has it, without what was scrolled
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
