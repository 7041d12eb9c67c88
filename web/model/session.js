// session.js: the course of a conversation with the server: what to say when, and what an answer means. No DOM, no socket.

import * as wire from '../protocol/wire.js';
import { emptyView, fittingView, nextCollapsed, sameQuery, wireFilter } from './query.js';

/**
 * One table on one socket, over all its connections. It is told what arrives and answers what that means for the screen:
 *
 *     const session = new Session((message) => socket.send(message));
 *     session.connected();
 *     const event = session.receive(message, sight);  // {kind: 'window' | 'patch' | 'tables' | 'sources' | 'status' | 'waiting' | 'told' | 'error' | 'nothing', ...}
 *     session.painted();                              // the copy is on the screen: the server may send the next patch
 *
 * `recall(view, tables, sources)` says what to show when the reader has not said which table. `sight` is a function `(seq, isTop) => viewport` that describes what the reader sees, or would see at the top of another list.
 */
export class Session {
  constructor(send, recall = (view, tables) => ({ ...view, table: tables[0].name })) {
    this.send = send;
    this.recall = recall;
    this.copy = new wire.WindowCopy();
    this.view = emptyView();
    this.tables = [];
    /** Sources that have no table, each `{name, source}`. */
    this.sources = [];
    this.epoch = '';
    /** What this reader may do: `operator`, or `viewer`, who may only look. */
    this.role = '';
    this.isSignedIn = false;
    /** Between a query and the window that answers it: what is on the screen answers the one before. */
    this.isAsking = false;
    /** The reader wants the page to stay as it is. */
    this.isPaused = false;
    /** Whether the server was asked to hold the order, and nothing has ended that since. */
    this.isOrderHeld = false;
    /** Meanwhile `{changed, rows}`: how many rows wait, and how many there are; or null. */
    this.waiting = null;
    /** What of the view is not applied, and why: see refusals.js. @type {import('./refusals.js').Mark[]} */
    this.marks = [];
    this.stats = { windows: 0, patches: 0, resyncs: 0, lastReason: '' };
    /** What became of what the open table loads late, as the server has told it, or null. */
    this.prefetch = null;
    this.#isGreeted = false;
  }
  #isGreeted;
  /** What a searched text means, as search.js says it, once that is here. @type {((text: string) => import('./search.js').Search)|null} */
  searching = null;
  #sentFilter = '';   // the filter that was asked for last, as JSON
  #request = 0;
  #sent = null;       // the view that was asked for last
  #good = null;       // the one that was answered last, `{request, view}`
  #rules = null;      // refusals.js, once something was refused
  #opened = '';       // the table that the server was last asked for on this connection
  #recalled = '';     // the table that is shown though nobody has named it
  #unpainted = 0;     // the seq that waits for its ack
  #isOpening = false;   // an open is on its way: what arrives for another request belongs to a table that was left
  #isReopening = false;
  #isChanged = false;   // another query was wished for while there was no connection
  #badWindows = 0;
  #releasedAt = -1;     // the seq that was held when something has ended a hold
  #wantsStats = new Set();  // who wants to hear what goes on
  #offered;             // what the worker has asked for
  #secret = '';         // of this connection; with it the next one may go on
  #holdsOf = '';        // that of the connection on which the copy came

  /** What names this connection's session to the server. */
  get secret() {
    return this.#secret;
  }

  /** The open table as `hello` and `tables` describe it, or undefined. */
  get table() {
    return this.tables.find((table) => table.name === this.view.table);
  }

  /** Whether rows are on the way or here. */
  get isOpen() {
    return this.#opened !== '' && this.#opened === this.view.table;
  }

  /** A socket stands, and the worker has said hello on it: the server's answer is what we go on from. */
  connected() {
    this.lost();
  }

  /** The socket is gone. What the page holds stays. */
  lost() {
    this.#isGreeted = false;
    this.#opened = '';
    this.#unpainted = 0;
    this.isAsking = this.#isOpening = this.isOrderHeld = false;
  }

