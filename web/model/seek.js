// seek.js: finds the next cell with a text in a whole view. Rows outside the window are fetched and
// searched in pieces. No DOM, no socket, no clock.

import { fetchPiece, PIECE } from '../protocol/pieces.js';

/**
 * A pinned row: its values and its position as an active cell, which is at most -3.
 * @typedef {{position: number, row: import('../protocol/wire.js').Row}} Pin
 */

/** Whether a position is that of a pinned row. */
export function isPinned(position) {
  return position <= -3;
}

// Positions in reading order: the pinned rows at -3, -4 and so on are above all others.
function lineOf(position) {
  return isPinned(position) ? -1_000_000 - position : position;
}

/**
 * Returns the cells of the window that contain the words to find, in reading order.
 *
 * @param {import('./finding.js').Finding} finding
 * @param {{start: number, items: object[]}} copy the window
 * @param {import('./columns.js').Spec[]} specs the visible columns
 * @param {Pin[]} [pinned] the pinned rows, whose cells are left out
 * @returns {{position: number, column: number}[]}
 */
export function findText(finding, copy, specs, pinned = []) {
  const found = [];
  const ids = new Set(pinned.map(({ row }) => row.id));
  copy.items.forEach((item, index) => {
    const isInside = item.isHeader || item.absence !== null || ids.has(item.id) ? null : finding.ofRow(item.cells);
    if (isInside === null) return;
    specs.forEach((spec, column) => {
      if (isInside(item.cells[spec.index], spec, column)) found.push({ position: copy.start + index, column });
    });
  });
  return found;
}

/**
 * Returns the cells of the pinned rows that contain the words to find, in reading order.
 *
 * @param {import('./finding.js').Finding} finding
 * @param {Pin[]} pinned
 * @param {import('./columns.js').Spec[]} specs the visible columns
 * @returns {{position: number, column: number}[]}
 */
export function findPinned(finding, pinned, specs) {
  return pinned.flatMap(({ position, row }) => {
    const isInside = finding.ofRow(row.cells);
    return isInside === null ? [] : specs.flatMap((spec, column) => (isInside(row.cells[spec.index], spec, column) ? [{ position, column }] : []));
  });
}

/**
 * Returns the next cell after a place, or with `isBackward` the previous one, or undefined. `found`
 * is in reading order.
 */
export function nextFound(found, place, isBackward) {
  const isAfter = ({ position, column }) => lineOf(position) > lineOf(place.position) || (position === place.position && column > place.column);
  const isSame = ({ position, column }) => position === place.position && column === place.column;
  return isBackward ? found.findLast((one) => !isAfter(one) && !isSame(one)) : found.find(isAfter);
}

/**
 * Searches from a place to the end of the view, then from the other end back to the place.
 *
 * @param {(sideQuery: object, how: object) => Promise<import('../protocol/wire.js').WindowCopy>}
 *   ask see sidequeries.js
 * @param {{table: string, query: object}} view
 * @param {object} how
 * @param {import('./finding.js').Finding} how.finding
 * @param {import('./columns.js').Spec[]} how.specs the visible columns
 * @param {{position: number, column: number}} how.place
 * @param {boolean} how.isBackward
 * @param {number} how.total the number of items in the view
 * @param {Pin[]} [how.pinned] the pinned rows, whose cells are left out
 * @param {(share: number) => void} how.progress called with the searched share of the view, from 0 to 1
 * @param {() => boolean} how.isWanted returns false to stop the search
 * @returns {Promise<{position: number, column: number}|null>} null if nothing was found
 */
export async function seekText(ask, view, { finding, specs, place, isBackward, total, pinned = [], progress, isWanted }) {
  let passed = 0;
  for (const { first, last, isRest } of piecesFrom(place.position, total, isBackward)) {
    if (!isWanted()) return null;
    const piece = await fetchPiece(ask, view, first, last);
    if (!isWanted()) return null;
    const found = findText(finding, piece, specs, pinned);
    const next = isRest ? found.at(isBackward ? -1 : 0) : nextFound(found, place, isBackward);
    if (next !== undefined) return next;
    passed += last - first + 1;
    progress(Math.min(1, passed / total));
  }
  return null;
}

// Returns the pieces of a view in search order. The place's own row is in the first piece and in
// the last.
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
