// headers.js: layout and headers of the table's columns, and section headers, including the sticky
// ones at the top, one per level. Section header nodes are reused by the protocol's slots.

import { barScale, DrawnColumns, fittingWidth, FONT, gapOf, grownWidth, isCounted, place, plain, shownSpecs, specify, titleOf } from '../model/columns.js';
import { displayedColumns } from '../model/display.js';
import { aggregateTexts, LABEL_WIDTH, totalledColumns } from '../model/totals.js';
import { levelTitle, sectionText } from '../model/ranges.js';
import { hideNode, placeNode } from './table.js';
import { TotalCell } from './totals.js';
import { locale, number, phrase } from '../model/language.js';

/** The DOM node of a section header: its label, and a cell for each column with totals. */
class HeaderNode {
  /** @param {import('../model/totals.js').Totalled[]} totalled the columns with cells */
  constructor(totalled) {
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
    /** @type {[string, Text][]} */
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
    this.totals = [];
    this.setTotals(totalled);
    this.item = null;
    this.position = -1;
    this.y = NaN;
    this.stamp = 0;
    this.isHidden = false;
    this.homePosition = -1;
    this.homeY = 0;
  }

  /** Sets the columns with cells. */
  setTotals(totalled) {
    for (const { el } of this.totals) el.remove();
    this.totals = totalled.map((one) => new TotalCell(one));
    this.el.append(...this.totals.map(({ el }) => el));
  }

  show(item, columns, view, width, texts, locale) {
    if (this.item === item) return;
    this.item = item;
    // Writes everything, because a reused node still shows its previous section.
    const column = columns.find(({ column: { name } }) => name === item.column);
    const value = column === undefined ? plain(item.value) : sectionText(item, column, Date.now(), locale);
    this.title.nodeValue = column === undefined ? item.column : levelTitle(column.column, view, item.level, locale);
    this.value.nodeValue = value || (item.value === '' ? phrase('(empty)') : '—');
    this.count.nodeValue = number(item.count, undefined, locale);
    this.cell.title = this.aggregates.nodeValue = texts(item.aggregates).join(' · ');
    for (const cell of this.totals) cell.show(item.aggregates, Date.now(), locale);
    this.cell.setAttribute('aria-colspan', String(Math.max(1, width)));
    this.el.dataset.level = item.level;
    this.cell.setAttribute('aria-expanded', String(!item.isCollapsed));
  }
}

// The tooltip of a column's header.
function hintOf(column) {
  return [titleOf(column), column.description ?? ''].filter((text) => text !== '').join('\n');
}

/**
 * The drawn section headers. `pin` is the sticky element below the column headers that holds the
 * pinned ones.
 */
export class Sections {
  constructor(sheet, pin, locale) {
    this.sheet = sheet;
    this.pin = pin;
    this.locale = locale;
    this.specs = [];
    this.view = { group: [] };  // the query that is shown
    this.width = 0;
    this.#aggregates = [];
    /** The columns whose totals have cells; the other totals are in the label. */
    this.#totalled = [];
    /** @type {Map<number, HeaderNode>} */
    this.nodes = new Map();
    /** The number of nodes created, and the number of times one was assigned to a section. */
    this.counts = { made: 0, taken: 0 };
    this.#stamp = 0;
    this.#pinned = new Set();
  }
  #stamp;
  #pinned;
  #aggregates;
  #totalled;
  #key = '';

  // The texts of totals without a cell, for the label.
  #texts = (values) => {
    const isPlaced = (name) => this.#totalled.some(({ spec }) => spec.column.name === name);
    return aggregateTexts(this.#aggregates, values, this.specs, Date.now(), this.locale, (name) => !isPlaced(name));
  };

  /** Sets the columns of the table; `width` is the number of visible ones. */
  setSpecs(specs, width) {
    this.width = width;
    this.specs = specs;
    for (const node of this.nodes.values()) node.el.remove();
    this.nodes.clear();
    this.#pinned.clear();
  }

