// table.js: draws the rows in the viewport. Nodes are recycled. Scrolling measures nothing in the
// DOM and allocates almost nothing.

import { makeCell, severityName } from './cells.js';
import { missingOf } from '../model/columns.js';
import { darken, directionOf, drawnRange, Flashes, Moves } from '../model/viewport.js';

const none = Object.freeze([]);

/**
 * A row's DOM node with the cells of the drawn columns.
 *
 * It remembers the value of each cell, so that only changes are written to the DOM.
 */
export class RowNode {
  constructor(specs, places, marker) {
    this.el = document.createElement('div');
    this.el.className = 'row';
    this.el.setAttribute('role', 'row');
    this.specs = specs;
    this.marker = marker;
    this.severity = '';
    this.places = none;
    this.cells = new Array(specs.length).fill(undefined);
    this.shown = new Array(specs.length).fill(null);
    this.item = null;
    this.position = -1;
    this.y = NaN;
    this.stamp = 0;
    this.isHidden = false;
    this.setPlaces(places, 0);
  }

  /**
   * Sets the drawn columns. Cells of columns that are not drawn any more are reused for new columns
   * of the same kind. DOM order follows column order, because screen readers read in DOM order.
   */
  setPlaces(places, now) {
    const { el, cells, specs } = this;
    const spare = new Map();
    for (const at of this.places) {
      if (places.includes(at)) continue;
      const cell = cells[at];
      const { kind } = specs[at];
      cells[at] = undefined;
      this.shown[at] = null;
      if (!spare.has(kind)) spare.set(kind, []);
      spare.get(kind).push(cell);
    }
    this.places = places;
    let next = null;
    for (let index = places.length - 1; index >= 0; index -= 1) {
      const at = places[index];
      if (cells[at] === undefined) {
        const cell = spare.get(specs[at].kind)?.pop();
        if (cell !== undefined) {
          darken(cell);
          cell.bind(specs[at]);
        }
        cells[at] = cell ?? makeCell(specs[at]);
        el.insertBefore(cells[at].el, next);
        if (cell !== undefined) cell.show(null, now);
        if (this.item !== null) this.#show(at, now, null);
      }
      next = cells[at].el;
    }
    for (const cells of spare.values()) for (const cell of cells) cell.el.remove();
  }

  /** Detaches the row and stops its flashes, before the node shows another row. */
  release() {
    this.item = null;
    for (const at of this.places) darken(this.cells[at]);
  }

  /** Cancels the row's image requests, because it is out of view. `show` repeats them. */
  leave() {
    for (const at of this.places) {
      if (this.specs[at].kind !== 'picture') continue;
      this.cells[at].leave();
      this.shown[at] = null;
    }
  }

  /** Shows an item. Changed cells are added to `flashes` unless it is null. */
  show(item, now, flashes) {
    this.item = item;
    for (const at of this.places) this.#show(at, now, flashes);
    if (this.marker !== null) this.#grade(item.absence === null ? this.marker.severity(item.cells[this.marker.index]) : '');
  }

  // Shows the severity of the whole row: `critical`, `warn` or empty.
  #grade(severity) {
    if (severity === this.severity) return;
    this.severity = severity;
    if (severity === '') {
      delete this.el.dataset.severity;
      this.el.removeAttribute('aria-description');
    } else {
      this.el.dataset.severity = severity;
      this.el.setAttribute('aria-description', severityName(severity));
    }
  }

  #show(at, now, flashes) {
    const { index, styling } = this.specs[at];
    const value = this.item.absence ?? this.item.cells[index] ?? null;
    const before = this.shown[at];
    if (value === before && !styling?.readsRow) return;
    this.shown[at] = value;
    this.cells[at].show(value, now, this.item.cells);
    if (value !== before && flashes !== null && missingOf(before) === null) flashes.add(this.cells[at], directionOf(before, value, this.specs[at].column.better));
  }

  /** Updates the clipping of all cells after a change of column widths. */
  fit() {
    for (const at of this.places) this.cells[at].fit();
  }

  /** Draws a cell again although its value is unchanged, because the time or its scale changed. */
  refresh(at, now) {
    this.cells[at]?.show(this.shown[at], now, this.item?.cells);
  }
}

/** Moves a node by a transform, which needs no layout, and makes it visible. */
export function placeNode(node, position, y) {
  if (node.y !== y) {
    node.y = y;
    node.el.style.transform = `translateY(${y}px)`;
  }
  if (node.position !== position) {
    node.position = position;
    // Row 1 is that of the column headers.
    if (position < 0) node.el.removeAttribute('aria-rowindex');
    else node.el.setAttribute('aria-rowindex', String(position + 2));
  }
  if (node.isHidden) {
    node.isHidden = false;
    node.el.hidden = false;
  }
}

