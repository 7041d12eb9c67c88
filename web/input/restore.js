// restore.js: what a reader keeps over a server that starts anew: the row that he reads, the active one, and what he has chosen. A server gives
// rows other ids then; so it is asked, while it is there, what their source calls them, and the new one where those are. No DOM, no clock.

import * as wire from '../protocol/wire.js';
import { Spot } from '../model/selection.js';
import { Row } from '../protocol/wire.js';

/** Milliseconds for which rows are looked for that a new server has not read yet. */
export const SOUGHT = 30_000;

/** So many rows that are chosen one by one are kept. */
export const MOST = 1_000;

/** Joins what knows them; `hands` has the active cell and what is chosen, `{focus, selection}`. */
export class Kept {
  constructor(session, scroll, hands) {
    Object.assign(this, { session, scroll, hands });
  }
  #keys = new Map();   // what rows are called, by id: of those that would be looked for
  #anchor = null;      // the id of a row that has been in sight
  #asked = 0;          // numbers the questions: only the last of a kind is answered
  #naming = 0;
  #told = null;        // who has asked for names at once
  #locating = 0;
  #sought = null;      // what is looked for since the server has started anew
  #goal = null;        // the row that he was put to, until it is here: `{id, below}`
  #put = 0;            // where he is by what has arrived, not by himself
  #whole = null;       // the first and the last of the columns that are chosen as a whole

  /** Another table: nothing is kept. */
  clear() {
    this.#keys.clear();
    this.#anchor = this.#sought = this.#goal = this.#whole = null;
    this.#naming = this.#locating = 0;
  }

  /** The connection is gone, and with it the answers. */
  lost() {
    this.#naming = this.#locating = 0;
  }

