// facets.js: the facets panel: the values and ranges of columns with the numbers of their rows. A
// click filters by a value. Loaded when first opened.

import { keepChildren, make } from '../grid/elements.js';
import { columnItems, countsFrom, entriesOf, entryText, inPlace, isCountable, markOf, MOST_FACETS, noteOf, suggestedFacets, termAfter, wireFacets } from '../model/facets.js';
import { nextTerms, termsFault } from '../model/query.js';
import { titleOf } from '../model/columns.js';
import { openMenu } from './menu.js';
import { localOffsets } from '../model/zone.js';
import { keyText, number, phrase } from '../model/language.js';

const mostShown = 10;    // entries of a facet before the user asks for all
const pressTime = 500;   // milliseconds of a long press
const slop = 10;         // pixels that a resting finger may move

/**
 * The facets panel of a pane.
 *
 * `on.close()` closes it, `on.fault(reason)` shows why a filter is not possible, and
 * `on.filter(name, under)` opens the filter of a column.
 */
export class Facets {
  /** @param {import('../app/pane.js').Pane} pane */
  constructor(pane, on) {
    this.pane = pane;
    this.on = on;
    this.el = make('section', 'facets');
    this.el.setAttribute('role', 'region');
    this.el.setAttribute('aria-label', phrase('Facets'));
    this.#choose = make('button', 'facets-choose', phrase('Columns'));
    this.#choose.setAttribute('aria-haspopup', 'menu');
    this.#choose.addEventListener('click', () => this.#offerColumns());
    this.#close = make('button', 'facets-close', '×');
    this.#close.setAttribute('aria-label', phrase('Close the facets'));
    this.#close.addEventListener('click', () => on.close());
    const head = make('div', 'facets-head');
    head.append(make('h2', '', phrase('Facets')), this.#choose, this.#close);
    this.#note = make('p', 'facets-note');
    this.#list = make('div', 'facets-list');
    this.el.append(head, this.#note, this.#list);
    this.el.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      event.stopPropagation();
      on.close();
    });
    pane.stage.append(this.el);
    pane.stage.classList.add('with-facets');
    this.show();
  }
  #choose;
  #close;
  #note;
  #list;
  #awaitsEntry = false;  // whether the first entry gets the focus once there is one
  #key = '';
  #suggested = { table: '', names: [] };
  /**
   * The facets in order.
   * @type {FacetNode[]}
   */
  #nodes = [];