  /** Shows another table or query. `sight` describes where the reader wants to be in it. */
  show(view, sight) {
    const isOther = view.table !== this.view.table;
    this.view = view;
    if (isOther) this.#forgetMarks();
    this.marks = this.#rules?.standing(this.marks, view) ?? [];
    this.isPaused = false;  // whoever asks for something else wants to see it; the server sees it so, too
    this.#release();
    if (isOther) this.copy = new wire.WindowCopy();
    if (!this.#isGreeted) this.#isChanged = true;
    else if (isOther || !this.isOpen) this.#open(sight, false);
    else {
      this.#query(sight);
    }
  }

  #query(sight) {
    this.#ask();
    this.send(wire.query({ request: this.#request, query: this.wireQuery, viewport: sight(this.copy.seq, true) }));
  }

  #forgetMarks() {
    this.marks = [];
    this.#good = null;
  }

  /**
   * Marks what the server has refused, and asks for the rest if that is not what it shows. `rules` is refusals.js, and `refusal` a
   * `refused` event; it may have been overtaken by another query.
   */
  mark(rules, { sent, at, reason }, sight) {
    this.#rules = rules;
    if (sent !== this.#sent || !this.isOpen) return;
    const found = rules.marksFor(sent, at, reason);
    const stand = rules.standing(found, this.view);
    // What is refused now was good before: what else was, nobody knows.
    if (stand.length < found.length) this.#good = null;
    const keys = new Set(stand.map(({ key }) => key));
    this.marks = [...this.marks.filter(({ key }) => !keys.has(key)), ...stand];
    let next = this.asked;
    if (sameQuery(next, sent)) {
      this.marks = rules.standing(rules.marksFor(this.view, [], reason), this.view);
      this.#good = null;
      next = this.asked;
      if (sameQuery(next, sent)) return;  // not even all rows can be shown
    }
    if (this.#good !== null && sameQuery({ ...this.#good.view, collapsed: next.collapsed }, next)) {
      this.#sent = this.#good.view;
      return;
    }
    this.#query(sight);
  }

  /** The view as the server is asked for it: without what the table does not have, and what was refused. */
  get asked() {
    const view = fittingView(this.view, this.table?.columns ?? []);
    return this.marks.length === 0 ? view : fittingView(this.#rules.applied(view, this.marks, this.#good?.view), this.table?.columns ?? []);
  }

  /** Shows a section as its header only, or in full again. Not while a query is on its way: its number may mean another one there. */
  collapse(header) {
    const path = this.copy.pathOf(header);
    if (path === null || !this.canLook) return false;
    this.isPaused = false;
    this.#release();
    this.view = { ...this.view, collapsed: nextCollapsed(this.view.collapsed, path, !header.isCollapsed) };
    this.send(wire.collapse(header.section, !header.isCollapsed));
    return true;
  }

  /** What the reader sees has changed. Kept back while a query is on its way: positions would mean another order. */
  look(viewport) {
    if (!this.canLook) return;
    if (!this.holds(viewport.first, viewport.count)) this.#release();
    this.send(wire.viewport(viewport));
  }

  /** Whether a viewport would be sent now. */
  get canLook() {
    return this.isOpen && !this.isAsking && this.copy.seq > 0;
  }

  /** Whether anybody can see the page. */
  setHidden(hidden) {
    if (!this.#isGreeted) return;
    this.#release();
    this.send(wire.visibility(hidden));
  }

  /**
   * Keeps the page as it is, or lets it go on. Not before there are rows. A connection that is lost meanwhile comes back without
   * the table: it is opened when the page goes on.
   */
  setPaused(isPaused, sight) {
    if (isPaused === this.isPaused || (isPaused && !this.canLook)) return;
    this.isPaused = isPaused;
    this.waiting = null;
    this.#release();
    if (this.isOpen) this.send(wire.pause(isPaused));
    else if (this.#isGreeted && this.table !== undefined) this.#open(sight, true);
  }

  /** Somebody, `who`, looks at what goes on in the server, or no longer does. */
  wantStats(isWanted, who) {
    const before = this.#wantsStats.size > 0;
    if (isWanted) this.#wantsStats.add(who);
    else this.#wantsStats.delete(who);
    const now = this.#wantsStats.size > 0;
    if (this.isOpen && before !== now) this.send(wire.stats(now));
  }

  /** The reader points, selects or edits: everything is to stay where it is while values go on. */
  holdOrder(isHeld) {
    if (!this.canLook || this.isPaused) return;
    this.isOrderHeld = isHeld;
    this.send(wire.hold(isHeld));
  }

  /** Whether the order may be held: not before the server has answered what has ended the last hold, or it would keep the answer away. */
  get canHold() {
    return this.canLook && !this.isPaused && this.copy.seq !== this.#releasedAt;
  }

  /** Whether the items in sight are all held. */
  holds(first, count) {
    const { start, end, total } = this.copy;
    return first >= start && Math.min(total, first + count) <= end;
  }

  #release() {
    this.isOrderHeld = false;
    this.#releasedAt = this.copy.seq;
  }

  /** The copy is on the screen. */
  painted() {
    if (this.#unpainted === 0) return;
    this.send(wire.ack(this.#unpainted));
    this.#unpainted = 0;
  }

  /**
   * Takes in a message that wire.js has let through. `opened` beside a `hello` is what the worker has asked for already, of itself: a table
   * without any wish, `{table, request}`.
   */
  receive(message, sight, opened) {
    switch (message.type) {
      case 'hello': return this.#greet(message, sight, opened);
      case 'tables': return this.#list(message.tables, sight);
      case 'sources':
        this.sources = message.sources;
        return { kind: 'sources' };
      case 'window': return this.#isStray(message) ? this.#pass(message) : this.#replace(message);
      case 'patch': return this.#isStray(message) ? this.#pass(message) : this.#patch(message);
      case 'status': return this.#status(message);
      case 'waiting':
        if (this.isPaused) this.waiting = message;
        return { kind: 'waiting' };
      case 'stats':
        this.prefetch = message.prefetch;
        return nothing;
      case 'acted':
      case 'named':
      case 'located': return { kind: 'told', message };
      case 'error': return this.#refused(message);
      default: return nothing;
    }
  }

  // One without a number ends the connection. One about another query than the last has been overtaken.
  #refused({ request, code, reason, at, shown }) {
    if (request === undefined || request === null) return { kind: 'error', code, reason };
    if (request !== this.#request || request === shown) return nothing;
    if (this.#good !== null && shown === this.#good.request) this.isAsking = this.#isOpening = false;
    else this.#good = null;
    return { kind: 'refused', sent: this.#sent, at: at ?? [], reason };
  }

  #greet(message, sight, opened) {
    this.#offered = opened;
    const isRestart = this.epoch !== '' && this.epoch !== message.epoch;
    this.epoch = message.epoch;
    this.#secret = message.session ?? '';
    this.role = message.role ?? '';
    this.isSignedIn = message.signedIn === true;
    this.sources = message.sources ?? [];
    this.#isGreeted = true;
    const event = this.#list(message.tables, sight, isRestart);
    this.#offered = undefined;
    return { ...event, isRestart };
  }

  // A server that has started anew may hear of a table only after it was greeted: what is held of it is gone on from all the same.
  #list(tables, sight, isRestart = false) {
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
    const isRecalled = isUnnamed && this.view.table !== '';  // not while a source is waited for
    if (!this.isOpen && this.table !== undefined && !this.isPaused) this.#open(sight, true);
    return { kind: 'tables', isOther, isRecalled };
  }

  // Another table is in the place of the open one, or has taken it away: of what is held nothing is true any more, and nothing will be said about it.
  #leave() {
    this.lost();
    this.#isGreeted = true;
    this.copy = new wire.WindowCopy();
    this.#forgetMarks();
    this.isPaused = false;
    this.waiting = null;
    if (this.table === undefined && this.view.table === this.#recalled) this.view = emptyView();
  }

  #open(sight, isReopening) {
    if (this.table === undefined) return;
    const isAsked = this.#isAsked;
    this.#request = Math.max(this.#request, isAsked ? this.#offered.request - 1 : this.#offered?.request ?? 0);
    this.#ask();
    this.#opened = this.view.table;
    this.prefetch = null;
    this.#isOpening = true;
    this.#isReopening = isReopening && this.copy.seq > 0 && !this.#isChanged;
    this.#isChanged = false;
    const viewport = sight(0, !this.#isReopening);
    const resume = this.#isReopening ? this.#resume(viewport) : null;
    this.#holdsOf = this.#secret;
    if (!isAsked) this.send(wire.open({ table: this.view.table, request: this.#request, query: this.wireQuery, viewport, resume }));
    if (this.#wantsStats.size > 0) this.send(wire.stats(true));
  }

  // Whether what is wanted now is what the worker has asked for.
  get #isAsked() {
    const { sort, search, filters, group, aggregates, collapsed } = this.asked;
    return this.#offered?.table === this.view.table && this.copy.seq === 0 && search === ''
      && [sort, filters, group, aggregates, collapsed].every(({ length }) => length === 0);
  }

  #resume({ first, anchor }) {
    const { epoch, seq } = this.copy;
    const position = anchor === null ? -1 : this.copy.positionOf(anchor);
    return { epoch, seq, session: this.#holdsOf, anchorOffset: position < 0 ? -1 : position - first };
  }

  #ask() {
    this.#request += 1;
    this.#sent = this.asked;
    this.#sentFilter = this.#filterText;
    this.isAsking = true;
  }

  // The last query is answered.
  #answered() {
    this.#good = { request: this.#request, view: this.#sent };
    this.isAsking = this.#isOpening = this.#isReopening = false;
  }

  /** What the server is asked for, as wire.js takes it. */
  get wireQuery() {
    const view = this.asked;
    return { ...view, ...this.narrowed(view) };
  }

  /** The search and the filters of a view, as wire.js takes them. */
  narrowed({ search, filters }) {
    const found = search === '' ? null : this.searching?.(search)?.filter(filters) ?? null;
    return found === null ? { search, filter: wireFilter(filters) } : { search: '', filter: found };
  }

  /** What is searched for means more than the server was told when it was asked. */
  refine(sight) {
    if (this.#isGreeted && this.isOpen && !this.#isOpening && this.asked.search !== '' && this.#filterText !== this.#sentFilter) this.#query(sight);
  }

  get #filterText() {
    return JSON.stringify(this.narrowed(this.asked));
  }

  // Of a table that was left: for one whose open is on its way, or for one that is not there yet.
  #isStray(message) {
    return !this.isOpen || (this.#isOpening && message.request !== this.#request);
  }

  // It must be acknowledged all the same, or nothing else would come.
  #pass(message) {
    this.send(wire.ack(message.seq));
    return nothing;
  }

  #replace(message) {
    const before = this.copy;
    const isAnswer = this.isAsking && message.request === this.#request;
    const copy = new wire.WindowCopy();
    const reason = copy.replace(message);
    if (reason !== null) {
      // Asking again at once for what was wrong twice would go round for ever: the next connection starts anew.
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
    // Of a connection that was resumed the first is a patch.
    if (this.isAsking && message.request === this.#request) this.#answered();
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
}

const nothing = Object.freeze({ kind: 'nothing' });
