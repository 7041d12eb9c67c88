// resting.js: tooltips of cells and column headers: the exact value, a clipped text, the time zone.

import { titleOf } from '../model/columns.js';
import { hiddenExactness, zoneNote } from '../model/exact.js';

const settleTime = 150;  // milliseconds between a change of the value and that of its tooltip

/** The tooltips of a pane. Only the element under the pointer is measured and gets a `title`. */
export class Resting {
  /** @param {import('../app/pane.js').Pane} pane */
  constructor(pane) {
    this.pane = pane;
    pane.grid.addEventListener('pointerover', ({ target }) => {
      if (!pane.travel.isMoving) this.#enter(target.closest?.('.cell, .head') ?? null);
    }, { passive: true });
    pane.grid.addEventListener('pointerleave', () => this.#enter(null), { passive: true });
  }
  /** @type {{el: Element, node: object, at: number, value: *}|null} */
  #rest = null;
  #timer = 0;

  /** Updates the tooltip after a frame, because the cell's value may have changed. */
  drawn() {
    const rest = this.#rest;
    if (rest !== null && rest.node.shown[rest.at] !== rest.value && this.#timer === 0) this.#describeLater();
  }

  // Delays the update until after the frame, where measuring would force a layout, and until
  // scrolling has ended.
  #describeLater() {
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      if (this.#rest === null) return;
      if (this.pane.travel.isMoving) this.#describeLater();
      else this.#describe(this.#rest);
    }, settleTime);
  }

  #enter(el) {
    if (el === this.#rest?.el) return;
    this.#leave();
    if (el === null) return;
    if (el.matches('.head')) return this.#describeHead(el);
    const row = el.parentElement;
    for (const node of this.pane.table.nodes.values()) {
      if (node.el !== row) continue;
      const at = node.cells.findIndex((cell) => cell?.el === el);
      if (at >= 0) this.#describe(this.#rest = { el, node, at, value: undefined });
      return;
    }
  }

  // Removes the tooltip, because the node may be recycled for another row.
  #leave() {
    if (this.#rest !== null && !isMarked(this.#rest.el)) this.#rest.el.removeAttribute('title');
    this.#rest = null;
  }

  #describe(rest) {
    const { el, node, at } = rest;
    rest.value = node.shown[at];
    if (isMarked(el)) return;  // the title already has the reason of a failure
    const exact = hiddenExactness(rest.value, node.specs[at].column);
    const text = exact !== '' ? exact : el.scrollWidth > el.clientWidth ? el.textContent : '';
    if (text === '' || text === el.textContent) el.removeAttribute('title');
    else el.title = text;
  }

  #describeHead(el) {
    const { columns, heads } = this.pane;
    const spec = columns.shown[heads.cells.indexOf(el)];
    if (spec === undefined) return;
    const note = zoneNote(spec.column, Date.now());
    el.title = note === '' ? titleOf(spec.column) : `${titleOf(spec.column)}\n${note}`;
  }
}

function isMarked(el) {
  return el.matches('.failed, .broken');
}
