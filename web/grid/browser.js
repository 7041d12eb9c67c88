// browser.js: scrolling, loading of interaction modules, keyboard shortcuts, the page's address,
// and stored preferences.

import { Backoff } from '../protocol/link.js';
import { rowHeightOf } from '../model/display.js';
import { hashFromView, hashFromViews, viewFromHash, viewsFromHash } from '../model/query.js';
import { isOutside } from '../model/viewport.js';

// Scrolling. Only this class reads and writes scroll positions.

const restTime = 140;       // milliseconds without a scroll event until scrolling counts as ended
const wheelTime = 1_000;    // milliseconds that smooth scrolling after a wheel event may last

/** The grid's two scroll positions. Calls `changed()` when the grid must be redrawn. */
export class Travel {
  constructor(grid, scroll, changed) {
    this.grid = grid;
    this.scroll = scroll;
    /** Whether the user is scrolling vertically. */
    this.isMoving = false;
    /** The horizontal scroll offset in pixels, from the inline start. */
    this.left = 0;
    this.#changed = changed;
    grid.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    grid.addEventListener('wheel', (event) => this.#wheeled(event), { passive: true });
  }
  #changed;
  #top = 0;           // the last known scrollTop
  #movedAt = 0;
  #restTimer = 0;
  #wheel = 0;         // pixels of wheel events for which no scroll event has arrived yet
  #wheelAt = 0;

  /** Ends the user's scrolling: later position changes come from the page. */
  stop() {
    this.isMoving = false;
  }

  /** Sets the element's scroll position to that of the scroll model. */
  write() {
    if (this.scroll.native !== this.#top) this.grid.scrollTop = this.#top = this.scroll.native;
  }

  #scrolled() {
    // Reading both forces no layout, because nothing was written since the last frame.
    const { scrollTop, scrollLeft } = this.grid;
    const now = performance.now();
    this.#top = scrollTop;
    const left = Math.abs(scrollLeft);  // negative in right-to-left layouts
    const isAcross = left !== this.left;
    this.left = left;
    if (scrollTop !== this.scroll.native) this.#move(scrollTop, now);
    else if (!isAcross) return;
    this.#changed();
  }

  #move(native, now) {
    if (now - this.#wheelAt > wheelTime) this.#wheel = 0;
    const moved = Math.abs(native - this.scroll.native);
    this.scroll.scrolled(native, this.#wheel);
    this.#wheel = Math.max(0, this.#wheel - moved);
    this.#start(now);
  }

  #wheeled({ deltaY, deltaMode }) {
    this.#wheelAt = performance.now();
    this.#wheel += Math.abs(deltaY) * [1, this.scroll.rowHeight, this.scroll.height][deltaMode];
    // Scrolling up leaves the end of the list before the browser reports the motion. A row that
    // arrives in between must not scroll back to the end.
    if (deltaY < 0) this.#start(this.#wheelAt);
  }

  #start(now) {
    this.isMoving = true;
    this.#movedAt = now;
    if (this.#restTimer === 0) this.#restTimer = setTimeout(() => this.#rest(), restTime);
  }

  #rest() {
    const left = this.#movedAt + restTime - performance.now();
    this.#restTimer = left > 1 ? setTimeout(() => this.#rest(), left) : 0;
    if (this.#restTimer !== 0) return;
    this.isMoving = false;
    this.#changed();
  }
}

// The delay before placeholders appear. No DOM.

/** The milliseconds before rows that are loading are drawn as placeholders. */
export const PATIENCE = 50;

/**
 * A short delay before placeholders are drawn.
 *
 * The rows of a jump usually arrive after a frame or two. Until then the screen stays unchanged,
 * because a flicker of placeholders would be distracting:
 *
 *     if (!patience.isLate(scroll, copy, now)) paint();  // calls `again` when the delay is over
 */
export class Patience {
  constructor(again, wait = (done, time) => setTimeout(done, time)) {
    this.again = again;
    this.wait = wait;
  }
  #since = null;     // when the viewport was first found to have no loaded row
  #isWaiting = false;

