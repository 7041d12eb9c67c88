// pane.js: one table on the screen, with its session and its parts. It draws at most once per
// animation frame. The page (main.js) has one pane, or two side by side.

import { ColumnSet, Heads, Sections } from '../grid/headers.js';
import { levelTitle } from '../model/ranges.js';
import { bring, fitRows, Patience, pressAgain, LateModules, Travel } from '../grid/browser.js';
import { emptyView, fittingView, nextSort, sameQuery, withFittingRanges } from '../model/query.js';
import { BARS_HEIGHT, HEAD_HEIGHT, MotionSense, Place, ScrollModel, ViewportSchedule } from '../model/viewport.js';
import { completed, hasStrip } from '../model/defaults.js';
import { Session } from '../model/session.js';
import { Table } from '../grid/table.js';
import { TotalsRow } from '../grid/totals.js';
import { phrase } from '../model/language.js';

// Error codes that leave the current view valid.
const blameless = new Set(['notAllowed', 'unknownAction']);

const calm = matchMedia('(prefers-reduced-motion: reduce)');

/**
 * A pane shows one table:
 *
 *     const pane = new Pane(stage, { recall, groups }, on);
 *     pane.start(view, openLink, size);  // opens the link
 *     pane.change({ search: 'ssh' });
 *
 * `stage` contains the pane's elements, found by their classes as in index.html. A column header
 * dropped on `groups` groups by that column.
 * `on` has these callbacks, whose first argument is the pane:
 * - `viewed()`: the view or the columns changed
 * - `viewChanged(isStep, part)`: the address must be updated; a change by the user is a step, see
 *   `setAddress` in browser.js
 * - `listed()`: the list of tables or sources changed
 * - `stateChanged()`: the texts around the table may have changed
 * - `answered()`: the result of a query arrived
 * - `received(event)`: the link reported an event
 * - `painted()`: a frame was drawn
 *
 * `on.announce(text)` announces a text to screen readers, and `on.signedIn()` reports a sign-in.
 * Neither gets the pane.
 */
