// headers.js: the columns of the open table on the screen, measured once and laid out as the reader wants them; their headers, and those of sections:
// nodes that the protocol's slots name, and those that stick to the top, one of each level.

import { barScale, DrawnColumns, fittingWidth, FONT, gapOf, grownWidth, isCounted, place, plain, shownSpecs, specify, titleOf } from '../model/columns.js';
import { aggregateTexts } from '../model/query.js';
import { hideNode, placeNode } from './table.js';

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

// The columns, and their headers.

const ruler = document.createElement('canvas').getContext('2d');
const sample = 'Texts as they are in cells';
const tolerance = 0.03;  // what a browser makes of a font's widths on this screen

/** Joins the pure rules of columns.js with what draws columns: heads, table and sections. */
export class ColumnSet {
  constructor({ grid, canvas, heads, table, sections, suffix }) {
    Object.assign(this, { grid, canvas, heads, table, sections });
    this.#prefix = `c${suffix}`;
    /** All columns of the table, in the source's order. @type {import('../model/columns.js').Spec[]} */
    this.all = [];
    /** Those that are shown, as they are shown. @type {import('../model/columns.js').Spec[]} */
    this.shown = [];
    this.drawn = new DrawnColumns();
    this.width = 0;  // of the grid, without its scrollbar
    this.#key = '';
    this.#layoutKey = '';
  }
  #key;
  #prefix;
  #layoutKey;
  #gap = 0;
  #stretch = 1;  // how much wider texts are than what is measured