  /** Whether no row of the viewport is loaded, and the delay is not over yet. */
  isLate({ first, count }, held, now) {
    if (!isOutside(first, count, held)) {
      this.#since = null;
      return false;
    }
    this.#since ??= now;
    const left = this.#since + PATIENCE - now;
    if (left > 0 && !this.#isWaiting) {
      this.#isWaiting = true;
      this.wait(() => {
        this.#isWaiting = false;
        this.again();
      }, left);
    }
    return left > 0;
  }
}

// Interaction modules (later.js). They are imported after the first rows are drawn, or earlier on
// the first user action, which is repeated once they are loaded.

/**
 * The loader of menus, dialogs and drags. `on` has `change(wish)`, which changes the view, and
 * `lack(what)`, see pane.js.
 */
export class LateModules {
  constructor({ session, columns, groups }, on) {
    this.session = session;
    this.columns = columns;
    this.groups = groups;
    this.on = on;
  }
  #controller = null;
  #loaded = null;

  /**
   * Imports the modules once. Resolves to their exports and `controller`, the column controller.
   */
  load() {
    this.#loaded ??= bring(() => import('../app/later.js')).then((later) => {
      this.#controller = new later.ColumnController({ session: this.session, columns: this.columns, ...this.on });
      this.#controller.listen(this.groups);
      return { ...later, controller: this.#controller };
    });
    return this.#loaded;
  }

  /** Handles a key on a column header. Returns false if the key has no meaning there. */
  press(event, column) {
    if (this.#controller) return this.#controller.press(event, column);
    // Only keys with a modifier may be column commands. They are repeated once the modules have
    // loaded.
    if (!event.altKey && !event.ctrlKey && !event.shiftKey) return false;
    pressAgain(event, this.load());
    return true;
  }
}

/** Dispatches a copy of a key event to its target once the promise `loaded` resolves. */
export function pressAgain({ type, target, key, altKey, ctrlKey, shiftKey, metaKey }, loaded) {
  const again = new KeyboardEvent(type, { key, altKey, ctrlKey, shiftKey, metaKey, bubbles: true, cancelable: true });
  loaded.then(() => target.dispatchEvent(again));
}

// Keyboard shortcuts. They work anywhere on the page except in text fields, menus and dialogs.

/**
 * Listens for shortcuts on the document. In text fields only Control+K works.
 *
 * @param {Object<string, () => void>} actions by key; `Control` also matches Command
 */
export function listenForShortcuts(document, actions) {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, select, textarea, [role=menu], [role=dialog]');
    // With Caps Lock, Shift gives a small letter.
    const name = event.ctrlKey || event.metaKey ? `Control+${event.shiftKey ? 'Shift+' : ''}${event.key.toLowerCase()}` : event.key;
    if (!Object.hasOwn(actions, name) || (isTyping && (name !== 'Control+k' || event.target.closest('dialog'))) || event.altKey || event.repeat || event.isComposing) return;
    if (name.length === 1 && !hasShortcuts()) return;
    event.preventDefault();
    actions[name]();
  });
}

// Modules loaded on demand, even if the server is unreachable at first.

/** Returns the result of the import `load`, and retries it with backoff while fetching fails. */
export async function bring(load, wait = pauses()) {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      // Only a failed fetch throws a TypeError. An error in a fetched module would occur again.
      if (!(error instanceof TypeError)) throw error;
      await wait();
    }
  }
}

function pauses(dice = Math.random) {
  const backoff = new Backoff();
  return () => new Promise((go) => { setTimeout(go, backoff.pause(0, dice())); });
}

// The views in the page's address.

let shownHash = null;   // the fragment that the page shows
let run = '';      // the part of the view that the last step changed, while that step may grow
let current = 0;   // the number of the step that the page shows
let newest = -1;   // the number of the newest step, or -1 if it precedes a reload