export class Pane {
  constructor(stage, { recall, groups, suffix = '' }, on) {
    const part = (name) => stage.querySelector(`.${name}`);
    this.stage = stage;
    this.on = on;
    this.grid = part('grid');
    this.body = part('body');
    this.suffix = suffix;
    this.totals = new TotalsRow(part('canvas'));
    this.session = new Session((message) => this.link.send(message), recall);
    this.scroll = new ScrollModel();
    this.viewportSchedule = new ViewportSchedule();
    this.sense = new MotionSense();
    this.patience = new Patience(() => this.schedule());
    this.travel = new Travel(this.grid, this.scroll, () => this.schedule());
    this.sections = new Sections(part('sheet'), part('pin'));
    this.table = new Table(part('sheet'), part('ghost'), this.sections);
    this.heads = new Heads(part('heads-row'), suffix, {
      sort: (column, isFurther) => this.sortBy(column, isFurther),
      menu: (column, under) => this.lateModules.load().then(({ controller }) => controller.showMenu(column, under)),
    });
    this.columns = new ColumnSet({
      grid: this.grid, canvas: part('canvas'), heads: this.heads, table: this.table, sections: this.sections, totals: this.totals, suffix, fit: () => this.resize(this.#height),
    });
    this.lateModules = new LateModules({ session: this.session, columns: this.columns, groups }, {
      change: (changes) => this.change(changes), lack: (what) => this.lack(what), foldAll: (isCollapsed, changes) => this.loadController().then(({ pointing }) => pointing.foldAll(isCollapsed, changes)),
    });
    this.place = new Place(this.scroll, this.viewportSchedule, this.session, () => this.controller?.focus);
    this.connection = { state: 'connecting', lostAt: 0, retryAt: 0, needsSignIn: false, full: '' };
    /**
     * The sign-in form; null until it is needed.
     * @type {import('../panels/signin.js').SignIn|null}
     */
    this.signIn = null;
    /** The reason why the server refused the last request, or empty. */
    this.error = '';
    /** The note over the rows and the watch on loads; null until words.js is loaded. */
    this.note = this.loads = null;
    /**
     * The controller of user actions; null until it is loaded, after the first rows.
     * @type {import('../input/controller.js').Controller|null}
     */
    this.controller = null;
    /** The times of the last status of the open table's source, and of sources without tables. */
    this.statusAt = this.absentAt = 0;
    new ResizeObserver(([{ contentRect }]) => this.#fit(contentRect)).observe(this.grid);
    this.grid.addEventListener('keydown', (event) => this.#pressed(event));
  }
  /** The server's reading of the filter bar's text, as `{text, terms, words}`; null if none. */
  parsed = null;
  /** @type {import('../panels/strip.js').Strip|null} The summary strip, after the first rows. */
  strip = null;
  #stripWanted = null;
  /** @type {import('../panels/facets.js').Facets|null} The facets panel, while it is open. */
  facets = null;
  #height = 0;          // of the grid
  #highlights = undefined;  // those that are drawn
  /** The module refusals.js; null until it is loaded. */
  rules = null;
  #rulesWanted = null;
  #loadingController = null;
  #flashTimer = 0;
  #full = '';           // why the server accepts no more sessions; shown when the connection closes
  #isChanged = false;   // whether the copy is newer than the screen
  #isPatch = false;     // whether it differs from the screen by a single patch
  #hasStateChanged = true;       // whether the texts around the table must be updated
  #isOther = false;     // whether the columns changed since the last such update
  #isWindow = false;    // whether a new window arrived since then
  #scheduled = 0;       // the requested animation frame, or 0
  #frame = () => this.#draw();

  /** The key of the row that the address names, until the controller opens it. */
  row = undefined;

  /** Opens the row with this key once rows are shown; undefined opens none. */
  openRow(key) {
    this.row = key;
    this.controller?.restore.unlink();
    if (key !== undefined && this.session.copy.seq > 0) this.loadController().then(() => this.#openRow());
  }

  #openRow() {
    const key = this.row;
    this.row = undefined;
    if (key !== undefined) this.controller.openRow(key);
  }

  /**
   * Shows a view over the link that `open(receive)` returns. The third parameter is the page's
   * approximate size.
   */
  start(view, open, { width, height }) {
    this.session.view = view;
    this.session.zone = 0 - new Date().getTimezoneOffset();
    fitRows(this);
    this.link = open((event) => this.#receive(event));
    // The first request needs a size at once. The observer reports one only after the first layout.
    this.#fit({ width, height: height - BARS_HEIGHT });
  }

  /** The part of the view that the open table supports. */
  get view() {
    return fittingView(this.session.view, this.session.table?.columns ?? []);
  }

  /** The height of the pinned rows in pixels. */
  pinnedHeight = 0;

  /** Updates the grid's height, which includes the column headers, pinned rows and totals. */
  resize(height = this.#height) {
    this.#height = height;
    this.scroll.resize(Math.max(0, height - HEAD_HEIGHT - this.pinnedHeight - this.totals.height));
  }

  #fit({ width, height }) {
    if (width === 0) return;  // the grid is hidden
    this.columns.width = width;
    this.resize(height);
    this.columns.setPlaces();
    this.schedule();
  }

  /** Returns the viewport as sent to the server. */
  describe = (seq, isTop) => this.place.describe(seq, isTop);

  // Received messages.

  #receive(event) {
    const { message, state, pause, refused, needsSignIn } = event;
    const { connection } = this;
    this.on.received(this, event);
    if (message) this.#take(message, event.opened);
    else if (refused) this.error = refused;
    else if (needsSignIn !== undefined) this.#askToSignIn(needsSignIn);
    else if (state === 'open') {
      this.#askToSignIn(false);
      this.session.connected();
    }
    else if (state === 'closed') {
      this.session.lost();
      this.controller?.lost();
      if (connection.lostAt === 0) connection.lostAt = Date.now();
      connection.retryAt = Date.now() + pause;
      connection.state = 'lost';
      [connection.full, this.#full] = [this.#full, ''];
    } else if (connection.lostAt === 0) connection.state = 'connecting';
    // Texts change only in a frame: a change here would force a layout in the next scroll event.
    this.#hasStateChanged = true;
    // The first rows are drawn at once to reach the next frame. Everything else is drawn in it.
    if (this.columns.all.length === 0 && this.session.copy.seq > 0) this.#draw();
    else this.schedule();
  }

  #askToSignIn(needsSignIn) {
    this.connection.needsSignIn = needsSignIn;
    if (needsSignIn && this.signIn === null) {
      bring(() => import('../panels/signin.js')).then(({ SignIn }) => {
        this.signIn ??= new SignIn(this.stage, () => this.on.signedIn());
        this.signIn.show(this.connection.needsSignIn);
      });
    }
    this.signIn?.show(needsSignIn);
  }

  #take(message, opened) {
    this.place.look();
    const event = this.session.receive(message, this.describe, opened);
    switch (event.kind) {
      case 'tables': return this.#welcome(message.type === 'hello', event);
      case 'window': return this.#showWindow(event);
      case 'patch':
        this.loads?.patched(event.message);
        this.scroll.shift(event.shift);
        this.viewportSchedule.shifted(event.shift, this.scroll.rowHeight);
        return this.#showCopy(event.shift, true);
      case 'sources': this.absentAt = Date.now(); return this.on.listed(this);
      case 'status': this.statusAt = Date.now(); return undefined;
      case 'tiles': this.controller?.scaling.take(event.bounds); return this.strip?.take(event.tiles);
      case 'facets': return this.facets?.take(event.facets);
      case 'keys': return this.controller?.receive(event.message);
      case 'broken': return this.link.close();
      case 'error': return this.#closed(event);
      case 'refused': return void this.#loadRules().then((rules) => this.#mark(rules, event));
      default: return undefined;
    }
  }

  // Marks the refused parts of a query until the user changes it. The rows stay.
  #mark(rules, event) {
    this.session.mark(rules, event, this.describe);
    this.heads.setView(this.session.requested, this.session.marks);
    this.on.viewed(this);
    for (const { reason } of this.session.marks) this.on.announce(phrase('Not applied: {reason}', { reason }));
    this.schedule();
  }

