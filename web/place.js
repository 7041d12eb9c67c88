// place.js: where the reader is, as the server is told, and where he was before a server that starts anew had lost its rows. No DOM, no clock.

/** Milliseconds for which a place that a list is too short for is remembered. */
export const REMEMBERED = 30_000;

/** Joins what knows it: the scroll position, the sight, the copy, and the active cell, `{position, item}`, which `activeOf()` answers if there is one. */
export class Place {
  constructor(scroll, sight, session, activeOf) {
    Object.assign(this, { scroll, sight, session, activeOf });
  }
  /** What finds his rows again once he reaches for anything, or null. @type {import('./kept.js').Kept|null} */
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