/** Hides a node and keeps its contents. */
export function hideNode(node) {
  if (node.isHidden) return;
  node.isHidden = true;
  node.el.hidden = true;
}

/**
 * The rows of a table, drawn on `sheet`, which moves along with the viewport. `ghost` is shown
 * behind them while rows are loading. `sections` draws the section headers (headers.js).
 */
export class Table {
  constructor(sheet, ghost, sections) {
    this.sheet = sheet;
    this.clip = sheet.parentElement;
    this.body = this.clip.parentElement;
    this.ghost = ghost;
    this.sections = sections;
    this.specs = [];
    /** The column that decides on the severity of rows, or null. */
    this.marker = null;
    /**
     * The indexes of the drawn columns in `specs`.
     * @type {readonly number[]}
     */
    this.places = none;
    this.range = { from: 0, to: 0 };
    /** Whether nothing has been drawn yet in the current columns. */
    this.isNew = false;
    this.flashes = new Flashes();
    this.moves = new Moves();
    this.selection = new TextSelection(this.body);
    /** The number of row nodes created, and the number of times one was assigned to a row. */
    this.counts = { made: 0, taken: 0 };
    /**
     * The drawn rows by id.
     * @type {Map<number, RowNode>}
     */
    this.nodes = new Map();
    /**
     * The rows that stay above the others, which pinned.js draws.
     * @type {RowNode[]}
     */
    this.pinned = [];
    this.#free = [];
    this.#stamp = 0;
    this.#leaving = new Set();
    this.#native = 0;
  }
  #free;
  #stamp;
  #leaving;   // nodes of deleted rows that are fading out
  #heights = { body: -1, clip: -1 };
  #native;    // the element's scroll position when it was last drawn

  /** Sets the drawn columns. Row nodes and the cells of columns that stay drawn are kept. */
  setPlaces(places, clock) {
    this.places = places;
    this.#forAll((node) => node.setPlaces(places, clock));
  }

  /** Updates the clipping of all texts after a change of column widths. */
  fitTexts() {
    this.#forAll((node) => node.fit());
  }