/**
 * Writes the views on the page, one or two, into the address and stores them.
 *
 * A step is an entry in the browser's history, to which Back and Undo return. Consecutive changes
 * of one `part` are one step while the user types in a text field or holds a key.
 */
export function setAddress(views, isStep = false, part = '') {
  const hash = hashFromViews(views);
  const isNew = isStep && hash !== location.hash && (part === '' || part !== run);
  if (isStep) run = part;
  const step = stepNumber() + (isNew ? 1 : 0);
  try {
    history[isNew ? 'pushState' : 'replaceState']({ step }, '', hash || location.pathname);
  } catch { /* some browsers limit the number of entries in a time */ }
  current = stepNumber();
  if (isNew) newest = current;
  shownHash = location.hash;
  keepViews(views);
}

function keepViews(views) {
  for (const view of views.toReversed()) if (view.table !== '') keepView(view.table, hashFromView(view));
}

function stepNumber() {
  const step = history.state?.step;
  return Number.isSafeInteger(step) && step > 0 ? step : 0;
}

/**
 * Goes back or forward by one step, and returns false if there is none.
 *
 * After a reload of the page the number of steps to redo is unknown, and true is returned.
 */
export function goStep(isBack) {
  if (isBack ? stepNumber() === 0 : stepNumber() === newest) return false;
  history.go(isBack ? -1 : 1);
  return true;
}

/** Returns the views in the address, one or two. */
export function viewsFromAddress() {
  return viewsFromHash(location.hash);
}

/** Returns the view to open for a table: the user's default, or else the stored view. */
export function viewOf(name) {
  return { ...(defaultView(name) ?? viewFromHash(storedView(name))), table: name };
}

/** Returns the user's default view of a table, or null. It is kept in this browser. */
export function defaultView(table) {
  const text = read(`default.${table}`);
  return text === '' ? null : viewFromHash(text);
}

/** Stores the user's default view of a table as a fragment; an empty text removes it. */
export function setDefaultView(table, text) {
  if (text.length <= longestView) write(`default.${table}`, text);
}

/**
 * Returns the view to open if the address names no table.
 *
 * An empty address opens the last table that was shown, or else the first. An address with a query
 * applies it to {@link firstTable}.
 */
export function recall(view, tables, sources) {
  const [, beside] = viewsFromAddress();
  const isPlain = beside === undefined && hashFromView(view) === '';
  if (isPlain) return viewOf((tables.find(({ name }) => name === lastTable()) ?? tables[0]).name);
  return { ...view, table: firstTable(tables, sources, beside) };
}

/**
 * Returns the name of the first table that the second pane does not show.
 *
 * If there is none, returns the first table, or '' while a source without tables may still add one.
 */
export function firstTable(tables, sources, beside) {
  const other = tables.find(({ name }) => name !== beside?.table);
  if (other !== undefined || sources.some((source) => tables.every(({ name }) => name !== source.name))) return other?.name ?? '';
  return tables[0]?.name ?? '';
}

/**
 * Calls `show(views, isBack)` whenever the user changes the address; `isBack` is whether the change
 * goes back in the history.
 */
export function listenForAddress(show) {
  current = stepNumber();
  history.replaceState({ step: current }, '');
  const endRun = ({ type, target }) => { if (type !== 'keyup' || !target.closest?.('input, [role=dialog]')) run = ''; };
  for (const name of ['focusout', 'pointerdown', 'keyup']) addEventListener(name, endRun, { capture: true });
  for (const name of ['hashchange', 'popstate']) {
    addEventListener(name, () => {
      if (location.hash === shownHash) return;  // the second event of one change
      shownHash = location.hash;
      run = '';
      // An address that the user has typed is a step, too.
      if (history.state === null) history.replaceState({ step: newest = current + 1 }, '');
      const isBack = stepNumber() < current;
      current = stepNumber();
      const views = viewsFromAddress();
      keepViews(views);
      show(views, isBack);
    });
  }
}

