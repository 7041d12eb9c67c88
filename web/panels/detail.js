// detail.js: all cells of one row beside the table, alive as long as the page holds the row.

import { makeCell } from '../grid/cells.js';
import { missingOf, titleOf } from '../model/columns.js';
import { hiddenExactness } from '../model/exact.js';

const longestText = 20_000;

/** The panel. It follows the active row while it is open. */
export class Detail {
  /** `actions(row)` answers the items of what can be done to a row, as a menu has them. */
  constructor(panel, stage, onClose, actions) {
    Object.assign(this, { panel, stage, actions });
    this.#buttons = panel.querySelector('.detail-actions');
    [this.title, this.list, this.note] = ['.detail-title', '.detail-list', '.detail-note'].map((name) => panel.querySelector(name));
    panel.querySelector('button').addEventListener('click', onClose);
    panel.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      onClose();
    });
  }
  #row = null;
  #buttons;
  #offered = '';
  #cells = [];
  #shown = [];
  #exact = [];
  #specs = null;
  #titled = 0;  // the column that names a row best: the first text

  get isOpen() {
    return !this.panel.hidden;
  }

  /** Opens or closes. */
  toggle(isOpen) {
    this.panel.hidden = !isOpen;
    this.stage.classList.toggle('with-detail', isOpen);
    this.#row = null;
    this.#cells.forEach((cell, at) => {
      cell.leave?.();
      this.#shown[at] = undefined;
    });
  }

  /**
   * Shows a row, or goes on showing the one before.
   *
   * @param {import('../protocol/wire.js').Row|null} row the active one; null or a header when there is none
   * @param {import('../model/columns.js').Spec[]} specs all columns
   */
  show(row, specs, copy, now) {
    if (!this.isOpen || specs.length === 0) return;
    if (specs !== this.#specs) this.#build(specs);
    const next = row !== null && !row.isHeader ? row : this.#row;
    if (next === null) {
      this.note.textContent = 'Select a row to see its details.';
      this.list.hidden = true;
      return;
    }
    this.#row = copy.itemAt(copy.positionOf(next.id)) ?? next;
    const isHeld = copy.positionOf(next.id) >= 0;
    this.list.hidden = false;
    this.note.textContent = isHeld ? '' : 'This row is not loaded. These are its last known values.';
    this.panel.classList.toggle('old', !isHeld);
    this.#offer(isHeld ? this.actions(this.#row) : []);
    specs.forEach(({ index }, at) => {
      const value = this.#row.absence ?? this.#row.cells[index] ?? null;
      if (value === this.#shown[at]) return;
      this.#shown[at] = value;
      this.#cells[at].show(value, now);
      this.#tellExactly(at, value);
      if (at === this.#titled) this.title.textContent = this.#cells[at].el.textContent;
    });
  }

  // Below a value that is rounded, abbreviated or a picture of numbers.
  #tellExactly(at, value) {
    const { spec } = this.#cells[at];
    const exact = missingOf(value) === null ? hiddenExactness(value, spec.column) : '';
    const shown = exact === this.#cells[at].text ? '' : exact;
    this.#exact[at].textContent = shown;
    this.#exact[at].hidden = shown === '';
  }

  #offer(items) {
    const key = JSON.stringify(items);
    if (key === this.#offered) return;
    this.#offered = key;
    this.#buttons.hidden = items.length === 0;
    this.#buttons.replaceChildren(...items.map(({ label, isDanger, isDisabled }, at) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = label;
      button.disabled = isDisabled === true;
      button.classList.toggle('danger', isDanger === true);
      // The buttons stay while the panel goes on to another row: they act on the one that it shows.
      button.addEventListener('click', () => this.actions(this.#row)[at]?.run());
      return button;
    }));
  }

  /** Shows ages anew. */
  tick(now) {
    if (!this.isOpen || this.#row === null) return;
    this.#cells.forEach((cell, at) => { if (cell.spec.column.style === 'age') cell.show(this.#shown[at], now); });
  }

  #build(specs) {
    this.#specs = specs;
    this.#row = null;
    this.#titled = Math.max(0, specs.findIndex(({ column, kind }) => column.type === 'text' && kind === 'text'));
    this.#shown = specs.map(() => undefined);
    this.#cells = specs.map((spec) => makeCell({ ...spec, rule: 'whole', line: null, pictureHeight: 240, format: spec.kind === 'text' && spec.column.type === 'text' ? whole : spec.format }));
    this.#exact = specs.map(() => {
      const exact = document.createElement('div');
      exact.className = 'exact';
      exact.hidden = true;
      return exact;
    });
    this.list.replaceChildren(...specs.flatMap((spec, at) => {
      const title = document.createElement('dt');
      title.textContent = titleOf(spec.column);
      const value = document.createElement('dd');
      const { el } = this.#cells[at];
      el.removeAttribute('role');
      el.removeAttribute('aria-colindex');
      for (const link of el.querySelectorAll('a')) link.removeAttribute('tabindex');
      value.append(el, this.#exact[at]);
      return [title, value];
    }));
  }
}

function whole(value) {
  return typeof value === 'string' ? value.slice(0, longestText) : '';
}
