// restore.js: restores scroll anchor, active cell and selection after a restart of the server. Row
// ids change then, so the rows' keys are requested in advance and their positions afterwards. No
// DOM, no clock.

import * as wire from '../protocol/wire.js';
import { Spot } from '../model/selection.js';
import { Row } from '../protocol/wire.js';

/** The milliseconds for which rows are sought that a restarted server has not loaded yet. */
export const SOUGHT = 30_000;

/** The answers without a linked row after which it is taken to be gone: a view may be changing. */
const MISSES = 3;

/** The greatest number of rows to restore. */
export const MOST = 1_000;

/** State restored after a restart of the server. `controller` is `{focus, selection}`. */
export class Restore {
  constructor(session, scroll, controller) {
    this.session = session;
    this.scroll = scroll;
    this.controller = controller;
  }
  #keys = new Map();   // keys by row id, of the rows to restore
  #anchor = null;      // id of a visible row
  #lastRequest = 0;          // number of the latest request; only the latest of a kind is answered
  #naming = 0;         // number of the pending request for keys, or 0
  #done = null;        // callback of `call`
  #waiting = [];       // callbacks of `keyFor`
  #locating = 0;       // number of the pending request for positions, or 0
  #sought = null;      // the rows sought since the server's restart
  #goal = null;        // the row scrolled to, until it is in the window: `{id, below}`
  #put = 0;            // the scroll position set by this page rather than by the user
  #whole = null;       // first and last column of a selection of whole columns
  #linked = null;      // the row that a link names, until it is found: `{key, until, done, misses}`

  /** Forgets everything, because another table is shown. */
  clear() {
    this.#keys.clear();
    this.#anchor = this.#sought = this.#goal = this.#whole = null;
    this.lost();
  }

  /** Drops pending requests, because the connection is lost. */
  lost() {
    this.#naming = this.#locating = 0;
    this.#found();
  }

