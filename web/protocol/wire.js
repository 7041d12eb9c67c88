// wire.js: the messages of docs/protocol.md, and the client's copy of the window. No DOM or clock.

import { isFacets, isPins, isTiles } from './tiles.js';

/** The WebSocket subprotocol that the client offers. */
export const SUBPROTOCOL = 'rowcast.v1';

/** The protocol version in `hello`. */
export const VERSION = 1;

/** The upper limits of numbers and lengths in messages. */
export const LIMITS = Object.freeze({ count: 1_000, buffer: 2_000, search: 1_000, group: 4, aggregates: 16, interval: 60_000, keys: 100, reported: 500 });

/** An error that reports a message that violates the protocol. */
export class WireError extends Error {}

/**
 * Parses a message from the server and checks the shape of all members that the client uses.
 *
 * @param {string} text one frame
 * @returns {object} the message
 * @throws {WireError} with the violation as its message
 */
export function parseMessage(text) {
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    throw new WireError('the message is not JSON');
  }
  return checkMessage(message);
}

/** Checks a parsed message in the same way as {@link parseMessage}. */
export function checkMessage(message) {
  demand(isObject(message), 'the message is not an object');
  const check = checks[message.type];
  demand(check !== undefined && Object.hasOwn(checks, message.type), `unknown type ${String(message.type).slice(0, 40)}`);
  check(message);
  return message;
}

const checks = {
  hello(m) {
    demand(m.version === VERSION, `the server speaks version ${m.version}, this page ${VERSION}`);
    demand(typeof m.epoch === 'string', 'hello has no epoch');
    demand(m.session === undefined || typeof m.session === 'string', 'the session is not a text');
    checkTables(m.tables);
    if (m.sources !== undefined) checkSources(m.sources);
  },
  alive() {},
  tables: (m) => checkTables(m.tables),
  sources: (m) => checkSources(m.sources),
  window(m) {
    checkPlace(m);
    demand(Array.isArray(m.items), 'a window has no items');
    for (const item of m.items) checkItem(item);
    demand(m.start + m.items.length <= m.total, 'a window reaches beyond the view');
  },
  patch(m) {
    checkPlace(m);
    for (const name of ['base', 'before', 'after']) demand(isCount(m[name]), `a patch has no ${name}`);
    demand(m.held === undefined || isHeld(m.held), 'held has no numbers');
    demand(m.newer === undefined || (Array.isArray(m.newer) && m.newer.every(isCount)), 'newer has no numbers');
    demand(m.shift === undefined || Number.isSafeInteger(m.shift), 'shift is not a whole number');
    for (const name of ['removed', 'updated', 'moved', 'inserted']) {
      demand(m[name] === undefined || (Array.isArray(m[name]) && m[name].every(Array.isArray)), `${name} is not a list of lists`);
    }
    for (const entry of m.removed ?? []) demand(isCount(entry[0]), 'removed names no index');
    for (const entry of m.moved ?? []) demand(isCount(entry[0]) && isCount(entry[1]), 'moved names no index');
    for (const entry of m.inserted ?? []) {
      demand(isCount(entry[0]), 'inserted names no index');
      checkItem(entry[2]);
    }
    for (const entry of m.updated ?? []) checkUpdate(entry);
  },
  status(m) {
    demand(typeof m.table === 'string', 'status names no table');
    checkSource(m.source);
  },
  waiting(m) {
    demand(isCount(m.changed) && isCount(m.rows), 'waiting has no numbers');
  },
  tiles: (m) => demand(isTiles(m), 'tiles have no form'),
  facets: (m) => demand(isFacets(m), 'facets have no form'),
  pins: (m) => demand(isPins(m), 'pins have no form'),
  stats(m) {
    demand(isObject(m.prefetch) && isObject(m.headers) && Array.isArray(m.sources) && m.sources.every(isObject), 'stats lack members');
    demand(m.delay === null || isObject(m.delay), 'delay is not an object');
  },
  acted(m) {
    demand(isCount(m.id), 'acted has no id');
    demand(m.error === undefined || (isObject(m.error) && typeof m.error.code === 'string'), 'the error of an act has no code');
    if (m.error !== undefined && typeof m.error.reason !== 'string') m.error.reason = '';
    if (m.error === undefined && typeof m.result !== 'string') m.result = '';
  },
  named(m) {
    demand(isCount(m.id) && Array.isArray(m.rows), 'named names no rows');
    for (const row of m.rows) demand(Array.isArray(row) && isCount(row[0]) && isKey(row[1]), 'a row has no name');
  },
  located(m) {
    demand(isCount(m.id) && Array.isArray(m.rows), 'located names no rows');
    for (const row of m.rows) demand(Array.isArray(row) && isKey(row[0]) && isCount(row[1]) && (row[2] === null || isCount(row[2])), 'a row has no place');
  },
  parsed: (m) => demand(isCount(m.id), 'parsed answers no request'),
  error(m) {
    demand(typeof m.code === 'string', 'error has no code');
    if (typeof m.reason !== 'string') m.reason = '';
    demand(m.request === undefined || m.request === null || isCount(m.request), 'error refuses no request');
    if (m.at !== undefined) m.at = Array.isArray(m.at) ? m.at.filter((path) => typeof path === 'string') : [];
  },
};

