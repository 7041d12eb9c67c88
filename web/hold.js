// hold.js: while the reader points at a row, presses on it or selects text in it, nothing slips away from under the pointer.

export const restTime = 3_000;    // milliseconds that a pointer counts as pointing after it has moved
export const renewTime = 15_000;  // the server forgets a hold after 30 s

/** Decides when the order is to be held. No DOM: it is told what happens, and when. */
export class HoldPolicy {
  #movedAt = -Infinity;
  #saidAt = -Infinity;
  isPressing = false;
  isSelecting = false;
  /** Whether the server was last asked to hold. */
  isHeld = false;

  /** The pointer moved over the rows; `null`: it has left them. */
  point(now) {
    this.#movedAt = now ?? -Infinity;
  }

  /** The server has ended the hold by itself: it is asked for again when the reader points again. */
  release() {
    this.#movedAt = -Infinity;
    this.isHeld = false;
  }

  /** What to tell the server now: true, false, or null for nothing. */
  say(now) {
    const wants = this.isPressing || this.isSelecting || now < this.#movedAt + restTime;
    if (wants === this.isHeld && !(wants && now >= this.#saidAt + renewTime)) return null;
    this.isHeld = wants;
    this.#saidAt = now;
    return wants;
  }

  /** When to ask {@link say} again if nothing happens, in milliseconds from now; null when nothing would be said. */
  patience(now) {
    if (!this.isHeld) return null;
    const isForLong = this.isPressing || this.isSelecting;
    return Math.max(0, Math.min(this.#saidAt + renewTime, isForLong ? Infinity : this.#movedAt + restTime) - now);
  }
}

/** What the sign says: nothing as long as nothing waits. */
export function heldText(held, locale) {
  const moves = held?.moves ?? 0;
  return moves === 0 ? '' : `Order held: ${moves.toLocaleString(locale)} ${moves === 1 ? 'row' : 'rows'} will move`;
}

/** Watches the pointer and the selection in `body`, and says in `heldText` what waits. */
export class Holder {
  #policy = new HoldPolicy();
  #timer = 0;
  #marked = [];

  constructor(body, session) {
    Object.assign(this, { body, session });
    this.heldText = '';
    const at = { x: NaN, y: NaN };
    document.addEventListener('pointermove', ({ target, clientX: x, clientY: y, pointerType }) => {
      // What moves under a resting pointer, or goes away from above the rows, is no pointing.
      if (pointerType === 'touch' || (x === at.x && y === at.y)) return;
      Object.assign(at, { x, y });
      if (!body.contains(target)) return;
      this.#policy.point(performance.now());
      this.#tell();
    }, { passive: true });
    body.addEventListener('pointerleave', () => this.#change(() => this.#policy.point(null)));
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

  /** The reader has asked for other rows himself, which ends the hold: what he pointed at before holds nothing any more. */
  release() {
    this.#policy.release();
    this.#tell();
  }

  /** Shows what waits, and which rows are there for the reader only. Called in the frame in which they are drawn. */
  show(nodes) {
    const { copy } = this.session;
    this.heldText = heldText(copy.held);
    for (const el of this.#marked) el.classList.remove('gone');
    this.#marked.length = 0;
    for (const index of copy.held?.gone ?? []) {
      const el = nodes.get(copy.items[index]?.id)?.el;
      if (el === undefined) continue;
      el.classList.add('gone');
      this.#marked.push(el);
    }
  }
}