  /** A second has passed, and nobody scrolls: asks what rows are called, and again for those that were not there. `anchor` is the row that is read, or null. */
  tick(anchor, now) {
    if (!this.session.canLook || this.session.isPaused) return;
    if (this.#sought !== null) {
      if (now <= this.#sought.until) return void this.#seek();
      this.#sought = null;
    }
    const wanted = this.#wanted(anchor);
    for (const id of this.#keys.keys()) if (!wanted.has(id)) this.#keys.delete(id);
    const unnamed = [...wanted].filter((id) => !this.#keys.has(id)).slice(0, wire.LIMITS.keys);
    if (unnamed.length === 0 || this.#naming !== 0) return;
    for (const id of unnamed) this.#keys.set(id, undefined);  // one that has no name is not asked for again
    this.#naming = this.#asked += 1;
    this.session.send(wire.name(this.#naming, unnamed));
  }

  // The ids of all rows that would be looked for, the one that is read first.
  #wanted(anchor) {
    const { copy } = this.session;
    const { atTop, atEnd } = this.scroll;
    if (this.#anchor === null || copy.positionOf(this.#anchor) < 0) this.#anchor = anchor;
    const wanted = new Set();
    const add = (item) => item && !item.isHeader && wanted.add(item.id);
    if (!atTop && !atEnd && this.#anchor !== null) wanted.add(this.#anchor);
    const { focus, selection } = this.hands;
    add(focus.item);
    if (selection.range && !selection.range.isWhole) for (const { item } of [selection.range.from, selection.range.to]) add(item);
    for (const row of selection.rows.values()) if (wanted.size < MOST) add(row);
    return wanted;
  }

  /** The key of a row, if it is known. */
  keyOf(id) {
    return this.#keys.get(id);
  }

  /** Asks at once what these rows are called, as far as that is not known; `told()` is called when it is. */
  call(ids, told) {
    const unnamed = ids.filter((id) => this.#keys.get(id) === undefined);
    if (unnamed.length === 0 || !this.session.isOpen) return;
    // The server answers the last question only: what was asked before is asked with it.
    const asked = this.#naming === 0 ? [] : [...this.#keys].filter(([, key]) => key === undefined).map(([id]) => id);
    const wanted = [...new Set([...unnamed, ...asked])].slice(0, wire.LIMITS.keys);
    for (const id of wanted) this.#keys.set(id, undefined);
    this.#naming = this.#asked += 1;
    this.#told = told;
    this.session.send(wire.name(this.#naming, wanted));
  }

  /** What rows are called. One that is not named has gone, or its name is too long. */
  named({ id, rows }) {
    if (id !== this.#naming) return;
    this.#naming = 0;
    for (const [row, key] of rows) if (this.#keys.has(row)) this.#keys.set(row, key);
    const told = this.#told;
    this.#told = null;
    told?.();
  }

  /** A server has started anew: `before` is what was held, and the place in it is still that of the screen. */
  renew(before, now) {
    const { scroll } = this;
    const { focus, selection } = this.hands;
    const keyOf = (item) => (item && !item.isHeader ? this.#keys.get(item.id) : undefined);
    const sought = { places: [], active: undefined, chosen: new Map(), corners: null, ...this.#sought, until: now + SOUGHT, found: 0 };
    const places = this.#placesIn(before);
    if (places.length > 0) sought.places = places;
    sought.active ??= keyOf(focus.item);
    for (const row of selection.rows.values()) if (keyOf(row) !== undefined) sought.chosen.set(keyOf(row), row.cells);
    const { range } = selection;
    this.#whole = range?.isWhole ? [range.fromColumn, range.toColumn] : null;
    if (range && !range.isWhole) {
      const keys = [keyOf(range.from.item), keyOf(range.to.item)];
      if (keys.every((one) => one !== undefined)) sought.corners = { keys, columns: [range.fromColumn, range.toColumn], spots: [] };
    }
    this.#keys.clear();
    this.#anchor = this.#goal = null;
    this.#naming = this.#locating = 0;
    this.#sought = isEmpty(sought) ? null : sought;
  }

  // By what his place is found again: the active row while it is in sight, else, or where that has gone, the one that was there before.
  #placesIn(before) {
    const { scroll } = this;
    if (scroll.atTop || scroll.atEnd) return [];
    const { item } = this.hands.focus;
    const ids = [this.#anchor];
    if (item && !item.isHeader && scroll.shows(before.positionOf(item.id))) ids.unshift(item.id);
    return ids.filter((id) => this.#keys.get(id) !== undefined && before.positionOf(id) >= 0)
      .map((id) => ({ key: this.#keys.get(id), below: before.positionOf(id) * scroll.rowHeight - scroll.position }));
  }

  /** Before anything that arrives is taken in: whoever has scrolled by himself is where he wants to be. */
  look() {
    if (this.scroll.position === this.#put) return;
    this.#goal = null;
    if (this.#sought) this.#sought.places = [];
  }

  /** The copy has changed: he is where that has put him, or, when it has brought the row that he reads, at that. */
  follow(copy) {
    const position = this.#goal === null ? -1 : copy.positionOf(this.#goal.id);
    if (position >= 0) {
      this.scroll.moveTo(position * this.scroll.rowHeight - this.#goal.below);
      this.#goal = null;
      if (this.#sought) this.#sought.places = [];
    }
    this.stay();
  }

  /** He is here by what has arrived. */
  stay() {
    this.#put = this.scroll.position;
  }

  /** Nothing is chosen any more: asks where the rows are that are looked for. Whole columns need no rows. */
  seek() {
    if (this.#whole !== null) this.hands.selection.selectColumns(...this.#whole, this.session.copy);
    this.#whole = null;
    if (this.#sought !== null) this.#seek();
  }

  #seek() {
    const { places, active, chosen, corners } = this.#sought;
    const keys = new Set(places.map(({ key }) => key));
    if (active !== undefined) keys.add(active);
    for (const key of corners?.keys ?? []) keys.add(key);
    for (const key of chosen.keys()) keys.add(key);
    if (keys.size === 0) {
      this.#sought = null;
      return;
    }
    if (this.#locating !== 0) return;
    const asked = [...keys].slice(0, wire.LIMITS.keys);
    // Those that are not there are asked for after all others the next time.
    for (const key of asked) {
      const cells = chosen.get(key);
      if (chosen.delete(key)) chosen.set(key, cells);
    }
    this.#locating = this.#asked += 1;
    this.session.send(wire.locate(this.#locating, asked));
  }

  /** Where rows are now. Answers the global pixel to go to, or null. */
  located({ id, rows }) {
    if (id !== this.#locating || this.#sought === null) return null;
    this.#locating = 0;
    const sought = this.#sought;
    const { copy } = this.session;
    const { focus, selection } = this.hands;
    const { corners } = sought;
    const place = sought.places.find(({ key }) => rows.some(([found, , position]) => found === key && position !== null));
    let target = null;
    // Whoever has chosen something else meanwhile has done with what he had chosen before.
    if (selection.rows.size !== sought.found || selection.range !== null) {
      sought.chosen.clear();
      sought.corners = null;
    }
    for (const [key, row, position] of rows) {
      const item = copy.itemAt(position ?? -1);
      this.#keys.set(row, key);
      if (place?.key === key && position !== null) {
        target = position * this.scroll.rowHeight - place.below;
        this.#goal = { id: row, below: place.below };
        this.#anchor = row;
        // It may be elsewhere before the window that shows it is here: it is looked for until then.
        if (copy.positionOf(row) >= 0) sought.places = [];
      }
      if (sought.active === key && position !== null) {
        focus.find(position, item);
        sought.active = undefined;
      }
      if (sought.chosen.has(key)) {
        selection.rows.set(row, item?.id === row ? item : new Row(row, 0, sought.chosen.get(key)));
        sought.chosen.delete(key);
        sought.found += 1;
      }
      if (sought.corners && position !== null) for (const at of [0, 1]) if (corners.keys[at] === key) corners.spots[at] = new Spot(position, item);
    }
    if (sought.corners && corners.spots[0] && corners.spots[1]) {
      selection.span(...corners.spots, ...corners.columns);
      sought.corners = null;
    }
    // More of them wait for their turn: a question names so many at most.
    if (rows.length >= wire.LIMITS.keys) this.#seek();
    else if (isEmpty(sought)) this.#sought = null;
    return target;
  }
}

function isEmpty({ places, active, chosen, corners }) {
  return places.length === 0 && active === undefined && chosen.size === 0 && corners === null;
}
