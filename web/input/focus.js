// focus.js: the active cell, with a roving tabindex. It has the focus while the grid has it. When
// its row scrolls out of view and the node is recycled, the grid itself takes the focus until the
// cell is drawn again.

import { moveActive } from '../model/keys.js';
import { Spot } from '../model/selection.js';

/**
 * The active cell, which follows its row. Position -1 is the row of column headers, -2 that of
 * totals, and -3, -4 and so on are the pinned rows.
 */
export class Focus {
  constructor(grid, suffix) {
    this.grid = grid;
    this.#id = `active-cell${suffix}`;
    this.#place = null;
    this.column = 0;
    this.#el = undefined;
    const look = ({ target }) => { this.#hasFocus = grid.contains(target); };
    for (const name of ['focusin', 'pointerdown']) document.addEventListener(name, look, { capture: true });
  }
  /** Returns the pinned row at a position; null if it is not known. */
  pinnedAt = (position) => null;
  #id;
  #place;
  #el;
  #hasFocus = false;
  #isLost = false;  // whether only the position is known, not the row

  /** The position of the active cell, or null. */
  get position() {
    return this.#place?.position ?? null;
  }

  /** The row or header of the active cell; null if unknown. */
  get item() {
    return this.#place?.item ?? null;
  }

  /** Forgets the row, because its id names another row in the new epoch. */
  forgetItem() {
    if (this.#place) this.#place.item = null;
    this.#isLost = this.#place !== null;
  }

  /** Restores the row after `forgetItem`, unless another cell has become active. */
  find(position, item) {
    if (!this.#isLost) return;
    this.#place = new Spot(position, item);
    this.#isLost = false;
  }

  /** Clears the active cell, because another table is shown. */
  clear() {
    this.#place = null;
    this.#isLost = false;
    this.mark(undefined);
  }

  /** Makes a cell active. */
  set(position, column, copy) {
    this.#place = new Spot(position, position < -2 ? this.pinnedAt(position) : copy.itemAt(position));
    this.#isLost = false;
    this.column = column;
  }

  /** Moves the active cell by a key and returns whether the key had a meaning. */
  move(key, grid, firstVisible, copy) {
    // Without an active cell, the first visible one becomes active instead of the next.
    const isFirst = this.position === null;
    const from = isFirst ? { position: key === 'ArrowDown' ? firstVisible - 1 : firstVisible, column: 0 } : this;
    const next = moveActive(from, key, grid);
    if (next === null) return false;
    this.set(next.position, next.column, copy);
    return true;
  }

  /** Updates the position after a patch. Outside the window it moves with the scroll anchor. */
  follow(copy, shift) {
    this.#place?.follow(copy, shift);
  }

  /** Marks the active cell's element; undefined while it is not drawn. */
  mark(el) {
    const old = this.#el;
    const { activeElement } = document;
    // A node that is moved or removed loses the focus to the body without an event.
    const isLost = activeElement === this.grid || (this.#hasFocus && activeElement === document.body);
    if (old === el && !isLost) return;
    const isHere = isLost || (old !== undefined && activeElement === old);
    this.#el = el;
    if (el) {
      el.classList.add('active');
      el.id = this.#id;
      el.tabIndex = 0;
    }
    this.grid.tabIndex = el ? -1 : 0;
    if (isHere) (el ?? this.grid).focus({ preventScroll: true });
    if (!old || old === el) return;  // last, because an element without tabindex loses the focus
    old.classList.remove('active');
    if (old.id === this.#id) old.removeAttribute('id');
    old.removeAttribute('tabindex');
  }

  /** The element of the active cell, or undefined while it is not drawn. */
  get el() {
    return this.#el;
  }
}
