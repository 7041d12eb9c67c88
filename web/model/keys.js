// keys.js: movement of the active cell by keys, and the list of shortcuts. No DOM.

/**
 * Returns the active cell after a key, or null if the key has no meaning here.
 *
 * Position -1 is the row of column headers, and -2 that of totals, below the last item. The pinned
 * rows, which are above the first item, have the positions -3, -4 and so on.
 *
 * @param {{position: number, column: number}} from
 * @param {string} key as in KeyboardEvent
 * @param {{total: number, columns: number, page: number, isControl: boolean,
 *   isRightToLeft?: boolean, hasTotals?: boolean, pins?: number}} grid `page` is the number of
 *   items that a page key moves by, and `pins` that of pinned rows
 */
export function moveActive({ position, column }, key, { total, columns, page, isControl, isRightToLeft = false, hasTotals = false, pins = 0 }) {
  if (position <= firstPin) return moveFromPin({ position, column }, key, { total, columns, isControl, isRightToLeft, pins });
  const isTotals = position === -2;
  const go = (toPosition, toColumn) => ({
    position: isTotals && toPosition === position ? position : Math.max(-1, Math.min(total - 1, toPosition)),
    column: Math.max(0, Math.min(columns - 1, toColumn)),
  });
  const side = isRightToLeft ? -1 : 1;
  const across = (step) => go(position, isControl ? (step > 0 ? columns - 1 : 0) : column + step);
  const below = isTotals ? total : position;  // the totals come after the last item
  switch (key) {
    case 'ArrowDown':
      if (isTotals || (hasTotals && position === total - 1)) return { position: -2, column };
      if (position === -1 && pins > 0 && !isControl) return { position: firstPin, column };
      return go(isControl ? total - 1 : position + 1, column);
    case 'ArrowUp':
      if (position === 0 && pins > 0) return { position: firstPin - pins + 1, column };
      return go(isControl ? Math.min(0, below - 1) : below - 1, column);
    case 'ArrowRight': return across(side);
    case 'ArrowLeft': return across(-side);
    case 'PageDown': return isTotals ? go(position, column) : go(Math.max(0, position) + page, column);
    case 'PageUp': return go(Math.max(0, below - page), column);
    case 'Home': return go(isControl ? 0 : position, 0);
    case 'End': return go(isControl ? total - 1 : position, columns - 1);
    default: return null;
  }
}

const firstPin = -3;

// Returns the active cell after a key in a pinned row.
function moveFromPin({ position, column }, key, { total, columns, isControl, isRightToLeft, pins }) {
  const at = Math.min(pins - 1, firstPin - position);
  const side = isRightToLeft ? -1 : 1;
  const go = (toRow, toColumn) => ({ position: toRow, column: Math.max(0, Math.min(columns - 1, toColumn)) });
  const across = (step) => go(position, isControl ? (step > 0 ? columns - 1 : 0) : column + step);
  switch (key) {
    case 'ArrowDown':
      if (isControl && total > 0) return go(total - 1, column);
      return at < pins - 1 || total === 0 ? go(firstPin - Math.min(pins - 1, at + 1), column) : go(0, column);
    case 'ArrowUp': return at > 0 && !isControl ? go(firstPin - at + 1, column) : go(-1, column);
    case 'ArrowRight': return across(side);
    case 'ArrowLeft': return across(-side);
    case 'PageDown': return go(total > 0 ? 0 : position, column);
    case 'PageUp': return go(position, column);
    case 'Home': return go(isControl && total > 0 ? 0 : position, 0);
    case 'End': return go(isControl && total > 0 ? total - 1 : position, columns - 1);
    default: return null;
  }
}

/**
 * The keyboard shortcuts by group, as listed for the user, with texts in English.
 * @type {readonly [string, [string, string][]][]}
 */
export const KEYS = Object.freeze([
  ['Rows', [
    ['Arrow keys', 'Move between cells; up from the first row to the headers, down from the last one to the totals'], ['Home, End', 'First and last cell of the row'],
    ['Ctrl+Home, Ctrl+End', 'First and last row'], ['Ctrl+arrow', 'Jump to the edge'], ['Page Up, Page Down', 'Scroll by one screen'],
    ['Enter', 'Show the row’s details; on a section: collapse or expand it'], ['Ctrl+Enter', 'Follow a link'], ['Delete', 'In a pinned row: unpin it'],
    ['Shift+F10, right click, long press', 'Menu of the cell: filter by its value, copy, group, actions'],
  ]],
  ['Selecting and copying', [
    ['Space, Ctrl+click', 'Select or deselect the row'], ['Shift+arrow, Shift+click, drag', 'Select cells'], ['Shift+Space', 'Select all cells of the row'],
    ['Ctrl+Space', 'Select the column'], ['Ctrl+A', 'Select all'], ['Ctrl+C', 'Copy; pastes into spreadsheets as a table'], ['Escape', 'Clear the selection; then close the details; then release a held order'],
  ]],
  ['Column headers', [
    ['Enter', 'Sort; with Shift: add to the sort'], ['Alt+↓, right click', 'Column menu: filter, group, pin, hide'], ['Shift+←, Shift+→', 'Make the column narrower or wider'],
    ['Ctrl+Shift+←, Ctrl+Shift+→', 'Move the column'],
  ]],
  ['Summary', [['←, →', 'Move between the tiles'], ['Enter', 'Show only the rows of the tile, or those from before'], ['F2', 'Rename the tile'], ['Delete', 'Remove the tile']]],
  ['Facets', [['↑, ↓', 'Move between the values'], ['Enter, Space', 'Show only rows with this value, or with any of several; again: take that back'], ['Alt+Enter, Delete, Alt+click', 'Leave out the rows with this value'], ['Shift+F10, right click, long press', 'Menu of the value']]],
  ['Everywhere', [['Ctrl+K', 'Find a command, a view, a column or a table by words'], ['Ctrl+Z, Ctrl+Shift+Z', 'Undo or redo a change of the view, like Back and Forward'], ['/', 'Search all columns'], ['Ctrl+F', 'Find in table'], ['P', 'Pause or resume updates'], ['L', 'Stay at the newest rows, if the table has an end where they appear'], ['S', 'Split view on or off'], ['F6', 'Switch to the other table'], ['E', 'Export all rows'], ['F', 'Facets: count and filter by the values of columns'], ['I', 'Activity: rates, delays, reuse'], ['?', 'Keyboard shortcuts']]],
]);