  #loadRules() {
    this.#rulesWanted ??= bring(() => import('../model/refusals.js')).then((rules) => { this.rules = rules; return rules; });
    return this.#rulesWanted;
  }

  /**
   * The parts of the view that are not applied, each `{key, title, reason}`, because the server
   * refused them or the table lacks them.
   */
  get unapplied() {
    const { session: { view, marks, table }, rules } = this;
    if (table === undefined || (marks.length === 0 && !hasMore(view, this.view, table) && !table.windowed)) return [];
    if (rules === null) {
      this.#loadRules().then(() => this.on.viewed(this));
      return [];
    }
    return [...rules.misfits(view, table.columns), ...marks].map((mark) => ({ ...mark, title: rules.markTitle(mark, table.columns) }));
  }

  /** Returns why the table does not support `what`; empty if it does. See refusals.js. */
  lack(what) {
    return this.rules?.lack(this.session.table, this.session.copy.rows, what) ?? '';
  }

  // Handles an error that is followed by the server closing the connection. The query is reset,
  // because it may be the cause and would fail again after the reconnect.
  #closed({ code, reason }) {
    const { session } = this;
    // The view is valid, and the link reconnects by itself.
    if (code === 'tooManySessions') return void (this.#full = reason || code);
    this.error = reason || code;
    this.controller?.acting.acts.refused(code, reason);
    if (blameless.has(code)) return;
    session.view = { ...emptyView(), isOwn: true, table: session.view.table, columns: session.view.columns };
    this.on.viewChanged(this, false);
  }

  #welcome(isHello, { isOther, isRecalled }) {
    if (isOther) this.columns.forget();
    if (isRecalled) this.on.viewChanged(this, false);  // the stored view is not in the address yet
    this.statusAt = Date.now();
    if (isHello) {
      Object.assign(this, { absentAt: this.statusAt, error: '' });
      Object.assign(this.connection, { state: 'live', lostAt: 0, retryAt: 0 });
      if (document.hidden) this.session.setHidden(true);
      this.controller?.acting.acts.helloReceived(this.session.secret);
    }
    this.on.listed(this);
    if (this.session.table) this.#showColumns();
  }

  #showWindow({ isAnswer, isReopening, isSameEpoch, before }) {
    const { session: { copy, requested }, scroll } = this;
    const keepsRows = !isAnswer || isReopening;
    this.columns.setQuery(requested);
    if (keepsRows && !isSameEpoch) this.place.replace(before, copy.total, performance.now());
    else scroll.setTotal(copy.total);
    if (!keepsRows) {
      scroll.moveTo(0);
      this.travel.stop();
      this.controller?.clear();
    } else if (isSameEpoch && !scroll.atTop) {
      // The same list after a gap: keep the row at the top of the viewport in place.
      const anchor = before.itemAt(Math.ceil(scroll.position / scroll.rowHeight));
      const position = anchor?.id === undefined ? -1 : copy.positionOf(anchor.id);
      if (position >= 0) scroll.shift(position - before.positionOf(anchor.id));
    }
    this.viewportSchedule.forget();
    this.#isWindow = true;
    this.#showCopy(0, false);
    if (isAnswer && isSameEpoch) this.on.answered(this);
    if (!isSameEpoch && keepsRows) this.controller?.forgetRows();
  }

  #showCopy(shift, byPatch) {
    const { copy } = this.session;
    this.#isPatch = byPatch && !this.#isChanged;
    this.#isChanged = true;
    this.place.follow(copy, this.travel.isMoving, performance.now());
    this.controller?.follow(copy, shift);
  }

  /** Returns the title of the column with this name, or of the `level` of sections by it. */
  titleOfName(name, level) {
    return levelTitle(this.session.table.columns.find((column) => column.name === name), this.session.requested, level);
  }

  // User actions.

  /** Applies `changes` to the table, query or layout, as a step of the history. */
  change(changes) {
    this.error = '';
    this.controller?.restore.unlink();
    const { isDefault, isOwn, ...view } = this.session.view;
    const isSame = (changes.table ?? view.table) === view.table;
    if (changes.table !== undefined) for (const part of ['named', 'tiles', 'highlights', 'facets', 'times', 'lines', 'pins']) delete view[part];  // a whole view
    this.show(withFittingRanges({ ...view, ...(isSame && this.session.table?.view ? { isOwn: true } : {}), ...changes }));
    this.on.viewChanged(this, true, Object.keys(changes).join());
  }

  /** Changes the name of the saved view that is shown; undefined for none. */
  rename(named) {
    this.session.view = { ...this.session.view, named };
    this.on.viewChanged(this, false);
    this.on.viewed(this);
  }

  /** Sends the query again if the search means something else in the current columns. */
  refine() {
    this.session.refine(this.describe);
  }

  /** Shows another view without a change of the address. */
  show(view) {
    const { session } = this;
    const isOther = view.table !== session.view.table;
    const whole = completed(view, session.tables.find(({ name }) => name === view.table));
    if (!isOther && sameQuery(whole, session.view)) session.view = whole;
    else {
      this.controller?.holder.release();
      session.show(view, this.describe);
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

  /** Sorts by a column. With `isFurther`, the other sort columns are kept. */
  sortBy(column, isFurther) {
    const { table, view } = this.session;
    const found = table?.columns.find(({ name }) => name === column);
    if (found === undefined) return;
    const why = view.sort.some((term) => term.column === column) ? '' : this.lack({ sort: column });
    if (why === '') this.change({ sort: nextSort(view.sort, found, isFurther) });
    else this.loadController().then(({ notices }) => notices.show(why, false));
  }

  /** Pauses or resumes updates. */
  pause() {
    this.session.setPaused(!this.session.isPaused, this.describe);
    this.#hasStateChanged = true;
    this.schedule();
  }

  #updateAround() {
    if (this.#isWindow) this.loads?.look();
    if (this.#isOther) {
      if (this.session.table) this.#showStrip();
      this.on.viewed(this);
    }
    if (this.#hasStateChanged) {
      this.#showAge();
      this.on.stateChanged(this);
    }
    this.#isWindow = this.#isOther = this.#hasStateChanged = false;
  }

  // Repeats keys pressed before the controller is loaded, except possible browser shortcuts.
  #pressed(event) {
    const isCommand = (event.ctrlKey || event.metaKey || event.altKey) && !/^(Home|End|Arrow|Page)/.test(event.key);
    if (this.controller !== null || !event.isTrusted || isCommand || /^(Tab|F\d+)$/.test(event.key)) return;
    event.preventDefault();
    pressAgain(event, this.loadController());
  }

  /** Installs the note over the rows and the watch on loads. */
  speak({ Note, LoadWatch }) {
    this.note = new Note(this.stage, () => {
      this.change({ search: '', where: '', filters: [] });
      this.grid.focus({ preventScroll: true });
    });
    this.loads = new LoadWatch(this.session);
    this.loads.look();
    this.#hasStateChanged = true;
    this.schedule();
  }

  /** Imports the controller of user actions once and returns a promise of it. */
  loadController() {
    this.#loadingController ??= this.lateModules.load().then(({ Controller }) => {
      this.controller = new Controller(this);
      this.#openRow();
      this.schedule();
      return this.controller;
    });
    return this.#loadingController;
  }

  /** Redraws all rows, with the row height of the current density. */
  redraw() {
    fitRows(this);
    this.#isChanged = true;
    this.schedule();
  }

  /** Handles a change of the page's visibility. */
  visibilityChanged() {
    this.session.setHidden(document.hidden);
    if (!document.hidden && this.connection.state === 'lost') this.link.retry();
    this.schedule();
  }

  /** Updates the ages on the screen. Called every second. */
  tick() {
    this.table.tick(Date.now());
    this.controller?.tick();
    if (this.session.copy.seq === 0) this.#showNote();
    this.#showAge();
    this.on.stateChanged(this);
  }

  #showColumns() {
    const { session, columns, view } = this;
    const { table } = session;
    this.#isChanged = true;
    fitRows(this);
    if (session.copy.seq > 0 && columns.all.length === table.columns.length) columns.arrange(view.columns);
    this.#showStrip();
    this.#showHighlights();
    this.heads.setView(session.requested, session.marks);
    this.grid.setAttribute('aria-label', table.title || table.name);
    this.on.viewed(this);
  }

  // Makes room for the summary strip before the first rows, so that they do not move later.
  #showStrip() {
    const { stage, session, view, strip } = this;
    const isShown = hasStrip(session.view, session.table);
    stage.classList.toggle('with-strip', isShown);
    if (!isShown) session.wantTiles([]);
    else strip?.show({ view, table: session.table, specs: this.columns.all });
  }

  // Draws the rows again after a change of the highlights. Their module is imported once.
  #showHighlights() {
    const { highlights } = this.session.view;
    if (highlights === this.#highlights) return;
    this.#highlights = highlights;
    if (highlights !== undefined && this.columns.highlighting === null) {
      bring(() => import('../model/highlights.js')).then((module) => {
        this.columns.highlighting = module;
        this.#isChanged = true;
        this.schedule();
      });
    }
  }

  // Imports the strip once.
  #wantStrip() {
    this.#stripWanted ??= bring(() => import('../panels/strip.js')).then(({ Strip }) => {
      this.strip = new Strip(this.stage, this.grid, {
        change: (changes) => this.change(changes),
        want: (tiles) => this.session.wantTiles(tiles),
        narrowed: (view) => this.session.narrowed(view),
        announce: (text) => this.on.announce(text),
      });
      if (this.session.table) this.#showStrip();
    });
  }

  // Drawing.

  /** Draws the pane in the next frame. */
  schedule() {
    this.#scheduled ||= requestAnimationFrame(this.#frame);
  }

  #draw() {
    cancelAnimationFrame(this.#scheduled);
    this.#scheduled = 0;
    const { session, scroll, viewportSchedule, travel, columns, grid, table } = this;
    const { copy } = session;
    const now = performance.now();
    const hasRows = copy.seq > 0;
    const isChanged = this.#isChanged;
    // Read the selection before the first write to the DOM; reading it later forces a layout.
    if (hasRows && isChanged) table.selection.hold();
    const isOther = hasRows && isChanged && columns.update(session.view, session.table, copy);
    if (isOther) {
      this.heads.setView(session.requested, session.marks);
      this.refine();
    }
    this.#isOther ||= isOther;
    this.#hasStateChanged ||= isChanged;
    // The texts around the table are drawn in the frame after the first rows. If the first rows are
    // slow, the next tick draws them.
    const isFirst = hasRows ? table.isNew : session.isPending && this.connection.state === 'live';
    if (!isFirst) this.#updateAround();
    this.#showNote();
    grid.classList.toggle('empty', !hasRows);
    if (!hasRows) return;
    if (table.isNew) document.documentElement.classList.remove('early');
    viewportSchedule.observe(scroll.position, scroll.rowHeight, now);
    table.fit(scroll);
    if (!travel.isMoving) viewportSchedule.rest();
    if (!travel.isMoving || scroll.isCornered) scroll.settle();
    columns.draw(travel.left);
    if (isChanged) {
      setAttribute(grid, 'aria-rowcount', copy.total + (this.totals.isShown ? 2 : 1));
      this.totals.show(copy.totals, copy.total, Date.now());
      setAttribute(grid, 'aria-busy', session.isPending);
    }
    if (table.isNew || !this.patience.isLate(scroll, copy, now)) {
      if (isChanged) columns.rescale(copy);
      const isLit = this.#isPatch && !calm.matches && !document.hidden;
      const moves = isLit && this.sense.allows(copy.moves, scroll.count, travel.isMoving, now) ? copy.moves : null;
      table.paint(scroll, copy, { isChanged, isLit, moves }, now, Date.now());
      this.sections.finish(scroll, copy);
      this.controller?.drawn(now);
      this.#isChanged = this.#isPatch = false;
    }
    travel.write();
    if (session.canLook) {
      const viewport = viewportSchedule.next(scroll, copy, this.place.anchor, !travel.isMoving);
      if (viewport) session.look(viewport);
    } else if (session.isPaused && this.connection.state === 'live' && !session.holds(scroll.first, scroll.count)) {
      // The pause ends, because its rows outside the window were lost with the connection.
      this.pause();
      this.on.announce(phrase('The pause has ended: the connection was lost meanwhile'));
    }
    session.painted();
    this.on.painted(this);
    table.isNew = false;
    if (isFirst) requestAnimationFrame(() => this.schedule());
    else {
      this.link.settle?.();
      this.loadController();
      if (hasStrip(session.view, session.table)) this.#wantStrip();
    }
    if (table.nextFlash === 0 || this.#flashTimer !== 0) return;
    this.#flashTimer = setTimeout(() => {
      this.#flashTimer = 0;
      this.schedule();
    }, table.nextFlash - now + 1);
  }

  #showNote() {
    const { session, connection, columns, absentAt } = this;
    this.note?.show(session, { ...connection, state: connection.needsSignIn ? 'signedOut' : connection.state }, columns.all, Date.now() - absentAt);
  }

  #showAge() {
    this.note?.showAge(this.session, this.connection, Date.now() - this.statusAt);
  }
}

function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

// Returns whether a view uses features that its table does not support.
function hasMore(view, fitting, { columns }) {
  return view.sort.length !== fitting.sort.length || view.group.length !== fitting.group.length || view.filters.length !== fitting.filters.length
    || view.aggregates.length !== fitting.aggregates.length || view.unread !== undefined
    || view.columns.some(({ column }) => !columns.some(({ name }) => name === column));
}
