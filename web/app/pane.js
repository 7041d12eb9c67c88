// pane.js: one table on the screen: its conversation with the server, its parts, and its frames; it paints at most once a frame. The
// page (main.js) has one of them, or two side by side.

import { ColumnSet, Heads, Sections } from '../grid/headers.js';
import { titleOf } from '../model/columns.js';
import { bring, DENSITIES, density, Patience, pressAgain, Reach, Travel } from '../grid/reader.js';
import { emptyView, fittingView, nextSort, sameQuery } from '../model/query.js';
import { BARS_HEIGHT, HEAD_HEIGHT, MotionSense, Place, ScrollModel, Sight } from '../model/viewport.js';
import { Session } from '../model/session.js';
import { Table } from '../grid/table.js';

// Errors that say nothing against what is shown.
const blameless = new Set(['notAllowed', 'unknownAction']);

const calm = matchMedia('(prefers-reduced-motion: reduce)');

/**
 * A pane:
 *
 *     const pane = new Pane(stage, { recall, groups }, on);
 *     pane.start(view, openLink, size); // from now on it lives
 *     pane.change({ search: 'ssh' });
 *
 * `stage` has the parts as index.html has them, found by their classes; `groups` is where a column's header is dropped to group by it. `on`
 * hears, each time with the pane: `viewed` (another view, or other columns), `told(isTable)` (the address is to say so), `listed` (other
 * tables), `news` (something to say around the table), `answered` (a query was), `received(event)`, `painted`; and `say(text)`.
 */
