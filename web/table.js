// table.js: draws the rows in sight. Nodes are recycled; in the scroll path nothing is measured and next to nothing allocated.

import { makeCell } from './cells.js';
import { drawnRange } from './viewport.js';

const bare = Object.freeze({ ahead: 0, behind: 0 });
const mostFresh = 90;       // beyond so many changed cells a highlight says nothing, and costs
const freshTime = 450;      // milliseconds that a changed cell stays highlighted

/** A row's node and its cells. It keeps what each cell shows, so that only differences are written. */
class RowNode {
  constructor(specs) {
    this.el = document.createElement('div');
    this.el.className = 'row';
    this.el.setAttribute('role', 'row');
    this.specs = specs;
    this.cells = specs.map(makeCell);
    for (const cell of this.cells) this.el.append(cell.el);
    this.shown = new Array(specs.length).fill(null);
    this.item = null;
    this.position = -1;
    this.y = NaN;
    this.stamp = 0;
    this.isHidden = false;
  }

  /** Shows an item; answers how many cells changed. `fresh` takes those that did, or is null. */
  show(item, now, fresh) {
    const { cells, shown, specs } = this;
    const values = item.cells;
    this.item = item;
    for (let at = 0; at < cells.length; at += 1) {
      const value = values[specs[at].index] ?? null;
      if (value === shown[at]) continue;
      shown[at] = value;
      cells[at].show(value, now);
      if (fresh !== null) fresh.push(cells[at].el);
    }
  }

  /** Shows the same values again, for what depends on the time or on a scale. */
  refresh(at, now) {
    this.cells[at].show(this.shown[at], now);
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

/** Only when a pointer rests on a cell is anything measured: a text that is cut off is told as a whole. */
export function tellWhole(cell) {
  if (cell) cell.title = cell.scrollWidth > cell.clientWidth ? cell.textContent : '';
}

function makeGhost(body) {
  const el = document.createElement('div');
  el.className = 'ghost';
  el.setAttribute('aria-busy', 'true');
  el.hidden = true;
  body.append(el);
  return { el, y: NaN, height: 0, isHidden: true };
}

/** The rows of a table, drawn into `body`. `sections` draws the headers between them (headers.js). */
export class Table {
  constructor(body, sections) {
    this.body = body;
    this.sections = sections;
    this.specs = [];
    this.range = { from: 0, to: 0 };
    /** Only what is in sight is drawn: for the first frame of a table, which then comes sooner. */
    this.isLean = false;
    this.flashes = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    /** Rows on the screen, by their id. @type {Map<number, RowNode>} */
    this.nodes = new Map();
    this.#free = [];
    this.#ghosts = [makeGhost(body), makeGhost(body)];
    this.#stamp = 0;
    this.#fresh = [];
    this.#freshUntil = 0;
  }
  #free;
  #ghosts;
  #stamp;
  #fresh;
  #freshUntil;

  /** Another table: nothing of the one before is kept. */
  setSpecs(specs) {
    for (const node of this.nodes.values()) node.el.remove();
    for (const node of this.#free) node.el.remove();
    this.nodes.clear();
    this.#free = [];
    this.#fresh = [];
    this.specs = specs;
  }

  /**
   * Draws what is around the visible items.
   *
   * @param {import('./viewport.js').ScrollModel} scroll
   * @param {import('./rows.js').WindowCopy} copy
   * @param {boolean} isChanged the copy has changed since the last time
   * @param {boolean} isPatch and by a patch: what changed may be shown as fresh
   * @param {number} now milliseconds that only go on; `clock`: milliseconds since 1970, for ages
   */
  paint(scroll, copy, isUpward, isChanged, isPatch, now, clock) {
    const range = drawnRange(scroll.first, scroll.count, copy.total, isUpward, this.range, this.isLean ? bare : undefined);
    const stamp = ++this.#stamp;
    const { nodes } = this;
    if (isPatch || this.#fresh.length > 0) this.#fade(isPatch, now);

    for (let position = range.from; position < range.to; position += 1) {
      const node = nodes.get(copy.itemAt(position)?.id);
      if (node !== undefined) node.stamp = stamp;
    }
    for (const [id, node] of nodes) {
      if (node.stamp === stamp) continue;
      nodes.delete(id);
      this.#free.push(node);
    }

    this.sections.begin();
    for (let position = range.from; position < range.to; position += 1) {
      const item = copy.itemAt(position);
      const y = position * scroll.rowHeight - scroll.base;
      if (item === undefined) continue;
      if (item.isHeader) {
        this.sections.place(item, position, y);
      } else {
        const node = nodes.get(item.id) ?? this.#take(item, stamp);
        if (node.item !== item) node.show(item, clock, null);
        else if (isChanged) node.show(item, clock, isPatch && this.flashes ? this.#fresh : null);
        placeNode(node, position, y);
      }
    }
    for (const node of this.#free) hideNode(node);
    this.#haunt(0, range.from, Math.min(range.to, copy.start), scroll);
    this.#haunt(1, Math.max(range.from, copy.end), range.to, scroll);
    if (isPatch) this.#light(now);
  }

  /** Shows ages anew. */
  tick(now) {
    for (const spec of this.specs) {
      if (spec.column.style !== 'age') continue;
      for (const node of this.nodes.values()) node.refresh(spec.at, now);
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

  /** When highlights want to be taken away, or 0. */
  get freshUntil() {
    return this.#fresh.length > 0 ? this.#freshUntil : 0;
  }

  #take(item, stamp) {
    const node = this.#free.pop() ?? this.#make();
    node.stamp = stamp;
    node.item = null;
    this.nodes.set(item.id, node);
    return node;
  }

  #make() {
    const node = new RowNode(this.specs);
    this.body.append(node.el);
    return node;
  }

  // Rows that are on their way, as one element above the window and one below it: however many there are, they cost two nodes.
  #haunt(index, from, to, scroll) {
    const ghost = this.#ghosts[index];
    const height = Math.max(0, to - from) * scroll.rowHeight;
    if (height === 0) {
      hideNode(ghost);
      return;
    }
    const y = from * scroll.rowHeight - scroll.base;
    if (ghost.y !== y) ghost.el.style.transform = `translateY(${ghost.y = y}px)`;
    if (ghost.height !== height) ghost.el.style.height = `${ghost.height = height}px`;
    if (ghost.isHidden) ghost.el.hidden = ghost.isHidden = false;
  }

  #fade(isPatch, now) {
    if (!isPatch && now < this.#freshUntil) return;
    for (const el of this.#fresh) el.classList.remove('fresh');
    this.#fresh.length = 0;
  }

  #light(now) {
    if (this.#fresh.length > mostFresh) this.#fresh.length = 0;
    for (const el of this.#fresh) el.classList.add('fresh');
    this.#freshUntil = now + freshTime;
  }
}
