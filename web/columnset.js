// columnset.js: the columns of the open table on the screen: measured once, laid out as the reader wants them.
//# allFunctionsCalledOnLoad

import { DrawnColumns } from './sideways.js';
import { barScale, fittingWidth, FONT, gapOf, place, shownSpecs, specify } from './columns.js';

const ruler = document.createElement('canvas').getContext('2d');

/** Joins the pure rules of columns.js with what draws columns: heads, table and sections. */
export class ColumnSet {
  constructor({ grid, canvas, heads, table, sections, suffix }) {
    Object.assign(this, { grid, canvas, heads, table, sections });
    this.#prefix = `c${suffix}`;
    /** All columns of the table, in the source's order. @type {import('./columns.js').Spec[]} */
    this.all = [];
    /** Those that are shown, as they are shown. @type {import('./columns.js').Spec[]} */
    this.shown = [];
    this.drawn = new DrawnColumns();
    this.width = 0;  // of the grid, without its scrollbar
    this.#key = '';
    this.#layoutKey = '';
  }
  #key;
  #prefix;
  #layoutKey;
  #gap = 0;

  /** Another table: the next rows are measured. */
  forget() {
    this.#key = '';
  }

  /** Columns are measured once, from the first rows of a table. Answers whether anything has become another. */
  update(view, table, copy) {
    const columns = table?.columns ?? [];
    const samples = copy.items.filter((item) => !item.isHeader && item.absence === null).map((item) => item.cells);
    const key = `${view.table} ${samples.length > 0} ${JSON.stringify(columns)}`;
    if (key === this.#key || (samples.length === 0 && this.#key === key.replace(' false ', ' true '))) return false;
    this.#key = key;
    this.all = specify(columns, samples, this.#measure, { now: Date.now(), prefix: this.#prefix, pictures: table?.images === true ? table.name : null });
    this.#layoutKey = '';
    return this.arrange(view.columns);
  }

  /** Shows the columns that the reader wants, as he wants them. */
  arrange(layout) {
    this.shown = shownSpecs(this.all, layout);
    const key = this.shown.map(({ index, isPinned }) => `${index}${isPinned}`).join();
    const isOther = key !== this.#layoutKey;
    if (isOther) {
      this.#layoutKey = key;
      this.heads.setSpecs(this.shown);
      this.table.setSpecs(this.shown);
      this.drawn.places = [];
      this.sections.setSpecs(this.all, this.shown.length);
      this.table.isNew = true;
      this.table.clip.classList.toggle('edged', this.shown.some(({ isPinned }) => isPinned));
      this.grid.setAttribute('aria-colcount', this.shown.length);
    }
    this.setPlaces();
    return isOther;
  }

  /** Puts each column at its place. */
  setPlaces() {
    if (this.shown.length === 0 || this.width === 0) return;
    this.canvas.style.width = `${place(this.shown, this.width)}px`;
    this.heads.setPlaces();
    this.table.fitTexts();
    this.#leaveRoom();
    this.drawn.forget();
  }

  /** Draws the columns around what is seen; `left` is how far the table is scrolled sideways. */
  draw(left) {
    if (!this.drawn.look(this.shown, left, this.width)) return;
    this.table.setPlaces(this.drawn.places, Date.now());
    this.#leaveRoom();
  }

  // Where columns are out of sight those behind them stand as far from the side all the same.
  #leaveRoom() {
    const gap = gapOf(this.shown, this.drawn.places);
    if (gap === this.#gap) return;
    this.#gap = gap;
    const { classList, style } = this.table.sheet;
    classList.toggle('gapped', gap > 0);
    style.setProperty('--gap', `${gap}px`);
  }

  /** The width that a column needs for what is held of it now. */
  fittingWidth(spec, copy) {
    return fittingWidth(spec, copy.items.filter((item) => !item.isHeader && item.absence === null).map((item) => item.cells[spec.index]), this.#measure, Date.now());
  }

  /** Gives bars another scale when the values in the window need it. */
  rescale(copy) {
    for (const at of this.drawn.places) {
      const spec = this.shown[at];
      if (spec.kind !== 'bar') continue;
      let greatest = 0;
      for (const item of copy.items) {
        const value = item.isHeader ? 0 : item.cells[spec.index];
        if (value > greatest) greatest = value;
      }
      const scale = barScale(spec, greatest);
      if (scale === spec.scale) continue;
      spec.scale = scale;
      this.table.rescale(at, Date.now());
    }
  }

  /** Scrolls sideways until a column is in sight as a whole, beside those that stay at the edge. */
  reveal(at) {
    const spec = this.shown[at];
    if (!spec || spec.isPinned) return;
    const sign = getComputedStyle(this.grid).direction === 'rtl' ? -1 : 1;
    const covered = this.shown.reduce((sum, { isPinned, left, width }) => (isPinned ? Math.max(sum, left + width) : sum), 0);
    const scrolled = sign * this.grid.scrollLeft;
    if (spec.left - covered < scrolled) this.grid.scrollLeft = sign * (spec.left - covered);
    else if (spec.left + spec.width > scrolled + this.width) this.grid.scrollLeft = sign * (spec.left + spec.width - this.width);
  }

  #measure = (text, isTitle) => {
    ruler.font = `${isTitle ? '600 12px' : '13px'} ${FONT}`;
    return ruler.measureText(text).width;
  };
}
