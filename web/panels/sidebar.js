// sidebar.js: the list of tables, each with its number of rows and its source's state.

import { keepChildren } from '../grid/elements.js';
import { TableProbe } from './tableprobe.js';
import { stateName } from '../model/source.js';
import { parseMessage, SUBPROTOCOL } from '../protocol/wire.js';
import { number, phrase } from '../model/language.js';

const pause = 5_000;   // milliseconds until a lost socket is opened again
// Matches where the style sheet puts the list over the table.
const covering = matchMedia('(max-width: 760px)');
// Milliseconds between two sockets. A new socket receives the states of all sources, an open one
// only updates of its table's source.
const renew = 15_000;

/**
 * The list of tables. It is hidden while there is only one table.
 *
 * `on.table(name)` is called when the user chooses a table.
 */
export class Sidebar {
  constructor(list, panel, button, on) {
    this.list = list;
    this.panel = panel;
    this.button = button;
    this.tables = new Map();
    this.#socket = null;
    this.#isShown = true;
    list.addEventListener('click', ({ target }) => {
      const tab = target.closest('[role=tab]');
      if (!tab) return;
      on.table(tab.dataset.table);
      this.#uncover(true);
    });
    list.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') return this.#uncover(true);
      const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const tabs = [...list.children];
      const next = event.key === 'Home' ? tabs[0] : event.key === 'End' ? tabs.at(-1) : tabs[tabs.indexOf(document.activeElement) + step];
      if (!next) return;
      event.preventDefault();
      next.focus();
    });
    button.addEventListener('click', () => {
      this.#isShown = this.panel.hidden;
      this.#place();
      if (!this.panel.hidden) (list.querySelector('[aria-selected=true]') ?? list.firstElementChild)?.focus();
    });
    if (covering.matches) this.#isShown = false;
    document.addEventListener('pointerdown', ({ target }) => {
      if (!panel.contains(target) && !button.contains(target)) this.#uncover(false);
    });
    document.addEventListener('visibilitychange', () => this.#watch());
  }
  #socket;
  #isShown;

  /** Sets the tables, the sources without tables, and the name of the open table. */
  setTables(tables, sources, name) {
    const focused = document.activeElement?.dataset?.table;
    const known = this.tables;
    const named = new Set(tables.map((table) => table.name));
    // Keyed apart from tables: a source has no table if its name belongs to another source's table.
    const absent = sources.map((one) => ({ ...one, key: keyOfSource(one.name), isAbsent: true }));
    this.tables = new Map([...tables.map((table) => ({ ...table, key: table.name })), ...absent].map((one) => {
      const entry = known.get(one.key) ?? makeEntry(one.name);
      const isShown = one.name === name && !(one.isAbsent && named.has(name));
      entry.isAbsent = one.isAbsent === true;
      entry.title.nodeValue = one.title || one.name;
      entry.tab.setAttribute('aria-selected', String(isShown));
      entry.tab.tabIndex = isShown ? 0 : -1;
      return [one.key, entry];
    }));
    const tabs = [...this.tables.values()].map(({ tab }) => tab);
    if (tabs.every((tab) => tab.tabIndex < 0) && tabs.length > 0) tabs[0].tabIndex = 0;
    keepChildren(this.list, tabs);
    for (const table of tables) this.report(table.name, table);
    for (const { key, source } of absent) this.report(key, { source });
    tabs.find((tab) => focused !== undefined && tab.dataset.table === focused)?.focus();
    this.#place();
  }

  // Hides the list where it covers the table. `isLeft` returns the focus to the button.
  #uncover(isLeft) {
    if (!covering.matches || this.panel.hidden) return;
    this.#isShown = false;
    this.#place();
    if (isLeft) this.button.focus();
  }

  #place() {
    const hasChoice = this.tables.size > 1
      || [...this.tables.values()].some(({ tab, isAbsent }) => !isAbsent && tab.getAttribute('aria-selected') !== 'true');
    this.panel.hidden = !hasChoice || !this.#isShown;
    this.button.hidden = !hasChoice;
    this.button.setAttribute('aria-expanded', String(!this.panel.hidden));
    this.#watch();
  }

  /** Updates a table's number of rows, its source's state, or both. */
  report(name, { rows = undefined, source = undefined }) {
    const entry = this.tables.get(name);
    if (entry === undefined) return;
    if (rows !== undefined) entry.rows = rows;
    if (source !== undefined) entry.source = source;
    const { state = '', message = '' } = entry.source ?? {};
    const count = entry.isAbsent ? stateName(state) : number(entry.rows ?? 0);
    if (entry.count.nodeValue !== count) entry.count.nodeValue = count;
    if (entry.dot.dataset.state !== state) entry.dot.dataset.state = state;
    const label = entry.isAbsent ? phrase('{title}, no table, {state}', { title: entry.title.nodeValue, state: count })
      : phrase('{title}, {count} rows, {state}', { title: entry.title.nodeValue, count, state: stateName(state) });
    if (entry.tab.getAttribute('aria-label') !== label) entry.tab.setAttribute('aria-label', label);
    const title = [stateName(state), message].filter(Boolean).join(': ');
    if (entry.tab.title !== title) entry.tab.title = title;
  }

  // Opens the socket while the list is visible and has several tables; closes it otherwise.
  #watch() {
    const isWanted = !document.hidden && !this.panel.hidden && [...this.tables.values()].filter(({ isAbsent }) => !isAbsent).length > 1;
    if (!isWanted) {
      this.#socket?.close();
      this.#socket = null;
      return;
    }
    if (this.#socket !== null) return;
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${globalThis.rowcast.room}/ws`, SUBPROTOCOL);
    this.#socket = socket;
    const send = (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    };
    const tableProbe = new TableProbe(send, (call, wait) => setTimeout(call, wait), (name, found) => this.report(name, found));
    let wait = pause;
    socket.onopen = () => {
      tableProbe.start();
      setTimeout(() => {
        wait = 0;
        socket.close();
      }, renew);
    };
    socket.onmessage = ({ data }) => {
      try {
        tableProbe.receive(parseMessage(data));
      } catch {
        socket.close();
      }
    };
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      setTimeout(() => {
        if (this.#socket !== socket) return;
        this.#socket = null;
        this.#watch();
      }, wait);
    };
  }
}

const keyOfSource = (name) => `\0${name}`;

function makeEntry(name) {
  const tab = document.createElement('button');
  tab.type = 'button';
  tab.className = 'tab';
  tab.dataset.table = name;
  tab.setAttribute('role', 'tab');
  tab.setAttribute('aria-controls', 'grid');
  const [dot, titleBox, countBox] = ['tab-state', 'tab-title', 'tab-count'].map((kind) => {
    const part = document.createElement('span');
    part.className = kind;
    tab.append(part);
    return part;
  });
  const title = document.createTextNode('');
  const count = document.createTextNode('');
  titleBox.append(title);
  countBox.append(count);
  return { tab, dot, title, count, rows: undefined, source: undefined };
}
