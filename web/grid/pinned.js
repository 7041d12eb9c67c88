// pinned.js: draws the pinned rows, which stay above the scrolled ones. Loaded after the first
// rows.

import { placeNode, RowNode } from './table.js';
import { Row } from '../protocol/wire.js';
import { phrase } from '../model/language.js';

/**
 * A pinned row: its key, its place and its row. `isGone` is whether the table has no such row; its
 * last values are kept.
 * @typedef {{key: number|string, row: Row|null, isGone: boolean, node: RowNode|null}} Pinned
 */

/** The pinned rows of a pane, in a group between the column headers and the scrolled rows. */
export class PinnedRows {
  /** @param {import('../app/pane.js').Pane} pane */
  constructor(pane) {
    this.pane = pane;
    this.el = document.createElement('div');
    this.el.className = 'pinned-rows';
    this.el.setAttribute('role', 'rowgroup');
    this.el.setAttribute('aria-label', phrase('Pinned rows'));
    /** @type {Pinned[]} */
    this.all = [];
  }

  /** Sets the keys of the rows; rows that stay keep their values. */
  setKeys(keys) {
    const before = this.all;
    this.all = keys.map((key) => before.find((one) => one.key === key) ?? { key, row: null, isGone: false, node: null });
    for (const { node } of before) {
      node?.leave();  // its images
      node?.el.remove();
    }
    for (const one of this.all) one.node = null;
    this.pane.table.pinned = [];
  }

  /** Forgets the values of all rows, because they are those of another table or epoch. */
  forget() {
    for (const one of this.all) Object.assign(one, { row: null, isGone: false });
  }

  /**
   * Takes rows that have changed, and returns those that have left the table.
   * @param {[number, any[]|null][]} rows places and items of the protocol
   */
  take(rows) {
    const gone = [];
    for (const [at, item] of rows) {
      const one = this.all[at];
      if (one === undefined) continue;
      if (item === null && one.row !== null && !one.isGone) gone.push(one);
      if (item !== null) one.row = new Row(item[0], item[1], item[2]);
      one.isGone = item === null;
    }
    return gone;
  }

  /** Draws the rows. Changed cells are lit if `isLit`. */
  draw(isLit, now, clock) {
    const { table, scroll: { rowHeight } } = this.pane;
    if (this.all.length === 0) return void this.el.remove();
    if (!this.el.isConnected) this.pane.body.before(this.el);
    this.all.forEach((one, at) => {
      if (one.node === null || !table.pinned.includes(one.node)) this.#make(one, at);
      const { node } = one;
      const row = this.valuesOf(one) ?? new Row(-1, 0, one.isGone ? { failed: phrase('The table has no row with the key {key}.', { key: String(one.key) }) } : { pending: true });
      node.show(row, clock, isLit && node.item?.id === row.id ? table.flashes : null);
      placeNode(node, -1, at * rowHeight);
      this.#mark(one);
    });
    table.flashes.light(now);
  }

  #make(one, at) {
    const { table } = this.pane;
    one.node?.el.remove();
    one.node = new RowNode(table.specs, table.places, null);
    one.node.el.dataset.pinned = String(at);
    table.pinned.push(one.node);
    this.el.append(one.node.el);
  }

  // Says that a row is pinned, or gone, in words and not only by its look.
  #mark({ node: { el }, isGone, row, key }) {
    const title = !isGone ? '' : row === null ? phrase('The table has no row with the key {key}.', { key: String(key) }) : phrase('This row is no longer in the table. These are its last values.');
    if (el.title === title && el.hasAttribute('aria-description')) return;
    el.classList.toggle('gone', isGone);
    el.classList.toggle('unknown', isGone && row === null);
    el.title = title;
    el.setAttribute('aria-description', isGone ? phrase('pinned, no longer in the table') : phrase('pinned'));
  }

  /**
   * Returns the last known values of a pinned row, which are those of the window if they are newer,
   * so that both show the same; null if none are known.
   * @param {Pinned} pinned
   * @returns {Row|null}
   */
  valuesOf({ row }) {
    const { copy } = this.pane.session;
    const held = row === null ? undefined : copy.itemAt(copy.positionOf(row.id));
    return held !== undefined && held.absence === null && held.rev > row.rev ? /** @type {Row} */ (held) : row;
  }

  /** Returns the element of a cell, or undefined if it is not drawn. */
  cellAt(at, column) {
    return this.all[at]?.node?.cells[column]?.el;
  }
}
