// heads.js: the column headers, and where each column stands.
//# allFunctionsCalledOnLoad

import { isCounted, titleOf } from './columns.js';

// Said as sides: a text goes its own way and ends there when it is cut off, but stands where its column's texts begin.
const sides = { start: 'left', end: 'right' };
const mirrored = { start: 'right', end: 'left' };

const directions = { true: 'descending', false: 'ascending' };

/**
 * The row of column headers. `on` hears of clicks: `sort(column, isFurther)`, and `menu(column, element)` when somebody asks what
 * else can be done with a column.
 */
export class Heads {
  /** `suffix` ends the ids of this pane's elements. */
  constructor(row, suffix, on) {
    this.row = row;
    this.suffix = suffix;
    this.cells = [];
    this.specs = [];
    // One rule a column, instead of a style on each cell: a resize writes a few rules, not a thousand elements.
    this.sheet = new CSSStyleSheet();
    row.addEventListener('click', (event) => {
      const spec = this.specAt(event.target);
      if (spec === undefined || event.target.closest('.head-edge')) return;
      const button = event.target.closest('.head-more');
      if (button) on.menu(spec.column, button);
      else on.sort(spec.column.name, event.shiftKey);
    });
    row.addEventListener('contextmenu', (event) => {
      const spec = this.specAt(event.target);
      if (spec === undefined) return;
      event.preventDefault();
      on.menu(spec.column, this.cells[spec.at].querySelector('.head-more'));
    });
  }

  #rules = '';

  /** The column whose header an element belongs to. */
  specAt(element) {
    return this.specs[this.cells.indexOf(element.closest?.('.head'))];
  }

  /** Another table, or other columns of it. */
  setSpecs(specs) {
    this.specs = specs;
    this.cells = specs.map((spec) => {
      const title = make('span', 'head-title');
      title.id = `head-${spec.index}${this.suffix}`;
      title.textContent = titleOf(spec.column);
      const more = make('button', spec.align === 'end' ? 'head-more at-start' : 'head-more');  // away from the title
      more.type = 'button';
      more.tabIndex = -1;  // from the keyboard the header itself opens its menu
      more.setAttribute('aria-label', `Menu of ${titleOf(spec.column)}`);
      const cell = make('div', `head ${spec.rule}${spec.isPinned ? ' at-edge' : ''}`);
      cell.setAttribute('role', 'columnheader');
      cell.setAttribute('aria-labelledby', title.id);
      cell.setAttribute('aria-colindex', String(spec.at + 1));
      cell.setAttribute('aria-sort', 'none');
      cell.setAttribute('aria-haspopup', 'menu');
      cell.title = titleOf(spec.column);
      cell.append(title, more, make('span', 'head-edge'));
      return cell;
    });
    this.row.replaceChildren(...this.cells);
  }

  /** Writes where the columns stand. */
  setPlaces() {
    const rules = this.specs.flatMap(({ column, rule: name, left, width, align, isPinned }) => {
      const edge = isPinned ? 'position:sticky;z-index:1;' : '';
      const rule = `.${name}{${edge}inset-inline-start:${left}px;width:${width}px;text-align:${sides[align] ?? align};justify-content:${align === 'center' ? align : `flex-${align}`}}`;
      // Numbers and times read from the left in every language; the cell stands where lines begin all the same.
      const foreign = isCounted(column) ? `direction:ltr;inset-inline:auto ${left}px;` : '';
      const head = isPinned ? [`.head.${name}{grid-area:1/1;margin-inline-start:${left}px}`] : [];
      return [rule, ...head, `[dir=rtl] .row>.${name}{${foreign}text-align:${mirrored[align] ?? align}}`];
    });
    const text = rules.join('\n');
    if (text === this.#rules) return;
    this.#rules = text;
    this.sheet.replaceSync(text);
    // Only now: a sheet that is new has the whole page's style looked at again.
    if (!document.adoptedStyleSheets.includes(this.sheet)) document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.sheet];
  }

  /** Marks the columns that the rows are sorted by, and those that ask something of them. */
  setView({ sort, filters }) {
    this.specs.forEach(({ column }, at) => {
      const order = sort.findIndex((term) => term.column === column.name);
      const cell = this.cells[at];
      cell.setAttribute('aria-sort', order < 0 ? 'none' : directions[sort[order].descending]);
      if (order >= 0 && sort.length > 1) cell.dataset.order = String(order + 1);
      else delete cell.dataset.order;
      const isFiltered = filters.some((term) => term.column === column.name);
      cell.classList.toggle('filtered', isFiltered);
      if (isFiltered) cell.setAttribute('aria-description', 'filtered');
      else cell.removeAttribute('aria-description');
    });
  }
}

function make(kind, name) {
  const element = document.createElement(kind);
  element.className = name;
  return element;
}