function checkTables(tables) {
  demand(Array.isArray(tables), 'there is not a list of tables');
  for (const table of tables) {
    demand(isObject(table) && typeof table.name === 'string' && Array.isArray(table.columns), 'a table has no name or columns');
    for (const column of table.columns) {
      demand(isObject(column) && typeof column.name === 'string' && typeof column.type === 'string', 'a column has no name or type');
    }
    demand(table.generation === undefined || table.generation === null || isCount(table.generation), 'a table has no number of its generation');
    if (table.source !== undefined) checkSource(table.source);
    demand(table.actions === undefined || (Array.isArray(table.actions) && table.actions.every(isAction)), 'an action has no name or form');
  }
}

function checkSources(sources) {
  demand(Array.isArray(sources), 'there is not a list of sources');
  for (const one of sources) {
    demand(isObject(one) && typeof one.name === 'string', 'a source has no name');
    checkSource(one.source);
  }
}

function checkSource(source) {
  demand(isObject(source) && typeof source.state === 'string', 'a source has no state');
}

function checkPlace(m) {
  demand(typeof m.epoch === 'string', 'there is no epoch');
  for (const name of ['seq', 'request', 'start', 'total', 'rows', 'digest']) demand(isCount(m[name]), `there is no ${name}`);
  demand(m.accuracy === undefined || typeof m.accuracy === 'string', 'accuracy is not a text');
  demand(m.totals === undefined || Array.isArray(m.totals), 'totals is not a list');
  demand(Array.isArray(m.lead) && m.lead.every(isHeader), 'lead is not a list of headers');
}

function checkItem(item) {
  const isRow = Array.isArray(item) && isCount(item[0]) && isCount(item[1]) && (Array.isArray(item[2]) || isAbsence(item[2]));
  demand(isRow || isHeader(item), 'an item is neither a row nor a header');
}

/** Returns whether a value stands for the cells of a row that is loading or failed to load. */
function isAbsence(value) {
  return isObject(value) && (value.pending === true || typeof value.failed === 'string');
}

function checkUpdate(entry) {
  demand(isCount(entry[0]), 'updated names no index');
  if (isHeader(entry[1])) return;
  demand(isCount(entry[1]) && entry.length % 2 === 0, 'an update has no revision or half a cell');
  for (let at = 2; at < entry.length; at += 2) demand(isCount(entry[at]), 'an update names no column');
}

