// heads.js: the column headers, and where each column stands.

import { titleOf } from './columns.js';

const directions = { true: 'descending', false: 'ascending' };

/** The row of column headers; `onSort(column, isFurther)` hears of clicks. */
export class Heads {
  constructor(row, onSort) {
    this.row = row;
    this.cells = [];
    this.specs = [];
    // One rule a column, instead of a style on each cell: a resize writes a few rules, not a thousand elements.
    this.sheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.sheet];
    row.addEventListener('click', (event) => {
      const at = this.cells.indexOf(event.target.closest('.head'));
      if (at >= 0) onSort(this.specs[at].column.name, event.shiftKey);
    });
  }

  /** Another table. */
  setSpecs(specs) {
    this.specs = specs;
    this.cells = specs.map((spec) => {
      const cell = document.createElement('div');
      cell.className = `head c${spec.index}`;
      cell.setAttribute('role', 'columnheader');
      cell.setAttribute('aria-colindex', String(spec.index + 1));
      cell.setAttribute('aria-sort', 'none');
      const title = document.createElement('span');
      title.className = 'head-title';
      title.textContent = titleOf(spec.column);
      cell.title = titleOf(spec.column);
      cell.append(title);
      return cell;
    });
    this.row.replaceChildren(...this.cells);
  }

  /** Writes where the columns stand. */
  setPlaces() {
    const rules = this.specs.map(({ index, left, width, align }) =>
      `.c${index}{left:${left}px;width:${width}px;text-align:${align};justify-content:${align === 'center' ? align : `flex-${align}`}}`);
    this.sheet.replaceSync(rules.join('\n'));
  }

  /** Marks the columns that the rows are sorted by. */
  setSort(sort) {
    this.specs.forEach(({ column }, at) => {
      const order = sort.findIndex((term) => term.column === column.name);
      const cell = this.cells[at];
      cell.setAttribute('aria-sort', order < 0 ? 'none' : directions[sort[order].descending]);
      if (order >= 0 && sort.length > 1) cell.dataset.order = String(order + 1);
      else delete cell.dataset.order;
    });
  }
}
