// pinning.js: pins rows above the others, by key, and keeps them up to date.

import { MOST_PINS, nextPins } from '../model/display.js';
import { lacks } from '../panels/columnmenu.js';
import { PinnedRows } from '../grid/pinned.js';
import { rowName } from '../model/targets.js';
import { keyText, phrase } from '../model/language.js';

const calm = matchMedia('(prefers-reduced-motion: reduce)');

/** The position of the first pinned row as an active cell; that of the next one is less by 1. */
export const PINNED = -3;

/** The controller of a pane's pinned rows. */
export class Pinning {
  /** @param {import('./controller.js').Controller} controller */
  constructor(controller) {
    this.controller = controller;
    this.pane = controller.pane;
    this.rows = new PinnedRows(this.pane);
  }
  #key = '';
  #table = '';
  #isLit = false;

  /** The number of pinned rows. */
  get count() {
    return this.rows.all.length;
  }

  /** Returns the row at a position of an active cell; null if it is not known. */
  itemAt(position) {
    return this.rows.all[PINNED - position]?.row ?? null;
  }

  /** Returns the element of a cell at a position of an active cell. */
  cellAt(position, column) {
    return this.rows.cellAt(PINNED - position, column);
  }

  /**
   * The drawn rows with their ids.
   * @returns {[number, object][]}
   */
  get nodes() {
    return this.rows.all.flatMap(({ row, node }) => (row === null || node === null ? [] : [[row.id, node]]));
  }

  /**
   * The pinned rows with known values, from top to bottom, with their positions as active cells.
   * @returns {{position: number, row: import('../protocol/wire.js').Row,
   *   isGone: boolean}[]}
   */
  get shown() {
    return this.rows.all.map((one, at) => ({ position: PINNED - at, row: this.rows.valuesOf(one), isGone: one.isGone })).filter(({ row }) => row !== null);
  }

  /** Returns the live values of a pinned row; undefined if no such row is in the table. */
  liveRow(id) {
    return this.shown.find(({ row, isGone }) => row.id === id && !isGone)?.row;
  }

  /** Requests other rows if the view has changed, and draws them. Called in each frame. */
  drawn(now) {
    const { session, columns, stage, scroll, connection } = this.pane;
    const { view, table } = session;
    if (table === undefined || columns.shown.length === 0) return;
    const pins = table.windowed ? [] : view.pins ?? [];
    const owner = `${view.table} ${table.generation ?? 0} ${session.epoch}`;
    const key = JSON.stringify(pins);
    if (owner !== this.#table) this.rows.forget();
    if (owner !== this.#table || key !== this.#key) {
      [this.#table, this.#key] = [owner, key];
      // Other rows have the positions of the selected ones now.
      if (this.controller.selection.isPinned) this.controller.selection.clear();
      this.rows.setKeys(pins);
      session.wantPins(pins);
    }
    const height = this.count * scroll.rowHeight;
    if (height !== this.pane.pinnedHeight) {
      this.pane.pinnedHeight = height;
      stage.style.setProperty('--pinned', `${height}px`);
      this.pane.resize();
      this.pane.schedule();
    }
    this.rows.el.classList.toggle('aged', connection.state !== 'live');
    this.rows.draw(this.#isLit && !calm.matches && !document.hidden, now, Date.now());
    this.#isLit = false;
  }

  /** Takes rows that have changed. */
  take({ rows, error }) {
    if (error !== undefined) return void this.controller.notices.show(error.reason, false);
    const gone = this.rows.take(rows);
    this.#isLit = true;
    const { focus } = this.controller;
    if (focus.position !== null && focus.position <= PINNED) focus.set(focus.position, focus.column, this.pane.session.copy);
    for (const { row, key } of gone) this.pane.on.announce(phrase('The pinned row {row} is no longer in the table', { row: this.#nameOf(row, key) }));
    return this.pane.schedule();
  }

  #nameOf(row, key) {
    return row === null ? String(key) : rowName(row, this.pane.columns.all, this.pane.session.table.label, key, Date.now());
  }

  /**
   * Returns the items of a row's menu that pin or unpin it.
   * @param {import('../protocol/wire.js').Row|null} item
   * @returns {import('../panels/menu.js').MenuItem[]}
   */
  items(item) {
    const { pane: { session: { table } }, controller: { focus } } = this;
    const own = focus.position !== null && focus.position <= PINNED ? this.rows.all[PINNED - focus.position] : this.rows.all.find(({ row }) => row !== null && row.id === item?.id);
    if (own !== undefined) {
      return [
        { label: phrase('Unpin this row'), ...(focus.position <= PINNED ? { hint: keyText('Delete') } : {}), run: () => this.unpin(own) },
        ...(this.count > 1 ? [{ label: phrase('Unpin all rows'), run: () => this.unpinAll() }] : []),
      ];
    }
    if (item === null || item.isHeader || item.absence !== null) return [];
    const why = table?.windowed ? phrase('The source keeps the rows of this table, so none can be pinned.') : this.count >= MOST_PINS ? phrase('{most} rows are pinned already: unpin one first.', { most: MOST_PINS }) : '';
    return [{ label: phrase('Pin this row on top'), ...lacks(why), run: () => this.#pin(item) }];
  }

  async #pin(item) {
    const { controller: { restore, notices }, pane } = this;
    const { view: { table } } = pane.session;
    const key = await restore.keyFor(item.id);
    if (table !== pane.session.view.table) return;
    if (key === undefined) return void notices.show(phrase('The row’s key is not known. Try again in a moment.'), false);
    pane.change({ pins: nextPins(pane.session.view.pins, key, true) });
    pane.on.announce(phrase('{row} is pinned on top', { row: this.#nameOf(item, key) }));
  }

  /**
   * Unpins a row, and moves the active cell from it to the next one.
   * @param {import('../grid/pinned.js').Pinned} one
   */
  unpin({ key, row }) {
    const { pane, controller: { focus } } = this;
    pane.change({ pins: nextPins(pane.session.view.pins, key, false) });
    if (focus.position !== null && focus.position <= PINNED) {
      const left = this.count - 1;
      const at = Math.min(PINNED - focus.position, left - 1);
      focus.set(left > 0 ? PINNED - at : 0, focus.column, pane.session.copy);
    }
    pane.on.announce(phrase('{row} is unpinned', { row: this.#nameOf(row, key) }));
  }

  /** Unpins all rows. */
  unpinAll() {
    const { pane, controller: { focus } } = this;
    pane.change({ pins: undefined });
    if (focus.position !== null && focus.position <= PINNED) focus.set(0, focus.column, pane.session.copy);
    pane.on.announce(phrase('No row is pinned'));
  }

  /** Unpins the row of the active cell, and returns whether it was a pinned one. */
  unpinActive() {
    const { position } = this.controller.focus;
    const own = position === null || position > PINNED ? undefined : this.rows.all[PINNED - position];
    if (own === undefined) return false;
    this.unpin(own);
    return true;
  }
}
