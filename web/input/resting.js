// resting.js: what a cell or header that the pointer rests on says beside its text: the exact value, a text that is cut off, the time zone.

import { titleOf } from '../model/columns.js';
import { hiddenExactness, zoneNote } from '../model/exact.js';

const settleTime = 150;  // milliseconds from another value to another title

/** Follows the pointer over a pane's grid. Nothing is measured, and no title is written, except where it rests. */
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

  /** A frame is drawn: the cell under the pointer may show another value. */
  drawn() {
    const rest = this.#rest;
    if (rest !== null && rest.node.shown[rest.at] !== rest.value && this.#timer === 0) this.#tellLater();
  }

  // Not in the frame: to measure there would lay out what was just written. Nor while rows move under the pointer.
  #tellLater() {
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      if (this.#rest === null) return;
      if (this.pane.travel.isMoving) this.#tellLater();
      else this.#tell(this.#rest);
    }, settleTime);
  }

  #enter(el) {
    if (el === this.#rest?.el) return;
    this.#leave();
    if (el === null) return;
    if (el.matches('.head')) return this.#tellHead(el);
    const row = el.parentElement;
    for (const node of this.pane.table.nodes.values()) {
      if (node.el !== row) continue;
      const at = node.cells.findIndex((cell) => cell?.el === el);
      if (at >= 0) this.#tell(this.#rest = { el, node, at, value: undefined });
      return;
    }
  }

  // A title that stays would be another row's one day.
  #leave() {
    if (this.#rest !== null && !isMarked(this.#rest.el)) this.#rest.el.removeAttribute('title');
    this.#rest = null;
  }

  #tell(rest) {
    const { el, node, at } = rest;
    rest.value = node.shown[at];
    if (isMarked(el)) return;  // the reason stays
    const exact = hiddenExactness(rest.value, node.specs[at].column);
    const text = exact !== '' ? exact : el.scrollWidth > el.clientWidth ? el.textContent : '';
    if (text === '' || text === el.textContent) el.removeAttribute('title');
    else el.title = text;
  }

  #tellHead(el) {
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
