// selection.js: which rows or cells the reader has chosen, through all that changes under him. No DOM.

const mostRows = 10_000;

/** A row or header that is followed through patches: by what it is while it is held, by its position when it is not. */
export class Spot {
  constructor(position, item) {
    this.position = position;
    this.item = item ?? null;
  }

  /** The copy has changed, and the reader's place in it by `shift`. A row that left the window leaves its place behind. */
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
 * Either some rows, whole, wherever they go; or all cells between two corners:
 *
 *     selection.toggleRow(row);
 *     selection.extend(place, column, to, toColumn);   // from the first corner, which stays, to this one
 *     selection.cells(copy, columns)                   // what is chosen, as far as it is held
 */
export class Chosen {
  constructor() {
    /** @type {Map<number, import('../protocol/wire.js').Row>} */
    this.rows = new Map();
    /** @type {{from: Spot, fromColumn: number, to: Spot, toColumn: number}|null} */
    this.range = null;
  }

  get isEmpty() {
    return this.rows.size === 0 && this.range === null;
  }

  /** Nothing is chosen. Answers whether something was. */
  clear() {
    const was = !this.isEmpty;
    this.rows.clear();
    this.range = null;
    return was;
  }

  /** A row is chosen, or no more. One that is not loaded yet has no identity to be chosen by. */
  toggleRow(row) {
    this.range = null;
    if (row.absence) return;
    if (!this.rows.delete(row.id) && this.rows.size < mostRows) this.rows.set(row.id, row);
  }

  /** The cells from a first corner, which an earlier call may have set, to this one. */
  extend(from, fromColumn, to, toColumn) {
    this.rows.clear();
    if (this.range === null) this.range = { from, fromColumn, to, toColumn };
    else Object.assign(this.range, { to, toColumn });
  }

  /** All cells of a column, or of all of them (`from` 0 through the last). */
  selectColumns(from, through, copy) {
    this.rows.clear();
    this.range = {
      from: new Spot(0, copy.itemAt(0)), fromColumn: from, to: new Spot(copy.total - 1, copy.itemAt(copy.total - 1)), toColumn: through, isWhole: true,
    };
  }

  /** The cells between two corners, `Spot`s. */
  span(from, to, fromColumn, toColumn) {
    this.rows.clear();
    this.range = { from, fromColumn, to, toColumn };
  }

  /** The copy has changed. */
  follow(copy, shift) {
    for (const { id } of this.rows.values()) {
      const position = copy.positionOf(id);
      if (position >= 0) this.rows.set(id, copy.itemAt(position));
    }
    if (this.range === null) return;
    if (this.range.isWhole) this.range.to = new Spot(copy.total - 1, copy.itemAt(copy.total - 1));
    else for (const place of [this.range.from, this.range.to]) place.follow(copy, shift);
  }

  /** The corners in order, or null. */
  get bounds() {
    if (this.range === null) return null;
    const { from, fromColumn, to, toColumn } = this.range;
    return {
      top: Math.min(from.position, to.position), bottom: Math.max(from.position, to.position),
      first: Math.min(fromColumn, toColumn), last: Math.max(fromColumn, toColumn),
    };
  }

  /**
   * What is chosen: rows as lists of cells, in the order of the view, of the columns named by `places`; and how many rows are chosen
   * but not held, because they are far from what is in sight.
   *
   * @param {import('../protocol/wire.js').WindowCopy} copy
   * @param {{index: number}[]} specs the columns that are shown
   */
  cells(copy, specs) {
    const { bounds } = this;
    if (bounds === null) {
      const positions = new Map([...this.rows.keys()].map((id) => [id, copy.positionOf(id)]));
      const order = (id) => (positions.get(id) < 0 ? Infinity : positions.get(id));
      const rows = [...this.rows.values()].sort((one, other) => order(one.id) - order(other.id) || 0);
      return { specs, rows: rows.map(({ cells }) => specs.map(({ index }) => cells[index] ?? null)), missing: 0 };
    }
    const columns = specs.slice(bounds.first, bounds.last + 1);
    const rows = [];
    let held = 0;
    for (let position = Math.max(bounds.top, copy.start); position <= Math.min(bounds.bottom, copy.end - 1); position += 1) {
      const item = copy.itemAt(position);
      held += 1;
      if (!item.isHeader) rows.push(columns.map(({ index }) => item.cells[index] ?? null));
    }
    return { specs: columns, rows, missing: bounds.bottom - bounds.top + 1 - held };
  }

  /** What is chosen, in words; empty when nothing is. */
  get text() {
    const count = (number, word) => `${number.toLocaleString()} ${word}${number === 1 ? '' : 's'}`;
    if (this.rows.size > 0) return `${count(this.rows.size, 'row')} selected`;
    const { bounds } = this;
    if (bounds === null) return '';
    return `${count(bounds.bottom - bounds.top + 1, 'row')}, ${count(bounds.last - bounds.first + 1, 'column')} selected`;
  }
}
