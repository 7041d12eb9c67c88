// copying.js: copies the selection to the clipboard, including rows outside the window. Loaded
// after the first rows.

import { cellText, htmlTable, tabSeparated } from './clipboard.js';
import { fetchRows } from '../protocol/pieces.js';
import { withPinned } from '../model/selection.js';
import { phrase, plural } from '../model/language.js';

const mostCells = 1_000_000;

/** The handler of a pane's `copy` events. */
export class Copying {
  /**
   * @param {import('./controller.js').Controller} controller
   * @param {import('../panels/sidequeries.js').SideQueries} sideQueries
   */
  constructor(controller, sideQueries) {
    this.controller = controller;
    this.sideQueries = sideQueries;
    this.pane = controller.pane;
    this.notices = controller.notices;
    document.addEventListener('copy', (event) => this.#copy(event));
  }
  #turn = 0;       // number of the latest copy; fetches of earlier ones are dropped
  #ready = null;   // fetched cells that the browser did not accept: `{key, cells}`

  #copy(event) {
    const { grid, columns, session } = this.pane;
    const { selection } = this.controller;
    const isTyping = event.target.closest?.('input, textarea');
    if (isTyping) return;
    if (!getSelection().isCollapsed) return this.#copyText(event);
    if (!grid.contains(document.activeElement)) return;
    if (selection.isEmpty) return this.#copyCell(event);
    event.preventDefault();
    const pinned = this.controller.pinning.shown;
    const cells = selection.cells(session.copy, columns.shown, pinned);
    this.#turn += 1;
    if (cells.missing === 0) return this.#put(event, cells);
    const { bounds } = selection;
    const count = bounds.bottom - bounds.top + 1;
    if (count * cells.specs.length > mostCells) {
      return this.notices.show(phrase('{count} rows are too many to copy. Press E to export all rows instead.', { count }), false);
    }
    const key = JSON.stringify([session.view, bounds]);
    if (this.#ready?.key === key) return this.#put(event, this.#ready.cells);
    return this.#fetch(key, bounds, cells.specs, selection.range.isWhole ? pinned.map(({ row }) => row) : []);
  }

  // Row nodes are recycled, so DOM order is not view order. Text selected across several cells is
  // copied as whole cells in view order.
  #copyText(event) {
    const { body, columns, table } = this.pane;
    const { pinning } = this.controller;
    const selected = getSelection();
    const isWithin = (node) => body.contains(node) || pinning.rows.el.contains(node);
    if (!isWithin(selected.anchorNode) && !isWithin(selected.focusNode)) return;
    const lines = [];
    // Pinned rows have the same position, which is before all others, and stay in their order.
    for (const node of [...pinning.nodes.map(([, one]) => one), ...table.nodes.values()]) {
      const places = node.places.filter((at) => selected.containsNode(node.cells[at].el, true));
      if (!node.isHidden && places.length > 0) lines.push({ node, places });
    }
    const places = [...new Set(lines.flatMap((line) => line.places))].sort((one, other) => one - other);
    // Text within one cell is left to the browser.
    if (lines.length === 0 || (lines.length === 1 && places.length === 1)) return;
    lines.sort((one, other) => one.node.position - other.node.position);
    const specs = places.map((at) => columns.shown[at]);
    event.preventDefault();
    this.#put(event, { specs, rows: lines.map(({ node: { item } }) => specs.map(({ index }) => item.cells[index] ?? null)) });
  }

  #copyCell(event) {
    const { columns, on } = this.pane;
    const { focus } = this.controller;
    const spec = columns.shown[focus.column];
    if (!spec || focus.item === null || focus.item.isHeader) return;
    event.clipboardData.setData('text/plain', cellText(focus.item.cells[spec.index], spec.column));
    event.preventDefault();
    on.announce(phrase('Cell copied'));
  }

  #put({ clipboardData }, cells) {
    this.#ready = null;
    clipboardData.setData('text/plain', tabSeparated(cells));
    clipboardData.setData('text/html', htmlTable(cells));
    this.#report(cells);
  }

  #report({ rows }) {
    this.notices.show(plural(rows.length, 'Copied {count} row', 'Copied {count} rows'));
  }

  // Writes promises to the clipboard during the user's gesture, because browsers require one.
  async #fetch(key, { top, bottom }, specs, pinned) {
    const turn = this.#turn;
    const { session, view } = this.pane;
    const leave = this.notices.show(phrase('Fetching the rows to copy…'));
    const fetched = fetchRows((sideQuery, how) => this.sideQueries.ask(sideQuery, how), { table: view.table, query: session.wireQuery }, {
      from: top, through: bottom, isWanted: () => turn === this.#turn,
    }).then((rows) => ({ specs, rows: withPinned(rows, pinned).map(({ cells }) => specs.map(({ index }) => cells[index] ?? null)) }));
    const as = (type, text) => [type, fetched.then((cells) => new Blob([text(cells)], { type }))];
    const parts = [as('text/plain', tabSeparated), as('text/html', htmlTable)];
    for (const [, part] of parts) part.catch(() => {});  // reported below
    let isWritten = false;
    try {
      // Missing on pages served without TLS from another host.
      await navigator.clipboard?.write([new ClipboardItem(Object.fromEntries(parts))]);
      isWritten = navigator.clipboard !== undefined;
    } catch {
      // The browser refused the promise, so the user must copy again when the rows are here.
    }
    try {
      const cells = await fetched;
      if (turn !== this.#turn) return;
      if (isWritten) this.#report(cells);
      else {
        this.#ready = { key, cells };
        this.notices.show(phrase('{count} rows are ready: press Ctrl+C again', { count: cells.rows.length }));
      }
    } catch (error) {
      if (turn === this.#turn) this.notices.show(phrase('Copy failed: {reason}', { reason: error.message }), false);
    } finally {
      leave();
    }
  }
}
