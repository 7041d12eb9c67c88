// controller.js: interaction in a pane: active cell, selection, details, find, copy, row actions.
// Loaded after the first rows are drawn, or on the first interaction.

import { SideQueries } from '../panels/sidequeries.js';
import { Selection } from '../model/selection.js';
import { Copying } from './copying.js';
import { Detail } from '../panels/detail.js';
import { Find } from './find.js';
import { Focus } from './focus.js';
import { listenForFolds } from './folds.js';
import { listenForInput, Marks } from './gridcontroller.js';
import { Holder } from '../grid/hold.js';
import { Restore, SOUGHT } from './restore.js';
import { labelOf } from '../panels/cellmenu.js';
import { listenForPrint } from '../panels/printing.js';
import { Matches } from './matches.js';
import { Pinning, PINNED } from './pinning.js';
import { openLink } from '../protocol/link.js';
import { Notices } from '../panels/notices.js';
import { Pointing } from './pointing.js';
import { Row } from '../protocol/wire.js';
import { RowActions } from './rowactions.js';
import { Scaling } from './scaling.js';
import { Resting } from './resting.js';
import { findingOf } from '../model/finding.js';
import { searchOf } from '../model/search.js';
import { changesOfText, wordsOf } from '../model/where.js';
import { seekText } from '../model/seek.js';
import { selectionText } from '../model/sums.js';
import { phrase } from '../model/language.js';

// Shared by all panes, so that their extra queries are sent one at a time.
const sideQueries = new SideQueries(openLink, (call, wait) => {
  const timer = setTimeout(call, wait);
  return () => clearTimeout(timer);
});

/** The controller of a pane. */
export class Controller {
  /** @param {import('../app/pane.js').Pane} pane */
  constructor(pane) {
    const { stage, grid, session, suffix } = pane;
    const part = (name) => stage.querySelector(`.${name}`);
    const leave = () => grid.focus({ preventScroll: true });
    this.pane = pane;
    this.focus = new Focus(grid, suffix);
    this.selection = new Selection();
    this.marks = new Marks();
    this.matches = new Matches();
    this.holder = new Holder(pane);
    this.restore = pane.place.restore = new Restore(session, pane.scroll, this);
    this.notices = new Notices(stage, { announce: (text) => pane.on.announce(text), leave });
    this.acting = new RowActions(this, this.notices, sideQueries);
    this.detail = new Detail(part('detail'), stage, () => this.openDetail(false), (row) => this.acting.itemsOf(row));
    this.find = new Find(part('find'), {
      go: (position, column) => this.goTo(position, column),
      changed: () => pane.schedule(),
      only: (text) => pane.change(changesOfText(text)),
      findingOf: (text) => this.#findingOf(text),
      here: () => this.#here,
      countAll: (text, done) => this.#countAll(text, done),
      seek: (text, isBackward, how) => this.#seek(text, isBackward, how),
      announce: (text) => pane.on.announce(text),
      leave,
    });
    new Copying(this, sideQueries);
    this.pointing = new Pointing(this);
    this.resting = new Resting(pane);
    this.scaling = new Scaling(pane);
    this.pinning = new Pinning(this);
    this.focus.pinnedAt = (position) => this.pinning.itemAt(position);
    this.#listen();
    listenForPrint(pane, () => this.pinning.shown);
    pane.columns.look(() => pane.redraw());
    session.searching = (text) => (this.#hasColumns ? this.#searchOf(text) : null);
    pane.refine();
    if (pane.connection.state === 'live') this.acting.acts.helloReceived(session.secret);
  }

  #listen() {
    const { pane, focus, selection } = this;
    const { grid, session, scroll, columns, sections } = pane;
    listenForFolds(grid, sections, focus, (header) => this.fold(header));
    listenForInput({ grid, body: pane.body, session, scroll, focus, selection, columns, controller: pane.lateModules, pinning: this.pinning }, {
      sort: (column, isFurther) => pane.sortBy(column, isFurther),
      open: () => this.openDetail(!this.detail.isOpen),
      close: () => (this.detail.isOpen ? this.openDetail(false) : this.holder.letGo()),
      menu: (under) => this.pointing.open(under),
      totals: (column, under) => pane.lateModules.load().then(({ controller }) => controller.showTotals(column, under)),
      announce: (text) => pane.on.announce(text),
      changed: () => pane.schedule(),
      moved() {
        pane.travel.stop();
        pane.schedule();
      },
    });
  }

