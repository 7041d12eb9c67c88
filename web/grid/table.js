// table.js: draws the rows in sight. Nodes are recycled; in the scroll path nothing is measured and next to nothing allocated.

import { makeCell } from './cells.js';
import { missingOf } from '../model/columns.js';
import { darken, directionOf, drawnRange, Flashes, Moves } from '../model/viewport.js';

const none = Object.freeze([]);

/** A row's node and its cells, of the columns that are drawn. It keeps what each cell shows, so that only differences are written. */
class RowNode {
  constructor(specs, places) {
    this.el = document.createElement('div');
    this.el.className = 'row';
    this.el.setAttribute('role', 'row');
    this.specs = specs;
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
   * Other columns are drawn: cells that are drawn no more become those of others of their kind, in the order of the columns, which is the
   * order in which a screen reader goes through them.
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

  /** Another row is going to be shown: nothing of the one before may shine through. */
  release() {
    this.item = null;
    for (const at of this.places) darken(this.cells[at]);
  }

  /** It is out of sight: its images are wanted no more, and are again when it is shown. */
  leave() {
    for (const at of this.places) {
      if (this.specs[at].kind !== 'picture') continue;
      this.cells[at].leave();
      this.shown[at] = null;
    }
  }

  /** Shows an item. `flashes` hears of the cells that changed, or is null. */
  show(item, now, flashes) {
    this.item = item;
    for (const at of this.places) this.#show(at, now, flashes);
  }

  #show(at, now, flashes) {
    const value = this.item.absence ?? this.item.cells[this.specs[at].index] ?? null;
    const before = this.shown[at];
    if (value === before) return;
    this.shown[at] = value;
    this.cells[at].show(value, now);
    if (flashes !== null && missingOf(before) === null) flashes.add(this.cells[at], directionOf(before, value, this.specs[at].column.better));
  }

  /** Columns have other widths: other texts are too long for them. */
  fit() {
    for (const at of this.places) this.cells[at].fit();
  }

  /** Shows the same value again, for what depends on the time or on a scale. */
  refresh(at, now) {
    this.cells[at]?.show(this.shown[at], now);
  }
}

/** Moves a recycled node; the reason why rows need no layout. */
export function placeNode(node, position, y) {
  if (node.y !== y) {
    node.y = y;
    node.el.style.transform = `translateY(${y}px)`;
  }
  if (node.position !== position) {
    node.position = position;
    if (position < 0) node.el.removeAttribute('aria-rowindex');
    else node.el.setAttribute('aria-rowindex', String(position + 2));  // the column headers are row 1
  }
  if (node.isHidden) {
    node.isHidden = false;
    node.el.hidden = false;
  }
}

/** Takes a node out of sight, without taking it apart. */
export function hideNode(node) {
  if (node.isHidden) return;
  node.isHidden = true;
  node.el.hidden = true;
}

/**
 * The rows of a table, drawn on `sheet`, which is moved along as the reader scrolls; `ghost` is shown behind them while some are on their way.
 * `sections` draws the headers between them (headers.js).
 */
export class Table {
  constructor(sheet, ghost, sections) {
    this.sheet = sheet;
    this.clip = sheet.parentElement;
    this.body = this.clip.parentElement;
    this.ghost = ghost;
    this.sections = sections;
    this.specs = [];
    /** The places of the columns that are drawn. @type {readonly number[]} */
    this.places = none;
    this.range = { from: 0, to: 0 };
    /** Nothing of the table has been drawn yet, or not in these columns. */
    this.isNew = false;
    this.flashes = new Flashes();
    this.moves = new Moves();
    this.selection = new TextSelection(this.body);
    /** How many row nodes were made, and how often one was given to a row. */
    this.counts = { made: 0, taken: 0 };
    /** Rows on the screen, by their id. @type {Map<number, RowNode>} */
    this.nodes = new Map();
    this.#free = [];
    this.#stamp = 0;
    this.#leaving = new Set();
    this.#native = 0;
  }
  #free;
  #stamp;
  #leaving;   // nodes of rows that are gone and fade
  #heights = { body: -1, clip: -1 };
  #native;    // where the element was scrolled to when it was last drawn

  /** Other columns are drawn: nodes stay, and so do the cells of columns that are drawn before and after. */
  setPlaces(places, clock) {
    this.places = places;
    this.#forAll((node) => node.setPlaces(places, clock));
  }

