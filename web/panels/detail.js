// detail.js: the panel with all cells of one row, live while the row is in the window.

import { makeCell } from '../grid/cells.js';
import { missingOf, titleOf } from '../model/columns.js';
import { hiddenExactness } from '../model/exact.js';
import { phrase } from '../model/language.js';

const longestText = 20_000;

/** The details panel. It follows the active row while it is open. */
export class Detail {
  /** `actions(row)` returns the menu items of a row's actions. */
  constructor(panel, stage, onClose, actions) {
    this.panel = panel;
    this.stage = stage;
    this.actions = actions;
    this.#buttons = panel.querySelector('.detail-actions');
    this.title = panel.querySelector('.detail-title');
    this.list = panel.querySelector('.detail-list');
    this.note = panel.querySelector('.detail-note');
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
  #charts = [];
  #specs = null;
  #titled = 0;  // the column used as the panel's title: the first text column

  get isOpen() {
    return !this.panel.hidden;
  }

  /** Opens or closes the panel. */
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
   * Shows a row, or keeps showing the previous one.
   *
   * @param {import('../protocol/wire.js').Row|null} row the active row, if any; may be a header
   * @param {import('../model/columns.js').Spec[]} specs all columns
   * @param {(id: number) => import('../protocol/wire.js').Row|undefined} pinned returns the values
   *   of a pinned row, which are live outside the window, too
   */
  show(row, specs, copy, now, pinned = () => undefined) {
    if (!this.isOpen || specs.length === 0) return;
    if (specs !== this.#specs) this.#build(specs);
    const next = row !== null && !row.isHeader ? row : this.#row;
    if (next === null) {
      this.note.textContent = phrase('Select a row to see its details.');
      this.list.hidden = true;
      return;
    }
    const live = pinned(next.id) ?? copy.itemAt(copy.positionOf(next.id));
    this.#row = live ?? next;
    const isHeld = live !== undefined;
    this.list.hidden = false;
    this.note.textContent = isHeld ? '' : phrase('This row is not loaded. These are its last known values.');
    this.panel.classList.toggle('old', !isHeld);
    this.#offer(isHeld ? this.actions(this.#row) : []);
    specs.forEach(({ index }, at) => {
      const value = this.#row.absence ?? this.#row.cells[index] ?? null;
      if (value === this.#shown[at] && !this.#cells[at].spec.styling?.readsRow) return;
      this.#shown[at] = value;
      this.#cells[at].show(value, now, this.#row.cells);
      this.#charts[at]?.show(value);
      this.#showExactly(at, value);
      if (at === this.#titled) this.title.textContent = this.#cells[at].el.textContent;
    });
  }

  // Shows the exact value below one that is rounded, abbreviated or drawn as a sparkline.
  #showExactly(at, value) {
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
      // Buttons may outlive a change of row, so they act on the row shown when pressed.
      button.addEventListener('click', () => this.actions(this.#row)[at]?.run());
      return button;
    }));
  }

  /** Updates the ages. */
  tick(now) {
    if (!this.isOpen || this.#row === null) return;
    this.#cells.forEach((cell, at) => { if (cell.spec.column.style === 'age') cell.show(this.#shown[at], now, this.#row.cells); });
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
    this.#charts = [];
    if (specs.some(({ kind }) => kind === 'sparkline')) this.#chart(specs);
  }

  // Replaces the small charts by large ones with a crosshair.
  async #chart(specs) {
    const { Chart } = await import('./chart.js');
    if (specs !== this.#specs) return;
    specs.forEach((spec, at) => {
      if (spec.kind !== 'sparkline') return;
      const given = specs.find(({ column }) => column.name === spec.column.historyOf) ?? spec;
      const chart = new Chart(titleOf(spec.column), (value) => given.format(given === spec ? [value] : value));
      this.#charts[at] = chart;
      const { el } = this.#cells[at];
      el.classList.add('charted');
      el.before(chart.el);
      chart.show(this.#shown[at]);
    });
  }
}

function whole(value) {
  return typeof value === 'string' ? value.slice(0, longestText) : '';
}
