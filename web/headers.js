// headers.js: section headers, as nodes that the protocol's slots name, and the one that sticks to the top.

import { hideNode, placeNode } from './table.js';
import { plain } from './format.js';

/** A header's node: one cell over the whole width. */
class HeaderNode {
  constructor() {
    this.el = document.createElement('div');
    this.el.className = 'section';
    this.el.setAttribute('role', 'row');
    this.cell = document.createElement('div');
    this.cell.className = 'section-cell';
    this.cell.setAttribute('role', 'rowheader');
    this.title = document.createTextNode('');
    this.value = document.createTextNode('');
    this.count = document.createTextNode('');
    const parts = [['section-column', this.title], ['section-value', this.value], ['section-count', this.count]];
    for (const [name, text] of parts) {
      const part = document.createElement('span');
      part.className = name;
      part.append(text);
      this.cell.append(part, ' ');
    }
    this.el.append(this.cell);
    this.item = null;
    this.position = -1;
    this.y = NaN;
    this.stamp = 0;
    this.isHidden = false;
    this.homePosition = -1;
    this.homeY = 0;
  }

  show(item, columns, locale) {
    if (this.item === item) return;
    this.item = item;
    // Everything is written, whatever was here before: a lent node must not let its last section shine through.
    const column = columns.find(({ column: { name } }) => name === item.column);
    const value = column === undefined ? plain(item.value) : column.format(item.value, Date.now());
    this.title.nodeValue = column === undefined ? item.column : column.column.title || item.column;
    this.value.nodeValue = value === '' ? '—' : value;
    this.count.nodeValue = item.count.toLocaleString(locale);
    this.cell.setAttribute('aria-colspan', String(Math.max(1, columns.length)));
  }
}

/** The headers in sight. `pin` is the element that sticks under the column headers. */
export class Sections {
  constructor(body, pin, locale) {
    this.body = body;
    this.pin = pin;
    this.locale = locale;
    this.specs = [];
    /** @type {Map<number, HeaderNode>} */
    this.nodes = new Map();
    this.#stamp = 0;
    this.#pinned = null;
  }
  #stamp;
  #pinned;

  /** Another table. */
  setSpecs(specs) {
    for (const node of this.nodes.values()) node.el.remove();
    this.nodes.clear();
    this.#pinned = null;
    this.specs = specs;
  }

  /** Before the first `place` of a frame. */
  begin() {
    this.#stamp += 1;
  }

  /** Draws a header at its place. */
  place(item, position, y) {
    const node = this.#nodeOf(item);
    if (node.stamp === this.#stamp) return;  // the same slot twice: the first one keeps it
    node.stamp = this.#stamp;
    node.homePosition = position;
    node.homeY = y;
    if (node !== this.#pinned) placeNode(node, position, y);
  }

  /**
   * After the last `place` of a frame: the header of the section that is at the top sticks there, pushed away by the next one.
   */
  finish(scroll, copy) {
    const header = headerAbove(scroll, copy);
    const node = header === null ? null : this.#nodeOf(header.item);
    if (node !== this.#pinned) this.#swap(node);
    if (node !== null) {
      node.stamp = this.#stamp;
      placeNode(node, header.position, header.push);
    }
    for (const other of this.nodes.values()) {
      if (other.stamp !== this.#stamp) hideNode(other);
    }
  }

  /** The drawn cell of a header. */
  cellOf(item) {
    const node = this.nodes.get(item.slot);
    return node !== undefined && node.item === item ? node.cell : undefined;
  }

  #nodeOf(item) {
    let node = this.nodes.get(item.slot);
    if (node === undefined) {
      node = new HeaderNode();
      this.nodes.set(item.slot, node);
      this.body.append(node.el);
    }
    node.show(item, this.specs, this.locale);
    return node;
  }

  #swap(node) {
    if (this.#pinned !== null) {
      const { el, homePosition, homeY, stamp } = this.#pinned;
      el.classList.remove('pinned');
      this.body.append(el);
      if (stamp === this.#stamp) placeNode(this.#pinned, homePosition, homeY);
    }
    this.#pinned = node;
    if (node !== null) {
      node.el.classList.add('pinned');
      this.pin.append(node.el);
    }
  }
}

/** Whose header sticks: of the first item in sight. `push` is by how many pixels the next header has moved it up (0 or less). */
function headerAbove(scroll, copy) {
  const { items, start, lead } = copy;
  const first = scroll.first - start;
  if (first < 0 || first >= items.length) return null;
  let at = first;
  while (at >= 0 && !items[at].isHeader) at -= 1;
  const item = at >= 0 ? items[at] : lead;
  if (item === null) return null;
  let push = 0;
  const next = items[first + 1];
  if (next !== undefined && next.isHeader) push = Math.min(0, (first + start) * scroll.rowHeight - scroll.position);
  return { item, position: at >= 0 ? start + at : -1, push };
}