  /**
   * Looks at how wide a text really is: a reader may want letters of a size, or spaces between them, of which no canvas knows. Then columns
   * are measured by that, and every cell that is too long is cut off at its side; `changed` hears that all has to be drawn anew.
   */
  look(changed) {
    const probe = document.createElement('span');
    probe.className = 'probe';
    probe.setAttribute('aria-hidden', 'true');
    probe.textContent = sample;
    this.grid.after(probe);
    // It tells what the browser has laid out anyway: nothing is measured for it.
    new ResizeObserver(([{ contentRect: { width } }]) => {
      if (width === 0) return;  // it is put away
      ruler.font = `13px ${FONT}`;
      const found = width / ruler.measureText(sample).width;
      const stretch = Math.abs(found - 1) > tolerance ? found : 1;
      if (stretch === this.#stretch) return;
      this.#stretch = stretch;
      this.canvas.classList.toggle('stretched', stretch !== 1);
      this.forget();
      changed();
    }).observe(probe);
  }

  /** Another table: the next rows are measured. */
  forget() {
    this.#key = '';
  }

  /** Columns are measured once, from the first rows of a table. Answers whether anything has become another. */
  update(view, table, copy) {
    const columns = table?.columns ?? [];
    const samples = copy.items.filter((item) => !item.isHeader && item.absence === null).map((item) => item.cells);
    const key = `${view.table} ${samples.length > 0} ${JSON.stringify(columns)}`;
    if (key === this.#key || (samples.length === 0 && this.#key === key.replace(' false ', ' true '))) return false;
    this.#key = key;
    this.all = specify(columns, samples, this.#measure, { now: Date.now(), prefix: this.#prefix, pictures: table?.images === true ? table.name : null });
    this.#layoutKey = '';
    return this.arrange(view.columns);
  }

  /** Shows the columns that the reader wants, as he wants them. */
  arrange(layout) {
    this.shown = shownSpecs(this.all, layout);
    const key = this.shown.map(({ index, isPinned }) => `${index}${isPinned}`).join();
    const isOther = key !== this.#layoutKey;
    if (isOther) {
      this.#layoutKey = key;
      this.heads.setSpecs(this.shown);
      this.table.setSpecs(this.shown);
      this.drawn.places = [];
      this.sections.setSpecs(this.all, this.shown.length);
      this.table.isNew = true;
      this.table.clip.classList.toggle('edged', this.shown.some(({ isPinned }) => isPinned));
      this.grid.setAttribute('aria-colcount', this.shown.length);
    }
    this.setPlaces();
    return isOther;
  }

  /** Puts each column at its place. */
  setPlaces() {
    if (this.shown.length === 0 || this.width === 0) return;
    this.canvas.style.width = `${place(this.shown, this.width)}px`;
    this.heads.setPlaces();
    this.table.fitTexts();
    this.#leaveRoom();
    this.drawn.forget();
  }

  /** Draws the columns around what is seen; `left` is how far the table is scrolled sideways. */
  draw(left) {
    if (!this.drawn.look(this.shown, left, this.width)) return;
    this.table.setPlaces(this.drawn.places, Date.now());
    this.#leaveRoom();
  }

  // Where columns are out of sight those behind them stand as far from the side all the same.
  #leaveRoom() {
    const gap = gapOf(this.shown, this.drawn.places);
    if (gap === this.#gap) return;
    this.#gap = gap;
    const { classList, style } = this.table.sheet;
    classList.toggle('gapped', gap > 0);
    style.setProperty('--gap', `${gap}px`);
  }

  /** The width that a column needs for what is held of it now. */
  fittingWidth(spec, copy) {
    return fittingWidth(spec, copy.items.filter((item) => !item.isHeader && item.absence === null).map((item) => item.cells[spec.index]), this.#measure, Date.now());
  }

  /** Lines decimals up again where values have more of them, and makes columns wider in which numbers or times had no room, unless the reader has
   *  sized them. Answers whether there were any such columns. */
  widen() {
    let isWider = false;
    for (const at of this.drawn.places) {
      const spec = this.shown[at];
      if (spec.line?.isUneven) {
        spec.line.isUneven = false;
        this.table.rescale(at, Date.now());
      }
      if (spec.tight === '' || spec.wished > 0) continue;
      const width = grownWidth(spec, this.#measure);
      spec.tight = '';
      if (width === spec.natural) continue;
      spec.natural = width;
      isWider = true;
    }
    if (isWider) this.setPlaces();
    return isWider;
  }

  /** Gives bars another scale when the values in the window need it. */
  rescale(copy) {
    for (const at of this.drawn.places) {
      const spec = this.shown[at];
      if (spec.kind !== 'bar') continue;
      let greatest = 0;
      for (const item of copy.items) {
        const value = item.isHeader ? 0 : item.cells[spec.index];
        if (value > greatest) greatest = value;
      }
      const scale = barScale(spec, greatest);
      if (scale === spec.scale) continue;
      spec.scale = scale;
      this.table.rescale(at, Date.now());
    }
  }

  /** Scrolls sideways until a column is in sight as a whole, beside those that stay at the edge. */
  reveal(at) {
    const spec = this.shown[at];
    if (!spec || spec.isPinned) return;
    const sign = getComputedStyle(this.grid).direction === 'rtl' ? -1 : 1;
    const covered = this.shown.reduce((sum, { isPinned, left, width }) => (isPinned ? Math.max(sum, left + width) : sum), 0);
    const scrolled = sign * this.grid.scrollLeft;
    if (spec.left - covered < scrolled) this.grid.scrollLeft = sign * (spec.left - covered);
    else if (spec.left + spec.width > scrolled + this.width) this.grid.scrollLeft = sign * (spec.left + spec.width - this.width);
  }

  #measure = (text, isTitle) => {
    ruler.font = `${isTitle ? '600 12px' : '13px'} ${FONT}`;
    return ruler.measureText(text).width * this.#stretch;
  };
}

// The column headers, and where each column stands.

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
      more.setAttribute('aria-label', `${titleOf(spec.column)} column menu`);
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
  setView({ sort, filters }, marks = []) {
    this.specs.forEach(({ column }, at) => {
      const order = sort.findIndex((term) => term.column === column.name);
      const cell = this.cells[at];
      cell.setAttribute('aria-sort', order < 0 ? 'none' : directions[sort[order].descending]);
      if (order >= 0 && sort.length > 1) cell.dataset.order = String(order + 1);
      else delete cell.dataset.order;
      const isFiltered = filters.some((term) => term.column === column.name);
      cell.classList.toggle('filtered', isFiltered);
      const mark = marks.find(({ key }) => key === `sort:${column.name}`) ?? marks.find(({ key }) => key.endsWith(`:${column.name}`));
      cell.classList.toggle('refused', mark !== undefined);
      cell.title = mark ? `Not applied. ${mark.reason}` : titleOf(column);
      if (mark) cell.setAttribute('aria-description', `not applied: ${mark.reason}`);
      else if (isFiltered) cell.setAttribute('aria-description', 'filtered');
      else cell.removeAttribute('aria-description');
    });
  }
}

function make(kind, name) {
  const element = document.createElement(kind);
  element.className = name;
  return element;
}
