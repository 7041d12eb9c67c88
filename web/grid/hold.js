// hold.js: holds the row order while the pointer is over the table, pressed, or selecting text.

import { number, phrase, plural } from '../model/language.js';

export const restTime = 3_000;   // milliseconds a resting pointer holds the order in follow mode
export const renewTime = 5_000;  // milliseconds between renewals; holds expire after 30 s

/** The rules for holding the order. No DOM: the caller reports events and passes the time. */
export class HoldPolicy {
  #movedAt = null;      // time of the last pointer move over the rows; null if it is elsewhere
  #sentAt = -Infinity;
  isPressing = false;
  isSelecting = false;
  /** Whether the view follows the end of the list; a resting pointer then holds only briefly. */
  isFollowing = false;
  /** Whether the last request to the server was to hold. */
  isHeld = false;

  /** Records a pointer move over the rows; null if it left them or the user ended the hold. */
  point(now) {
    this.#movedAt = now;
  }

  /** Ends the hold after a request for other rows, until the pointer moves again. */
  release() {
    this.#movedAt = null;
    this.isHeld = false;
  }

  /** Returns what to send to the server: true (hold), false (release) or null (nothing). */
  decide(now) {
    const rests = this.#movedAt !== null && (!this.isFollowing || now < this.#movedAt + restTime);
    const wants = this.isPressing || this.isSelecting || rests;
    if (wants === this.isHeld && !(wants && now >= this.#sentAt + renewTime)) return null;
    this.isHeld = wants;
    this.#sentAt = now;
    return wants;
  }

  /** Returns the milliseconds until {@link say} is due again without an event, or null. */
  patience(now) {
    if (!this.isHeld) return null;
    const isForLong = this.isPressing || this.isSelecting || !this.isFollowing || this.#movedAt === null;
    return Math.max(0, Math.min(this.#sentAt + renewTime, isForLong ? Infinity : this.#movedAt + restTime) - now);
  }
}

/** Returns the text on waiting moves; empty if there are none. */
export function heldText(held, locale) {
  const moves = held?.moves ?? 0;
  return moves === 0 ? '' : plural(moves, 'Order held: {count} row will move', 'Order held: {count} rows will move', {}, locale);
}

/**
 * The controller of order holds in a pane.
 *
 * It observes pointer and text selection, and shows the number of waiting moves in the header of
 * the sorted column.
 */
export class Holder {
  #policy = new HoldPolicy();
  #timer = 0;
  #marked = [];

  /** @param {import('../app/pane.js').Pane} pane */
  constructor(pane) {
    const { body, grid, session } = pane;
    this.pane = pane;
    this.body = body;
    this.session = session;
    this.heldText = '';
    this.mark = document.createElement('button');
    this.mark.type = 'button';
    this.mark.className = 'head-held';
    this.mark.tabIndex = -1;  // Escape does the same
    this.mark.addEventListener('click', (event) => {
      event.stopPropagation();  // a click on the header would sort
      this.letGo();
    });
    document.addEventListener('keydown', ({ key, target }) => {
      if (key === 'Escape' && target === document.body) this.letGo();
    });
    const at = { x: NaN, y: NaN };
    document.addEventListener('pointermove', ({ target, clientX: x, clientY: y, pointerType }) => {
      // Browsers also send pointermove without movement, when elements move under the pointer.
      if (pointerType === 'touch' || (x === at.x && y === at.y)) return;
      Object.assign(at, { x, y });
      if (!body.contains(target)) return;
      this.#policy.point(performance.now());
      this.#update();
    }, { passive: true });
    grid.addEventListener('pointerleave', () => this.#change(() => this.#policy.point(null)));
    // Scrolling requests other rows, so it ends the hold until the pointer moves again.
    grid.addEventListener('wheel', ({ deltaY }) => {
      if (deltaY !== 0) this.#change(() => this.#policy.point(null));
    }, { passive: true });
    body.addEventListener('pointerdown', () => this.#change(() => { this.#policy.isPressing = true; }));
    for (const end of ['pointerup', 'pointercancel', 'blur']) {
      addEventListener(end, () => this.#change(() => { this.#policy.isPressing = false; }));
    }
    document.addEventListener('selectionchange', () => this.#change(() => {
      const selection = getSelection();
      this.#policy.isSelecting = !selection.isCollapsed && body.contains(selection.anchorNode);
    }));
  }

  #change(change) {
    change();
    this.#update();
  }

  #update() {
    const now = performance.now();
    const isHolding = this.#policy.decide(now);
    if (isHolding !== null) this.session.holdOrder(isHolding);
    const patience = this.#policy.patience(now);
    // The running timer calls this method again.
    if (isHolding === null && this.#timer !== 0 && patience !== null) return;
    clearTimeout(this.#timer);
    this.#timer = patience === null ? 0 : setTimeout(() => { this.#timer = 0; this.#update(); }, patience + 1);
  }

  /** Ends the hold although the pointer is over the rows. Returns whether moves were waiting. */
  letGo() {
    const waited = this.#policy.isHeld && this.heldText !== '';
    this.#change(() => this.#policy.point(null));
    return waited;
  }

  /** Ends the hold after a request for other rows, until the pointer moves again. */
  release() {
    this.#policy.release();
    this.#update();
  }

  /**
   * Shows the number of waiting moves, and marks rows that are deleted but kept in place or newer
   * than a pause. Call it in the frame that draws the rows.
   */
  show(nodes) {
    const { copy, isPaused } = this.session;
    this.#renew();
    this.heldText = heldText(copy.held);
    this.#showMark();
    for (const el of this.#marked) el.classList.remove('gone', 'newer');
    this.#marked.length = 0;
    const markAll = (indexes, name) => {
      for (const index of indexes) {
        const el = nodes.get(copy.items[index]?.id)?.el;
        if (el === undefined) continue;
        el.classList.add(name);
        this.#marked.push(el);
      }
    };
    markAll(copy.held?.gone ?? [], 'gone');
    if (isPaused) markAll(copy.newer, 'newer');
  }

  // The server may have ended the hold after a user action. A pointer still over the table holds
  // the new rows.
  #renew() {
    const { pane, session } = this;
    const { scroll, travel } = pane;
    this.#policy.isFollowing = session.view.sort.length === 0 && scroll.atEnd && !scroll.atTop;
    if (session.isOrderHeld || !session.canHold || travel.isMoving || !session.holds(scroll.first, scroll.count)) return;
    this.#policy.isHeld = false;
    this.#update();
  }

  #showMark() {
    const { heads, view } = this.pane;
    const cell = this.heldText === '' ? undefined : heads.cells[heads.specs.findIndex(({ column }) => column.name === view.sort[0]?.column)];
    if (cell === undefined) return void this.mark.remove();
    const text = number(this.session.copy.held.moves);
    if (this.mark.textContent !== text) {
      this.mark.textContent = text;
      this.mark.title = phrase('{held} when the pointer leaves the table, or now: click here or press Escape', { held: this.heldText });
      this.mark.setAttribute('aria-label', this.heldText);
    }
    if (this.mark.parentElement !== cell) cell.append(this.mark);
  }
}