function isHeader(value) {
  return isObject(value) && isCount(value.section) && isCount(value.rev) && isCount(value.slot)
    && (value.aggregates === undefined || Array.isArray(value.aggregates)) && isCount(value.level) && typeof value.column === 'string' && isCount(value.count);
}

function isAction(value) {
  return isObject(value) && typeof value.name === 'string'
    && (value.arguments === undefined || (Array.isArray(value.arguments) && value.arguments.every((one) => isObject(one) && typeof one.name === 'string'
      && typeof one.type === 'string' && (one.choices === undefined || Array.isArray(one.choices)))));
}

function isHeld(value) {
  return isObject(value) && isCount(value.moves) && (value.gone === undefined || (Array.isArray(value.gone) && value.gone.every(isCount)));
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value) {
  return Number.isSafeInteger(value) && value >= 0;
}

function isKey(value) {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function demand(holds, reason) {
  if (!holds) throw new WireError(reason);
}

// Client messages. Undefined options are omitted, so that the server's defaults apply.

/** Returns the first message of a connection. */
export function hello(client) {
  return { type: 'hello', version: VERSION, client, alive: true };
}

/**
 * Returns a message that opens a table. `interval` is the requested minimum time between patches in
 * milliseconds; `resume` describes the copy as `{epoch, seq, session, anchorOffset, window}`.
 */
export function open({ table, request, query, viewport, interval = undefined, resume = undefined }) {
  const message = { type: 'open', table, request, query: wireQuery(query), viewport: wireViewport(viewport) };
  if (interval !== undefined) message.interval = interval;
  if (resume) {
    const { epoch, seq, session, anchorOffset, window } = resume;
    message.resume = window ? { epoch, seq, window } : { epoch, seq };
    if (session) message.resume.session = session;
    if (anchorOffset >= 0 && anchorOffset <= LIMITS.count) message.resume.anchorOffset = anchorOffset;
  }
  return message;
}

/** Returns a message that changes the query of the open table. */
export function query({ request, query: wanted, viewport }) {
  return { type: 'query', request, query: wireQuery(wanted), viewport: wireViewport(viewport) };
}

/** Returns a message with the current viewport. */
export function viewport(range) {
  return { type: 'viewport', ...wireViewport(range) };
}

/** Returns a message that collapses or expands the section with this number. */
export function collapse(section, collapsed) {
  return { type: 'collapse', section, collapsed };
}

/** Returns a message that confirms that the window or patch `seq` has been drawn. */
export function ack(seq) {
  return { type: 'ack', seq };
}

/** Returns a message that requests a new window, because the window or patch `seq` did not fit. */
export function resync(seq, reason) {
  return { type: 'resync', seq, reason };
}

/** Returns a message that reports whether the page is hidden. */
export function visibility(hidden) {
  return { type: 'visibility', hidden };
}

/** Returns a message that holds or releases the row order. */
export function hold(held) {
  return { type: 'hold', held };
}

/** Returns a message that pauses or resumes updates. */
export function pause(paused) {
  return { type: 'pause', paused };
}

/** Returns a message that requests an action. A repeated request names its first `session`. */
export function act({ id, table, action, row, values = {}, session }) {
  const message = { type: 'act', id, table, action };
  if (row !== undefined) message.row = row;
  if (Object.keys(values).length > 0) message.arguments = values;
  if (session !== undefined) message.session = session;
  return message;
}

/** Returns a message that requests the source's keys of these row ids. */
export function name(id, rows) {
  return { type: 'name', id, rows };
}

/** Returns a message that requests the ids and positions of the rows with these keys. */
export function locate(id, keys) {
  return { type: 'locate', id, keys };
}

/** Returns a message that signs this browser out and invalidates its cookie. */
export function signOut() {
  return { type: 'signOut' };
}

/** Returns a message that turns the server's `stats` messages on or off. */
export function stats(wanted) {
  return { type: 'stats', wanted };
}

function wireQuery({ sort = [], search = '', where = '', zone = 0, offsets = undefined, filter = undefined, group = [], aggregates = [], sections = [], collapsed = [] } = {}) {
  const wire = {};
  if (sort.length > 0) {
    wire.sort = sort.map(({ column, descending }) => (descending ? { column, descending: true } : { column }));
  }
  if (search !== '') wire.search = search.slice(0, LIMITS.search);
  if (where !== '') Object.assign(wire, { where }, zone === 0 ? {} : { zone }, offsets === undefined ? {} : { offsets });
  if (filter !== undefined) wire.filter = filter;
  if (group.length > 0) wire.group = group.slice(0, LIMITS.group);
  if (aggregates.length > 0) wire.aggregates = aggregates.slice(0, LIMITS.aggregates);
  if (sections.length > 0) wire.sections = sections.slice(0, LIMITS.group);
  if (collapsed.length > 0 && group.length > 0) wire.collapsed = collapsed;
  return wire;
}

function wireViewport({ seq, first, count, ahead, behind, anchor, stick }) {
  const wire = {
    seq,
    first,
    count: clamp(count, 1, LIMITS.count),
    ahead: clamp(ahead, 0, LIMITS.buffer),
    behind: clamp(behind, 0, LIMITS.buffer),
  };
  if (anchor !== undefined && anchor !== null) wire.anchor = anchor;
  if (stick) wire.stick = stick;
  return wire;
}

function clamp(value, least, most) {
  return Math.max(least, Math.min(most, Math.round(value)));
}

// The client's copy of the window.

const none = Object.freeze([]);

/**
 * A row of the copy. The object stays the same while the row is in the window. A row that is
 * loading or failed to load has no cells, and its `absence` is shown in each.
 */
export class Row {
  constructor(id, rev, cells) {
    this.id = id;
    this.rev = rev;
    this.cells = Array.isArray(cells) ? cells : none;
    this.absence = Array.isArray(cells) ? null : cells;
  }
  get isHeader() { return false; }
}

/** A section header. `parent` is null at level 0; `end` is the first value after a range. */
export class Header {
  constructor({ section, rev, slot, level, parent, column, value, end, count, aggregates, collapsed }) {
    this.section = section;
    this.rev = rev;
    this.slot = slot;
    this.level = level;
    this.parent = parent ?? null;
    this.column = column;
    this.value = value ?? null;
    this.end = end;
    this.count = count;
    this.aggregates = aggregates ?? none;
    this.isCollapsed = collapsed === true;
  }
  get isHeader() { return true; }
}

/** Returns the row or header for an ITEM of the protocol. */
export function itemFrom(wire) {
  return Array.isArray(wire) ? new Row(wire[0], wire[1], wire[2]) : new Header(wire);
}

/**
 * The client's copy of the window: consecutive items of the view, changed only by messages:
 *
 *     const copy = new WindowCopy();
 *     copy.replace(windowMessage);          // null, or the reason why it was rejected
 *     copy.apply(patchMessage);             // null, or 'base', 'count', 'index' or 'digest'
 *     copy.itemAt(position);                // by position in the whole view
 *
 * A rejected message changes nothing.
 */
export class WindowCopy {
  constructor() {
    this.epoch = '';
    this.seq = 0;
    this.request = 0;
    /** The server's current minimum time between two patches, in milliseconds. */
    this.interval = undefined;
    this.start = 0;
    this.total = 0;
    this.rows = 0;
    /** The accuracy of `rows`: 'exact', 'estimated', or 'unknown' if there may be more. */
    this.accuracy = 'exact';
    /** The query's aggregates over all rows, in the query's order. */
    this.totals = none;
    /** @type {(Partial<Row> & Partial<Header>)[]} */
    this.items = [];
    /** `{moves, gone}` while the order is held: a count, and indexes of deleted items; or null. */
    this.held = null;
    /** The indexes of the rows that were changed or inserted since the user paused. */
    this.newer = none;
    /** @type {Header[]} The headers above the window of the first item's sections. */
    this.lead = [];
    this.digest = digestOf(0, 0, [], []);
    /**
     * The changes of the last patch that were not caused by scrolling, or null if there are none.
     *
     * `left` and `came` have the ids of removed and inserted rows; `moved` is the number of moves.
     * @type {{left: Set<number>, came: Set<number>, moved: number}|null}
     */
    this.moves = null;
  }

  /** The position after the last item. */
  get end() { return this.start + this.items.length; }

  /** Returns the item at a position of the view, or undefined outside the window. */
  itemAt(position) {
    return this.items[position - this.start];
  }

  /** Returns the position of the row with this id, or -1. */
  positionOf(id) {
    const index = this.items.findIndex((item) => item.id === id);
    return index < 0 ? -1 : this.start + index;
  }

  /** Returns the position of a header of the copy, or -1 if it is above the window. */
  positionOfHeader(header) {
    // Compares section numbers, because patches replace header objects.
    const index = this.items.findIndex((item) => item.isHeader && item.section === header.section);
    return index < 0 ? -1 : this.start + index;
  }

  /**
   * Returns the group values of a section, outermost first, or null if the copy lacks the header of
   * an enclosing section.
   */
  pathOf(header) {
    return this.chainOf(header)?.map(({ value }) => value) ?? null;
  }

  /** Returns the headers of a section and of those around it, like {@link pathOf}. */
  chainOf(header) {
    const chain = [header];
    for (let { parent } = header; parent !== null; ({ parent } = chain[0])) {
      const outer = this.lead.find(({ section }) => section === parent) ?? this.items.find((item) => item.isHeader && item.section === parent);
      if (outer === undefined) return null;
      chain.unshift(outer);
    }
    return chain;
  }

  /**
   * Returns the headers of the sections around an item, outermost first, as far as the copy has
   * them. A header itself is included.
   */
  headersOf(position) {
    const above = [];
    let at = position - this.start;
    if (at < 0 || at >= this.items.length) return above;
    for (let level = Infinity; at >= 0 && level > 0; at -= 1) {
      const item = this.items[at];
      if (!item.isHeader || item.level >= level) continue;
      above.unshift(item);
      ({ level } = item);
    }
    const outer = above.length > 0 ? above[0].level : Infinity;
    return [...this.lead.filter((header) => header.level < outer), ...above];
  }

  /** Applies a `window` message. Returns null, or the reason why it was rejected. */
  replace(message) {
    const items = message.items.map(itemFrom);
    const lead = message.lead.map((header) => new Header(header));
    const digest = digestOf(message.start, message.total, lead, items);
    if (digest !== message.digest) return 'digest';
    this.#take(message, items, lead);
    this.moves = null;
    return null;
  }

  /** Applies a `patch` message. Returns null, or the reason why it was rejected. */
  apply(patch) {
    if (patch.base !== this.seq || patch.epoch !== this.epoch) return 'base';
    const { removed = none, updated = none, moved = none, inserted = none, before, after } = patch;
    if (before !== this.items.length || before + inserted.length - removed.length !== after) return 'count';

    const next = arrange(this.items, after, removed, moved, inserted);
    if (next === null) return 'index';
    const revised = revise(this.items, updated, removed);
    if (revised === null) return 'index';

    // Rows are changed in place, because their DOM nodes refer to them. They change only after the
    // digest has confirmed the whole patch.
    const lead = patch.lead.map((header) => new Header(header));
    for (let at = 0; at < next.length; at += 1) {
      const change = revised.get(next[at]);
      if (change !== undefined && change.header) next[at] = change.header;
    }
    if (digestOf(patch.start, patch.total, lead, next, revised) !== patch.digest) return 'digest';
    for (const [item, change] of revised) {
      if (change.header) continue;
      item.rev = change.rev;
      for (let at = 2; at < change.entry.length; at += 2) item.cells[change.entry[at]] = change.entry[at + 1];
    }
    this.moves = movesOf(this.items, removed, moved, inserted);
    this.#take(patch, next, lead);
    return null;
  }

  #take(message, items, lead) {
    this.epoch = message.epoch;
    this.seq = message.seq;
    this.request = message.request;
    this.interval = message.interval;
    this.start = message.start;
    this.total = message.total;
    this.rows = message.rows;
    this.accuracy = message.accuracy ?? 'exact';
    this.totals = message.totals ?? none;
    this.held = message.held ?? null;
    this.newer = message.newer ?? none;
    this.digest = message.digest;
    this.items = items;
    this.lead = lead;
  }
}