export class Pane {
  constructor(stage, { recall, groups, suffix = '' }, on) {
    const part = (name) => stage.querySelector(`.${name}`);
    Object.assign(this, { stage, on, grid: part('grid'), body: part('body'), suffix });
    this.session = new Session((message) => this.link.send(message), recall);
    this.scroll = new ScrollModel();
    this.sight = new Sight();
    this.sense = new MotionSense();
    this.patience = new Patience(() => this.schedule());
    this.travel = new Travel(this.grid, this.scroll, () => this.schedule());
    this.sections = new Sections(part('sheet'), part('pin'));
    this.table = new Table(part('sheet'), part('ghost'), this.sections);
    this.heads = new Heads(part('heads-row'), suffix, {
      sort: (column, isFurther) => this.sortBy(column, isFurther),
      menu: (column, under) => this.reach.load().then(({ hands }) => hands.showMenu(column, under)),
    });
    this.columns = new ColumnSet({ grid: this.grid, canvas: part('canvas'), heads: this.heads, table: this.table, sections: this.sections, suffix });
    this.reach = new Reach({ session: this.session, columns: this.columns, groups }, {
      change: (wish) => this.change(wish), lack: (what) => this.lack(what),
    });
    this.place = new Place(this.scroll, this.sight, this.session, () => this.hands?.focus);
    this.connection = { state: 'connecting', lostAt: 0, retryAt: 0, isStranger: false, full: '' };
    /** The sign-in form, once it was needed. @type {import('../panels/signin.js').SignIn|null} */
    this.signIn = null;
    /** Why the server has refused what was last asked for, or empty. */
    this.error = '';
    /** What is said in the rows' place and over them, and what looks at loads: loaded with the first words. */
    this.note = this.loads = null;
    /** What the reader does, loaded after the first rows. @type {import('../input/controller.js').Hands|null} */
    this.hands = null;
    /** When the server last told how the sources are. */
    this.toldAt = 0;
    /** ... and how those are that have no table. */
    this.absentAt = 0;
    new ResizeObserver(([{ contentRect }]) => this.#fit(contentRect)).observe(this.grid);
    this.grid.addEventListener('keydown', (event) => this.#pressed(event));
  }
  /** refusals.js, once it was wanted. */
  rules = null;
  #rulesWanted = null;
  #furnishing = null;
  #flashTimer = 0;
  #full = '';           // why the server takes no further page, until the connection ends
  #isChanged = false;   // the copy is newer than the screen
  #isPatch = false;     // ... by one patch alone
  #isNews = true;       // there is something to say around the table
  #isOther = false;     // ... of other columns
  #isWindow = false;    // ... of another window
  #scheduled = 0;       // the frame that it is drawn in, or 0
  #describe = (seq, isTop) => this.describe(seq, isTop);
  #frame = () => this.#draw();

  /** Shows a view, over a link that `open(receive)` makes; `size` is about that of the page. */
  start(view, open, { width, height }) {
    this.session.view = view;
    this.scroll.setRowHeight(DENSITIES[density()]);
    this.link = open((event) => this.#receive(event));
    // At once, for the first request must ask for enough: the observer tells how large the grid is only when something has been laid out.
    this.#fit({ width, height: height - BARS_HEIGHT });
  }

  /** The view as the open table can have it. */
  get view() {
    return fittingView(this.session.view, this.session.table?.columns ?? []);
  }

  /** The grid is so tall now, column headers and all. */
  resize(height) {
    this.scroll.resize(Math.max(0, height - HEAD_HEIGHT));
  }

  #fit({ width, height }) {
    if (width === 0) return;  // it is put away
    this.columns.width = width;
    this.resize(height);
    this.columns.setPlaces();
    this.schedule();
  }

  /** What the reader sees, as the server is told. */
  describe(seq, isTop) {
    return this.place.describe(seq, isTop);
  }

  // What arrives.

  #receive(event) {
    const { message, state, pause, refused, isStranger } = event;
    const { connection } = this;
    this.on.received(this, event);
    if (message) this.#take(message, event.opened);
    else if (refused) this.error = refused;
    else if (isStranger !== undefined) this.#askToSignIn(isStranger);
    else if (state === 'open') {
      this.#askToSignIn(false);
      this.session.connected();
    }
    else if (state === 'closed') {
      this.session.lost();
      this.hands?.lost();
      if (connection.lostAt === 0) connection.lostAt = Date.now();
      connection.retryAt = Date.now() + pause;
      connection.state = 'lost';
      [connection.full, this.#full] = [this.#full, ''];
    } else if (connection.lostAt === 0) connection.state = 'connecting';
    this.#isNews = true;  // written in the frame: a text changed here would make the next scroll event measure anew
    // The page's first rows are made as they come, and are painted in the next frame; all else is drawn in it.
    if (this.columns.all.length === 0 && this.session.copy.seq > 0) this.#draw();
    else this.schedule();
  }

  #askToSignIn(isStranger) {
    this.connection.isStranger = isStranger;
    if (isStranger && this.signIn === null) {
      bring(() => import('../panels/signin.js')).then(({ SignIn }) => {
        this.signIn ??= new SignIn(this.stage, () => this.on.signedIn());
        this.signIn.show(this.connection.isStranger);
      });
    }
    this.signIn?.show(isStranger);
  }

  #take(message, opened) {
    this.place.look();
    const event = this.session.receive(message, this.#describe, opened);
    switch (event.kind) {
      case 'tables': return this.#welcome(message.type === 'hello', event);
      case 'window': return this.#showWindow(event);
      case 'patch':
        this.loads?.patched(event.message);
        this.scroll.shift(event.shift);
        this.sight.shifted(event.shift, this.scroll.rowHeight);
        return this.#showCopy(event.shift, true);
      case 'sources': this.absentAt = Date.now(); return this.on.listed(this);
      case 'status': this.toldAt = Date.now(); return undefined;
      case 'told': return this.hands?.hear(event.message);
      case 'broken': return this.link.close();
      case 'error': return this.#closed(event);
      case 'refused': return void this.#loadRules().then((rules) => this.#mark(rules, event));
      default: return undefined;
    }
  }

  // A query is refused, or a part of it: the rows stay, and the part is marked until the user asks something else.
  #mark(rules, event) {
    this.session.mark(rules, event, this.#describe);
    this.heads.setView(this.session.asked, this.session.marks);
    this.on.viewed(this);
    for (const { reason } of this.session.marks) this.on.say(`Not applied: ${reason}`);
    this.schedule();
  }

  #loadRules() {
    this.#rulesWanted ??= bring(() => import('../model/refusals.js')).then((rules) => { this.rules = rules; return rules; });
    return this.#rulesWanted;
  }