  /**
   * Requests missing keys, and the positions of sought rows again. Call it every second, except
   * while the user scrolls. `anchor` is the id of the scroll anchor's row, or null.
   */
  tick(anchor, now) {
    if (!this.session.canLook || this.session.isPaused) return;
    if (this.#linked !== null) return void this.#seek();
    if (this.#sought !== null) {
      if (now <= this.#sought.until) return void this.#seek();
      this.#sought = null;
    }
    const wanted = this.#wanted(anchor);
    for (const id of this.#keys.keys()) if (!wanted.has(id)) this.#keys.delete(id);
    const unnamed = [...wanted].filter((id) => !this.#keys.has(id)).slice(0, wire.LIMITS.keys);
    if (unnamed.length === 0 || this.#naming !== 0) return;
    // A row without a key is not requested again.
    for (const id of unnamed) this.#keys.set(id, undefined);
    this.#naming = this.#lastRequest += 1;
    this.session.send(wire.name(this.#naming, unnamed));
  }

  // The ids of the rows to restore, the scroll anchor first.
  #wanted(anchor) {
    const { copy } = this.session;
    const { atTop, atEnd } = this.scroll;
    if (this.#anchor === null || copy.positionOf(this.#anchor) < 0) this.#anchor = anchor;
    const wanted = new Set();
    const add = (item) => item && !item.isHeader && wanted.add(item.id);
    if (!atTop && !atEnd && this.#anchor !== null) wanted.add(this.#anchor);
    const { focus, selection } = this.controller;
    add(focus.item);
    if (selection.range && !selection.range.isWhole) for (const { item } of [selection.range.from, selection.range.to]) add(item);
    for (const row of selection.rows.values()) if (wanted.size < MOST) add(row);
    return wanted;
  }

  /** Returns the key of a row, or undefined if unknown. */
  keyOf(id) {
    return this.#keys.get(id);
  }

  /** Requests the unknown keys of these rows at once, and calls `done()` when they arrive. */
  call(ids, done) {
    const unnamed = ids.filter((id) => this.#keys.get(id) === undefined);
    if (unnamed.length === 0 || !this.session.isOpen) return;
    // Repeats the pending request's rows, because the server answers only the last request.
    const requested = this.#naming === 0 ? [] : [...this.#keys].filter(([, key]) => key === undefined).map(([id]) => id);
    const wanted = [...new Set([...unnamed, ...requested])].slice(0, wire.LIMITS.keys);
    for (const id of wanted) this.#keys.set(id, undefined);
    this.#naming = this.#lastRequest += 1;
    this.#done = done;
    this.session.send(wire.name(this.#naming, wanted));
  }

  /**
   * Resolves to a row's key once it is known, and to undefined if the server has none or the
   * connection is lost.
   */
  keyFor(id) {
    const key = this.#keys.get(id);
    if (key !== undefined || !this.session.isOpen) return Promise.resolve(key);
    return new Promise((found) => {
      this.#waiting.push(() => found(this.#keys.get(id)));
      this.call([id], this.#done);
    });
  }

  #found() {
    for (const found of this.#waiting.splice(0)) found();
  }

  /** Handles the answer with rows' keys. Deleted rows and keys that are too long are left out. */
  named({ id, rows }) {
    if (id !== this.#naming) return;
    this.#naming = 0;
    for (const [row, key] of rows) if (this.#keys.has(row)) this.#keys.set(row, key);
    const done = this.#done;
    this.#done = null;
    this.#found();
    done?.();
  }

  /**
   * Starts restoring after a restart of the server. `before` is the previous window; the scroll
   * position still refers to it.
   */
  renew(before, now) {
    const { focus, selection } = this.controller;
    const keyOf = (item) => (item && !item.isHeader ? this.#keys.get(item.id) : undefined);
    const sought = { places: [], active: undefined, selected: new Map(), corners: null, ...this.#sought, until: now + SOUGHT, found: 0 };
    const places = this.#placesIn(before);
    if (places.length > 0) sought.places = places;
    if (!(focus.position < -2)) sought.active ??= keyOf(focus.item);  // pinned rows are found by themselves
    for (const row of selection.rows.values()) if (keyOf(row) !== undefined) sought.selected.set(keyOf(row), row.cells);
    const { range } = selection;
    this.#whole = range?.isWhole ? [range.fromColumn, range.toColumn] : null;
    if (range && !range.isWhole && !selection.isPinned) {
      const keys = [keyOf(range.from.item), keyOf(range.to.item)];
      if (keys.every((one) => one !== undefined)) sought.corners = { keys, columns: [range.fromColumn, range.toColumn], spots: [] };
    }
    this.#keys.clear();
    this.#anchor = this.#goal = null;
    this.#naming = this.#locating = 0;
    this.#sought = isEmpty(sought) ? null : sought;
  }

  // Candidates for the scroll anchor: the active row if visible, then the row of the last anchor.
  #placesIn(before) {
    const { scroll } = this;
    if (scroll.atTop || scroll.atEnd) return [];
    const { item } = this.controller.focus;
    const ids = [this.#anchor];
    if (item && !item.isHeader && scroll.shows(before.positionOf(item.id))) ids.unshift(item.id);
    return ids.filter((id) => this.#keys.get(id) !== undefined && before.positionOf(id) >= 0)
      .map((id) => ({ key: this.#keys.get(id), below: before.positionOf(id) * scroll.rowHeight - scroll.position }));
  }

  /** Stops restoring the scroll position if the user has scrolled. Call it before each message. */
  look() {
    if (this.scroll.position === this.#put) return;
    this.#goal = null;
    if (this.#sought) this.#sought.places = [];
  }

  /** Scrolls to the restored anchor once its row is in the window. Call it after each patch. */
  follow(copy) {
    const position = this.#goal === null ? -1 : copy.positionOf(this.#goal.id);
    if (position >= 0) {
      this.scroll.moveTo(position * this.scroll.rowHeight - this.#goal.below);
      this.#goal = null;
      if (this.#sought) this.#sought.places = [];
    }
    this.stay();
  }

  /** Records the scroll position as set by the page, not by the user. */
  stay() {
    this.#put = this.scroll.position;
  }

  /** Requests the positions of the sought rows, and restores a selection of whole columns. */
  seek() {
    if (this.#whole !== null) this.controller.selection.selectColumns(...this.#whole, this.session.copy);
    this.#whole = null;
    if (this.#sought !== null) this.#seek();
  }

  /**
   * Seeks the row that a link names, and calls `done(row)` with its `{id, position}`.
   *
   * The position is null if the query does not show the row, and `row` is null if the table does
   * not have it. While the source is loading its rows, the row is sought until `until`.
   */
  link(key, until, done) {
    this.#linked = { key, until, done, misses: 0 };
    if (this.session.canLook) this.#seek();
  }

  /** Stops seeking the row that a link names, because the user goes elsewhere. */
  unlink() {
    this.#linked = null;
  }

  #foundLinked(rows, now) {
    const linked = this.#linked;
    const [, id, position] = rows.find(([key]) => key === linked.key) ?? [];
    if (position === undefined || position === null) {
      linked.misses += 1;
      const isLoading = this.session.table?.source?.state !== 'live';
      if (linked.misses < MISSES || (isLoading && now < linked.until)) return;
    }
    this.#linked = null;
    linked.done(id === undefined ? null : { id, position });
  }

  #seek() {
    const { places, active, selected, corners } = this.#sought ?? nowhere;
    const keys = new Set(this.#linked === null ? [] : [this.#linked.key]);
    for (const { key } of places) keys.add(key);
    if (active !== undefined) keys.add(active);
    for (const key of corners?.keys ?? []) keys.add(key);
    for (const key of selected.keys()) keys.add(key);
    if (keys.size === 0) {
      this.#sought = null;
      return;
    }
    if (this.#locating !== 0) return;
    const requested = [...keys].slice(0, wire.LIMITS.keys);
    // Moves the requested keys to the end, so that the next request has other keys first.
    for (const key of requested) {
      const cells = selected.get(key);
      if (selected.delete(key)) selected.set(key, cells);
    }
    this.#locating = this.#lastRequest += 1;
    this.session.send(wire.locate(this.#locating, requested));
  }

  /** Handles the answer with rows' positions. Returns the pixel to scroll to, or null. */
  located({ id, rows }, now) {
    if (id !== this.#locating) return null;
    this.#locating = 0;
    if (this.#linked !== null) this.#foundLinked(rows, now);
    if (this.#sought === null) return null;
    const sought = this.#sought;
    const { copy } = this.session;
    const { focus, selection } = this.controller;
    const { corners } = sought;
    const place = sought.places.find(({ key }) => rows.some(([found, , position]) => found === key && position !== null));
    let target = null;
    // A selection made by the user meanwhile replaces the one to restore.
    if (selection.rows.size !== sought.found || selection.range !== null) {
      sought.selected.clear();
      sought.corners = null;
    }
    for (const [key, row, position] of rows) {
      const item = copy.itemAt(position ?? -1);
      this.#keys.set(row, key);
      if (place?.key === key && position !== null) {
        target = position * this.scroll.rowHeight - place.below;
        this.#goal = { id: row, below: place.below };
        this.#anchor = row;
        // The row may move before its window arrives, so it is sought until then.
        if (copy.positionOf(row) >= 0) sought.places = [];
      }
      if (sought.active === key && position !== null) {
        focus.find(position, item);
        sought.active = undefined;
      }
      if (sought.selected.has(key)) {
        selection.rows.set(row, item?.id === row ? item : new Row(row, 0, sought.selected.get(key)));
        sought.selected.delete(key);
        sought.found += 1;
      }
      if (sought.corners && position !== null) for (const at of [0, 1]) if (corners.keys[at] === key) corners.spots[at] = new Spot(position, item);
    }
    if (sought.corners && corners.spots[0] && corners.spots[1]) {
      selection.span(...corners.spots, ...corners.columns);
      sought.corners = null;
    }
    // A full answer means that more keys may be left, because a request's keys are limited.
    if (rows.length >= wire.LIMITS.keys) this.#seek();
    else if (isEmpty(sought)) this.#sought = null;
    return target;
  }
}

const nowhere = Object.freeze({ places: [], active: undefined, selected: new Map(), corners: null });

function isEmpty({ places, active, selected, corners }) {
  return places.length === 0 && active === undefined && selected.size === 0 && corners === null;
}