  /** Collapses or expands a section. */
  fold(header) {
    const { pane, focus } = this;
    const { session } = pane;
    // Pins the scroll anchor to what is in view now.
    session.look(pane.describe(session.copy.seq));
    const position = session.copy.positionOfHeader(header);
    // Keys continue from the header, even if the active cell was elsewhere.
    if (position >= 0) focus.set(position, 0, session.copy);
    if (session.collapse(header)) pane.on.viewChanged(pane, true);
  }

  /** Opens or closes the details of the active row. */
  openDetail(isOpen) {
    this.detail.toggle(isOpen);
    if (!isOpen) this.pane.grid.focus({ preventScroll: true });
    this.pane.schedule();
  }

  /** Makes a cell active and scrolls it into view. */
  goTo(position, column) {
    const { session, scroll, columns } = this.pane;
    this.focus.set(position, column, session.copy);
    if (position >= 0) scroll.moveTo(scroll.reveal(position, session.view.group.length * scroll.rowHeight));
    columns.reveal(column);
    this.pane.schedule();
  }

  /**
   * Clears the active cell and the selection, because another table or query is shown. A cell in
   * the row of totals or in a pinned row stays active.
   */
  clear() {
    const { position, column } = this.focus;
    this.focus.clear();
    if ((position === -2 && this.pane.totals.isShown) || (position <= PINNED && this.pinning.count > PINNED - position)) this.focus.set(position, column, this.pane.session.copy);
    this.selection.clear();
    this.restore.clear();
    this.pointing.settle();
  }

  /** Scrolls to the row with this key and selects it, or shows the reason why there is none. */
  openRow(key) {
    this.restore.link(key, performance.now() + SOUGHT, (row) => {
      const name = phrase('The row “{key}” of this link', { key: labelOf(String(key)) });
      const isRemote = this.pane.session.table?.windowed !== undefined;
      const gone = isRemote ? phrase('{row} is not among the rows that are loaded here. Search for it.', { row: name }) : phrase('{row} is not in the table. It may have ended or been removed.', { row: name });
      if (row === null) return void this.notices.show(gone, false);
      if (row.position === null) return void this.notices.show(phrase('{row} is not shown, because the search or a filter leaves it out.', { row: name }), false);
      const { session: { copy }, on } = this.pane;
      this.goTo(row.position, 0);
      const item = copy.itemAt(row.position);
      if (item?.isHeader) return void this.notices.show(phrase('{row} is in this collapsed section.', { row: name }));
      this.selection.clear();
      this.selection.rows.set(row.id, item?.id === row.id ? /** @type {Row} */ (item) : new Row(row.id, 0, []));
      return on.announce(phrase('{row} is selected', { row: name }));
    });
  }

  /** Drops row ids, because they name other rows in the new epoch. */
  forgetRows() {
    this.focus.forgetItem();
    this.selection.clear();
    this.restore.seek();
  }

  /** Handles the answer to an action request, or to one for pinned rows, keys or positions. */
  receive(message) {
    if (message.type === 'pins') return this.pinning.take(message);
    if (message.type === 'acted') return this.acting.acts.receive(message);
    if (message.type === 'named') return this.restore.named(message);
    const position = this.restore.located(message, performance.now());
    if (position !== null) this.pane.place.find(position);
    return this.pane.schedule();
  }

  /** Handles the loss of the connection. */
  lost() {
    this.acting.acts.lost();
    this.restore.lost();
  }

  /** Runs the periodic work; called every second. */
  tick() {
    this.detail.tick(Date.now());
    const { travel, place } = this.pane;
    if (!travel.isMoving) this.restore.tick(place.anchor, performance.now());
  }

  /** Updates active cell and selection after a patch; the scroll anchor moved by `shift` rows. */
  follow(copy, shift) {
    this.focus.follow(copy, shift);
    this.selection.follow(copy, shift);
  }

