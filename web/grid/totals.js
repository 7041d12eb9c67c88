// totals.js: totals under their columns: the cells of section headers, and the row at the bottom
// with the totals of all rows.

import { isLong } from '../model/columns.js';
import { FOOT_HEIGHT, nameOf, symbolOf, totalText, totalledColumns } from '../model/totals.js';
import { phrase } from '../model/language.js';

/** The cell with the totals of one column. */
export class TotalCell {
  /** @param {import('../model/totals.js').Totalled} totalled */
  constructor({ spec, terms }) {
    this.spec = spec;
    this.el = makeCell(spec);
    this.el.title = terms.map(({ kind }) => nameOf(kind, spec.column)).join('\n');
    this.#parts = terms.map(({ kind, at }, index) => {
      const [name, label, value] = ['total-name', 'unseen', 'total-value'].map((className) => {
        const part = document.createElement('span');
        part.className = className;
        return part;
      });
      name.textContent = symbolOf(kind);
      name.setAttribute('aria-hidden', 'true');
      label.textContent = `${index > 0 ? '; ' : ''}${nameOf(kind, spec.column)}: `;
      value.append('');
      this.el.append(name, label, value);
      return { kind, at, text: value.firstChild };
    });
  }
  #parts;

  /** Shows the values of a query's aggregates. */
  show(values, now, locale) {
    const { spec } = this;
    let whole = '';
    for (const { kind, at, text } of this.#parts) {
      const shown = totalText(kind, values[at], spec, now, locale);
      if (text.nodeValue !== shown) text.nodeValue = shown;
      whole += `${whole === '' ? '' : '   '}${symbolOf(kind)} ${shown}`;
    }
    // The column grows until its totals fit, as it does for its cells.
    if (isLong(spec, whole) && whole.length > spec.tightTotal.length) spec.tightTotal = whole;
  }
}

function makeCell(spec) {
  const el = document.createElement('div');
  el.className = `total ${spec.rule}${spec.isPinned ? ' at-edge' : ''}`;
  el.setAttribute('role', 'gridcell');
  el.setAttribute('aria-colindex', String(spec.at + 1));
  return el;
}

/** The row at the bottom of the grid with the totals of all rows. It is shown if there are any. */
export class TotalsRow {
  constructor(canvas, locale) {
    this.canvas = canvas;
    this.locale = locale;
    /** Whether the row is shown. */
    this.isShown = false;
    this.group = document.createElement('div');
    this.group.className = 'totals';
    this.group.setAttribute('role', 'rowgroup');
    this.row = document.createElement('div');
    this.row.className = 'totals-row';
    this.row.setAttribute('role', 'row');
    this.row.setAttribute('aria-label', phrase('Totals of all rows'));
    this.label = document.createElement('div');
    this.label.className = 'totals-label';
    this.label.setAttribute('role', 'rowheader');
    this.label.setAttribute('aria-colindex', '1');
    this.label.textContent = phrase('All rows');
    this.group.append(this.row);
    /**
     * The elements of the cells, one for each shown column.
     * @type {HTMLElement[]}
     */
    this.cells = [];
    this.#totals = [];
  }
  #totals;
  #key = '';
  #values = null;

  /** The height in pixels. */
  get height() {
    return this.isShown ? FOOT_HEIGHT : 0;
  }

  /** Sets the aggregates and the shown columns. Returns whether the row came or went. */
  setColumns(aggregates, specs) {
    const totalled = totalledColumns(aggregates, specs);
    const key = totalled.length === 0 ? '' : JSON.stringify([specs.map(({ rule, isPinned }) => [rule, isPinned]), totalled.map(({ terms }) => terms)]);
    if (key === this.#key) return false;
    this.#key = key;
    this.#values = null;
    this.#totals = totalled.map((one) => new TotalCell(one));
    const cells = new Map(this.#totals.map(({ spec, el }) => [spec, el]));
    this.cells = specs.map((spec) => cells.get(spec) ?? (spec.at === 0 ? this.label : makeCell(spec)));
    this.row.replaceChildren(...this.cells);
    const wasShown = this.isShown;
    this.isShown = totalled.length > 0;
    if (this.isShown) this.canvas.append(this.group);
    else this.group.remove();
    return this.isShown !== wasShown;
  }

  /** Shows the values of the totals below `total` items. */
  show(values, total, now) {
    if (!this.isShown) return;
    const index = String(total + 2);
    if (this.row.getAttribute('aria-rowindex') !== index) this.row.setAttribute('aria-rowindex', index);
    if (values === this.#values) return;
    this.#values = values;
    for (const cell of this.#totals) cell.show(values, now, this.locale);
  }
}
