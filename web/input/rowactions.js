// rowactions.js: what a source can do to its rows, in the menu of a row and beside its cells; and what became of it.
//
// What is highlighted, what is named and what is acted on are one set of rows: it is fixed when the menu opens, and drawn as long as the menu
// or the question is there.

import { actionsOf, Acts } from '../model/acts.js';
import { askFor } from '../panels/actform.js';
import { openMenu } from '../panels/menu.js';
import { fetchPiece } from '../protocol/pieces.js';
import { Batch, heldItems, MOST_ROWS, rowName, rowsBetween, shortName, targetText } from '../model/targets.js';

/** The actions of a pane. */
export class RowActions {
  /**
   * @param {import('./controller.js').Hands} hands
   * @param {import('../panels/notices.js').Notices} notices
   * @param {import('../panels/aside.js').Aside} aside
   */
  constructor(hands, notices, aside) {
    Object.assign(this, { hands, notices, aside, pane: hands.pane });
    /** The ids of the rows that a menu or a question is about, or null. @type {Set<number>|null} */
    this.targets = null;
    this.acts = new Acts((message) => this.pane.link.send(message), (entry) => this.#tell(entry), {
      fault: (entry) => this.#faultOf(entry),
      later: (call, wait) => setTimeout(call, wait),
    });
  }
  #marked = [];
  #batches = new Map();  // by entry: its batch, and the row's name

  /**
   * What can be done now, as a menu has it: to rows, or, `isForRows` false, to the whole table.
   * @param {() => object} aim answers the target when one is chosen: `{rows}`, or `{bounds, held}` for lines that are not all held
   */
  items(isForRows, aim = () => ({})) {
    const { session } = this.pane;
    return actionsOf(session.table, session.role, isForRows).map((action) => ({
      label: `${action.title || action.name}${action.confirm || action.arguments?.length > 0 ? '…' : ''}`, isDanger: action.danger === true,
      isDisabled: this.pane.connection.state !== 'live', run: () => void this.run(action, isForRows ? aim() : null),
    }));
  }

  /** The same for one row, as the panel beside the table names it: that row alone is chosen when one is pressed. */
  itemsOf(row) {
    return this.items(true, () => {
      this.#choose(row);
      return this.#stamped({ rows: [row] });
    });
  }

  /** Opens the menu of what is chosen, if the active row is in it, or else of the active row; false when there is nothing to do or no row. */
  openMenu(under) {
    const whole = this.items(false);
    if (this.items(true).length + whole.length === 0) return false;
    const target = this.#aim();
    if (target === null) return false;
    const own = this.items(true, () => target);
    this.#mark(target);
    const isOpen = this.hands.detail.isOpen;
    openMenu(under, this.#headOf(target), [
      { heading: this.#headOf(target) },
      { label: isOpen ? 'Hide details' : 'Show details', hint: 'Enter', run: () => this.hands.openDetail(!isOpen) },
      null, ...own, ...(whole.length > 0 ? [{ heading: 'Whole table' }] : []), ...whole,
    ], () => this.#mark(null));
    return true;
  }

  // The rows that are highlighted when the active one is among them; otherwise that one, which is then the only one that is.
  #aim() {
    const { focus, selection } = this.hands;
    const { item, position } = focus;
    const { bounds } = selection;
    const isRow = item !== null && !item.isHeader && item.absence === null;
    const isChosen = isRow && (selection.rows.has(item.id) || (bounds !== null && position >= bounds.top && position <= bounds.bottom));
    // Where the active row is not at hand there is nothing else to be meant than what is chosen.
    if (!isChosen && (isRow || item?.isHeader || selection.isEmpty)) {
      if (!isRow) return null;
      this.#choose(item);
      return this.#stamped({ rows: [item] });
    }
    if (bounds === null) return this.#stamped({ rows: [...selection.rows.values()] });
    const { copy } = this.pane.session;
    const rows = heldItems(bounds, copy).filter((one) => !one.isHeader);
    const isHeld = bounds.top >= copy.start && bounds.bottom < copy.end && rows.every(({ absence }) => absence === null);
    if (!isHeld) return this.#stamped({ bounds, copy: frozen(copy, bounds), rows: rows.filter(({ absence }) => absence === null) });
    return rows.length === 0 ? null : this.#stamped({ rows });
  }

  // Ids mean something to this server only, and to this table.
  #stamped(target) {
    const { epoch, view } = this.pane.session;
    return { ...target, epoch, table: view.table, query: this.pane.session.wireQuery };
  }

  #choose(row) {
    const { selection } = this.hands;
    selection.clear();
    selection.toggleRow(row);
    this.pane.schedule();
  }

  #mark(target) {
    this.targets = target === null ? null : new Set(target.rows.map(({ id }) => id));
    this.pane.schedule();
  }

  #headOf({ rows, bounds }) {
    if (bounds === undefined) return this.#textOf(rows);
    return `${(bounds.bottom - bounds.top + 1).toLocaleString()} lines`;
  }

  /** Asks what an action needs, and has it done to all rows of a target, or to the whole table (null). */
  async run(action, target) {
    const title = action.title || action.name;
    let rows = target?.rows ?? [undefined];
    if (target !== null) {
      const count = target.bounds === undefined ? rows.length : target.bounds.bottom - target.bounds.top + 1;
      if (count > MOST_ROWS) {
        return void this.notices.show(`${title}: nothing was done. ${count.toLocaleString()} rows are selected, and one action is done to ${MOST_ROWS.toLocaleString()} at most.`, false);
      }
      if (target.bounds !== undefined) rows = await this.#fetch(title, target);
      if (rows === null) return undefined;
    }
    if (target !== null) this.#mark({ rows });
    const box = askFor(action, {
      question: `${title} ${target === null ? `(whole table ${this.#tableTitle})` : this.#textOf(rows)}?`,
      isAsked: target?.bounds !== undefined,
    }, (values) => this.#start(action, target, rows, values), () => this.#mark(null));
    if (rows.length === 1 && target !== null && box !== null) this.hands.kept.call([rows[0].id], () => box.ask(`${title} ${this.#textOf(rows)}?`));
    return undefined;
  }

  async #fetch(title, { bounds, copy, table, query }) {
    const leave = this.notices.show('Fetching the selected rows…');
    try {
      return await rowsBetween(bounds, copy, (first, last) => fetchPiece((question, how) => this.aside.ask(question, how), { table, query }, first, last));
    } catch (error) {
      this.notices.show(`${title}: nothing was done, because ${error.message}.`, false);
      return null;
    } finally {
      leave();
    }
  }

  #start(action, target, rows, values) {
    const { session } = this.pane;
    const { table } = session;
    const title = action.title || action.name;
    if (target !== null && (target.epoch !== session.epoch || target.table !== session.view.table)) {
      return void this.notices.show(`${title}: nothing was done. The rows are no longer those that were selected: the server or the table has changed.`, false);
    }
    const { epoch } = session;
    if (rows.length === 1) {
      this.acts.run({ table: table.name, action, row: rows[0]?.id, values, epoch });
      return void this.pane.schedule();
    }
    const batch = new Batch(title, rows.length);
    const entries = [];
    const line = this.notices.follow(batch.text, () => { for (const entry of entries) this.acts.cancel(entry); });
    for (const row of rows) {
      const entry = this.acts.prepare({ table: table.name, action, row: row.id, values, epoch });
      entries.push(entry);
      this.#batches.set(entry, { batch, line, name: this.#nameOf(row) });
    }
    for (const entry of entries) this.acts.begin(entry);
    return void this.pane.schedule();
  }

  // Why a row that still waits must not be acted on any more.
  #faultOf({ table, row, epoch }) {
    const { session } = this.pane;
    if (row === undefined) return null;
    if (epoch !== session.epoch) return 'The server was restarted.';
    return table === session.view.table ? null : 'Another table was opened.';
  }

  /** Marks the rows to which something is being done. Called in the frame in which they are drawn. */
  show(nodes) {
    for (const el of this.#marked) el.classList.remove('acting');
    this.#marked.length = 0;
    for (const { row } of this.acts.open.values()) {
      const el = nodes.get(row)?.el;
      if (el === undefined) continue;
      el.classList.add('acting');
      this.#marked.push(el);
    }
  }

  #tell(entry) {
    this.pane.schedule();
    if (entry.state === 'waiting' || entry.state === 'said') return;
    const part = this.#batches.get(entry);
    if (part !== undefined) return void this.#tellBatch(entry, part);
    const title = entry.action.title || entry.action.name;
    const isGood = entry.state === 'done';
    const words = isGood ? entry.text || 'done' : entry.isUnclear ? `${entry.text} The action may still have run.` : entry.text;
    this.notices.show(`${title}: ${words}`, isGood);
  }

  #tellBatch(entry, { batch, line, name }) {
    this.#batches.delete(entry);
    batch.settle(entry, name);
    if (batch.isOver) line.end(batch.text, batch.isGood, batch.faults);
    else line.tell(batch.text, batch.faults);
  }

  get #tableTitle() {
    const { table } = this.pane.session;
    return table.title || table.name;
  }

  #textOf(rows) {
    return targetText(rows.slice(0, 4).map((row) => this.#nameOf(row, rows.length > 1 ? shortName : rowName)), rows.length, this.pane.session.table);
  }

  #nameOf(row, name = rowName) {
    return name(row, this.pane.columns.all, this.pane.session.table.label, this.hands.kept.keyOf(row.id), Date.now());
  }
}

// What is held of these lines now: patches change the copy in place.
function frozen(copy, bounds) {
  const { start, end } = copy;
  const from = Math.max(bounds.top, start);
  const items = heldItems(bounds, copy);
  return { start, end, itemAt: (position) => items[position - from] };
}
