// hold.js: while the pointer rests in the table, presses on it or selects text in it, nothing slips away from under it.

export const restTime = 3_000;   // milliseconds for which a pointer holds a list whose end is followed
export const renewTime = 5_000;  // the server forgets a hold after 30 s

/** Decides when the order is to be held. No DOM: it is told what happens, and when. */
export class HoldPolicy {
  #movedAt = null;      // when the pointer was last moved over the rows; null: it is elsewhere
  #saidAt = -Infinity;
  isPressing = false;
  isSelecting = false;
  /** Whether the user follows the end of the list: then rows go on coming soon after the pointer has stopped. */
  isFollowing = false;
  /** Whether the server was last asked to hold. */
  isHeld = false;

  /** The pointer moved over the rows; `null`: it has left them, or the user wants the rows to go where they belong. */
  point(now) {
    this.#movedAt = now;
  }

  /** The user has asked for other rows, which ends the hold: the order is held again when the pointer moves again. */
  release() {
    this.#movedAt = null;
    this.isHeld = false;
  }

  /** What to tell the server now: true, false, or null for nothing. */
  say(now) {
    const rests = this.#movedAt !== null && (!this.isFollowing || now < this.#movedAt + restTime);
    const wants = this.isPressing || this.isSelecting || rests;
    if (wants === this.isHeld && !(wants && now >= this.#saidAt + renewTime)) return null;
    this.isHeld = wants;
    this.#saidAt = now;
    return wants;
  }

  /** When to ask {@link say} again if nothing happens, in milliseconds from now; null when nothing would be said. */
  patience(now) {
    if (!this.isHeld) return null;
    const isForLong = this.isPressing || this.isSelecting || !this.isFollowing || this.#movedAt === null;
    return Math.max(0, Math.min(this.#saidAt + renewTime, isForLong ? Infinity : this.#movedAt + restTime) - now);
  }
}

/** What the sign says: nothing as long as nothing waits. */
export function heldText(held, locale) {
  const moves = held?.moves ?? 0;
  return moves === 0 ? '' : `Order held: ${moves.toLocaleString(locale)} ${moves === 1 ? 'row' : 'rows'} will move`;
}

/** Watches the pointer and the selection in a pane's table, and says in `heldText` and in the sorted column's header what waits. */
export class Holder {
  #policy = new HoldPolicy();
  #timer = 0;
  #marked = [];

  /** @param {import('../app/pane.js').Pane} pane */
  constructor(pane) {
    const { body, grid, session } = pane;
    Object.assign(this, { pane, body, session });
    this.heldText = '';
    this.mark = document.createElement('button');
    this.mark.type = 'button';
    this.mark.className = 'head-held';
    this.mark.tabIndex = -1;  // Escape does the same
    this.mark.addEventListener('click', (event) => {
      event.stopPropagation();  // it is no click on the header, which would sort
      this.letGo();
    });
    document.addEventListener('keydown', ({ key, target }) => {
      if (key === 'Escape' && target === document.body) this.letGo();
    });
    const at = { x: NaN, y: NaN };
    document.addEventListener('pointermove', ({ target, clientX: x, clientY: y, pointerType }) => {
      // What moves under a resting pointer, or goes away from above the rows, is no pointing.
      if (pointerType === 'touch' || (x === at.x && y === at.y)) return;
      Object.assign(at, { x, y });
      if (!body.contains(target)) return;
      this.#policy.point(performance.now());
      this.#tell();
    }, { passive: true });
    grid.addEventListener('pointerleave', () => this.#change(() => this.#policy.point(null)));
    // Who scrolls asks for other rows: the order is held again when the pointer moves again.
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
    this.#tell();
  }

  #tell() {
    const now = performance.now();
    const said = this.#policy.say(now);
    if (said !== null) this.session.holdOrder(said);
    const patience = this.#policy.patience(now);
    if (said === null && this.#timer !== 0 && patience !== null) return;  // the timer looks again by itself
    clearTimeout(this.#timer);
    this.#timer = patience === null ? 0 : setTimeout(() => { this.#timer = 0; this.#tell(); }, patience + 1);
  }

  /** The rows go where they belong, though the pointer rests among them. Answers whether some waited. */
  letGo() {
    const waited = this.#policy.isHeld && this.heldText !== '';
    this.#change(() => this.#policy.point(null));
    return waited;
  }

  /** The user has asked for other rows, which ends the hold: the order is held again when the pointer moves again. */
  release() {
    this.#policy.release();
    this.#tell();
  }

  /** Shows what waits, and which rows are gone but kept in place, or newer than a pause. Called in the frame in which they are drawn. */
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

  // What the user does may end the hold at the server. A pointer that still rests in the table holds what has come then.
  #renew() {
    const { pane, session } = this;
    const { scroll, travel } = pane;
    this.#policy.isFollowing = session.view.sort.length === 0 && scroll.atEnd && !scroll.atTop;
    if (session.isOrderHeld || !session.canHold || travel.isMoving || !session.holds(scroll.first, scroll.count)) return;
    this.#policy.isHeld = false;
    this.#tell();
  }

  #showMark() {
    const { heads, view } = this.pane;
    const cell = this.heldText === '' ? undefined : heads.cells[heads.specs.findIndex(({ column }) => column.name === view.sort[0]?.column)];
    if (cell === undefined) return void this.mark.remove();
    const text = this.session.copy.held.moves.toLocaleString();
    if (this.mark.textContent !== text) {
      this.mark.textContent = text;
      this.mark.title = `${this.heldText} when the pointer leaves the table, or now: click here or press Escape`;
      this.mark.setAttribute('aria-label', this.heldText);
    }
    if (this.mark.parentElement !== cell) cell.append(this.mark);
  }
}
