// selection.js: the selected rows or cells, tracked while the table changes. No DOM.

import { plural } from './language.js';

const mostRows = 10_000;

/**
 * A row or header tracked through patches: by identity while it is in the window, else by position.
 */
export class Spot {
  constructor(position, item) {
    this.position = position;
    this.item = item ?? null;
  }

  /** Updates the position after a patch. Outside the window it moves with the scroll anchor. */
  follow(copy, shift) {
    if (this.position < 0) return;
    const { item } = this;
    const index = item === null ? -1 : copy.items.findIndex((other) =>
      other.isHeader === item.isHeader && (item.isHeader ? other.section === item.section : other.id === item.id));
    this.position = Math.max(0, Math.min(copy.total - 1, index >= 0 ? copy.start + index : this.position + shift));
    this.item = copy.itemAt(this.position) ?? null;
  }
}

/**
 * Returns rows without those that are pinned, after the pinned ones.
 *
 * @param {import('../protocol/wire.js').Row[]} rows
 * @param {import('../protocol/wire.js').Row[]} pinned
 */
export function withPinned(rows, pinned) {
  const ids = new Set(pinned.map(({ id }) => id));
  return [...pinned, ...rows.filter(({ id }) => !ids.has(id))];
}

/**
 * The selection: either a set of rows, or a rectangle of cells.
 *
 *     selection.toggleRow(row);
 *     selection.extend(place, column, to, toColumn);   // keeps the first corner, moves the other
 *     selection.cells(copy, columns)                   // the selected cells in the window
 */
export class Selection {
  constructor() {
    /** @type {Map<number, import('../protocol/wire.js').Row>} */
    this.rows = new Map();
    /**
     * The rectangle of cells, or null. `isWhole` is whether it has all rows of its columns.
     * @type {{from: Spot, fromColumn: number, to: Spot, toColumn: number, isWhole?: boolean}|null}
     */
    this.range = null;
  }

  get isEmpty() {
    return this.rows.size === 0 && this.range === null;
  }

  /** Clears the selection and returns whether it was not empty. */
  clear() {
    const was = !this.isEmpty;
    this.rows.clear();
    this.range = null;
    return was;
  }

  /** Selects or deselects a row. A row that is not loaded yet has no id and is ignored. */
  toggleRow(row) {
    this.range = null;
    if (row.absence) return;
    if (!this.rows.delete(row.id) && this.rows.size < mostRows) this.rows.set(row.id, row);
  }

  /** Selects the cells up to a corner. `from` is used only without an existing rectangle. */
  extend(from, fromColumn, to, toColumn) {
    this.rows.clear();
    if (this.range === null) this.range = { from, fromColumn, to, toColumn };
    else Object.assign(this.range, { to, toColumn, isWhole: false });
  }

  /** Selects all cells of the columns `from` to `through`. */
  selectColumns(from, through, copy) {
    this.rows.clear();
    this.range = {
      from: new Spot(0, copy.itemAt(0)), fromColumn: from, to: new Spot(copy.total - 1, copy.itemAt(copy.total - 1)), toColumn: through, isWhole: true,
    };
  }

  /** Selects the cells between two corners. */
  span(from, to, fromColumn, toColumn) {
    this.rows.clear();
    this.range = { from, fromColumn, to, toColumn };
  }

  /** Updates rows and corners after a patch that moved the scroll anchor by `shift` rows. */
  follow(copy, shift) {
    for (const { id } of this.rows.values()) {
      const position = copy.positionOf(id);
      if (position >= 0) this.rows.set(id, copy.itemAt(position));
    }
    if (this.range === null) return;
    if (this.range.isWhole) this.range.to = new Spot(copy.total - 1, copy.itemAt(copy.total - 1));
    else for (const place of [this.range.from, this.range.to]) place.follow(copy, shift);
  }

  /** The rectangle's first and last row and column, or null. */
  get bounds() {
    if (this.range === null) return null;
    const { from, fromColumn, to, toColumn } = this.range;
    return {
      top: Math.min(from.position, to.position), bottom: Math.max(from.position, to.position),
      first: Math.min(fromColumn, toColumn), last: Math.max(fromColumn, toColumn),
    };
  }

  /** Whether the rectangle is in the pinned rows, which have negative positions. */
  get isPinned() {
    return this.range !== null && this.range.from.position < 0;
  }

  /**
   * Returns the selected cells as `{specs, rows, missing}`, with the rows in view order.
   *
   * Pinned rows come first and once: those that are selected, or all if whole columns are.
   * `missing` is the number of rows of the rectangle that are outside the window.
   *
   * @param {import('../protocol/wire.js').WindowCopy} copy
   * @param {{index: number}[]} specs the visible columns
   * @param {{position: number, row: import('../protocol/wire.js').Row}[]} [shown] the pinned rows
   *   from top to bottom, with their positions as active cells
   */
  cells(copy, specs, shown = []) {
    const { bounds } = this;
    const pinned = shown.map(({ row }) => row);
    if (bounds === null) {
      const positions = new Map([...this.rows.keys()].map((id) => [id, copy.positionOf(id)]));
      const order = (id) => (positions.get(id) < 0 ? Infinity : positions.get(id));
      const others = [...this.rows.values()].sort((one, other) => order(one.id) - order(other.id) || 0);
      const rows = withPinned(others, pinned.filter(({ id }) => this.rows.has(id)));
      return { specs, rows: rows.map(({ cells }) => specs.map(({ index }) => cells[index] ?? null)), missing: 0 };
    }
    const above = this.range.isWhole ? pinned : [];
    const columns = specs.slice(bounds.first, bounds.last + 1);
    const cellsOf = (row) => columns.map(({ index }) => row.cells[index] ?? null);
    if (this.isPinned) return { specs: columns, rows: shown.filter(({ position }) => position >= bounds.top && position <= bounds.bottom).map(({ row }) => cellsOf(row)), missing: 0 };
    /** @type {import('../protocol/wire.js').Row[]} */
    const rows = [];
    let held = 0;
    for (let position = Math.max(bounds.top, copy.start); position <= Math.min(bounds.bottom, copy.end - 1); position += 1) {
      const item = copy.itemAt(position);
      held += 1;
      if (!item.isHeader) rows.push(/** @type {import('../protocol/wire.js').Row} */ (item));
    }
    return { specs: columns, rows: withPinned(rows, above).map(cellsOf), missing: bounds.bottom - bounds.top + 1 - held };
  }

  /** A description of the selection for the user, or an empty string. */
  get text() {
    if (this.rows.size > 0) return plural(this.rows.size, '{count} row selected', '{count} rows selected');
    const { bounds } = this;
    if (bounds === null) return '';
    const rows = plural(bounds.bottom - bounds.top + 1, '{count} row', '{count} rows');
    return plural(bounds.last - bounds.first + 1, '{rows}, {count} column selected', '{rows}, {count} columns selected', { rows });
  }
}
