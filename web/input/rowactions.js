// rowactions.js: row actions: their menu items, confirmations, requests and results.
//
// An action runs on exactly the rows that are highlighted and named in its dialog. They are fixed
// when the menu opens, and stay highlighted until the menu or the dialog closes.

import { actionsOf, Acts, trialOf } from '../model/acts.js';
import { askFor } from '../panels/actform.js';
import { fetchPiece } from '../protocol/pieces.js';
import { Batch, heldItems, MOST_ROWS, rowName, rowsBetween, shortName, targetText } from '../model/targets.js';
import { phrase } from '../model/language.js';

/** The controller of actions in a pane. */
export class RowActions {
  /**
   * @param {import('./controller.js').Controller} controller
   * @param {import('../panels/notices.js').Notices} notices
   * @param {import('../panels/sidequeries.js').SideQueries} sideQueries
   */
  constructor(controller, notices, sideQueries) {
    this.controller = controller;
    this.notices = notices;
    this.sideQueries = sideQueries;
    this.pane = controller.pane;
    /**
     * The ids of the rows of the open menu or dialog, or null.
     * @type {Set<number>|null}
     */
    this.targets = null;
    this.acts = new Acts((message) => this.pane.link.send(message), (entry) => this.#report(entry), {
      fault: (entry) => this.#faultOf(entry),
      later: (call, wait) => setTimeout(call, wait),
    });
  }
  #marked = [];
  #batches = new Map();  // by entry: its batch, notice and row name
  #tests = new Map();    // by entry: the function that takes the result

  /**
   * Returns the menu items of the actions on rows, or on the whole table if `isForRows` is false.
   *
   * @param {() => object} aim returns the target when an item is chosen, see `#aim`
   */
  items(isForRows, aim = () => ({})) {
    const { session } = this.pane;
    return actionsOf(session.table, session.role, isForRows).map((action) => ({
      label: `${action.title || action.name}${action.confirm || action.arguments?.length > 0 ? '…' : ''}`, isDanger: action.danger === true,
      isDisabled: this.pane.connection.state !== 'live', run: () => void this.run(action, isForRows ? aim() : null),
    }));
  }

  /** Returns the items for the details of one row. Choosing an item selects only that row. */
  itemsOf(row) {
    return this.items(true, () => {
      this.#choose(row);
      return this.#stamped({ rows: [row] });
    });
  }

  /**
   * Returns the part of a menu that runs actions: on the selection if the active row is selected,
   * else on the active row. `label` names the rows of `target`, and is empty without one. Call
   * `open` when the menu opens, and `close` when it closes.
   */
  menuPart() {
    const whole = this.items(false);
    const { target, row } = this.#aim();
    const label = target === null ? '' : this.#headOf(target);
    const own = target === null ? [] : this.items(true, () => {
      if (row !== null) this.#choose(row);
      return target;
    });
    return {
      label, target,
      items: [...(own.length > 0 ? [{ heading: label }] : []), ...own, ...(whole.length > 0 ? [{ heading: phrase('Whole table') }] : []), ...whole],
      open: () => { if (own.length > 0) this.#mark(target); },
      close: () => { if (own.length > 0) this.#mark(null); },
    };
  }

  // Returns the target: the selected rows if the active row is among them. Otherwise it is the
  // active row, which is also returned as `row`, to be selected alone. `bounds` is set if some rows
  // are not loaded, and `rows` then has the loaded ones.
  #aim() {
    const { focus, selection } = this.controller;
    const { item, position } = focus;
    const { bounds } = selection;
    const isRow = item !== null && !item.isHeader && item.absence === null;
    const isSelected = isRow && (selection.rows.has(item.id) || (bounds !== null && position >= bounds.top && position <= bounds.bottom));
    // If the active row is not loaded, the selection is the target.
    if (!isSelected && (isRow || item?.isHeader || selection.isEmpty)) {
      return isRow ? { target: this.#stamped({ rows: [item] }), row: item } : { target: null, row: null };
    }
    return { target: this.#aimAtSelection(bounds), row: null };
  }

  #aimAtSelection(bounds) {
    if (bounds === null) return this.#stamped({ rows: [...this.controller.selection.rows.values()] });
    const { copy } = this.pane.session;
    const { pinning } = this.controller;
    if (this.controller.selection.isPinned) return this.#stamped({ rows: pinning.shown.filter(({ position }) => position >= bounds.top && position <= bounds.bottom).map(({ row }) => row) });
    const rows = heldItems(bounds, copy).filter((one) => !one.isHeader);
    const isHeld = bounds.top >= copy.start && bounds.bottom < copy.end && rows.every(({ absence }) => absence === null);
    if (!isHeld) return this.#stamped({ bounds, copy: frozen(copy, bounds), rows: rows.filter(({ absence }) => absence === null) });
    return rows.length === 0 ? null : this.#stamped({ rows });
  }

  // Adds epoch and table to a target, because row ids are valid only within them.
  #stamped(target) {
    const { epoch, view } = this.pane.session;
    return { ...target, epoch, table: view.table, query: this.pane.session.wireQuery };
  }

  #choose(row) {
    const { selection } = this.controller;
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
    return phrase('{count} lines', { count: bounds.bottom - bounds.top + 1 });
  }

  /**
   * Asks for confirmation and arguments, then requests an action on all rows of a target, or on the
   * whole table if it is null.
   */
  async run(action, target) {
    const title = action.title || action.name;
    let rows = target?.rows ?? [undefined];
    if (target !== null) {
      const count = target.bounds === undefined ? rows.length : target.bounds.bottom - target.bounds.top + 1;
      if (count > MOST_ROWS) {
        return void this.notices.show(phrase('{title}: nothing was done. {count} rows are selected, and an action runs on at most {most}.', { title, count, most: MOST_ROWS }), false);
      }
      if (target.bounds !== undefined) rows = await this.fetch(target, (reason) => phrase('{title}: nothing was done, because {reason}.', { title, reason }));
      if (rows === null) return undefined;
    }
    if (target !== null) this.#mark({ rows });
    const box = askFor(action, {
      question: target === null ? phrase('{title} (whole table {table})?', { title, table: this.#tableTitle }) : phrase('{title} {rows}?', { title, rows: this.#textOf(rows) }),
      hasQuestion: target?.bounds !== undefined,
      test: this.#testOf(action),
    }, (values) => this.#start(action, target, rows, values), () => this.#mark(null));
    if (rows.length === 1 && target !== null && box !== null) this.controller.restore.call([rows[0].id], () => box.ask(phrase('{title} {rows}?', { title, rows: this.#textOf(rows) })));
    return undefined;
  }

  // Returns the function that tries the arguments of an action on the whole table; undefined if the
  // table has none.
  #testOf(action) {
    const { table, epoch } = this.pane.session;
    const trial = trialOf(action, table);
    if (trial === undefined) return undefined;
    return (values) => new Promise((resolve) => {
      const entry = this.acts.prepare({ table: table.name, action: trial, values, epoch });
      this.#tests.set(entry, resolve);
      this.acts.begin(entry);
    });
  }

  /**
   * Returns the rows of a target that are not all loaded, or null after showing `failed(reason)`.
   */
  async fetch({ bounds, copy, table, query }, failed) {
    const leave = this.notices.show(phrase('Fetching the selected rows…'));
    try {
      return await rowsBetween(bounds, copy, (first, last) => fetchPiece((sideQuery, how) => this.sideQueries.ask(sideQuery, how), { table, query }, first, last));
    } catch (error) {
      this.notices.show(failed(error.message), false);
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
      return void this.notices.show(phrase('{title}: nothing was done. The rows are no longer those that were selected: the server or the table has changed.', { title }), false);
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

  // Returns why a waiting request must not be sent any more, or null.
  #faultOf({ table, row, epoch }) {
    const { session } = this.pane;
    if (row === undefined) return null;
    if (epoch !== session.epoch) return phrase('The server was restarted.');
    return table === session.view.table ? null : phrase('Another table was opened.');
  }

  /** Marks the rows with pending actions. Call it in the frame that draws the rows. */
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

  #report(entry) {
    this.pane.schedule();
    if (entry.state === 'waiting' || entry.state === 'sent') return;
    const part = this.#batches.get(entry);
    if (part !== undefined) return void this.#reportBatch(entry, part);
    const isGood = entry.state === 'done';
    const tested = this.#tests.get(entry);
    this.#tests.delete(entry);
    if (tested !== undefined) return void tested({ isGood, text: entry.text });
    const title = entry.action.title || entry.action.name;
    const words = isGood ? entry.text || phrase('done') : entry.isUnclear ? `${entry.text} ${phrase('The action may still have run.')}` : entry.text;
    this.notices.show(`${title}: ${words}`, isGood);
  }

  #reportBatch(entry, { batch, line, name }) {
    this.#batches.delete(entry);
    batch.settle(entry, name);
    if (batch.isOver) line.end(batch.text, batch.isGood, batch.faults);
    else line.report(batch.text, batch.faults);
  }

  get #tableTitle() {
    const { table } = this.pane.session;
    return table.title || table.name;
  }

  #textOf(rows) {
    return targetText(rows.slice(0, 4).map((row) => this.#nameOf(row, rows.length > 1 ? shortName : rowName)), rows.length, this.pane.session.table);
  }

  #nameOf(row, name = rowName) {
    return name(row, this.pane.columns.all, this.pane.session.table.label, this.controller.restore.keyOf(row.id), Date.now());
  }
}

// Returns a snapshot of the loaded rows in a range, because patches change the copy in place.
function frozen(copy, bounds) {
  const { start, end } = copy;
  const from = Math.max(bounds.top, start);
  const items = heldItems(bounds, copy);
  return { start, end, itemAt: (position) => items[position - from] };
}
