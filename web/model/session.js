// session.js: the state of the protocol with the server: when to send what, and the meaning of each
// answer. No DOM, no socket.

import * as wire from '../protocol/wire.js';
import { requestOf } from '../protocol/tiles.js';
import { completed, isShowable, suggested } from './defaults.js';
import { wireGroup } from './ranges.js';
import { localOffsets, writtenOffsets } from './zone.js';
import { emptyView, fittingView, nextCollapsed, sameQuery, wireFilter } from './query.js';
import { phrase } from './language.js';

/**
 * A session: one client's state on one table, kept over several connections.
 *
 *     const session = new Session((message) => socket.send(message));
 *     session.connected();
 *     const event = session.receive(message, viewportAt);  // {kind, ...}
 *     session.painted();  // the window is painted: the server may send the next patch
 *
 * An event's `kind` is 'window', 'patch', 'tables', 'sources', 'status', 'waiting', 'tiles',
 * 'facets', 'keys', 'refused', 'resync', 'broken', 'error' or 'nothing'.
 *
 * `viewportAt(seq, isTop)` returns the viewport in wire format, or with `isTop` that at the top of
 * another list. `recall(view, tables, sources)` returns the view to show if no table is chosen.
 */
export class Session {
  /**
   * @param {(message: object) => void} send
   * @param {(view: import('./query.js').View, tables: object[], sources?: object[]) => import('./query.js').View} recall
   */
  constructor(send, recall = (view, tables) => ({ ...view, table: tables[0].name })) {
    this.send = send;
    this.recall = recall;
    this.copy = new wire.WindowCopy();
    this.view = emptyView();
    this.tables = [];
    /** Sources that have no table, each `{name, source}`. */
    this.sources = [];
    this.epoch = '';
    /** The role of the user: `operator`, or `viewer`, who may not run actions. */
    this.role = '';
    this.isSignedIn = false;
    /** Whether a query is pending, so that the window still answers the previous one. */
    this.isPending = false;
    /** Whether the user paused updates. */
    this.isPaused = false;
    /** Whether the server holds the order of the rows. */
    this.isOrderHeld = false;
    /**
     * While paused, the numbers of waiting changes and of rows, `{changed, rows}`; or null.
     */
    this.waiting = null;
    /**
     * The parts of the view that are not applied, with reasons.
     * @type {import('./refusals.js').Mark[]}
     */
    this.marks = [];
    this.stats = { windows: 0, patches: 0, resyncs: 0, lastReason: '' };
    /** The prefetch statistics of the open table as in `stats`, or null. */
    this.prefetch = null;
    /** The offset of the user's time zone from UTC in minutes, for times in filters. */
    this.zone = 0;
    /**
     * The requests to parse texts of the filter bar; null until first used.
     * @type {import('./parsing.js').Parsing|null}
     */
    this.parsing = null;
    this.#hasHello = false;
  }
  #hasHello;
  /**
   * Parses a search text; null until search.js is loaded.
   * @type {((text: string) => import('./search.js').Search)|null}
   */
  searching = null;
  #sentFilter = '';   // the filter of the last query, as JSON
  #request = 0;
  #sent = null;       // the view of the last query
  #good = null;       // the last view that the server answered, `{request, view}`
  #rules = null;      // refusals.js, loaded at the first refusal
  #opened = '';       // the table last opened on this connection
  #recalled = '';     // the table that `recall` chose
  #unpainted = 0;     // the seq to acknowledge, or 0
  #heard = new Map();   // the sources by their tables, while nothing comes from the server
  // Whether an `open` is pending: messages with other request numbers belong to the previous table.
  #isOpening = false;
  #isReopening = false;
  #isChanged = false;   // whether the query changed while disconnected
  #badWindows = 0;
  #releasedAt = -1;     // the window's seq at the end of the last hold
  #wantsStats = new Set();  // subscribers to statistics
  // The last request of each type of subscription.
  #subscriptions = { tiles: { table: '', id: 0, wanted: [] }, facets: { table: '', id: 0, wanted: [] }, pins: { table: '', id: 0, wanted: [] } };
  #tiles = { table: '', strip: [], bounds: [] };  // the requested tiles by their use
  #offered;             // the table that the worker opened, `{table, request}`
  #secret = '';         // the session's secret on this connection, with which the next one resumes
  #holdsOf = '';        // the secret of the connection that the window is from

  /** The secret that identifies this session to the server. */
  get secret() {
    return this.#secret;
  }

  /** The open table as in `hello` and `tables`, or undefined. */
  get table() {
    return this.tables.find((table) => table.name === this.view.table);
  }

