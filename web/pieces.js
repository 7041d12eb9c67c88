// pieces.js: rows of a view that the page does not hold, fetched one piece after the other. No DOM, no socket, no clock.

// As many as one window may have below what is in sight.
const piece = Object.freeze({ count: 1_000, ahead: 2_000, behind: 0 });

/**
 * The rows from one position of a view through another, in its order, none twice. Positions are those of the moment at which each
 * piece is answered: a row that moves meanwhile may be missing.
 *
 * @param {(question: object, how: object) => Promise<import('./rows.js').WindowCopy>} ask see aside.js
 * @param {{table: string, query: object}} view
 * @param {{from: number, through: number, told?: (count: number) => void, isWanted?: () => boolean}} range `told` hears how many there
 *   are until now; once `isWanted` says no the rest is left
 * @returns {Promise<import('./rows.js').Row[]>}
 */
export async function fetchRows(ask, view, { from, through, told = () => {}, isWanted = () => true }) {
  const rows = new Map();
  let at = from;
  while (at <= through && isWanted()) {
    const first = at;
    const last = Math.min(through, first + piece.count + piece.ahead - 1);
    const isEnough = (copy) => isHere(copy, first, Math.min(last, copy.end - 1));
    const copy = await ask({ ...view, viewport: { first, ...piece } }, { isEnough });
    const end = Math.min(last + 1, copy.end);
    for (at = first; at < end; at += 1) {
      const item = copy.itemAt(at);
      if (item !== undefined && !item.isHeader && item.absence === null) rows.set(item.id, item);
    }
    told(rows.size);
    if (end <= first) break;  // the list ends here
  }
  return [...rows.values()];
}

// Whether no row is on its way any more.
function isHere(copy, first, last) {
  for (let at = first; at <= last; at += 1) if (copy.itemAt(at)?.absence?.pending === true) return false;
  return true;
}
