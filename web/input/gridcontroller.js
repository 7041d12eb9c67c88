// gridcontroller.js: keys and pointers in the grid (ARIA grid pattern), turned into calls of `on`.

import { CellDrag } from './celldrag.js';
import { listenForLongPress } from './longpress.js';
import { PINNED } from './pinning.js';
import { Spot } from '../model/selection.js';
import { phrase } from '../model/language.js';

/**
 * Installs the grid's listeners for keys and pointers.
 *
 * @param {object} parts
 * @param {HTMLElement} parts.grid
 * @param {HTMLElement} parts.body
 * @param {import('../model/session.js').Session} parts.session
 * @param {import('../model/viewport.js').ScrollModel} parts.scroll
 * @param {import('./focus.js').Focus} parts.focus
 * @param {import('../model/selection.js').Selection} parts.selection
 * @param {import('../grid/headers.js').ColumnSet} parts.columns
 * @param {import('../grid/browser.js').LateModules} parts.controller
 * @param {{count: number, itemAt: (position: number) => object|null, unpinActive: () => boolean}}
 *   parts.pinning
 * @param {object} on `sort(column, isFurther)`, `moved()` after the active cell has changed,
 *   `open()` for the row's details, `menu(under)` for the menu of the active cell (returns false if
 *   there is none), `totals(column, under)` for the menu of a column's totals, `close()` for Escape
 *   without a selection, `announce(text)`, `changed()` when a frame must be drawn
 */
export function listenForInput(parts, on) {
  const { grid, session, scroll, focus, selection, columns, controller, pinning } = parts;
  const cellDrag = new CellDrag(parts, on);
  const firstVisible = () => Math.ceil(scroll.position / scroll.rowHeight);

  const takeFocus = () => {
    if (focus.position === null && session.copy.total > 0) focus.set(firstVisible(), 0, session.copy);
    on.changed();  // moves the focus to the active cell
  };
  grid.addEventListener('focus', takeFocus);
  // The grid may have got the focus before this module was loaded.
  if (document.activeElement === grid) takeFocus();

  grid.addEventListener('keydown', (/** @type {On<KeyboardEvent>} */ event) => {
    if (event.target.closest('button') || !(press(event) ?? true)) return;
    event.preventDefault();
    on.changed();
  });

  // Returns false if the key has no meaning here.
  function press(event) {
    const { key, shiftKey, altKey } = event;
    const isControl = event.ctrlKey || event.metaKey;
    if (focus.position === -1 && controller.press(event, focus.column)) return true;
    const isMenu = key === 'ContextMenu' || (key === 'F10' && shiftKey);
    if (focus.position === -2 && (isMenu || key === 'Enter')) return totals();
    if (isMenu) return on.menu(focus.el ?? corner()) || false;
    if (altKey) return false;
    if (key === 'Enter') return enter(shiftKey, isControl);
    if (key === ' ') return space(shiftKey, isControl);
    if (key === 'Delete') return pinning.unpinActive() && undefined;
    if (key === 'Escape') return selection.clear() || on.close();
    if (isControl && key.toLowerCase() === 'a') {
      selection.selectColumns(0, columns.shown.length - 1, session.copy);
      return on.announce(selection.text);
    }
    return move(event, isControl);
  }

  function totals() {
    on.totals(columns.shown[focus.column].column, focus.el ?? corner());
  }

  function enter(isShifted, isControl) {
    if (focus.position === -1) on.sort(columns.shown[focus.column].column.name, isShifted);
    else if (isControl) focus.el?.querySelector('a[href]')?.click();
    else on.open();
  }

  function space(isShifted, isControl) {
    if (focus.position === -1) return on.sort(columns.shown[focus.column].column.name, isShifted);
    if (focus.position === null) return false;
    if (isControl) selection.selectColumns(focus.column, focus.column, session.copy);
    else if (isShifted && focus.position >= 0) {
      selection.clear();
      selection.extend(here(), 0, here(), columns.shown.length - 1);
    } else if (focus.item !== null && !focus.item.isHeader) selection.toggleRow(focus.item);
    return on.announce(selection.text || phrase('Nothing selected'));
  }

  function move(event, isControl) {
    const { copy } = session;
    const before = here();
    const { column } = focus;
    const page = Math.max(1, Math.floor(scroll.height / scroll.rowHeight) - 1);
    const room = { total: copy.total, columns: columns.shown.length, page, isControl, isRightToLeft: isRightToLeft(), hasTotals: columns.totals.isShown, pins: pinning.count };
    if (!focus.move(event.key, room, firstVisible(), copy)) return false;
    if (event.shiftKey && before !== null && isAmong(before.position, focus.position)) {
      selection.extend(before, column, here(), focus.column);
      on.announce(selection.text);
    } else if (selection.range !== null) selection.clear();
    const covered = session.view.group.length * scroll.rowHeight;
    if (focus.position >= 0) scroll.moveTo(focus.position === 0 ? 0 : scroll.reveal(focus.position, covered));
    columns.reveal(focus.column);
    return on.moved();
  }

  // Whether a rectangle can have both positions: in the scrolled rows, or in the pinned ones.
  function isAmong(one, other) {
    return Math.min(one, other) >= 0 || Math.max(one, other) <= PINNED;
  }

  function here() {
    return focus.position === null ? null : new Spot(focus.position, focus.item);
  }

  // The place of the active cell's menu while the cell is scrolled out of view.
  function corner() {
    const { left, top } = grid.getBoundingClientRect();
    return pointOf({ target: grid, clientX: left + 40, clientY: top + 40 });
  }

  function isRightToLeft() {
    return getComputedStyle(grid).direction === 'rtl';
  }

  let isTap = false;  // whether the touch may end as a tap on a row while rows are selected
  grid.addEventListener('pointerdown', (/** @type {On<PointerEvent>} */ event) => {
    isTap = false;
    const cell = event.target.closest('[role=gridcell], [role=rowheader]');
    const row = /** @type {HTMLElement|null|undefined} */ (cell?.closest('[aria-rowindex], [data-pinned]'));
    if (!row || (event.button !== 0 && event.button !== 2)) return;
    const before = here();
    const { column } = focus;
    const { pinned } = row.dataset;
    focus.set(row === columns.totals.row ? -2 : pinned === undefined ? Number(row.getAttribute('aria-rowindex')) - 2 : PINNED - Number(pinned), Number(cell.getAttribute('aria-colindex') ?? 1) - 1, session.copy);
    if (event.button === 2) return void on.changed();  // the menu chooses its target rows
    if (focus.position === -2) {
      selection.clear();
      return void on.changed();
    }
    if (event.shiftKey && before !== null && isAmong(before.position, focus.position)) {
      event.preventDefault();  // the browser would select text
      grid.focus({ preventScroll: true });
      selection.extend(before, column, here(), focus.column);
      on.announce(selection.text);
    } else if (event.ctrlKey || event.metaKey) {
      if (focus.item !== null && !focus.item.isHeader) selection.toggleRow(focus.item);
      on.announce(selection.text || phrase('Nothing selected'));
    } else if (event.pointerType === 'touch' && selection.rows.size > 0) {
      isTap = true;  // a swipe keeps the selected rows
    } else {
      selection.clear();
      if (event.pointerType !== 'touch' && event.button === 0 && (focus.position >= 0 || focus.position <= PINNED) && !event.target.closest('a, button')) cellDrag.begin(event, here(), focus.column);
    }
    on.changed();
  });

  // Once rows are selected, a tap selects another row or deselects it.
  grid.addEventListener('click', (/** @type {On<MouseEvent>} */ { target }) => {
    if (!isTap || target.closest('a, button')) return;
    isTap = false;
    if (focus.item === null || focus.item.isHeader || !target.closest('[role=gridcell]')) return;
    selection.toggleRow(focus.item);
    on.announce(selection.text || phrase('Nothing selected'));
    on.changed();
  });

  grid.addEventListener('contextmenu', (/** @type {On<MouseEvent>} */ event) => {
    if (!event.target.closest('[role=gridcell], [role=rowheader]') || !getSelection().isCollapsed) return;
    if (event.target.closest('.totals')) {
      event.preventDefault();
      return void totals();
    }
    if (on.menu(pointOf(event))) event.preventDefault();
  });

  listenForLongPress(grid, (point) => {
    grid.focus({ preventScroll: true });  // a touch gives the focus only when it ends
    return on.menu(pointOf(point));
  });

  grid.addEventListener('dblclick', (/** @type {On<MouseEvent>} */ { target }) => {
    if (target.closest('.row [role=gridcell]') && getSelection().isCollapsed) on.open();
  });
}