/** Returns the items in their new order, or null if an index is out of range or occurs twice. */
function arrange(old, after, removed, moved, inserted) {
  const next = new Array(after).fill(null);
  const leaves = new Uint8Array(old.length);
  for (const [index] of removed) {
    if (index >= old.length || leaves[index]) return null;
    leaves[index] = 1;
  }
  for (const [from, to] of moved) {
    if (from >= old.length || to >= after || leaves[from] || next[to]) return null;
    leaves[from] = 1;
    next[to] = old[from];
  }
  for (const [index, , wire] of inserted) {
    if (index >= after || next[index]) return null;
    next[index] = itemFrom(wire);
  }
  let place = 0;
  for (let index = 0; index < old.length; index += 1) {
    if (leaves[index]) continue;
    while (next[place] !== null) place += 1;  // ends, because `apply` has checked the counts
    next[place] = old[index];
  }
  return next;
}

function movesOf(old, removed, moved, inserted) {
  const left = removed.filter(([index, why]) => why !== 'scrolled' && !old[index].isHeader).map(([index]) => old[index].id);
  const came = inserted.filter(([, why, wire]) => why !== 'scrolled' && Array.isArray(wire)).map(([, , [id]]) => id);
  return left.length + came.length + moved.length === 0 ? null : { left: new Set(left), came: new Set(came), moved: moved.length };
}

