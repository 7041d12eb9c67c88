// headers.js: section headers, as nodes that the protocol's slots name, and those that stick to the top, one of each level.

import { hideNode, placeNode } from './table.js';
import { aggregateTexts } from './query.js';
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
    this.chevron = document.createElement('span');
    this.chevron.className = 'section-chevron';
    this.chevron.setAttribute('aria-hidden', 'true');
    this.cell.append(this.chevron);
    this.title = document.createTextNode('');
    this.value = document.createTextNode('');
    this.count = document.createTextNode('');
    this.aggregates = document.createTextNode('');
    const parts = [
      ['section-column', this.title], ['section-value', this.value], ['section-count', this.count],
      ['section-aggregates', this.aggregates],
    ];
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

  show(item, columns, width, aggregates, locale) {
    if (this.item === item) return;
    this.item = item;
    // Everything is written, whatever was here before: a lent node must not let its last section shine through.
    const column = columns.find(({ column: { name } }) => name === item.column);
    const value = column === undefined ? plain(item.value) : column.format(item.value, Date.now());
    this.title.nodeValue = column === undefined ? item.column : column.column.title || item.column;
    this.value.nodeValue = value || (item.value === '' ? '(empty)' : '—');
    this.count.nodeValue = item.count.toLocaleString(locale);
    this.aggregates.nodeValue = aggregateTexts(aggregates, item.aggregates, columns, Date.now(), locale).join(' · ');
    this.cell.setAttribute('aria-colspan', String(Math.max(1, width)));
    this.el.dataset.level = item.level;
    this.cell.setAttribute('aria-expanded', String(!item.isCollapsed));
  }
}

/** The headers in sight. `pin` is the element that sticks under the column headers, one of each level below the other. */
export class Sections {
  constructor(sheet, pin, locale) {
    this.sheet = sheet;
    this.pin = pin;
    this.locale = locale;
    this.specs = [];
    this.width = 0;
    /** What the query asks of each section, as {@link aggregateTexts} takes it. */
    this.aggregates = [];
    /** @type {Map<number, HeaderNode>} */
    this.nodes = new Map();
    /** How many header nodes were made, and how often one was lent to a section. */
    this.counts = { made: 0, taken: 0 };
    this.#stamp = 0;
    this.#pinned = new Set();
  }
  #stamp;
  #pinned;

  /** What the query asks of a section, or of all rows, as texts. */
  texts(values) {
    return aggregateTexts(this.aggregates, values, this.specs, Date.now(), this.locale);
  }

  /** Another table; `width` is the number of columns that are shown. */
  setSpecs(specs, width) {
    this.width = width;
    for (const node of this.nodes.values()) node.el.remove();
    this.nodes.clear();
    this.#pinned.clear();
    this.specs = specs;
  }

  /** Before the first `place` of a frame. */
  begin() {
    this.#stamp += 1;
  }

  /** Draws a header at its place. */
  place(item, position, y, motion = null) {
    const before = this.nodes.get(item.slot)?.item;
    const node = this.#nodeOf(item);
    if (node.stamp === this.#stamp) return;  // the same slot twice: the first one keeps it
    if (motion !== null && before?.section === item.section && !node.isHidden && !this.#pinned.has(node)) motion.glide(node, y);
    node.stamp = this.#stamp;
    node.homePosition = position;
    node.homeY = y;
    if (!this.#pinned.has(node)) placeNode(node, position, y);
  }

  /**
   * After the last `place` of a frame: the headers of the sections that are at the top stick there, each pushed away by the next one.
   */
  finish(scroll, copy) {
    const wanted = new Map(pinnedHeaders(scroll, copy).map((pinned) => [this.#nodeOf(pinned.item), pinned]));
    for (const node of this.#pinned) if (!wanted.has(node)) this.#unpin(node);
    for (const [node, { position, y }] of wanted) {
      if (!this.#pinned.has(node)) this.#pin(node);
      node.stamp = this.#stamp;
      placeNode(node, position, y);
    }
    for (const other of this.nodes.values()) {
      if (other.stamp !== this.#stamp) hideNode(other);
    }
  }

  /** The header that an element belongs to. */
  headerAt(element) {
    const el = element.closest?.('.section');
    for (const node of this.nodes.values()) if (node.el === el) return node.item;
    return null;
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
      this.counts.made += 1;
      this.nodes.set(item.slot, node);
      this.sheet.append(node.el);
    }
    if (node.item?.section !== item.section) this.counts.taken += 1;
    node.show(item, this.specs, this.width, this.aggregates, this.locale);
    return node;
  }

  #pin(node) {
    this.#pinned.add(node);
    node.el.classList.add('pinned');
    this.pin.append(node.el);
  }

  #unpin(node) {
    this.#pinned.delete(node);
    node.el.classList.remove('pinned');
    this.sheet.append(node.el);
    if (node.stamp === this.#stamp) placeNode(node, node.homePosition, node.homeY);
  }
}

/**
 * Which headers stick, outermost first. The one of level n covers line n from the top, when what lies there is in a section of level n;
 * the next header of its level, or of an outer one, pushes it up. `y` is where it stands below the column headers.
 */
export function pinnedHeaders(scroll, copy) {
  const pinned = [];
  const first = scroll.first;
  const push = Math.min(0, first * scroll.rowHeight - scroll.position);
  for (let level = 0; ; level += 1) {
    const item = copy.headersOf(first + level)[level];
    if (item === undefined) return pinned;
    const next = copy.itemAt(first + level + 1);
    const isPushed = next !== undefined && next.isHeader && next.level <= level;
    pinned.push({ item, position: copy.positionOfHeader(item), y: level * scroll.rowHeight + (isPushed ? push : 0) });
  }
}