  /** Updates marks, details and find results after a frame is drawn. */
  drawn(now) {
    const { session: { copy }, table, heads, totals, columns, travel } = this.pane;
    const { position, column } = this.focus;
    if (!travel.isMoving && columns.widen()) this.pane.schedule();
    this.resting.drawn();
    this.scaling.drawn();
    this.pinning.drawn(now);
    this.holder.show(table.nodes);
    this.acting.show(table.nodes);
    this.focus.mark(position === null ? undefined : position === -2 ? totals.cells[column] : position <= PINNED ? this.pinning.cellAt(position, column) : position < 0 ? heads.cells[column] : table.cellAt(position, column, copy));
    this.marks.draw([...table.nodes, ...this.pinning.nodes], this.selection, this.acting.targets);
    this.detail.show(this.focus.item, columns.all, copy, Date.now(), (id) => this.pinning.liveRow(id));
    const nodes = [...table.nodes.values(), ...this.pinning.nodes.map(([, node]) => node)];
    this.matches.drawn(nodes, wordsOf(this.pane.session.requested, this.pane.parsed));
    this.#sumUp();
    this.find.drawn(nodes, copy, columns.shown, this.pinning.shown, now);
  }

  /** The statistics of the selected cells as text; empty without a selection. */
  pickedText = '';
  #pickedOf = '';   // the selection and rows of `pickedText`

  #sumUp() {
    const { session: { copy }, columns: { shown } } = this.pane;
    const { rows, bounds, isEmpty } = this.selection;
    const isRows = rows.size > 0;
    const pinned = isEmpty ? [] : this.pinning.shown;
    const key = isEmpty ? '' : `${copy.seq} ${pinned.map(({ row: { id, rev } }) => `${id}:${rev}`).join()} ${copy.start} ${this.focus.column} ${shown.length} ${isRows ? [...rows.keys()].join() : Object.values(bounds).join()}`;
    if (key === this.#pickedOf) return;
    this.#pickedOf = key;
    const text = isEmpty ? '' : selectionText(this.selection.cells(copy, shown, pinned), { active: this.focus.column, isRows, now: Date.now() });
    if (text === this.pickedText) return;
    this.pickedText = text;
    this.pane.on.stateChanged(this.pane);
  }

  // The position from which find continues.
  get #here() {
    const { scroll } = this.pane;
    const { position, column } = this.focus;
    if (position !== null && (position >= 0 || position <= PINNED)) return { position, column };
    return { position: scroll.atTop && this.pinning.count > 0 ? PINNED : Math.ceil(scroll.position / scroll.rowHeight), column: -1 };
  }

  #seek(text, isBackward, how) {
    const { session: { wireQuery: query, view: { table }, copy: { total } }, columns: { shown: specs } } = this.pane;
    const finding = this.#findingOf(text);
    return seekText((sideQuery, till) => sideQueries.ask(sideQuery, till), { table, query }, { finding, specs, place: this.#here, isBackward, total, pinned: this.pinning.shown, ...how });
  }

  // Whether the column specs match the open table, which may have just changed.
  get #hasColumns() {
    const names = this.pane.session.table?.columns.map(({ name }) => name) ?? [];
    const { all } = this.pane.columns;
    return names.length === all.length && all.every(({ column: { name } }, at) => name === names[at]);
  }

  #searchOf(text) {
    return searchOf(text, this.pane.columns.all, this.#searchHow);
  }

  #findingOf(text) {
    return findingOf(text, this.pane.columns.all, this.#searchHow);
  }

  get #searchHow() {
    return { isTextOnly: this.pane.session.table?.windowed !== undefined, now: Date.now() };
  }

  // Counts the rows of the whole view that match a text of the filter bar. The count is null if the
  // filter bar is in use or if the source has no exact count.
  #countAll(text, done) {
    const { session } = this.pane;
    const { view: { table }, requested: { search, where, filters } } = session;
    if (search !== '' || where !== '') return void done(null);
    // Uses the source's order, because it is the cheapest.
    const sideQuery = { table, query: session.narrowed({ ...changesOfText(text), filters }), viewport: { first: 0, count: 1, ahead: 0, behind: 0 } };
    sideQueries.ask(sideQuery, { changed: ({ rows, accuracy }) => done(accuracy === 'exact' ? rows : null) }).catch(() => done(null));
  }
}