// Preferences in the browser's local storage: each table's view, the theme, the language, the
// density, whether shortcuts are on. Without storage the defaults apply.

const prefix = 'rowcast.';
const mostViews = 200;
const longestView = 20_000;

/** Row heights in pixels, by density. */
export const DENSITIES = Object.freeze({ compact: 24, normal: 28, roomy: 36 });

/** Returns the stored view of a table as text; empty if there is none. */
export function storedView(table) {
  return read(`view.${table}`);
}

/** Stores a table's view, and that this table was shown last. */
export function keepView(table, text) {
  if (text.length > longestView) return;
  const names = read('views').split('\n').filter((name) => name !== '' && name !== encodeURIComponent(table));
  names.push(encodeURIComponent(table));
  while (names.length > mostViews) write(`view.${decodeURIComponent(names.shift())}`, '');
  write('views', names.join('\n'));
  write(`view.${table}`, text);
}

/** Returns the name of the table that was shown last; empty if none is stored. */
export function lastTable() {
  const last = read('views').split('\n').at(-1);
  try {
    return decodeURIComponent(last);
  } catch {
    return '';
  }
}

/** Returns the stored theme: `dark`, `light`, or empty for the system's. */
export function theme() {
  const stored = read('theme');
  return stored === 'dark' || stored === 'light' ? stored : '';
}

/**
 * Stores and applies a theme.
 *
 * @param {string} name as returned by {@link theme}
 */
export function setTheme(name) {
  write('theme', name);
  if (name === '') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

/** Returns the language that the user has chosen; empty for the system's. */
export function language() {
  return globalThis.rowcast.language.chosen;
}

/** Stores a language, and loads the page again in it. The view is in the address. */
export function chooseLanguage(name) {
  if (name === language()) return;
  write('language', name);
  location.reload();
}

/** Returns the stored density, a key of {@link DENSITIES}. */
export function density() {
  const stored = read('density');
  return Object.hasOwn(DENSITIES, stored) ? stored : 'normal';
}

/** Stores a density and applies it to the style sheet. The caller redraws the rows. */
export function setDensity(name) {
  write('density', name === 'normal' ? '' : name);
  document.documentElement.style.setProperty('--row', `${DENSITIES[name]}px`);
}

/** Applies the density, and the lines of text of the view, to the rows of a pane. */
export function fitRows({ stage, scroll, session: { view: { lines = 1 } } }) {
  const height = rowHeightOf(DENSITIES[density()], lines);
  if (height === scroll.rowHeight) return;
  stage.classList.toggle('wrapped', lines > 1);
  stage.style.setProperty('--lines', lines);
  scroll.setRowHeight(height);
}

/**
 * Returns whether single-character shortcuts are on.
 *
 * Users of speech input, and users who press keys by accident, may turn them off.
 */
export function hasShortcuts() {
  return read('shortcuts') !== 'off';
}

/** Returns whether the facets panel was open last. */
export function hasFacets() {
  return read('facets') === 'open';
}

/** Stores whether the facets panel is open. */
export function setFacets(isOpen) {
  write('facets', isOpen ? 'open' : '');
}

/** Stores and applies whether single-character shortcuts are on. */
export function setShortcuts(isOn) {
  write('shortcuts', isOn ? '' : 'off');
  showShortcuts();
}

/** Applies the stored setting for shortcuts to the style sheet. */
export function showShortcuts() {
  if (hasShortcuts()) delete document.documentElement.dataset.shortcuts;
  else document.documentElement.dataset.shortcuts = 'off';
}

function read(name) {
  try {
    return localStorage.getItem(prefix + name) ?? '';
  } catch {
    return '';
  }
}

function write(name, text) {
  try {
    if (text === '') localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, text);
  } catch { /* it is full, or not allowed: then nothing is kept */ }
}
