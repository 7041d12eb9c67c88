// columncontroller.js: turns the user's column commands (menu, filter, width, order) into views.

import { askBounds, askValues } from '../model/asking.js';
import { openColumnList } from '../panels/columnlist.js';
import { columnMenu, totalItems } from '../panels/columnmenu.js';
import { listenForDrags } from './drag.js';
import { nextLevels, nextRanges } from '../model/ranges.js';
import { openRangeBox } from '../panels/rangebox.js';
import { fittingView, nextGroup, nextTerms, partsOf, termsFault } from '../model/query.js';
import { joined } from '../model/narrowing.js';
import { questionFor } from '../model/values.js';
import { groupsOf, pinItem, sumItems } from '../panels/directmenu.js';
import { openFilterBox } from '../panels/filterbox.js';
import { titleOf, WIDTHS } from '../model/columns.js';
import { changePlace, movePlace, stepPlace } from '../model/places.js';
import { openMenu } from '../panels/menu.js';
import { columnTiles } from '../panels/tilemenu.js';
import { orderItems } from '../panels/sectionmenu.js';
import { highlightOf, LOOKS, nextHighlights, percentileOf, rulesFor, SHARES } from '../model/highlights.js';
import { timesMenu } from '../panels/displaymenu.js';
import { highlightMenu } from '../panels/highlightmenu.js';
import { termTexts } from '../panels/chips.js';
import { number, phrase } from '../model/language.js';

/**
 * The controller of a pane's columns. `change(change)` changes the view, and
 * `foldAll(isCollapsed, changes)` collapses or expands all sections after other changes.
 */
export class ColumnController {
  /**
   * @param {{session: import('../model/session.js').Session,
   *   columns: import('../grid/headers.js').ColumnSet, change: (changes: object) => void,
   *   foldAll: (isCollapsed: boolean, changes?: object) => void,
   *   lack?: (what: object) => string}} parts
   */
  constructor({ session, columns, change, foldAll, lack = () => '' }) {
    this.session = session;
    this.columns = columns;
    this.change = change;
    this.foldAll = foldAll;
    this.lack = lack;
  }

