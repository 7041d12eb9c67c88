// place.js: where the reader is, as the server is told. No DOM, no clock.

/** Joins what knows it: the scroll position, the sight, the active cell and the copy. */
export class Place {
  constructor(scroll, sight, focus, session) {
    Object.assign(this, { scroll, sight, focus, session });
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
    const { scroll, focus, session: { copy } } = this;
    const top = Math.ceil(scroll.position / scroll.rowHeight);
    const isActiveInSight = focus.position !== null && focus.position >= top && focus.position < top + scroll.count - 2;
    if (isActiveInSight && focus.item?.id !== undefined) return focus.item.id;
    return (copy.itemAt(top)?.id ?? copy.itemAt(top + 1)?.id) ?? null;
  }
}