  /** What of the view is not applied, each `{key, title, reason}`: what the server has refused, and what the table does not have. */
  get unapplied() {
    const { session: { view, marks, table }, rules } = this;
    if (table === undefined || (marks.length === 0 && !hasMore(view, this.view, table) && !table.windowed)) return [];
    if (rules === null) {
      this.#loadRules().then(() => this.on.viewed(this));
      return [];
    }
    return [...rules.misfits(view, table.columns), ...marks].map((mark) => ({ ...mark, title: rules.markTitle(mark, table.columns) }));
  }

  /** Why something is not to be offered, empty when it can be done: see refusals.js. */
  lack(what) {
    return this.rules?.lack(this.session.table, this.session.copy.rows, what) ?? '';
  }

  // The server closes after an error without a request. If it was our query, the same again would be refused for ever.
  #closed({ code, reason }) {
    const { session } = this;
    // It says nothing about what is shown, and the page tries again by itself.
    if (code === 'tooManySessions') return void (this.#full = reason || code);
    this.error = reason || code;
    this.hands?.acting.acts.refused(code, reason);
    if (blameless.has(code)) return;
    session.view = { ...emptyView(), table: session.view.table, columns: session.view.columns };
    this.on.told(this, false);
  }

  #welcome(isHello, { isOther, isRecalled }) {
    if (isOther) this.columns.forget();
    if (isRecalled) this.on.told(this, false);  // nobody has named this table, or its order
    this.toldAt = Date.now();
    if (isHello) {
      Object.assign(this, { absentAt: this.toldAt, error: '' });
      Object.assign(this.connection, { state: 'live', lostAt: 0, retryAt: 0 });
      if (document.hidden) this.session.setHidden(true);
      this.hands?.acting.acts.greeted(this.session.secret);
    }
    this.on.listed(this);
    if (this.session.table) this.#showColumns();
  }

  #showWindow({ isAnswer, isReopening, isSameEpoch, before }) {
    const { session: { copy, asked }, scroll } = this;
    const isKept = !isAnswer || isReopening;
    this.sections.aggregates = asked.aggregates;
    if (isKept && !isSameEpoch) this.place.replace(before, copy.total, performance.now());
    else scroll.setTotal(copy.total);
    if (!isKept) {
      scroll.moveTo(0);
      this.travel.stop();
      this.hands?.clear();
    } else if (isSameEpoch && !scroll.atTop) {
      // The same list after a gap: what was read goes on being read, wherever it is now.
      const anchor = before.itemAt(Math.ceil(scroll.position / scroll.rowHeight));
      const position = anchor?.id === undefined ? -1 : copy.positionOf(anchor.id);
      if (position >= 0) scroll.shift(position - before.positionOf(anchor.id));
    }
    this.sight.forget();
    this.#isWindow = true;
    this.#showCopy(0, false);
    if (isAnswer && isSameEpoch) this.on.answered(this);
    if (!isSameEpoch && isKept) this.hands?.forgetRows();
  }

  #showCopy(shift, byPatch) {
    const { copy } = this.session;
    this.#isPatch = byPatch && !this.#isChanged;
    this.#isChanged = true;
    this.place.follow(copy, this.travel.isMoving, performance.now());
    this.hands?.follow(copy, shift);
  }

  /** What people call a column of this name. */
  titleOfName(name) {
    return titleOf(this.session.table.columns.find((column) => column.name === name));
  }

  // What the reader does.

  /** Another table, query or layout; `isTable` makes it a step in the history. */
  change(wish, isTable = false) {
    this.error = '';
    this.show({ ...this.session.view, ...wish });
    this.on.told(this, isTable);
  }

  /** The columns are known, or what a search means in them: the server is asked again if that is more. */
  refine() {
    this.session.refine(this.#describe);
  }

  /** Shows another view, of which the address knows already. */
  show(view) {
    const { session } = this;
    const isOther = view.table !== session.view.table;
    if (!isOther && sameQuery(view, session.view)) session.view = view;
    else {
      this.hands?.holder.release();
      session.show(view, this.#describe);
    }
    if (isOther) {
      this.columns.forget();
      this.scroll.setTotal(0);
      this.#isChanged = true;
      this.#isPatch = false;
      this.on.listed(this);
    }
    if (session.table) this.#showColumns();
    this.schedule();
  }

  /** Sorts by a column, or by it as well. */
  sortBy(column, isFurther) {
    const { table, view } = this.session;
    const found = table?.columns.find(({ name }) => name === column);
    if (found === undefined) return;
    const why = view.sort.some((term) => term.column === column) ? '' : this.lack({ sort: column });
    if (why === '') this.change({ sort: nextSort(view.sort, found, isFurther) });
    else this.furnish().then(({ notices }) => notices.show(why, false));
  }

  /** Keeps the rows as they are, or goes on. */
  pause() {
    this.session.setPaused(!this.session.isPaused, this.#describe);
    this.#isNews = true;
    this.schedule();
  }

  #tellAround() {
    if (this.#isWindow) this.loads?.look();
    if (this.#isOther) this.on.viewed(this);
    if (this.#isNews) {
      this.#showAge();
      this.on.news(this);
    }
    this.#isWindow = this.#isOther = this.#isNews = false;
  }

  // Before the hands are here a key is kept for them; not those that may be the browser's own.
  #pressed(event) {
    const isCommand = (event.ctrlKey || event.metaKey || event.altKey) && !/^(Home|End|Arrow|Page)/.test(event.key);
    if (this.hands !== null || !event.isTrusted || isCommand || /^(Tab|F\d+)$/.test(event.key)) return;
    event.preventDefault();
    pressAgain(event, this.furnish());
  }

  /** From now on words are said, and loads are looked at. */
  speak({ Note, LoadWatch }) {
    this.note = new Note(this.stage, () => {
      this.change({ search: '', filters: [] });
      this.grid.focus({ preventScroll: true });
    });
    this.loads = new LoadWatch(this.session);
    this.loads.look();
    this.#isNews = true;
    this.schedule();
  }

  /** What the reader reaches for, when it is here. */
  furnish() {
    this.#furnishing ??= this.reach.load().then(({ Hands }) => {
      this.hands = new Hands(this);
      this.schedule();
      return this.hands;
    });
    return this.#furnishing;
  }

  /** Rows have become taller or less tall, or columns are to be measured anew. */
  redraw() {
    this.scroll.setRowHeight(DENSITIES[density()]);
    this.#isChanged = true;
    this.schedule();
  }

  /** Whether anybody can see the page has changed. */
  visibilityChanged() {
    this.session.setHidden(document.hidden);
    if (!document.hidden && this.connection.state === 'lost') this.link.retry();
    this.schedule();
  }

  /** A second has passed: ages are shown anew. */
  tick() {
    this.table.tick(Date.now());
    this.hands?.tick();
    if (this.session.copy.seq === 0) this.#showNote();
    this.#showAge();
    this.on.news(this);
  }

  #showColumns() {
    const { session, columns, view } = this;
    const { table } = session;
    if (session.copy.seq > 0 && columns.all.length === table.columns.length && columns.arrange(view.columns)) this.#isChanged = true;
    this.heads.setView(session.asked, session.marks);
    this.grid.setAttribute('aria-label', table.title || table.name);
    this.on.viewed(this);
  }

  // What is drawn.

  /** Draws in the next frame. */
  schedule() {
    this.#scheduled ||= requestAnimationFrame(this.#frame);
  }

  #draw() {
    cancelAnimationFrame(this.#scheduled);
    this.#scheduled = 0;
    const { session, scroll, sight, travel, columns, grid, table } = this;
    const { copy } = session;
    const now = performance.now();
    const hasRows = copy.seq > 0;
    const isChanged = this.#isChanged;
    // Before anything is written: to ask where the selection is would have the page laid out.
    if (hasRows && isChanged) table.selection.hold();
    const isOther = hasRows && isChanged && columns.update(session.view, session.table, copy);
    if (isOther) {
      this.heads.setView(session.asked, session.marks);
      this.refine();
    }
    this.#isOther ||= isOther;
    this.#isNews ||= isChanged;
    // The first rows wait for no words: those come in the frame after them. (A table that takes its time has them at the next tick.)
    const isFirst = hasRows ? table.isNew : session.isAsking && this.connection.state === 'live';
    if (!isFirst) this.#tellAround();
    this.#showNote();
    grid.classList.toggle('empty', !hasRows);
    if (!hasRows) return;
    if (table.isNew) document.documentElement.classList.remove('early');
    sight.observe(scroll.position, scroll.rowHeight, now);
    table.fit(scroll);
    if (!travel.isMoving) sight.rest();
    if (!travel.isMoving || scroll.isCornered) scroll.settle();
    columns.draw(travel.left);
    if (isChanged) {
      setAttribute(grid, 'aria-rowcount', copy.total + 1);
      setAttribute(grid, 'aria-busy', session.isAsking);
    }
    if (table.isNew || !this.patience.isLate(scroll, copy, now)) {
      if (isChanged) columns.rescale(copy);
      const isLit = this.#isPatch && !calm.matches && !document.hidden;
      const moves = isLit && this.sense.allows(copy.moves, scroll.count, travel.isMoving, now) ? copy.moves : null;
      table.paint(scroll, copy, { isChanged, isLit, moves }, now, Date.now());
      this.sections.finish(scroll, copy);
      this.hands?.drawn(now);
      this.#isChanged = this.#isPatch = false;
    }
    travel.write();
    if (session.canLook) {
      const viewport = sight.ask(scroll, copy, this.place.anchor, !travel.isMoving);
      if (viewport) session.look(viewport);
    } else if (session.isPaused && this.connection.state === 'live' && !session.holds(scroll.first, scroll.count)) {
      // The connection was lost during the pause, and the table is not open: rows that are not held can only be those of now.
      this.pause();
      this.on.say('The pause has ended: the connection was lost meanwhile');
    }
    session.painted();
    this.on.painted(this);
    table.isNew = false;
    if (isFirst) requestAnimationFrame(() => this.schedule());
    else {
      this.link.settle?.();
      this.furnish();
    }
    if (table.nextFlash === 0 || this.#flashTimer !== 0) return;
    this.#flashTimer = setTimeout(() => {
      this.#flashTimer = 0;
      this.schedule();
    }, table.nextFlash - now + 1);
  }

  #showNote() {
    const { session, connection, columns, absentAt } = this;
    this.note?.show(session, { ...connection, state: connection.isStranger ? 'stranger' : connection.state }, columns.all, Date.now() - absentAt);
  }

  #showAge() {
    this.note?.showAge(this.session, this.connection, Date.now() - this.toldAt);
  }
}

function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

// Whether a view asks for more than its table has.
function hasMore(view, fitting, { columns }) {
  return view.sort.length !== fitting.sort.length || view.group.length !== fitting.group.length || view.filters.length !== fitting.filters.length
    || view.aggregates.length !== fitting.aggregates.length || view.unread !== undefined
    || view.columns.some(({ column }) => !columns.some(({ name }) => name === column));
}