/** Returns a stand-in for an element at the pointer, below which a menu can open. */
function pointOf({ target, clientX, clientY }) {
  const box = new DOMRect(clientX, clientY, 0, 0);
  return { getBoundingClientRect: () => box, setAttribute: () => {}, removeAttribute: () => {}, target };
}

/** Marks the selection in the drawn rows. */
export class Marks {
  #isMarked = false;

  /**
   * Updates the marks of all drawn rows and cells.
   *
   * @param {Iterable<[number, object]>} nodes the drawn rows by id
   * @param {import('../model/selection.js').Selection} selection
   * @param {Set<number>|null} targets the rows of an open menu or dialog, marked instead of the
   *   selection
   */
  draw(nodes, selection, targets) {
    const isEmpty = selection.isEmpty && targets === null;
    if (isEmpty && !this.#isMarked) return;
    this.#isMarked = !isEmpty;
    const bounds = targets === null ? selection.bounds : null;
    const rows = targets ?? selection.rows;
    const hasPinned = bounds !== null && selection.range.isWhole === true;
    const positionOf = ({ el: { dataset: { pinned } }, position }) => (pinned === undefined ? position : PINNED - Number(pinned));
    for (const [id, node] of nodes) {
      const isRow = rows.has(id);
      if (isRow !== (node.el.getAttribute('aria-selected') === 'true')) {
        if (isRow) node.el.setAttribute('aria-selected', 'true');
        else node.el.removeAttribute('aria-selected');
      }
      const position = positionOf(node);
      const isWithin = bounds !== null && ((position >= bounds.top && position <= bounds.bottom) || (hasPinned && position <= PINNED));
      for (const [at, cell] of node.cells.entries()) {
        if (cell === undefined) continue;
        const isSelected = isWithin && at >= bounds.first && at <= bounds.last;
        if (isSelected === cell.isSelected) continue;
        cell.isSelected = isSelected;
        if (isSelected) cell.el.setAttribute('aria-selected', 'true');
        else cell.el.removeAttribute('aria-selected');
      }
    }
  }
}