  #forAll(act) {
    for (const nodes of [this.nodes.values(), this.pinned, this.#free, this.#leaving]) for (const node of nodes) act(node);
  }

  /** Sets the columns of another table and removes all nodes. `marker` grades whole rows. */
  setSpecs(specs, marker = null) {
    this.marker = marker;
    this.places = none;
    for (const node of [...this.#leaving, ...this.nodes.values()]) this.moves.stop(node);
    for (const node of [...this.nodes.values(), ...this.pinned, ...this.#free]) node.el.remove();
    this.nodes.clear();
    this.pinned = [];
    this.#free = [];
    this.specs = specs;
  }

  /** Sets the heights of the scrolled element and of the viewport. */
  fit({ nativeHeight, height }) {
    const heights = this.#heights;
    if (heights.body !== nativeHeight) this.body.style.height = this.sheet.style.height = `${heights.body = nativeHeight}px`;
    if (heights.clip !== height) this.clip.style.height = `${heights.clip = height}px`;
  }

  /**
   * Draws the items in the viewport.
   *
   * @param {import('../model/viewport.js').ScrollModel} scroll
   * @param {import('../protocol/wire.js').WindowCopy} copy
   * @param {{isChanged: boolean, isLit: boolean, moves: object|null}} change `isChanged`: whether
   *   the copy has changed since the last call; `isLit`: whether changed cells flash; `moves`: the
   *   copy's `moves` if they are animated, or null
   * @param {number} now monotonic time in milliseconds
   * @param {number} clock milliseconds since 1970, for ages
   */
  paint(scroll, copy, { isChanged, isLit, moves }, now, clock) {
    const { first, count, rowHeight, base } = scroll;
    const range = drawnRange(first, count, copy.total, this.range);
    const stamp = ++this.#stamp;
    const { nodes } = this;
    const motion = moves === null ? null : this.moves;
    this.moves.begin(this.#native, scroll.native, scroll.height);
    this.flashes.pass(now);

    for (let position = range.from; position < range.to; position += 1) {
      const node = nodes.get(copy.itemAt(position)?.id);
      if (node !== undefined) node.stamp = stamp;
    }
    for (const [id, node] of nodes) if (node.stamp !== stamp) this.#retire(id, node, moves);

    let isWaiting = false;
    this.sections.begin();
    for (let position = range.from; position < range.to; position += 1) {
      const item = copy.itemAt(position);
      const y = position * rowHeight - base;
      if (item === undefined) {
        isWaiting = true;
        continue;
      }
      if (item.isHeader) {
        this.sections.place(item, position, y, motion);
        continue;
      }
      const held = nodes.get(item.id);
      const node = held ?? this.#take(item, stamp);
      const isVisible = position >= first && position < first + count;
      if (node.item !== item) node.show(item, clock, null);
      else if (isChanged) node.show(item, clock, isLit && isVisible ? this.flashes : null);
      if (motion !== null && held !== undefined) motion.glide(node, y);
      else if (motion !== null && moves.came.has(item.id)) motion.slideIn(node, y);
      placeNode(node, position, y);
    }
    for (const node of this.#free) hideNode(node);
    if (this.ghost.hidden === isWaiting) this.ghost.hidden = !isWaiting;
    if (isWaiting) this.ghost.style.transform = `translateY(${scroll.native}px)`;
    if (isLit) this.flashes.light(now);
    if (isChanged) this.selection.restore();
    this.#slide(scroll.native);
  }

  // Counters the element's scroll position. The compositor scrolls only the empty body, so rows
  // move in the frame that draws them, and no blank area appears.
  #slide(native) {
    if (this.#native === native) return;
    this.#native = native;
    this.sheet.style.transform = `translate3d(0, ${-native}px, 0)`;
  }

  /** Updates the cells that show ages. */
  tick(now) {
    for (const at of this.places) {
      if (this.specs[at].column.style === 'age') this.rescale(at, now);
    }
  }

  /** Draws the cells of one column again after a change of its scale. */
  rescale(at, now) {
    for (const nodes of [this.nodes.values(), this.pinned]) for (const node of nodes) node.refresh(at, now);
  }

  /** Returns the element of the cell at a position of the view, or undefined if it is not drawn. */
  cellAt(position, column, copy) {
    const item = copy.itemAt(position);
    if (item === undefined) return undefined;
    if (item.isHeader) return this.sections.cellOf(item, column);
    return this.nodes.get(item.id)?.cells[column]?.el;
  }

  /** The time of the next change of a flash, which needs its own frame, or 0. */
  get nextFlash() {
    return this.flashes.next;
  }

  #take(item, stamp) {
    const node = this.#free.pop() ?? this.#make();
    this.counts.taken += 1;
    this.moves.stop(node);
    node.release();
    node.stamp = stamp;
    this.nodes.set(item.id, node);
    return node;
  }

  // Frees the node of a row that is not drawn any more, unless it fades out or contains selected
  // text.
  #retire(id, node, moves) {
    if (this.selection.touches(node.el)) return hideNode(node);
    this.nodes.delete(id);
    node.leave();
    const isLeaving = moves !== null && moves.left.has(id) && this.moves.fadeOut(node, () => {
      this.#leaving.delete(node);
      hideNode(node);
      this.#free.push(node);
    });
    return isLeaving ? this.#leaving.add(node) : this.#free.push(node);
  }

  #make() {
    const node = new RowNode(this.specs, this.places, this.marker);
    this.counts.made += 1;
    this.sheet.append(node.el);
    return node;
  }
}

// Text selection.

/**
 * The user's text selection in the table.
 *
 * When a text changes, the browser moves a selection end inside it to the start of the text. The
 * end is restored in the same frame.
 */
export class TextSelection {
  constructor(body) {
    this.body = body;
    this.#selection = null;
    document.addEventListener('selectionchange', () => this.#look());
  }
  #selection;
  #ends = null;

  /** Returns whether an end of the selection is in the element, which must then not be reused. */
  touches(element) {
    const selection = this.#selection;
    return selection !== null && (element.contains(selection.anchorNode) || element.contains(selection.focusNode));
  }

  // Reads the selection. `selectionchange` events arrive late, so `hold` calls this as well.
  #look() {
    const selection = document.getSelection();
    const isEmpty = selection === null || selection.rangeCount === 0
      || (selection.anchorNode === selection.focusNode && selection.anchorOffset === selection.focusOffset);
    const isOurs = !isEmpty && (this.body.contains(selection.anchorNode) || this.body.contains(selection.focusNode));
    this.#selection = isOurs ? selection : null;
    return this.#selection;
  }

  /** Stores the ends of the selection. Call it before texts change. */
  hold() {
    const selection = this.#look();
    this.#ends = selection === null ? null
      : [selection.anchorNode, selection.anchorOffset, selection.focusNode, selection.focusOffset];
  }

  /** Restores the stored ends. Call it after texts have changed. */
  restore() {
    if (this.#ends === null) return;
    const selection = this.#selection;
    const [anchor, anchorOffset, focus, focusOffset] = this.#ends;
    this.#ends = null;
    const isSame = selection.anchorNode === anchor && selection.anchorOffset === anchorOffset
      && selection.focusNode === focus && selection.focusOffset === focusOffset;
    if (isSame || !anchor.isConnected || !focus.isConnected) return;
    selection.setBaseAndExtent(anchor, Math.min(anchorOffset, sizeOf(anchor)), focus, Math.min(focusOffset, sizeOf(focus)));
  }
}

function sizeOf(node) {
  return node.nodeType === Node.TEXT_NODE ? node.length : node.childNodes.length;
}
