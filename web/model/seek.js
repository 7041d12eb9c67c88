// seek.js: the next cell of a whole view that shows a text: what the page does not hold is fetched and looked through in pieces. No DOM,
// no socket, no clock.

import { fetchPiece, PIECE } from '../protocol/pieces.js';

/**
 * The cells of these rows that a search finds, in reading order.
 *
 * @param {import('./search.js').Search} search
 * @param {{start: number, items: object[]}} copy
 * @param {import('./columns.js').Spec[]} specs those that are shown
 * @returns {{position: number, column: number}[]}
 */
export function findText(search, copy, specs) {
  const found = [];
  copy.items.forEach((item, index) => {
    if (item.isHeader) return;
    specs.forEach((spec, column) => {
      if (search.finds(item.cells[spec.index], spec)) found.push({ position: copy.start + index, column });
    });
  });
  return found;
}

/** Of cells in reading order the next one after a place, or, `isBackward`, before it; undefined when there is none. */
export function nextFound(found, place, isBackward) {
  const isAfter = ({ position, column }) => position > place.position || (position === place.position && column > place.column);
  const isSame = ({ position, column }) => position === place.position && column === place.column;
  return isBackward ? found.findLast((one) => !isAfter(one) && !isSame(one)) : found.find(isAfter);
}

/**
 * Looks from a place to the end of the view, and from its other end up to the place again.
 *
 * @param {(question: object, how: object) => Promise<import('../protocol/wire.js').WindowCopy>} ask see aside.js
 * @param {{table: string, query: object}} view
 * @param {object} how
 * @param {import('./search.js').Search} how.search
 * @param {import('./columns.js').Spec[]} how.specs the columns that are shown
 * @param {{position: number, column: number}} how.place
 * @param {boolean} how.isBackward
 * @param {number} how.total how many items the view has
 * @param {(share: number) => void} how.told hears how much of the view was looked through, from 0 to 1
 * @param {() => boolean} how.isWanted once it says no there is nothing
 * @returns {Promise<{position: number, column: number}|null>}
 */
export async function seekText(ask, view, { search, specs, place, isBackward, total, told, isWanted }) {
  let passed = 0;
  for (const { first, last, isRest } of piecesFrom(place.position, total, isBackward)) {
    if (!isWanted()) return null;
    const piece = await fetchPiece(ask, view, first, last);
    if (!isWanted()) return null;
    const found = findText(search, piece, specs);
    const next = isRest ? found.at(isBackward ? -1 : 0) : nextFound(found, place, isBackward);
    if (next !== undefined) return next;
    passed += last - first + 1;
    told(Math.min(1, passed / total));
  }
  return null;
}

// The pieces of a view in the order in which they are looked through; the place's own row is in the first and in the last one.
function piecesFrom(position, total, isBackward) {
  const pieces = [];
  const add = (from, through, isRest) => {
    const own = [];
    for (let first = from; first <= through; first += PIECE) own.push({ first, last: Math.min(through, first + PIECE - 1), isRest });
    pieces.push(...(isBackward ? own.reverse() : own));
  };
  const at = Math.max(0, Math.min(total - 1, position));
  add(isBackward ? 0 : at, isBackward ? at : total - 1, false);
  add(isBackward ? at : 0, isBackward ? total - 1 : at, true);
  return pieces;
}
