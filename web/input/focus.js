// focus.js: the active cell. It alone can be reached with Tab (a roving tabindex), and it has the focus while the grid has it. When its
// row scrolls away its recycled node would take the focus along: then the grid holds it until the cell is drawn again.

import { moveActive } from '../model/keys.js';
import { Spot } from '../model/selection.js';

/** The active cell: a position that goes along with its row. Position -1 is the row of column headers. */
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
  #id;
  #place;
  #el;
  #hasFocus = false;
  #isLost = false;  // its row is not known any more, only its place

  /** Where the active cell is, or null. */
  get position() {
    return this.#place?.position ?? null;
  }

  /** The row or header that it is in, as far as it is held. */
  get item() {
    return this.#place?.item ?? null;
  }

  /** Ids of another epoch name other rows. */
  forgetItem() {
    if (this.#place) this.#place.item = null;
    this.#isLost = this.#place !== null;
  }

  /** The row is known again, unless another has become active meanwhile. */
  find(position, item) {
    if (!this.#isLost) return;
    this.#place = new Spot(position, item);
    this.#isLost = false;
  }

  /** Another list: nothing is active. */
  clear() {
    this.#place = null;
    this.#isLost = false;
    this.mark(undefined);
  }

  /** Makes a cell active. */
  set(position, column, copy) {
    this.#place = new Spot(position, copy.itemAt(position));
    this.#isLost = false;
    this.column = column;
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
    this.#place?.follow(copy, shift);
  }

  /** The drawn cell, or undefined while it is not drawn. */
  mark(el) {
    const old = this.#el;
    const { activeElement } = document;
    // A node that was put elsewhere or taken apart loses the focus to the body, without a word.
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
    if (!old || old === el) return;  // only now: without its tabindex an element loses the focus
    old.classList.remove('active');
    if (old.id === this.#id) old.removeAttribute('id');
    old.removeAttribute('tabindex');
  }

  /** The drawn cell. */
  get el() {
    return this.#el;
  }
}
