// sideways.js: which columns of a wide table are drawn. No DOM.
//# allFunctionsCalledOnLoad

/** How far beyond what is visible columns are drawn, in pixels: a sideways scroll then has this far to go before new ones are needed. */
export const MARGIN = 400;

/**
 * The columns that are drawn, of however many there are:
 *
 *     const columns = new DrawnColumns();
 *     columns.look(specs, scrollLeft, width);   // true when others are drawn from now on
 *     columns.places;                           // their places in `specs`, ascending
 *
 * They stay the same until what is visible comes within half a margin of where they end, so that a slow sideways scroll does not
 * touch every row in every frame.
 */
export class DrawnColumns {
  constructor() {
    /** @type {number[]} */
    this.places = [];
  }
  #specs = null;
  #from = 0;
  #to = 0;

  /**
   * Decides anew when it must.
   *
   * @param {{left: number, width: number, isPinned: boolean}[]} specs from left to right; pinned ones are always drawn
   * @returns {boolean} whether `places` is another list now
   */
  look(specs, left, width) {
    const isCovered = specs === this.#specs && left - MARGIN / 2 >= this.#from && left + width + MARGIN / 2 <= this.#to;
    if (isCovered) return false;
    this.#specs = specs;
    const first = specs.findIndex((spec) => spec.left + spec.width > left - MARGIN);
    const last = specs.findLastIndex((spec) => spec.left < left + width + MARGIN);
    const places = specs.map((_, at) => at).filter((at) => specs[at].isPinned || (first >= 0 && at >= first && at <= last));
    this.#from = first <= 0 ? -Infinity : specs[first].left;
    this.#to = last === specs.length - 1 ? Infinity : specs[last]?.left + specs[last]?.width;
    const isSame = places.length === this.places.length && places.every((place, at) => place === this.places[at]);
    this.places = places;
    return !isSame;
  }

  /** The columns have other widths or places: what is drawn must be decided anew. */
  forget() {
    this.#specs = null;
  }
}
