// celldrag.js: selects cells by dragging. A drag within one cell selects text. One that begins in
// the pinned rows stays there, and one in the scrolled rows scrolls them at their edges.

import { PINNED } from './pinning.js';
import { Spot } from '../model/selection.js';

const edge = 28;        // pixels from the top or bottom within which a drag scrolls the table
const slowest = 4;      // pixels per frame
const fastest = 60;

/** Returns the pixels to scroll per frame: more the farther `y` is past the box's edge zone. */
export function dragSpeed(y, top, bottom) {
  const out = y < top + edge ? y - top - edge : y > bottom - edge ? y - bottom + edge : 0;
  return out === 0 ? 0 : Math.sign(out) * Math.min(fastest, slowest + Math.abs(out) / 2);
}

/** A drag over the cells of a pane. At most one is active. */
export class CellDrag {
  /** Takes the `parts` and `on` of {@link listenForInput}. */
  constructor(parts, on) {
    this.parts = parts;
    this.on = on;
  }
  #from = null;
  #fromColumn = 0;
  #cell = null;      // the cell in which the drag began
  #at = null;        // the pointer's position
  #isChoosing = false;
  #frame = 0;
  #done = null;

  /** Starts a drag from the cell on which the pointer was pressed. */
  begin(event, from, fromColumn) {
    this.#end();
    if (from === null) return;
    const done = this.#done = new AbortController();
    const { signal } = done;
    this.pointer = event.pointerId;
    this.#from = from;
    this.#fromColumn = fromColumn;
    this.#cell = event.target.closest('[role=gridcell]');
    if (this.#cell === null) return void this.#end();
    addEventListener('pointermove', (moved) => moved.pointerId === this.pointer && this.#move(moved), { signal });
    for (const end of ['pointerup', 'pointercancel', 'blur']) addEventListener(end, () => this.#end(), { signal });
    // Otherwise the browser would drag an image out of the page.
    addEventListener('dragstart', (dragged) => dragged.preventDefault(), { signal });
    addEventListener('selectstart', (started) => { if (this.#isChoosing) started.preventDefault(); }, { signal });
  }

  #move({ clientX: x, clientY: y, buttons }) {
    if ((buttons & 1) === 0) return void this.#end();
    this.#at = { x, y };
    if (!this.#isChoosing) {
      const box = this.#cell.getBoundingClientRect();
      if (x >= box.left && x < box.right && y >= box.top && y < box.bottom) return;
      this.#isChoosing = true;
      this.parts.grid.classList.add('choosing');
      this.parts.grid.focus({ preventScroll: true });
    }
    this.#extend();
    this.#frame ||= requestAnimationFrame(() => this.#scroll());
  }

  // All rows have the same height, so the pointer's y gives the row, regardless of DOM order.
  #extend() {
    getSelection().removeAllRanges();
    const { grid, session: { copy }, scroll, selection, columns, focus, pinning } = this.parts;
    const { top, bottom } = this.#box;
    const y = Math.max(top, Math.min(bottom - 1, this.#at.y));
    const line = (y - top) / scroll.rowHeight;
    const position = this.#isPinned ? PINNED - Math.min(pinning.count - 1, Math.floor(line)) : Math.max(0, Math.min(copy.total - 1, Math.floor(scroll.position / scroll.rowHeight + line)));
    const column = this.#columnAt(grid, y) ?? (selection.range?.toColumn ?? this.#fromColumn);
    selection.span(this.#from, new Spot(position, this.#isPinned ? pinning.itemAt(position) : copy.itemAt(position)), this.#fromColumn, Math.min(column, columns.shown.length - 1));
    focus.set(position, column, copy);
    this.on.changed();
  }

  get #isPinned() {
    return this.#from.position <= PINNED;
  }

  // The part of the screen that has the rows of the drag: the pinned ones, or those below.
  get #box() {
    const { grid, body, pinning, scroll } = this.parts;
    const { bottom } = grid.getBoundingClientRect();
    const top = Math.max(grid.getBoundingClientRect().top, body.parentElement.querySelector('.heads').getBoundingClientRect().bottom);
    const height = pinning.count * scroll.rowHeight;
    if (this.#isPinned) return { top, bottom: top + height };
    return { top: top + height, bottom: Math.min(bottom, top + height + scroll.height) };
  }

  #columnAt(grid, y) {
    const { left, right } = grid.getBoundingClientRect();
    const x = Math.max(left + 1, Math.min(right - 1, this.#at.x));
    const cell = document.elementFromPoint(x, y)?.closest('[role=gridcell]');
    return cell && grid.contains(cell) ? Number(cell.getAttribute('aria-colindex')) - 1 : undefined;
  }

  #scroll() {
    this.#frame = 0;
    if (!this.#isChoosing || this.#isPinned) return;
    const { top, bottom } = this.#box;
    const speed = dragSpeed(this.#at.y, top, bottom);
    if (speed === 0) return;
    const { scroll } = this.parts;
    scroll.moveTo(scroll.position + speed);
    this.#extend();
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  #end() {
    this.#done?.abort();
    this.#done = null;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (!this.#isChoosing) return;
    this.#isChoosing = false;
    this.parts.grid.classList.remove('choosing');
    this.on.announce(this.parts.selection.text);
  }
}
