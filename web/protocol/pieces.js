// pieces.js: fetches rows outside the page's window in pieces. No DOM, no socket, no clock.

/** The largest number of items in a piece. */
export const PIECE = 1_000;

/**
 * Fetches the items at `first` through `last` of a view, at most {@link PIECE}. Resolves once all
 * are loaded, because a large window or a remote table takes several patches.
 *
 * @param {(sideQuery: object, how: object) => Promise<import('./wire.js').WindowCopy>} ask see
 *   sidequeries.js
 * @param {{table: string, query: object}} view
 * @returns {Promise<{start: number, items: object[]}>} fewer items if the view has become shorter
 */
export async function fetchPiece(ask, view, first, last) {
  const isEnough = (copy) => {
    for (let at = first; at <= Math.min(last, copy.total - 1); at += 1) {
      const item = copy.itemAt(at);
      if (item === undefined || item.absence?.pending === true) return false;
    }
    return true;
  };
  const copy = await ask({ ...view, viewport: { first, count: last - first + 1, ahead: 0, behind: 0 } }, { isEnough });
  const items = [];
  for (let at = first; at <= Math.min(last, copy.total - 1); at += 1) items.push(copy.itemAt(at));
  return { start: first, items };
}

/**
 * Fetches the rows at `from` through `through` of a view, in view order and without duplicates.
 * A row that moves between two pieces may be missing.
 *
 * @param {(sideQuery: object, how: object) => Promise<import('./wire.js').WindowCopy>} ask see
 *   sidequeries.js
 * @param {{table: string, query: object}} view
 * @param {{from: number, through: number, progress?: (count: number) => void, isWanted?: () =>
 *   boolean}} range `progress` receives the number of rows so far; the fetch stops once `isWanted`
 *   returns false
 * @returns {Promise<import('./wire.js').Row[]>}
 */
export async function fetchRows(ask, view, { from, through, progress = () => {}, isWanted = () => true }) {
  const rows = new Map();
  for (let first = from; first <= through && isWanted(); first += PIECE) {
    const { items } = await fetchPiece(ask, view, first, Math.min(through, first + PIECE - 1));
    if (items.length === 0) break;  // the end of the view
    for (const item of items) if (!item.isHeader && item.absence === null) rows.set(item.id, item);
    progress(rows.size);
  }
  return [...rows.values()];
}