  /** Whether the table is open on this connection. */
  get isOpen() {
    return this.#opened !== '' && this.#opened === this.view.table;
  }

  /** Starts a new connection, on which the worker has already sent `hello`. */
  connected() {
    this.lost();
  }

  /** Ends the connection. The window stays. */
  lost() {
    this.#hasHello = false;
    this.parsing?.lost();
    this.#opened = '';
    this.#unpainted = 0;
    this.isPending = this.#isOpening = this.isOrderHeld = false;
  }

  /** Shows another table or query. */
  show(view, viewportAt) {
    const isOther = view.table !== this.view.table;
    this.view = completed(view, this.tables.find(({ name }) => name === view.table));
    if (isOther) this.#forgetMarks();
    this.marks = this.#rules?.standing(this.marks, view) ?? [];
    this.isPaused = false;  // to show the result; the server ends the pause too
    this.#release();
    if (isOther) this.copy = new wire.WindowCopy();
    if (!this.#hasHello) this.#isChanged = true;
    else if (isOther || !this.isOpen) this.#open(viewportAt, false);
    else {
      this.#query(viewportAt);
    }
  }

  #query(viewportAt) {
    this.#noteRequest();
    this.send(wire.query({ request: this.#request, query: this.wireQuery, viewport: viewportAt(this.copy.seq, true) }));
  }

  #forgetMarks() {
    this.marks = [];
    this.#good = null;
  }

  /**
   * Marks the parts of a query that the server refused, and queries the rest if needed.
   *
   * `rules` is the module refusals.js, and the second argument is a `refused` event. Events of a
   * query that has been replaced are ignored.
   */
  mark(rules, { sent, at, reason }, viewportAt) {
    this.#rules = rules;
    if (sent !== this.#sent || !this.isOpen) return;
    const found = rules.marksFor(sent, at, reason);
    const stand = rules.standing(found, this.view);
    // A part that was accepted before is refused now, so the other parts are uncertain too.
    if (stand.length < found.length) this.#good = null;
    const keys = new Set(stand.map(({ key }) => key));
    this.marks = [...this.marks.filter(({ key }) => !keys.has(key)), ...stand];
    let next = this.requested;
    if (sameQuery(next, sent)) {
      this.marks = rules.standing(rules.marksFor(this.view, [], reason), this.view);
      this.#good = null;
      next = this.requested;
      if (sameQuery(next, sent)) return;  // not even the whole table can be shown
    }
    if (this.#good !== null && sameQuery({ ...this.#good.view, collapsed: next.collapsed }, next)) {
      this.#sent = this.#good.view;
      return;
    }
    this.#query(viewportAt);
  }

  /** The view to query: the user's, without parts that do not fit the table or were refused. */
  get requested() {
    const view = fittingView(this.view, this.table?.columns ?? []);
    return this.marks.length === 0 ? view : fittingView(this.#rules.applied(view, this.marks, this.#good?.view), this.table?.columns ?? []);
  }

  /**
   * Collapses or expands a section. Returns false while a query is pending, because section numbers
   * may change.
   */
  collapse(header) {
    const path = this.copy.pathOf(header);
    if (path === null || !this.canLook) return false;
    this.isPaused = false;
    this.#release();
    this.view = { ...this.view, isDefault: false, collapsed: nextCollapsed(this.view.collapsed, path, !header.isCollapsed) };
    this.send(wire.collapse(header.section, !header.isCollapsed));
    return true;
  }

  /** Sends the viewport, unless a query is pending, because its answer may change positions. */
  look(viewport) {
    if (!this.canLook) return;
    if (!this.holds(viewport.first, viewport.count)) this.#release();
    this.send(wire.viewport(viewport));
  }

  /** Whether the table is open and shown, and no query is pending. */
  get canLook() {
    return this.isOpen && !this.isPending && this.copy.seq > 0;
  }

  /** Reports to the server whether the page is hidden. */
  setHidden(hidden) {
    if (!this.#hasHello) return;
    this.#release();
    this.send(wire.visibility(hidden));
  }

  /**
   * Pauses or resumes updates. Does nothing before the first window.
   *
   * A connection made while paused opens the table only when updates resume.
   */
  setPaused(isPaused, viewportAt) {
    if (isPaused === this.isPaused || (isPaused && !this.canLook)) return;
    this.isPaused = isPaused;
    this.waiting = null;
    this.#release();
    if (this.isOpen) this.send(wire.pause(isPaused));
    else if (this.#hasHello && this.table !== undefined) this.#open(viewportAt, true);
  }

  /** Subscribes `subscriber` to the server's statistics, or unsubscribes it. */
  wantStats(isWanted, subscriber) {
    const before = this.#wantsStats.size > 0;
    if (isWanted) this.#wantsStats.add(subscriber);
    else this.#wantsStats.delete(subscriber);
    const now = this.#wantsStats.size > 0;
    if (this.isOpen && before !== now) this.send(wire.stats(now));
  }

  /** Requests the values of these tiles of the table in wire format, instead of earlier ones. */
  wantTiles(wanted) {
    this.#wantPart('strip', wanted);
  }

  /** Requests bounds of columns, which are tiles in wire format, instead of earlier ones. */
  wantBounds(wanted) {
    this.#wantPart('bounds', wanted);
  }

  // Bounds follow the tiles of the strip in one request.
  #wantPart(part, wanted) {
    const { table } = this.view;
    const kept = this.#tiles.table === table ? this.#tiles : { strip: [], bounds: [] };
    this.#tiles = { ...kept, table, [part]: wanted };
    this.#want('tiles', [...this.#tiles.strip, ...this.#tiles.bounds]);
  }

  /** Requests the counts of these facets of the table in wire format, instead of earlier ones. */
  wantFacets(wanted) {
    this.#want('facets', wanted);
  }

  /** Requests the rows with these keys, at any place, instead of earlier ones. */
  wantPins(keys) {
    this.#want('pins', keys);
  }

  #want(type, wanted) {
    const { table } = this.view;
    const last = this.#subscriptions[type];
    // Another table begins without tiles and facets.
    if (JSON.stringify(wanted) === JSON.stringify(table === last.table ? last.wanted : [])) return;
    this.#subscriptions[type] = { table, id: last.id + 1, wanted };
    if (this.isOpen) this.#sendSubscription(type);
  }

  #sendSubscription(type) {
    const { id, wanted } = this.#subscriptions[type];
    this.send(requestOf(type, id, wanted));
  }

  /**
   * Holds or releases the order of the rows, while values continue to change. It is held while the
   * user points, selects or edits.
   */
  holdOrder(isHeld) {
    if (!this.canLook || this.isPaused) return;
    this.isOrderHeld = isHeld;
    this.send(wire.hold(isHeld));
  }

  /**
   * Whether the order may be held. It may not before the server has answered the request that ended
   * the last hold, because a new hold would delay that answer.
   */
  get canHold() {
    return this.canLook && !this.isPaused && this.copy.seq !== this.#releasedAt;
  }

  /** Whether these items are all in the window. */
  holds(first, count) {
    const { start, end, total } = this.copy;
    return first >= start && Math.min(total, first + count) <= end;
  }

  #release() {
    this.isOrderHeld = false;
    this.#releasedAt = this.copy.seq;
  }

  /** Acknowledges the last window or patch, because it is painted. */
  painted() {
    if (this.#unpainted === 0) return;
    this.send(wire.ack(this.#unpainted));
    this.#unpainted = 0;
  }

  /**
   * Applies a message that wire.js has parsed, and returns an event.
   *
   * `opened` accompanies a `hello`: the table that the worker has already opened, without a query,
   * as `{table, request}`.
   * @returns {object}
   */
  receive(message, viewportAt, opened) {
    switch (message.type) {
      case 'hello': return this.#takeHello(message, viewportAt, opened);
      case 'tables': return this.#list(message.tables, viewportAt);
      case 'sources':
        this.sources = message.sources;
        return { kind: 'sources' };
      case 'window': return this.#isStray(message) ? this.#pass(message) : this.#replace(message);
      case 'patch': return this.#isStray(message) ? this.#pass(message) : this.#patch(message);
      case 'status': return this.#status(message);
      case 'silence': return this.#silence(message);
      case 'waiting':
        if (this.isPaused) this.waiting = message;
        return { kind: 'waiting' };
      case 'tiles': case 'facets': {
        const { type } = message;
        if (message.id !== this.#subscriptions[type].id || !this.isOpen) return nothing;
        const count = type === 'tiles' ? this.#tiles.strip.length : Infinity;
        return { kind: type, [type]: message[type].slice(0, count), ...(type === 'tiles' ? { bounds: message.tiles.slice(count) } : {}) };
      }
      case 'pins': return message.id === this.#subscriptions.pins.id && this.isOpen ? { kind: 'keys', message } : nothing;
      case 'stats':
        this.prefetch = message.prefetch;
        return nothing;
      case 'parsed':
        this.parsing?.receive(message);
        return nothing;
      case 'acted':
      case 'named':
      case 'located': return { kind: 'keys', message };
      case 'error': return this.#refused(message);
      default: return nothing;
    }
  }

  // An error without a request number ends the connection. An error about an older query is
  // ignored.
  #refused({ request, code, reason, at, shown }) {
    if (request === undefined || request === null) return { kind: 'error', code, reason };
    if (request !== this.#request || request === shown) return nothing;
    if (this.#good !== null && shown === this.#good.request) this.isPending = this.#isOpening = false;
    else this.#good = null;
    return { kind: 'refused', sent: this.#sent, at: at ?? [], reason };
  }

  #takeHello(message, viewportAt, opened) {
    this.#offered = opened;
    const isRestart = this.epoch !== '' && this.epoch !== message.epoch;
    this.epoch = message.epoch;
    this.#secret = message.session ?? '';
    this.role = message.role ?? '';
    this.isSignedIn = message.signedIn === true;
    this.sources = message.sources ?? [];
    this.#hasHello = true;
    const event = this.#list(message.tables, viewportAt, isRestart);
    this.#offered = undefined;
    return { ...event, isRestart };
  }

  // A restarted server may list a table only after `hello`. The window is kept until then.
  #list(tables, viewportAt, isRestart = false) {
    const before = isRestart ? undefined : this.table;
    const wasOpen = this.isOpen;
    this.tables = tables;
    const isOther = before !== undefined && (this.table === undefined ? wasOpen : (before.generation ?? 0) !== (this.table.generation ?? 0));
    if (isOther) this.#leave();
    const isUnnamed = this.view.table === '' && tables.length > 0;
    if (isUnnamed) {
      this.view = this.recall(this.view, tables, this.sources);
      this.#recalled = this.view.table;
    }
    this.view = completed(this.view, this.table);
    const isRecalled = isUnnamed && this.view.table !== '';  // not while waiting for a source
    if (!this.isOpen && this.table !== undefined && !this.isPaused) this.#open(viewportAt, true);
    return { kind: 'tables', isOther, isRecalled };
  }

  // Drops the window because the table was removed or replaced; the server sends no more about it.
  #leave() {
    this.lost();
    this.#hasHello = true;
    this.copy = new wire.WindowCopy();
    this.#forgetMarks();
    this.isPaused = false;
    this.waiting = null;
    if (this.table === undefined && this.view.table === this.#recalled) this.view = emptyView();
  }

  #open(viewportAt, isReopening) {
    if (this.table === undefined) return;
    const isOffered = this.#isOffered;
    this.#request = Math.max(this.#request, isOffered ? this.#offered.request - 1 : this.#offered?.request ?? 0);
    this.#noteRequest();
    this.#opened = this.view.table;
    this.prefetch = null;
    this.#isOpening = true;
    this.#isReopening = isReopening && this.copy.seq > 0 && !this.#isChanged;
    this.#isChanged = false;
    const viewport = viewportAt(0, !this.#isReopening);
    const resume = this.#isReopening ? this.#resume(viewport) : null;
    this.#holdsOf = this.#secret;
    if (!isOffered) this.send(wire.open({ table: this.view.table, request: this.#request, query: this.wireQuery, viewport, resume }));
    if (this.#wantsStats.size > 0) this.send(wire.stats(true));
    for (const type of ['tiles', 'facets', 'pins']) {
      const { table, wanted } = this.#subscriptions[type];
      if (wanted.length > 0 && table === this.view.table) this.#sendSubscription(type);
    }
  }

  // Whether the worker has already sent the query that is wanted.
  get #isOffered() {
    // The worker sends a suggested filter as it is, also one that the page leaves out.
    if (this.#offered?.table !== this.view.table || this.copy.seq > 0 || !isShowable(this.table)) return false;
    return sameQuery(this.requested, { ...emptyView(), ...suggested(this.table) });
  }

  #resume({ first, anchor }) {
    const { epoch, seq } = this.copy;
    const position = anchor === null ? -1 : this.copy.positionOf(anchor);
    return { epoch, seq, session: this.#holdsOf, anchorOffset: position < 0 ? -1 : position - first, window: this.#report };
  }

  // The rows for a node that has not sent them, which can continue from them in the same epoch.
  get #report() {
    const { epoch, start, total, items } = this.copy;
    const { generation, windowed } = this.table;
    if (epoch !== this.epoch || windowed || items.length > wire.LIMITS.reported || items.some((item) => item.isHeader)) return undefined;
    return { generation: generation ?? 0, start, total, rows: items.flatMap(({ id, rev }) => [id, rev]) };
  }

  #noteRequest() {
    this.#request += 1;
    this.#sent = this.requested;
    this.#sentFilter = this.#filterText;
    this.isPending = true;
  }

  // Records that the server answered the last query.
  #answered() {
    this.#good = { request: this.#request, view: this.#sent };
    this.isPending = this.#isOpening = this.#isReopening = false;
  }

  /** The query to send, in wire format. */
  get wireQuery() {
    const view = this.requested;
    const { group, sections } = view;
    // The order of a column's sections applies to each of its levels.
    const orders = sections === undefined ? {} : { sections: group.flatMap((name) => sections.filter(({ column }) => column === name)) };
    return { ...view, ...this.narrowed(view), group: this.wireGroup(view), ...orders };
  }

  /** Returns the columns of a view's grouping in wire format. */
  wireGroup(view) {
    return wireGroup(view, this.zone, view.ranges?.some(({ unit }) => unit !== undefined) ? localOffsets() : []);
  }

  /**
   * Returns the search and filters of a view in wire format.
   * @param {{search: string, where: string, filters: import('./query.js').Term[]}} view
   * @returns {{search: string, where?: string, zone?: number,
   *   offsets?: import('./zone.js').Offsets, filter?: object}}
   */
  narrowed({ search, where, filters }) {
    const found = search === '' ? null : this.searching?.(search)?.filter(filters) ?? null;
    const written = where === '' ? {} : { where, zone: this.zone, ...writtenOffsets(where) };
    return found === null ? { search, ...written, filter: wireFilter(filters) } : { search: '', ...written, filter: found };
  }

  /** Queries again if the search text now has another meaning, because search.js was loaded. */
  refine(viewportAt) {
    if (this.#hasHello && this.isOpen && !this.#isOpening && this.requested.search !== '' && this.#filterText !== this.#sentFilter) this.#query(viewportAt);
  }

  get #filterText() {
    return JSON.stringify(this.narrowed(this.requested));
  }

  // Whether a message belongs to a table that was left.
  #isStray(message) {
    return !this.isOpen || (this.#isOpening && message.request !== this.#request);
  }

  // Acknowledges a message that is ignored, because the server waits for it.
  #pass(message) {
    this.send(wire.ack(message.seq));
    return nothing;
  }

  #replace(message) {
    const before = this.copy;
    const isAnswer = this.isPending && message.request === this.#request;
    const copy = new wire.WindowCopy();
    const reason = copy.replace(message);
    if (reason !== null) {
      // A second bad window ends the connection, because requesting again would loop forever.
      this.#badWindows += 1;
      return this.#badWindows > 1 ? { kind: 'broken', reason } : this.#resync(message.seq, reason);
    }
    this.#badWindows = 0;
    this.copy = copy;
    this.stats.windows += 1;
    this.#unpainted = message.seq;
    const isReopening = isAnswer && this.#isReopening;
    if (isAnswer) this.#answered();
    return { kind: 'window', isAnswer, isReopening, isSameEpoch: before.epoch === message.epoch, before };
  }

  #patch(message) {
    const reason = this.copy.apply(message);
    if (reason !== null) return this.#resync(message.seq, reason);
    this.stats.patches += 1;
    this.#unpainted = message.seq;
    // The first message of a resumed connection may be a patch.
    if (this.isPending && message.request === this.#request) this.#answered();
    return { kind: 'patch', shift: message.shift ?? 0, message };
  }

  #resync(seq, reason) {
    this.stats.resyncs += 1;
    this.#release();
    this.stats.lastReason = reason;
    this.#unpainted = 0;
    this.send(wire.resync(seq, reason));
    return { kind: 'resync', reason };
  }

  #status({ table: name, source }) {
    const table = this.tables.find((other) => other.name === name);
    if (table !== undefined) table.source = source;
    return { kind: 'status' };
  }

  // Shows live sources as stale while nothing comes from the server, and then as they were.
  #silence({ isSilent }) {
    for (const table of this.tables) {
      if (isSilent && table.source?.state === 'live') {
        this.#heard.set(table, table.source);
        table.source = { ...table.source, state: 'stale', message: phrase('nothing comes from the server'), age: 2_500 };
      } else if (!isSilent) table.source = this.#heard.get(table) ?? table.source;
    }
    if (!isSilent) this.#heard.clear();
    return { kind: 'status' };
  }
}

const nothing = Object.freeze({ kind: 'nothing' });
