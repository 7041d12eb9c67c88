// rowactions.js: what a source can do to its rows, in the menu of a row and beside its cells; and what became of it.

import { actionsOf, Acts } from './acts.js';
import { askFor } from './actform.js';
import { openMenu } from './menu.js';

const mostRows = 100;

/** The actions of a pane. */
export class RowActions {
  /**
   * @param {import('./hands.js').Hands} hands
   * @param {import('./notices.js').Notices} notices
   */
  constructor(hands, notices) {
    Object.assign(this, { hands, notices, pane: hands.pane });
    this.acts = new Acts((message) => this.pane.link.send(message), (entry) => this.#tell(entry));
  }
  #marked = [];

  /** What can be done to the active row, or to those that are chosen and it among them. */
  get #rows() {
    const { focus, selection } = this.hands;
    const { item } = focus;
    if (item === null || item.isHeader || item.absence !== null) return [];
    return selection.rows.has(item.id) ? [...selection.rows.values()].slice(0, mostRows) : [item];
  }

  /** The items of the menu for rows (the active ones, unless one is named), or, `isForRows` false, for the whole table. */
  items(isForRows, row = null) {
    const { session } = this.pane;
    return actionsOf(session.table, session.role, isForRows).map((action) => ({
      label: `${action.title || action.name}${action.confirm || action.arguments?.length > 0 ? '…' : ''}`, isDanger: action.danger === true,
      isDisabled: this.pane.connection.state !== 'live', run: () => this.run(action, !isForRows ? [undefined] : row !== null ? [row] : this.#rows),
    }));
  }

  /** Opens the menu of the active row; false when there is nothing to do or no row. */
  openMenu(under) {
    const rows = this.#rows;
    if (rows.length === 0) return false;
    const [own, whole] = [this.items(true), this.items(false)];
    if (own.length + whole.length === 0) return false;
    openMenu(under, rows.length === 1 ? this.#nameOf(rows[0]) : `${rows.length.toLocaleString()} rows`, [
      { label: this.hands.detail.isOpen ? 'Hide details' : 'Show details', hint: 'Enter', run: () => this.hands.openDetail(!this.hands.detail.isOpen) },
      null, ...own, ...(own.length > 0 && whole.length > 0 ? [null] : []), ...whole,
    ]);
    return true;
  }

  /** Asks what an action needs, and has it done. */
  run(action, rows) {
    const { session } = this.pane;
    const { table } = session;
    const about = rows[0] === undefined ? table.title || table.name : rows.length === 1 ? this.#nameOf(rows[0]) : `${rows.length.toLocaleString()} rows`;
    askFor(action, about, (values) => {
      for (const row of rows) this.acts.run({ table: table.name, action, row: row?.id, values });
      this.pane.schedule();
    });
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
    const title = entry.action.title || entry.action.name;
    const isGood = entry.state === 'done';
    const words = isGood ? entry.text || 'done' : entry.isUnclear ? `${entry.text} The action may still have run.` : entry.text;
    this.notices.show(`${title}: ${words}`, isGood);
  }

  // The first text of a row names it best.
  #nameOf(row) {
    const spec = this.pane.columns.all.find(({ column, kind }) => column.type === 'text' && kind === 'text') ?? this.pane.columns.all[0];
    return spec === undefined ? 'Row' : spec.format(row.cells[spec.index] ?? null, Date.now()) || 'Row';
  }
}
