// place.js: where the reader is, as the server is told. No DOM, no clock.

/** Joins what knows it: the scroll position, the sight, the copy, and the active cell, `{position, item}`, which `activeOf()` answers if there is one. */
export class Place {
  constructor(scroll, sight, session, activeOf) {
    Object.assign(this, { scroll, sight, session, activeOf });
  }

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
    const isActiveInSight = position !== null && position >= top && position < top + scroll.count - 2;
    if (isActiveInSight && item?.id !== undefined) return item.id;
    return (copy.itemAt(top)?.id ?? copy.itemAt(top + 1)?.id) ?? null;
  }
}