  /** Columns have other widths. */
  fitTexts() {
    this.#forAll((node) => node.fit());
  }

  #forAll(act) {
    for (const nodes of [this.nodes.values(), this.#free, this.#leaving]) for (const node of nodes) act(node);
  }

  /** Another table: nothing of the one before is kept. */
  setSpecs(specs) {
    this.places = none;
    for (const node of [...this.#leaving, ...this.nodes.values()]) this.moves.stop(node);
    for (const node of [...this.nodes.values(), ...this.#free]) node.el.remove();
    this.nodes.clear();
    this.#free = [];
    this.specs = specs;
  }

  /** Makes room for all items, and for those in sight. */
  fit({ nativeHeight, height }) {
    const heights = this.#heights;
    if (heights.body !== nativeHeight) this.body.style.height = this.sheet.style.height = `${heights.body = nativeHeight}px`;
    if (heights.clip !== height) this.clip.style.height = `${heights.clip = height}px`;
  }

  /**
   * Draws the visible items.
   *
   * @param {import('../model/viewport.js').ScrollModel} scroll
   * @param {import('../protocol/wire.js').WindowCopy} copy
   * @param {{isChanged: boolean, isLit: boolean, moves: object|null}} change `isChanged`: the copy has changed since the last time;
   *   `isLit`: by a patch, and cells that changed are lit; `moves`: what of it is shown as motion, as the copy has it
   * @param {number} now milliseconds that only go on; `clock`: milliseconds since 1970, for ages
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
      const isInSight = position >= first && position < first + count;
      if (node.item !== item) node.show(item, clock, null);
      else if (isChanged) node.show(item, clock, isLit && isInSight ? this.flashes : null);
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

  // What the compositor scrolls meanwhile is the empty body: the rows go where they are drawn, with what is drawn, and nothing is ever blank.
  #slide(native) {
    if (this.#native === native) return;
    this.#native = native;
    this.sheet.style.transform = `translate3d(0, ${-native}px, 0)`;
  }

  /** Shows ages anew. */
  tick(now) {
    for (const at of this.places) {
      if (this.specs[at].column.style === 'age') this.rescale(at, now);
    }
  }

  /** Draws one column's cells anew, after its scale has changed. */
  rescale(at, now) {
    for (const node of this.nodes.values()) node.refresh(at, now);
  }

  /** The cell at a position of the view, when it is drawn. */
  cellAt(position, column, copy) {
    const item = copy.itemAt(position);
    if (item === undefined) return undefined;
    if (item.isHeader) return this.sections.cellOf(item);
    return this.nodes.get(item.id)?.cells[column]?.el;
  }

  /** When a light wants to change, or 0: that needs a frame of its own. */
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

  // Its row is out of what is drawn: the node is free, unless it still shows the row's end, or text in it is selected.
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
    const node = new RowNode(this.specs, this.places);
    this.counts.made += 1;
    this.sheet.append(node.el);
    return node;
  }
}

// Selected text survives what changes under it.

/**
 * A new value in a text that is selected in part would throw the selection's end to the text's beginning. It is put back where it was, in
 * the same frame.
 */
export class TextSelection {
  constructor(body) {
    this.body = body;
    this.#selection = null;
    document.addEventListener('selectionchange', () => this.#look());
  }
  #selection;
  #ends = null;

  /** Whether one of its ends lies in this element: then the element must not be given to another row. */
  touches(element) {
    const selection = this.#selection;
    return selection !== null && (element.contains(selection.anchorNode) || element.contains(selection.focusNode));
  }

  // The browser tells of a selection a moment after it was made: whoever is about to write must look for himself.
  #look() {
    const selection = document.getSelection();
    const isEmpty = selection === null || selection.rangeCount === 0
      || (selection.anchorNode === selection.focusNode && selection.anchorOffset === selection.focusOffset);
    const isOurs = !isEmpty && (this.body.contains(selection.anchorNode) || this.body.contains(selection.focusNode));
    this.#selection = isOurs ? selection : null;
    return this.#selection;
  }

  /** Before texts change. */
  hold() {
    const selection = this.#look();
    this.#ends = selection === null ? null
      : [selection.anchorNode, selection.anchorOffset, selection.focusNode, selection.focusOffset];
  }

  /** After they have changed. */
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
