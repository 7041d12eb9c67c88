// reader.js: where the reader is and what he likes, how he moves, and what he reaches for.

import { Backoff } from '../protocol/link.js';
import { hashFromView, hashFromViews, viewFromHash, viewsFromHash } from '../model/query.js';
import { isAway } from '../model/viewport.js';

// How he moves: the only place where a scroll position is read or written.

const restTime = 140;       // milliseconds without a scroll event until the reader is at rest
const wheelTime = 1_000;    // how long the smooth motion of a wheel's turn may last

/** The grid's two scroll positions. `changed()` hears that there is something to draw. */
export class Travel {
  constructor(grid, scroll, changed) {
    this.grid = grid;
    this.scroll = scroll;
    /** Whether the reader is on his way up or down. */
    this.isMoving = false;
    /** How far the grid is scrolled sideways, from where its lines begin. */
    this.left = 0;
    this.#changed = changed;
    grid.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    grid.addEventListener('wheel', (event) => this.#wheeled(event), { passive: true });
  }
  #changed;
  #top = 0;           // what scrollTop is known to be
  #movedAt = 0;
  #restTimer = 0;
  #wheel = 0;         // pixels that wheels asked for and no scroll event has told of yet
  #wheelAt = 0;

  /** The reader is where he wants to be: what follows is not his motion. */
  stop() {
    this.isMoving = false;
  }

  /** Brings the element to where the geometry has it. */
  write() {
    if (this.scroll.native !== this.#top) this.grid.scrollTop = this.#top = this.scroll.native;
  }

  #scrolled() {
    // Both are known without a layout: nothing was written since the last frame.
    const { scrollTop, scrollLeft } = this.grid;
    const now = performance.now();
    this.#top = scrollTop;
    const left = Math.abs(scrollLeft);  // negative where lines begin at the right
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
    // Whoever turns back leaves the end before the browser says that he has moved: a row that comes meanwhile must not take him there again.
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

// How long nothing is said of rows that are on their way. No DOM.

/** Milliseconds for which rows that are on their way need no placeholders. */
export const PATIENCE = 50;

/**
 * The rows of a jump are there after a frame or two. So long the screen stays as it is, which costs nothing, and reads better than a flicker of
 * placeholders:
 *
 *     if (!patience.isLate(scroll, copy, now)) paint();  // `again` is called when it is time to paint whatever there is
 */
export class Patience {
  constructor(again, wait = (done, time) => setTimeout(done, time)) {
    this.again = again;
    this.wait = wait;
  }
  #since = null;     // when nothing of what is in sight was held for the first time
  #isWaiting = false;

  /** Whether nothing of what is in sight is held, and has not been for long. */
  isLate({ first, count }, held, now) {
    if (!isAway(first, count, held)) {
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

// What he reaches for once there are rows (later.js). It is loaded when the first rows are on the screen, or when somebody reaches for it
// before: nothing that he does is lost.

/** Menus, boxes and drags, here or on their way. `on` has `change(wish)`. */
export class Reach {
  constructor({ session, columns, groups }, on) {
    Object.assign(this, { session, columns, groups, on });
  }
  #hands = null;
  #loaded = null;

  /** All of it, when it is here. */
  load() {
    this.#loaded ??= bring(() => import('../app/later.js')).then((later) => {
      this.#hands = new later.ColumnHands({ session: this.session, columns: this.columns, change: this.on.change, lack: this.on.lack });
      this.#hands.listen(this.groups);
      return { ...later, hands: this.#hands };
    });
    return this.#loaded;
  }

  /** A key on a column's header; false when it means nothing there. */
  press(event, column) {
    if (this.#hands) return this.#hands.press(event, column);
    // Without these keys it is the grid's own; with them it may be a column's, and is pressed again when that can be told.
    if (!event.altKey && !event.ctrlKey && !event.shiftKey) return false;
    pressAgain(event, this.load());
    return true;
  }
}

/** Presses a key again where it was pressed, once what hears it is `loaded`. */
export function pressAgain({ type, target, key, altKey, ctrlKey, shiftKey, metaKey }, loaded) {
  const again = new KeyboardEvent(type, { key, altKey, ctrlKey, shiftKey, metaKey, bubbles: true, cancelable: true });
  loaded.then(() => target.dispatchEvent(again));
}

// Keys that mean the same wherever the reader is, unless text is being typed.

/**
 * Listens on the document.
 *
 * @param {Object<string, () => void>} actions by key; `Control+f` is one with Control, or with Command
 */
export function listenForShortcuts(document, actions) {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, select, textarea, [role=menu], [role=dialog]');
    const name = event.ctrlKey || event.metaKey ? `Control+${event.key}` : event.key;
    if (!Object.hasOwn(actions, name) || isTyping || event.altKey || event.repeat || event.isComposing) return;
    if (name.length === 1 && !hasShortcuts()) return;
    event.preventDefault();
    actions[name]();
  });
}

// Modules that are loaded when they are wanted, also when the server is away at that moment.

/** What `load`, an import, gives: tried again while its file cannot be fetched. Whoever waits for it waits as for the rows. */
export async function bring(load, wait = pauses()) {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      // What was fetched and is wrong stays wrong.
      if (!(error instanceof TypeError)) throw error;
      await wait();
    }
  }
}

function pauses(dice = Math.random) {
  const backoff = new Backoff();
  return () => new Promise((go) => { setTimeout(go, backoff.pause(0, dice())); });
}

// The views in the page's address, and what the browser keeps: each table's last one, the theme, the density.

/** Writes what is shown, one view or two, into the address: as a step in the history (`pushState`) or in the place of the last one. */
export function tellAddress(views, how = 'replaceState') {
  history[how](null, '', hashFromViews(views) || location.pathname);
  for (const view of views.toReversed()) if (view.table !== '') keepView(view.table, hashFromView(view));
}

/** What the address says is to be shown: one view, or two. */
export function viewsFromAddress() {
  return viewsFromHash(location.hash);
}

/** A table as the reader left it. */
export function viewOf(name) {
  return { ...viewFromHash(keptView(name)), table: name };
}

/** What to show when the address names no table: the one that was looked at last; when it says something else, {@link firstTable}. */
export function recall(view, tables, sources) {
  const [, beside] = viewsFromAddress();
  const isPlain = beside === undefined && hashFromView(view) === '';
  if (isPlain) return viewOf((tables.find(({ name }) => name === lastTable()) ?? tables[0]).name);
  return { ...view, table: firstTable(tables, sources, beside) };
}

/** The name of the first table but for the one that is shown beside; empty as long as there is only that, and a source that may have another one. */
export function firstTable(tables, sources, beside) {
  const other = tables.find(({ name }) => name !== beside?.table);
  if (other !== undefined || sources.some((source) => tables.every(({ name }) => name !== source.name))) return other?.name ?? '';
  return tables[0]?.name ?? '';
}

/** Tells when somebody has changed the address, or gone back in the history. */
export function listenForAddress(show) {
  for (const name of ['hashchange', 'popstate']) addEventListener(name, () => show(viewsFromAddress()));
}

// What the browser keeps for the reader: each table's view, the theme, the density. A browser that keeps nothing is no fault.

const prefix = 'rowcast.';
const mostViews = 200;
const longestView = 20_000;

/** Heights of a row, in pixels. */
export const DENSITIES = Object.freeze({ compact: 24, normal: 28, roomy: 36 });

/** A table's view as it was last seen, as text; empty when nothing is kept. */
export function keptView(table) {
  return read(`view.${table}`);
}

/** Keeps a table's view, and that this table was the last one. */
export function keepView(table, text) {
  if (text.length > longestView) return;
  const names = read('views').split('\n').filter((name) => name !== '' && name !== encodeURIComponent(table));
  names.push(encodeURIComponent(table));
  while (names.length > mostViews) write(`view.${decodeURIComponent(names.shift())}`, '');
  write('views', names.join('\n'));
  write(`view.${table}`, text);
}

/** The table that was looked at last. */
export function lastTable() {
  const last = read('views').split('\n').at(-1);
  try {
    return decodeURIComponent(last);
  } catch {
    return '';
  }
}

/** `dark`, `light`, or empty for the system's. */
export function theme() {
  const kept = read('theme');
  return kept === 'dark' || kept === 'light' ? kept : '';
}

/** @param {string} name as {@link theme} answers it */
export function setTheme(name) {
  write('theme', name);
  if (name === '') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

/** The name of a density. */
export function density() {
  const kept = read('density');
  return Object.hasOwn(DENSITIES, kept) ? kept : 'normal';
}

/** Keeps a density, and lets the style sheet know of it; rows are drawn by the caller. */
export function setDensity(name) {
  write('density', name === 'normal' ? '' : name);
  document.documentElement.style.setProperty('--row', `${DENSITIES[name]}px`);
}

/** Whether keys of one character do something: people who speak to their computer, or who hit keys by chance, switch them off. */
export function hasShortcuts() {
  return read('shortcuts') !== 'off';
}

/** Keeps whether they do. */
export function setShortcuts(isOn) {
  write('shortcuts', isOn ? '' : 'off');
  showShortcuts();
}

/** Lets the style sheet know of it. */
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