/** Returns the changes by updated item, or null if an index or a column is invalid. */
function revise(old, updated, removed) {
  const changes = new Map();
  if (updated.length === 0) return changes;
  const gone = new Set(removed.map(([index]) => index));
  for (const entry of updated) {
    const item = old[entry[0]];
    if (item === undefined || gone.has(entry[0]) || changes.has(item)) return null;
    const isHeader = typeof entry[1] === 'object';
    if (isHeader !== item.isHeader) return null;
    for (let at = 2; at < entry.length; at += 2) {
      if (entry[at] >= item.cells.length) return null;
    }
    changes.set(item, isHeader ? { header: new Header(entry[1]) } : { rev: entry[1], entry });
  }
  return changes;
}

/**
 * Returns a 32-bit hash of a window. Server and client compare it to detect diverged copies.
 *
 * @param {Map} [revised] the pending changes by row, whose new revisions are hashed
 */
export function digestOf(start, total, lead, items, revised) {
  let hash = 0x811c9dc5;
  const mix = (value) => {
    hash = Math.imul(hash ^ value, 0x9e3779b1);
    hash ^= hash >>> 15;
  };
  mix(start);  // ^ takes its operands modulo 2^32, also beyond 2^32
  mix(total);
  for (const header of lead) {
    mix(3);
    mix(header.section);
    mix(header.rev);
  }
  for (const item of items) {
    if (item.isHeader) {
      mix(item.isCollapsed ? 4 : 2);
      mix(item.section);
      mix(item.rev);
    } else {
      mix(1);
      mix(item.id);
      mix(Math.floor(item.id / 0x1_0000_0000));
      mix(revised?.get(item)?.rev ?? item.rev);
    }
  }
  return hash >>> 0;
}
