// rows.js: the page's copy of the window. No DOM, no socket, no clock.
//# allFunctionsCalledOnLoad

const none = Object.freeze([]);

/**
 * A row of the copy. Its identity in memory lasts as long as it stays in the window; `cells` changes in place. One that its source has
 * not given yet has no cells, but an `absence`, which is shown in the place of each as in the place of a deferred one.
 */
export class Row {
  constructor(id, rev, cells) {
    this.id = id;
    this.rev = rev;
    this.cells = Array.isArray(cells) ? cells : none;
    this.absence = Array.isArray(cells) ? null : cells;
  }
  get isHeader() {
    return false;
  }
}

/** A section's header. Sections of level 0 lie in no other, `parent` is the number of the one around it. */
export class Header {
  constructor({ section, rev, slot, level, parent, column, value, count, aggregates, collapsed }) {
    this.section = section;
    this.rev = rev;
    this.slot = slot;
    this.level = level;
    this.parent = parent ?? null;
    this.column = column;
    this.value = value ?? null;
    this.count = count;
    this.aggregates = aggregates ?? none;
    this.isCollapsed = collapsed === true;
  }
  get isHeader() {
    return true;
  }
}

/** An ITEM of the wire as a row or header of the copy. */
export function itemFrom(wire) {
  return Array.isArray(wire) ? new Row(wire[0], wire[1], wire[2]) : new Header(wire);
}

/**
 * The consecutive items that the page holds, and the only thing that a patch changes:
 *
 *     const copy = new WindowCopy();
 *     copy.replace(windowMessage);          // null, or why it cannot be trusted
 *     copy.apply(patchMessage);             // null, or 'base', 'count', 'index', 'digest': then nothing has changed
 *     copy.itemAt(position);                // by position in the whole view
 */
export class WindowCopy {
  constructor() {
    this.epoch = '';
    this.seq = 0;
    this.request = 0;
    /** The least time between two patches, in milliseconds, as the server keeps it now. */
    this.interval = undefined;
    this.start = 0;
    this.total = 0;
    this.rows = 0;
    /** How sure that is: 'exact', 'estimated', or 'unknown' when more may follow. */
    this.accuracy = 'exact';
    /** What the query asks of all rows, in the order of the query. */
    this.totals = none;
    /** @type {(Row|Header)[]} */
    this.items = [];
    /** While the order is held, what waits: `{moves, gone}`, the latter indexes of items that are in the view no more; or null. */
    this.held = null;
    /** The headers above the window that its first item lies under, outermost first. @type {Header[]} */
    this.lead = [];
    this.digest = digestOf(0, 0, [], []);
    /**
     * What the last patch did of itself, not because the reader scrolled: the ids of rows that left and came, and how many items moved.
     * @type {{left: Set<number>, came: Set<number>, moved: number}|null}
     */
    this.moves = null;
  }

  /** The position after the last item. */
  get end() {
    return this.start + this.items.length;
  }

  /** The item at a position of the view, or undefined outside the window. */
  itemAt(position) {
    return this.items[position - this.start];
  }

  /** The position of the row with this id, or -1. The id of a placeholder is that of its place. */
  positionOf(id) {
    const index = this.items.findIndex((item) => item.id === id);
    return index < 0 ? -1 : this.start + index;
  }

  /** The position of a header of the copy, or -1 when it is above the window. */
  positionOfHeader(header) {
    const index = this.items.findIndex((item) => item.isHeader && item.section === header.section);  // a patch may have made it anew
    return index < 0 ? -1 : this.start + index;
  }

  /** The values that name a section, from the outermost one's to its own; null when a header around it is not held. */
  pathOf(header) {
    const path = [header.value];
    for (let outer = header.parent; outer !== null;) {
      const around = this.lead.find(({ section }) => section === outer) ?? this.items.find((item) => item.isHeader && item.section === outer);
      if (around === undefined) return null;
      path.unshift(around.value);
      outer = around.parent;
    }
    return path;
  }

  /** The headers that an item lies under, outermost first and with itself if it is one, as far as they are held. */
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

  /** Takes a `window` message. Answers null, or why it was refused; then the copy is as it was. */
  replace(message) {
    const items = message.items.map(itemFrom);
    const lead = message.lead.map((header) => new Header(header));
    const digest = digestOf(message.start, message.total, lead, items);
    if (digest !== message.digest) return 'digest';
    this.#take(message, items, lead);
    this.moves = null;
    return null;
  }

  /** Applies a `patch` message. Answers null, or why it was refused; then the copy is as it was. */
  apply(patch) {
    if (patch.base !== this.seq || patch.epoch !== this.epoch) return 'base';
    const { removed = none, updated = none, moved = none, inserted = none, before, after } = patch;
    if (before !== this.items.length || before + inserted.length - removed.length !== after) return 'count';

    const next = arrange(this.items, after, removed, moved, inserted);
    if (next === null) return 'index';
    const revised = revise(this.items, updated, removed);
    if (revised === null) return 'index';

    // Rows are changed in place, so that their nodes keep them: only when the digest has shown that the whole patch is right.
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
    this.digest = message.digest;
    this.items = items;
    this.lead = lead;
  }
}

/** The items in their new order, or null when an index is out of range or named twice. */
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
    while (next[place] !== null) place += 1;  // the counts agree, so a place is left for each item that stays
    next[place] = old[index];
  }
  return next;
}

function movesOf(old, removed, moved, inserted) {
  const left = removed.filter(([index, why]) => why !== 'scrolled' && !old[index].isHeader).map(([index]) => old[index].id);
  const came = inserted.filter(([, why, wire]) => why !== 'scrolled' && Array.isArray(wire)).map(([, , [id]]) => id);
  return left.length + came.length + moved.length === 0 ? null : { left: new Set(left), came: new Set(came), moved: moved.length };
}

/** What becomes of each updated item, by item; null when an index or a column is wrong. */
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
 * The number by which both sides prove that their copies are equal.
 *
 * @param {Map} [revised] revisions that rows are about to have
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
