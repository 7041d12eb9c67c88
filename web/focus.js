// focus.js: the active cell. The grid keeps the focus and names the cell (aria-activedescendant): a recycled node that held the
// focus itself would lose it whenever its row scrolls away.

import { moveActive } from './keys.js';

const activeID = 'active-cell';

/** The active cell: a position that goes along with its row. Position -1 is the row of column headers. */
export class Focus {
  constructor(grid) {
    this.grid = grid;
    this.position = null;
    this.column = 0;
    this.item = null;
    this.#el = null;
  }
  #el;

  /** Another list: nothing is active. */
  clear() {
    this.position = null;
    this.item = null;
    this.mark(undefined);
  }

  /** Makes a cell active. */
  set(position, column, copy) {
    this.position = position;
    this.column = column;
    this.item = copy.itemAt(position) ?? null;
  }

  /** Moves by a key; false when the key means nothing here. */
  move(key, grid, firstVisible, copy) {
    const isFirst = this.position === null;  // then the first cell in sight becomes active, not the one after it
    const from = isFirst ? { position: key === 'ArrowDown' ? firstVisible - 1 : firstVisible, column: 0 } : this;
    const next = moveActive(from, key, grid);
    if (next === null) return false;
    this.set(next.position, next.column, copy);
    return true;
  }

  /** The copy has changed: the active cell stays in its row. A row that left the window leaves its place behind. */
  follow(copy, shift) {
    if (this.position === null || this.position < 0) return;
    const { item } = this;
    const index = item === null ? -1 : copy.items.findIndex((other) =>
      other.isHeader === item.isHeader && (item.isHeader ? other.section === item.section : other.id === item.id));
    const position = index >= 0 ? copy.start + index : this.position + shift;
    this.set(Math.max(0, Math.min(copy.total - 1, position)), this.column, copy);
  }

  /** The drawn cell, or undefined while it is not drawn. */
  mark(el) {
    if (this.#el === el) return;
    if (this.#el) {
      this.#el.classList.remove('active');
      this.#el.removeAttribute('id');
    }
    this.#el = el;
    if (el) {
      el.classList.add('active');
      el.id = activeID;
      this.grid.setAttribute('aria-activedescendant', activeID);
    } else this.grid.removeAttribute('aria-activedescendant');
  }

  /** The drawn cell. */
  get el() {
    return this.#el;
  }
}