  /** Moves the focus to the first entry, or to the button of columns until there is one. */
  focus() {
    const entry = /** @type {HTMLElement|null} */ (this.el.querySelector('.facet-entry[tabindex="0"]'));
    this.#awaitsEntry = entry === null;
    (entry ?? (this.#choose.hidden ? this.#close : this.#choose)).focus();
  }

  /** Removes the panel and ends the counts. */
  close() {
    this.pane.session.wantFacets([]);
    this.pane.stage.classList.remove('with-facets');
    this.el.remove();
  }

  /** Shows the facets of the pane's table and view. */
  show() {
    const { session: { table }, view, columns } = this.pane;
    const isRemote = table?.windowed !== undefined;
    const names = table === undefined || isRemote ? [] : this.#names(table, view);
    this.#choose.hidden = table === undefined || isRemote;
    write(this.#note, isRemote ? phrase('The rows of this table stay at their source, so their values cannot be counted.')
      : table !== undefined && names.length === 0 ? phrase('Choose columns to count their values.') : '');
    this.pane.session.wantFacets(wireFacets(names, table?.columns ?? [], this.pane.session.zone, localOffsets()));
    const key = JSON.stringify([table?.name, table?.generation, names]);
    if (key !== this.#key) this.#build(names);
    this.#key = key;
    for (const node of this.#nodes) node.show(columns.all, view.filters);
  }

  /** Shows the changed counts that the server sent. */
  take(facets) {
    for (const facet of facets) this.#nodes[facet.at]?.take(countsFrom(facet));
    if (!this.#awaitsEntry) return;
    if (document.activeElement === this.#choose) this.focus();
    else this.#awaitsEntry = false;
  }

  #names(table, view) {
    const fits = (name) => table.columns.some((column) => column.name === name && isCountable(column));
    if (view.facets !== undefined) return view.facets.filter(fits).slice(0, MOST_FACETS);
    if (this.#suggested.table !== `${table.name} ${table.generation ?? 0}`) {
      const sample = this.pane.session.copy.items.filter(({ isHeader, cells }) => !isHeader && cells !== undefined).map(({ cells }) => cells);
      const names = suggestedFacets(table, sample);
      // Before the first rows, texts with few values are not known yet.
      if (sample.length === 0) return names;
      this.#suggested = { table: `${table.name} ${table.generation ?? 0}`, names };
    }
    return this.#suggested.names;
  }

  #build(names) {
    const before = new Map(this.#nodes.map((node) => [node.name, node]));
    const isOther = this.#key !== '' && JSON.parse(this.#key)[0] !== this.pane.session.table?.name;
    this.#nodes = names.map((name) => (isOther ? undefined : before.get(name)) ?? new FacetNode(name, {
      choose: (entry, isOut) => this.#apply(name, (term, column) => termAfter(term, entry, isOut, column)),
      clear: () => this.#apply(name, () => null),
      filter: (under) => this.on.filter(name, under),
    }));
    keepChildren(this.#list, this.#nodes.map(({ el }) => el));
  }

  #apply(name, next) {
    const { view, session: { table } } = this.pane;
    const column = table?.columns.find((one) => one.name === name);
    if (column === undefined) return;
    const term = next(view.filters.find((one) => one.column === name), column);
    const filters = nextTerms(view.filters, name, term);
    const fault = termsFault(filters);
    if (fault === '') this.pane.change({ filters });
    else this.on.fault(fault);
  }

  #offerColumns() {
    const { session: { table }, view } = this.pane;
    openMenu(this.#choose, phrase('Columns of the facets'), columnItems(table.columns, this.#names(table, view), (facets) => this.pane.change({ facets })));
  }
}

/** The element of one facet. It writes to the DOM only what has changed. */
class FacetNode {
  constructor(name, on) {
    this.name = name;
    this.on = on;
    this.el = make('section', 'facet');
    this.el.setAttribute('role', 'group');
    this.#title = make('h3', 'facet-title');
    this.#clear = make('button', 'facet-clear', phrase('Clear'));
    this.#clear.addEventListener('click', () => {
      this.#focusEntry(0);
      on.clear();
    });
    const head = make('div', 'facet-head');
    head.append(this.#title, this.#clear);
    this.#find = make('input', 'facet-find');
    this.#find.type = 'search';
    this.#find.placeholder = phrase('Find a value');
    this.#find.autocomplete = 'off';
    this.#find.addEventListener('input', () => this.#draw());
    this.#find.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.#find.value !== '') event.stopPropagation();
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      this.#focusEntry(0);
    });
    this.#box = make('div', 'facet-entries');
    this.#box.setAttribute('role', 'listbox');
    this.#box.setAttribute('aria-multiselectable', 'true');
    this.#box.title = phrase('Click to show these rows, Alt+click to leave them out');
    this.#more = make('button', 'facet-more');
    this.#more.addEventListener('click', () => {
      this.#isWhole = !this.#isWhole;
      this.#draw();
    });
    this.#note = make('p', 'facet-note');
    this.#all = make('button', 'facet-more', phrase('Filter…'));
    this.#all.setAttribute('aria-haspopup', 'dialog');
    this.#all.addEventListener('click', () => on.filter(this.#all));
    this.el.append(head, this.#find, this.#box, this.#more, this.#note, this.#all);
    this.#listen();
  }
  #title;
  #clear;
  #find;
  #box;
  #more;
  #note;
  #all;
  #spec = null;
  #term = undefined;
  /** @type {import('../model/facets.js').Counts} */
  #counts = { pending: true };
  /** @type {import('../model/facets.js').Entry[]} */
  #entries = [];
  #byKey = new Map();   // the elements of the entries
  #isWhole = false;
  #isBusy = false;      // whether the pointer or the focus is in the list
  #isPressed = false;   // whether a long press has opened the menu

  #listen() {
    const box = this.#box;
    box.addEventListener('click', (event) => {
      if (this.#isPressed) return void (this.#isPressed = false);
      this.#choose(this.#entryOf(event.target), event.altKey);
    });
    box.addEventListener('contextmenu', (event) => {
      const entry = this.#entryOf(event.target);
      if (entry === undefined) return;
      event.preventDefault();
      this.#menu(entry);
    });
    box.addEventListener('keydown', (event) => this.#pressed(event));
    const settle = () => {
      const isBusy = box.matches(':hover') || box.contains(document.activeElement);
      if (isBusy === this.#isBusy) return;
      this.#isBusy = isBusy;
      if (!isBusy) this.#draw();
    };
    for (const name of ['pointerenter', 'pointerleave', 'focusin']) box.addEventListener(name, settle);
    box.addEventListener('focusout', () => queueMicrotask(settle));
    this.#listenForLongPress();
  }

  #listenForLongPress() {
    let timer = 0;
    let at = null;
    const end = () => clearTimeout(timer);
    this.#box.addEventListener('pointerdown', (event) => {
      this.#isPressed = false;
      const entry = this.#entryOf(event.target);
      if (event.pointerType !== 'touch' || entry === undefined) return;
      at = { x: event.clientX, y: event.clientY };
      timer = setTimeout(() => {
        this.#isPressed = true;
        this.#menu(entry);
      }, pressTime);
    });
    this.#box.addEventListener('pointermove', ({ clientX, clientY }) => { if (at && Math.hypot(clientX - at.x, clientY - at.y) > slop) end(); });
    for (const name of ['pointerup', 'pointercancel', 'pointerleave']) this.#box.addEventListener(name, end);
  }

  #pressed(event) {
    const entry = this.#entryOf(event.target);
    if (entry === undefined || event.ctrlKey || event.metaKey) return;
    const options = this.#options;
    const at = options.indexOf(event.target);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: options.length - 1 }[event.key];
    if (event.key === 'Enter' || event.key === ' ') this.#choose(entry, event.altKey);
    else if (event.key === 'Delete' || event.key === '-') this.#choose(entry, true);
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) this.#menu(entry);
    else if (next !== undefined) this.#focusEntry(Math.max(0, Math.min(options.length - 1, next)));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  get #options() {
    return /** @type {HTMLElement[]} */ ([...this.#box.children]);
  }

  #focusEntry(at) {
    const options = this.#options;
    for (const option of options) option.tabIndex = -1;
    if (options[at] === undefined) return;
    options[at].tabIndex = 0;
    options[at].focus();
  }

  #entryOf(target) {
    const key = target.closest('.facet-entry')?.dataset.key;
    return this.#entries.find((entry) => entry.key === key);
  }

  #choose(entry, isOut) {
    if (entry !== undefined) this.on.choose(entry, isOut);
  }

  #menu(entry) {
    const mark = markOf(this.#term, entry, this.#spec.column);
    const el = this.#byKey.get(entry.key).el;
    openMenu(el, entry.label, [
      { label: phrase('Show these rows'), hint: keyText('Enter'), isChecked: mark === 'in', run: () => this.#choose(entry, false) },
      // Choosing an entry that is left out takes that back.
      { label: phrase('Leave these rows out'), hint: keyText('Alt+Enter'), isChecked: mark === 'out', run: () => this.#choose(entry, true) },
      null,
      { label: phrase('Filter {column}…', { column: titleOf(this.#spec.column) }), run: () => this.on.filter(el) },
    ]);
  }

  /** Shows the marks of a view's filters. `specs` are all columns. */
  show(specs, filters) {
    const spec = specs.find(({ column }) => column.name === this.name);
    if (spec === undefined) return;  // the columns of another table
    this.#spec = spec;
    this.#term = filters.find(({ column }) => column === this.name);
    const title = titleOf(spec.column);
    write(this.#title, title);
    for (const [element, label] of [[this.el, title], [this.#box, title], [this.#find, phrase('Find a value of {column}', { column: title })],
      [this.#clear, phrase('Clear the filter of {column}', { column: title })], [this.#all, phrase('Filter {column}…', { column: title })]]) {
      if (element.getAttribute('aria-label') !== label) element.setAttribute('aria-label', label);
    }
    this.#draw();
  }

  /**
   * Shows other counts; null for malformed ones.
   * @param {import('../model/facets.js').Counts|null} counts
   */
  take(counts) {
    if (counts === null) return;
    this.#counts = counts;
    this.#draw();
  }

  #draw() {
    if (this.#spec === null) return;
    const isCounted = this.#counts.empty !== undefined;
    const found = isCounted ? entriesOf(this.#counts, this.#spec, this.#term, Date.now()) : [];
    this.#entries = this.#isBusy && isCounted ? inPlace(this.#entries, found) : found;
    const wanted = this.#find.value.trim().toLowerCase();
    const matching = this.#entries.filter(({ label }) => label.toLowerCase().includes(wanted));
    const isLong = this.#entries.length > mostShown && this.#counts.values !== undefined;
    this.#find.hidden = !isLong && wanted === '';
    const shown = isLong && !this.#isWhole && wanted === '' ? this.#firstOf(matching) : matching;
    this.#more.hidden = !isLong || wanted !== '';
    write(this.#more, this.#isWhole ? phrase('Show fewer') : phrase('{count} more', { count: this.#entries.length - shown.length }));
    const greatest = Math.max(1, ...this.#entries.map(({ rows }) => rows));
    const focused = document.activeElement;
    this.#byKey = new Map(shown.map((entry) => {
      const node = this.#byKey.get(entry.key) ?? new EntryNode(entry.key);
      node.draw(entry, markOf(this.#term, entry, this.#spec.column), entry.rows / greatest);
      return [entry.key, node];
    }));
    const elements = [...this.#byKey.values()].map(({ el }) => el);
    if (elements.length !== this.#box.children.length || elements.some((el, at) => this.#box.children[at] !== el)) {
      keepChildren(this.#box, elements);
      if (elements.includes(focused) && document.activeElement !== focused) focused.focus();
    }
    if (!elements.some(({ tabIndex }) => tabIndex === 0) && elements.length > 0) elements[0].tabIndex = 0;
    // The list does not become shorter, so that the facets below it stay in place.
    const lines = Math.max(elements.length, Math.min(mostShown, Number(this.#box.dataset.lines ?? 0)));
    if (String(lines) !== this.#box.dataset.lines) {
      this.#box.dataset.lines = String(lines);
      this.#box.style.minHeight = `calc(${lines} * var(--entry))`;
    }
    this.#box.hidden = elements.length === 0;
    this.#clear.hidden = this.#term === undefined;
    const note = noteOf(this.#counts);
    write(this.#note, isCounted && elements.length === 0 ? (wanted === '' ? phrase('No rows.') : phrase('None of these values.')) : note);
    this.#note.hidden = this.#note.textContent === '';
    this.#all.hidden = this.#counts.others === undefined && this.#counts.moreThan === undefined;
  }

  // The first entries, and those that filter.
  #firstOf(entries) {
    return entries.filter((entry, at) => at < mostShown || markOf(this.#term, entry, this.#spec.column) !== '');
  }
}

/** The element of an entry. */
class EntryNode {
  constructor(key) {
    this.el = make('div', 'facet-entry');
    this.el.setAttribute('role', 'option');
    this.el.dataset.key = key;
    this.el.tabIndex = -1;
    this.label = make('span', 'facet-label');
    this.count = make('span', 'facet-count');
    this.el.append(this.label, this.count);
  }
  #drawn = '';

  /** Shows an entry. `part` is the length of its bar, from 0 to 1. */
  draw(entry, mark, part) {
    const key = JSON.stringify([entry, mark, part]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    write(this.label, entry.label);
    if (this.label.title !== entry.label) this.label.title = entry.label;
    write(this.count, number(entry.rows));
    this.el.style.setProperty('--part', part.toFixed(3));
    this.el.dataset.mark = mark;
    this.el.classList.toggle('none', entry.rows === 0);
    this.el.setAttribute('aria-selected', String(mark === 'in'));
    this.el.setAttribute('aria-label', entryText(entry, mark));
  }
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
