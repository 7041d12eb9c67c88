// pieces.js: rows of a view that the page does not hold, fetched one piece after the other. No DOM, no socket, no clock.

/** How many items one piece has at most. */
export const PIECE = 1_000;

/**
 * The items of a view from one position through another, at most {@link PIECE} of them, when all are there: a large window comes in
 * several patches, and rows of some sources come later.
 *
 * @param {(question: object, how: object) => Promise<import('./wire.js').WindowCopy>} ask see aside.js
 * @param {{table: string, query: object}} view
 * @returns {Promise<{start: number, items: object[]}>} fewer when the view has become shorter
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
 * The rows from one position of a view through another, in its order, none twice. Positions are those of the moment at which each
 * piece is answered: a row that moves meanwhile may be missing.
 *
 * @param {(question: object, how: object) => Promise<import('./wire.js').WindowCopy>} ask see aside.js
 * @param {{table: string, query: object}} view
 * @param {{from: number, through: number, told?: (count: number) => void, isWanted?: () => boolean}} range `told` hears how many there
 *   are until now; once `isWanted` says no the rest is left
 * @returns {Promise<import('./wire.js').Row[]>}
 */
export async function fetchRows(ask, view, { from, through, told = () => {}, isWanted = () => true }) {
  const rows = new Map();
  for (let first = from; first <= through && isWanted(); first += PIECE) {
    const { items } = await fetchPiece(ask, view, first, Math.min(through, first + PIECE - 1));
    if (items.length === 0) break;  // the list ends here
    for (const item of items) if (!item.isHeader && item.absence === null) rows.set(item.id, item);
    told(rows.size);
  }
  return [...rows.values()];
}