  /**
   * Sets the query's aggregates and the shown columns in their places. Totals of columns that begin
   * where the label is are written in the label.
   */
  setTotals(aggregates, shown) {
    const totalled = totalledColumns(aggregates, shown).filter(({ spec }) => spec.left >= LABEL_WIDTH);
    const label = totalled.length === 0 ? '' : `${totalled[0].spec.left}px`;
    const { style } = this.sheet.closest('.canvas');
    if (style.getPropertyValue('--label') !== label) style.setProperty('--label', label);
    const key = JSON.stringify([aggregates, totalled.map(({ spec }) => spec.rule)]);
    if (key === this.#key) return;
    this.#key = key;
    this.#aggregates = aggregates;
    this.#totalled = totalled;
    for (const node of this.nodes.values()) {
      node.setTotals(totalled);
      const { item } = node;
      node.item = null;
      if (item !== null) this.#show(node, item);
    }
  }

  #show(node, item) {
    node.show(item, this.specs, this.view, this.#totalled[0]?.spec.at ?? this.width, this.#texts, this.locale);
  }

  /** Begins a frame; call it before the first `place`. */
  begin() {
    this.#stamp += 1;
  }

  /** Draws a header at a position. */
  place(item, position, y, motion = null) {
    const before = this.nodes.get(item.slot)?.item;
    const node = this.#nodeOf(item);
    if (node.stamp === this.#stamp) return;  // the slot is taken in this frame
    if (motion !== null && before?.section === item.section && !node.isHidden && !this.#pinned.has(node)) motion.glide(node, y);
    node.stamp = this.#stamp;
    node.homePosition = position;
    node.homeY = y;
    if (!this.#pinned.has(node)) placeNode(node, position, y);
  }

  /**
   * Ends a frame; call it after the last `place`. Pins the headers of the sections at the top and
   * hides nodes that are out of view.
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

  /** Returns the header that contains an element, or null. */
  headerAt(element) {
    const el = element.closest?.('.section');
    for (const node of this.nodes.values()) if (node.el === el) return node.item;
    return null;
  }

  /**
   * Returns a header's cell in a column: that of its totals, or else its label. Undefined if the
   * header is not drawn.
   */
  cellOf(item, column) {
    const node = this.nodes.get(item.slot);
    if (node === undefined || node.item !== item) return undefined;
    return node.totals.find(({ spec }) => spec.at === column)?.el ?? node.cell;
  }

  #nodeOf(item) {
    let node = this.nodes.get(item.slot);
    if (node === undefined) {
      node = new HeaderNode(this.#totalled);
      this.counts.made += 1;
      this.nodes.set(item.slot, node);
      this.sheet.append(node.el);
    }
    if (node.item?.section !== item.section) this.counts.taken += 1;
    this.#show(node, item);
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
 * Returns the pinned headers, outermost first, each as `{item, position, y}`.
 *
 * The header of level n covers line n of the viewport if the row there is in a section of level n.
 * The next header of the same or an outer level pushes it up. `y` is the offset in pixels from the
 * column headers.
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

// Columns.

const ruler = document.createElement('canvas').getContext('2d');
const sample = 'Texts as they are in cells';
const tolerance = 0.03;  // relative difference of widths between DOM and canvas

/** The columns of a pane: applies the layout of columns.js to heads, table and sections. */
export class ColumnSet {
  /** `fit` is called when the row of totals has come or gone. */
  constructor({ grid, canvas, heads, table, sections, totals, suffix, fit }) {
    this.grid = grid;
    this.canvas = canvas;
    this.heads = heads;
    this.table = table;
    this.sections = sections;
    this.totals = totals;
    this.fit = fit;
    this.#prefix = `c${suffix}`;
    /**
     * All columns of the table, in the source's order.
     * @type {import('../model/columns.js').Spec[]}
     */
    this.all = [];
    /**
     * The visible columns, in screen order.
     * @type {import('../model/columns.js').Spec[]}
     */
    this.shown = [];
    this.drawn = new DrawnColumns();
    this.width = 0;  // width of the grid in pixels, without its scrollbar
    /** The aggregates of the query that is shown. */
    this.aggregates = [];
    this.#key = '';
    this.#layoutKey = '';
  }
  #key;
  #isMeasured = false;  // whether the widths of `all` are those of rows
  #prefix;
  #layoutKey;
  /** The module highlights.js; null until it is loaded. */
  highlighting = null;
  /** @type {import('../model/bounds.js').Bounds|null} Those of all rows, once they are loaded. */
  bounds = null;
  #marker = null;       // the column that decides on the severity of rows
  #gap = 0;
  #stretch = 1;  // ratio of the real width of texts to the measured one

  /**
   * Observes the real width of a sample text, which user settings for font size or letter spacing
   * change without effect on the canvas. `changed` is called when all must be measured and drawn
   * again.
   */
  look(changed) {
    const probe = document.createElement('span');
    probe.className = 'probe';
    probe.setAttribute('aria-hidden', 'true');
    probe.textContent = sample;
    this.grid.after(probe);
    // A ResizeObserver does not force a layout.
    new ResizeObserver(([{ contentRect: { width } }]) => {
      if (width === 0) return;  // not displayed
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

  /** Makes the next `update` measure the columns again. */
  forget() {
    this.#key = '';
    this.#isMeasured = false;
  }

  /** Measures the columns once, from a table's first rows. Returns whether the columns changed. */
  update(view, table, copy) {
    const columns = displayedColumns(table?.columns ?? [], view);
    const samples = copy.items.filter((item) => !item.isHeader && item.absence === null).map((item) => item.cells);
    const highlights = this.highlighting === null ? undefined : view.highlights;
    const key = `${view.table} ${samples.length > 0} ${table?.severity} ${JSON.stringify([columns, highlights])}`;
    if (key === this.#key || (samples.length === 0 && this.#key === key.replace(' false ', ' true '))) return false;
    this.#key = key;
    const stylings = highlights === undefined ? null : this.highlighting.looksOf(highlights, columns, (name, kind) => this.bounds?.valueOf(name, kind));
    // Columns that look the same, or only have other highlights, keep their widths.
    const widths = new Map(this.#isMeasured ? this.all.map((spec) => [lookOf(spec), { natural: spec.natural, isCut: spec.isCut }]) : []);
    this.#isMeasured = samples.length > 0;
    this.all = specify(columns, samples, this.#measure, { locale: locale(), now: Date.now(), prefix: this.#prefix, pictures: table?.images === true ? table.name : null, stylings });
    for (const spec of this.all) Object.assign(spec, widths.get(lookOf(spec)));
    this.#marker = this.all.find(({ column, severity }) => column.name === table?.severity && severity !== null) ?? null;
    this.#layoutKey = '';
    return this.arrange(view.columns);
  }

  /** Applies the user's layout. Returns whether columns, their order or pinning changed. */
  arrange(layout) {
    this.shown = shownSpecs(this.all, layout);
    const key = this.shown.map(({ index, isPinned }) => `${index}${isPinned}`).join();
    const isOther = key !== this.#layoutKey;
    if (isOther) {
      this.#layoutKey = key;
      this.heads.setSpecs(this.shown);
      this.table.setSpecs(this.shown, this.#marker);
      this.drawn.places = [];
      this.sections.setSpecs(this.all, this.shown.length);
      this.table.isNew = true;
      this.table.clip.classList.toggle('edged', this.shown.some(({ isPinned }) => isPinned));
      this.grid.setAttribute('aria-colcount', this.shown.length);
    }
    this.setPlaces();
    return isOther;
  }

  /** Computes and applies the columns' positions and widths. */
  setPlaces() {
    if (this.shown.length === 0 || this.width === 0) return;
    this.canvas.style.width = `${place(this.shown, this.width)}px`;
    this.heads.setPlaces();
    this.table.fitTexts();
    this.#leaveRoom();
    this.drawn.forget();
    this.#placeTotals();
  }

  /** Sets the query that is shown, whose aggregates have cells. */
  setQuery(query) {
    this.aggregates = query.aggregates;
    this.sections.view = query;
    if (this.shown.length > 0) this.#placeTotals();
  }

  #placeTotals() {
    this.sections.setTotals(this.aggregates, this.shown);
    if (this.totals.setColumns(this.aggregates, this.shown)) this.fit();
  }

  /** Returns the totals of hidden columns as texts. */
  hiddenTotals(values) {
    return aggregateTexts(this.aggregates, values, this.all, Date.now(), undefined, (name) => !this.shown.some(({ column }) => column.name === name));
  }

  /** Draws the columns around the viewport; `left` is the horizontal scroll offset. */
  draw(left) {
    if (!this.drawn.look(this.shown, left, this.width)) return;
    this.table.setPlaces(this.drawn.places, Date.now());
    this.#leaveRoom();
  }

  // Reserves the width of undrawn columns, so that those after them keep their position.
  #leaveRoom() {
    const gap = gapOf(this.shown, this.drawn.places);
    if (gap === this.#gap) return;
    this.#gap = gap;
    const { classList, style } = this.table.sheet;
    classList.toggle('gapped', gap > 0);
    style.setProperty('--gap', `${gap}px`);
  }

  /** Returns the width at which a column's title and cells in the window fit. */
  fittingWidth(spec, copy) {
    return fittingWidth(spec, copy.items.filter((item) => !item.isHeader && item.absence === null).map((item) => item.cells[spec.index]), this.#measure, Date.now());
  }

  /**
   * Aligns decimals again, and widens columns in which numbers or times did not fit, except those
   * with a user's width. Returns whether any column became wider.
   */
  widen() {
    let isWider = false;
    for (const at of this.drawn.places) {
      const spec = this.shown[at];
      if (spec.line?.isUneven) {
        spec.line.isUneven = false;
        this.table.rescale(at, Date.now());
      }
      const { tight, tightTotal } = spec;
      if ((tight === '' && tightTotal === '') || spec.setWidth > 0) continue;
      spec.tight = spec.tightTotal = '';
      const width = Math.max(tight === '' ? 0 : grownWidth({ ...spec, tight }, this.#measure), tightTotal === '' ? 0 : grownWidth({ ...spec, tight: tightTotal }, this.#measure, true));
      if (width === spec.natural) continue;
      spec.natural = width;
      isWider = true;
    }
    if (isWider) this.setPlaces();
    return isWider;
  }

  /** Updates the scales of bars and heat from the values of all rows, or in the window. */
  rescale(copy) {
    for (const at of this.drawn.places) {
      const spec = this.shown[at];
      if (spec.styling?.hasHeat) this.#reheat(spec, at, copy);
      if (spec.styling?.isRanked && spec.rankedBy !== this.bounds?.seq) this.#rank(spec, at);
      if (spec.kind !== 'bar') continue;
      const scale = barScale(spec, copy.items, this.bounds?.mostOf(spec.column.name));
      if (scale === spec.scale) continue;
      spec.scale = scale;
      this.table.rescale(at, Date.now());
    }
  }

  // Draws the cells of a column again, because its percentiles have changed.
  #rank(spec, at) {
    spec.rankedBy = this.bounds?.seq;
    this.table.rescale(at, Date.now());
  }

  #reheat({ styling, index, column: { name } }, at, copy) {
    const values = copy.items.filter(({ isHeader, absence }) => !isHeader && absence === null).map(({ cells }) => cells[index]);
    const scale = this.highlighting.heatScale(styling.scale, values, this.bounds?.rangeOf(name) ?? null);
    if (scale === styling.scale) return;
    styling.scale = scale;
    this.table.rescale(at, Date.now());
  }

  /** Scrolls horizontally until a column is fully visible next to the pinned ones. */
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

// Returns what the width of a column depends on, as text.
function lookOf({ column: { lines, ...look } }) {
  return JSON.stringify(look);
}

// Column headers.

// Physical sides, because each text has its own direction but aligns with its column.
const sides = { start: 'left', end: 'right' };
const mirrored = { start: 'right', end: 'left' };

const directions = { true: 'descending', false: 'ascending' };

/**
 * The row of column headers. `on` has `sort(column, isFurther)` for clicks on a header and
 * `menu(column, element)` for requests of its menu.
 */
export class Heads {
  /** `suffix` is appended to the ids of this pane's elements. */
  constructor(row, suffix, on) {
    this.row = row;
    this.suffix = suffix;
    this.cells = [];
    this.specs = [];
    // One CSS rule per column instead of a style per cell, so that a resize changes few rules.
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

  /** Returns the column whose header contains an element, or undefined. */
  specAt(element) {
    return this.specs[this.cells.indexOf(element.closest?.('.head'))];
  }

  /** Creates the headers of the visible columns. */
  setSpecs(specs) {
    this.specs = specs;
    this.cells = specs.map((spec) => {
      const title = make('span', 'head-title');
      title.id = `head-${spec.index}${this.suffix}`;
      title.textContent = titleOf(spec.column);
      // Placed at the side that is opposite to the title.
      const more = make('button', spec.align === 'end' ? 'head-more at-start' : 'head-more');
      more.type = 'button';
      more.tabIndex = -1;  // by keyboard, the header opens its menu
      more.setAttribute('aria-label', phrase('{column} column menu', { column: titleOf(spec.column) }));
      const cell = make('div', `head ${spec.rule}${spec.isPinned ? ' at-edge' : ''}`);
      cell.setAttribute('role', 'columnheader');
      cell.setAttribute('aria-labelledby', title.id);
      cell.setAttribute('aria-colindex', String(spec.at + 1));
      cell.setAttribute('aria-sort', 'none');
      cell.setAttribute('aria-haspopup', 'menu');
      cell.title = hintOf(spec.column);
      cell.append(title, more, make('span', 'head-edge'));
      return cell;
    });
    this.row.replaceChildren(...this.cells);
  }

  /** Writes the columns' positions and widths to the style sheet. */
  setPlaces() {
    const rules = this.specs.flatMap(({ column, rule: name, left, width, align, isPinned }) => {
      const edge = isPinned ? 'position:sticky;z-index:1;' : '';
      const rule = `.${name}{${edge}inset-inline-start:${left}px;width:${width}px;text-align:${sides[align] ?? align};justify-content:${align === 'center' ? align : `flex-${align}`}}`;
      // Numbers and times are left-to-right in every language; only their cell follows the page.
      const foreign = isCounted(column) ? `direction:ltr;inset-inline:auto ${left}px;` : '';
      const head = isPinned ? [`:is(.head,.total).${name}{grid-area:1/1;margin-inline-start:${left}px}`] : [];
      return [rule, ...head, `[dir=rtl] :is(.row,.section,.totals-row)>.${name}{${foreign}text-align:${mirrored[align] ?? align}}`];
    });
    const text = rules.join('\n');
    if (text === this.#rules) return;
    this.#rules = text;
    this.sheet.replaceSync(text);
    // Adopted late, because a new sheet makes the browser recalculate all styles.
    if (!document.adoptedStyleSheets.includes(this.sheet)) document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.sheet];
  }

  /** Marks the sorted and filtered columns, and those whose part of the query was not applied. */
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
      cell.title = mark ? phrase('Not applied. {reason}', mark) : hintOf(column);
      if (mark) cell.setAttribute('aria-description', phrase('not applied: {reason}', mark));
      else if (isFiltered) cell.setAttribute('aria-description', phrase('filtered'));
      else cell.removeAttribute('aria-description');
    });
  }
}

function make(kind, name) {
  const element = document.createElement(kind);
  element.className = name;
  return element;
}