  /** Listens for drags of headers. Dropping a header on `target` groups by its column. */
  listen(target) {
    listenForDrags(this.columns.heads, target, {
      resize: (spec, width) => {
        spec.setWidth = Math.max(WIDTHS.least, Math.min(WIDTHS.most, Math.round(width)));
        this.columns.setPlaces();
      },
      resized: (spec) => this.#place(spec.column.name, { width: spec.setWidth }),
      fit: (spec) => this.fit([spec]),
      hide: (name) => this.#place(name, { isHidden: true }),
      move: (name, before) => this.change({ columns: movePlace(this.#all, this.session.view.columns, name, before) }),
      group: (name) => {
        const { group } = this.session.view;
        if (group.length < 4 && !group.includes(name)) this.change({ group: nextGroup(group, group.length, name), collapsed: [] });
      },
    });
  }

  /** Opens a column's menu below an element. */
  showMenu(column, under) {
    openMenu(under, titleOf(column), columnMenu(column, this.#all, this.session.view, {
      change: this.change,
      lack: this.lack,
      foldAll: this.foldAll,
      filter: () => this.filterBy(column.name, under),
      highlight: () => this.highlight(column, under),
      times: () => this.times(column, under),
      choose: () => this.choose(under),
      totals: () => this.showTotals(column, under),
      order: () => this.showOrder(column, under),
      ranges: () => this.showRanges(column.name, under),
      pin: pinItem(column, this.#all, this.session.view, this.session.table?.label, this.change),
      sums: groupsOf(this.#all, column.name).length === 0 ? undefined : () => openMenu(under, phrase('Sum of {column} by', { column: titleOf(column) }), sumItems(column, this.#all, this)),
      tile: this.session.table?.windowed ? undefined : () => openMenu(under, phrase('Summary of {column}', { column: titleOf(column) }), columnTiles(column, { view: this.session.view, table: this.session.table, change: this.change })),
      fit: (isAll) => this.fit(isAll ? this.columns.shown : this.columns.shown.filter((spec) => spec.column.name === column.name)),
    }));
  }

  /** Changes the view's groups, and collapses its sections. */
  groupBy(changes) {
    this.foldAll(true, changes);
  }

  /** Opens the menu of a column's totals below an element. */
  showTotals(column, under) {
    openMenu(under, phrase('Totals of {column}', { column: titleOf(column) }), totalItems(column, this.session.view, this));
  }

  /** Opens the menu of the order of a column's sections below an element. */
  showOrder(column, under) {
    openMenu(under, phrase('Order of the sections of {column}', { column: titleOf(column) }), orderItems(column, this.#all, this.session.view, this));
  }

  /** Opens the dialog that groups by ranges of a column, below an element. */
  showRanges(name, under) {
    const spec = this.columns.all.find(({ column }) => column.name === name);
    const { view } = this.session;
    if (spec === undefined) return;
    const sizes = view.group.includes(name) ? (view.ranges ?? []).filter((range) => range.column === name).map(({ column, ...size }) => size) : [];
    const others = view.group.filter((other) => other !== name).length;
    const numbers = this.#cellsOf(spec).filter((cell) => cell !== null && Number.isFinite(Number(cell))).map(Number);
    const query = this.session.narrowed(fittingView(view, this.#all));
    openRangeBox({
      under, spec, sizes, levels: 4 - others,
      bounds: numbers.length === 0 ? null : [Math.min(...numbers), Math.max(...numbers)],
      ask: (take) => askBounds({ table: view.table, column: name, query }, take),
      apply: (next) => {
        const { group, ranges } = this.session.view;
        this.change({ group: nextLevels(group, name, Math.max(1, next.length)), ranges: nextRanges(ranges, name, next), collapsed: [] });
      },
    });
  }

  /**
   * Opens a column's filter below an element: the part of its term with this number, see query.js.
   */
  filterBy(name, under, part = 0) {
    const spec = this.columns.all.find(({ column }) => column.name === name);
    if (spec === undefined) return;
    const term = this.session.view.filters.find(({ column }) => column === name);
    const parts = term === undefined ? [] : partsOf(term);
    openFilterBox({
      under, spec, term: parts[part],
      refused: this.session.marks.find(({ key }) => key === `filter:${name}`)?.reason ?? '',
      lack: (op) => this.lack({ filter: name, op }),
      values: (of, take) => this.#askValues(of, take),
      cells: (of) => this.#cellsOf(of),
      apply: (next) => {
        const filters = nextTerms(this.session.view.filters, name, joined(next, parts[1 - part]));
        const fault = next === null ? '' : termsFault(filters);
        if (fault === '') this.change({ filters });
        return fault;
      },
    });
  }

  /** Opens the menu that highlights a column's values, below an element. */
  highlight(column, under) {
    openMenu(under, phrase('Highlight {column}', { column: titleOf(column) }), highlightMenu(column, this.session.view, {
      change: this.change,
      edit: (look) => this.#editHighlight(column, look, under),
      text: (term) => ruleText(term, column.name, this.columns.all),
    }));
  }

  /**
   * Opens the menu of the form of a column's times, below an element. It is that of all columns if
   * `column` is undefined.
   */
  times(column, under) {
    const own = this.#all.find(({ name }) => name === column?.name);
    openMenu(under, own === undefined ? phrase('Times') : phrase('Times of {column}', { column: titleOf(own) }), timesMenu(this.session.view, this.change, own));
  }

  /** Opens the list that shows and hides columns, below an element. */
  choose(under) {
    openColumnList(under, this.session, this.change);
  }

  #editHighlight(column, look, under) {
    const { name } = column;
    const spec = this.columns.all.find((other) => other.column.name === name);
    if (spec === undefined) return;
    openFilterBox({
      under, spec, term: highlightOf(this.session.view, name, look)?.term,
      heading: `${titleOf(column)}: ${phrase(LOOKS.find(([own]) => own === look)[1])}`,
      others: this.columns.all.filter((other) => other === spec || (other.column.type !== 'series' && other.column.type !== 'image')),
      operators: rulesFor,
      lack: (op) => this.#lackOfRule(op),
      values: (of, take) => this.#askValues(of, take),
      cells: (of) => this.#cellsOf(of),
      apply: (term) => {
        const { highlights = [] } = this.session.view;
        this.change({ highlights: nextHighlights(highlights, name, look, term === null ? null : { column: name, look, term }) });
        return '';
      },
    });
  }

  #lackOfRule(op) {
    if (op === 'matches') return phrase('Highlights have no regular expressions. Filter by one instead.');
    return Object.hasOwn(SHARES, op) && this.session.table?.windowed ? phrase('The source keeps the rows of this table, so their percentiles are not known.') : '';
  }

  // The values of a column in the window, in the view's order.
  #cellsOf(spec) {
    return this.session.copy.items.flatMap(({ isHeader, absence, cells }) => (isHeader || absence !== null ? [] : [cells[spec.index] ?? null]));
  }

  /** Fits the widths of columns to their cells in the window. */
  fit(specs) {
    const layout = specs.reduce((next, spec) =>
      changePlace(this.#all, next, spec.column.name, { width: this.columns.fittingWidth(spec, this.session.copy) }), this.session.view.columns);
    this.change({ columns: layout });
  }

  /** Handles a key on a column's header and returns whether it had a meaning there. */
  press(event, at) {
    const spec = this.columns.shown[at];
    if (spec === undefined) return false;
    const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
    const step = side * (getComputedStyle(this.columns.grid).direction === 'rtl' ? -1 : 1);
    if ((event.key === 'ArrowDown' && event.altKey) || event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      this.showMenu(spec.column, this.columns.heads.cells[at].querySelector('.head-more'));
    } else if (side !== 0 && event.shiftKey && event.ctrlKey) {
      this.change({ columns: stepPlace(this.#all, this.session.view.columns, spec.column.name, step) });
    } else if (side !== 0 && event.shiftKey) this.#place(spec.column.name, { width: spec.width + step * 16 });
    else return false;
    return true;
  }

  // Counts the values of a column; returns a function that cancels.
  #askValues(name, take) {
    return askValues(questionFor(this.session, name), take);
  }

  #place(name, change) {
    this.change({ columns: changePlace(this.#all, this.session.view.columns, name, change) });
  }

  get #all() {
    return this.session.table?.columns ?? [];
  }
}

/**
 * Returns the condition of a rule as text, with its column if that is not `name`.
 *
 * @param {import('../model/highlights.js').Rule} term
 * @param {string} name the column that the rule highlights
 * @param {import('../model/columns.js').Spec[]} specs
 */
function ruleText(term, name, specs) {
  const share = { percent: number(term.percent ?? 0) };
  const text = percentileOf(term) === undefined ? termTexts([term], specs).map(([, , one]) => one).join(', ')
    : term.op === 'top' ? phrase('top {percent} %', share) : phrase('bottom {percent} %', share);
  const of = specs.find(({ column }) => column.name === term.column);
  return term.column === name || of === undefined ? text : `${titleOf(of.column)} ${text}`;
}
