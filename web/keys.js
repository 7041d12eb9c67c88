// keys.js: where the keyboard takes the active cell. No DOM.

/**
 * The active cell after a key, or null when the key means nothing here. The row of column headers is position -1.
 *
 * @param {{position: number, column: number}} from
 * @param {string} key as in KeyboardEvent
 * @param {{total: number, columns: number, page: number, isControl: boolean, isRightToLeft?: boolean}} grid `page`: items that a page
 *   key passes over
 */
export function moveActive({ position, column }, key, { total, columns, page, isControl, isRightToLeft = false }) {
  const go = (toPosition, toColumn) => ({
    position: Math.max(-1, Math.min(total - 1, toPosition)),
    column: Math.max(0, Math.min(columns - 1, toColumn)),
  });
  const side = isRightToLeft ? -1 : 1;
  const across = (step) => go(position, isControl ? (step > 0 ? columns - 1 : 0) : column + step);
  switch (key) {
    case 'ArrowDown': return go(isControl ? total - 1 : position + 1, column);
    case 'ArrowUp': return go(isControl ? Math.min(0, position - 1) : position - 1, column);
    case 'ArrowRight': return across(side);
    case 'ArrowLeft': return across(-side);
    case 'PageDown': return go(Math.max(0, position) + page, column);
    case 'PageUp': return go(Math.max(0, position - page), column);
    case 'Home': return go(isControl ? 0 : position, 0);
    case 'End': return go(isControl ? total - 1 : position, columns - 1);
    default: return null;
  }
}

/** What the page's keys do, for people. */
export const KEYS = Object.freeze([
  ['Rows', [
    ['Arrow keys', 'Move from cell to cell; up from the first row to the headers'], ['Home, End', 'First and last cell of the row'],
    ['Ctrl+Home, Ctrl+End', 'First and last row'], ['Ctrl+arrow', 'To the edge in that direction'], ['Page Up, Page Down', 'A screenful'],
    ['Enter', 'All cells of the row, beside the table; on a section: collapse or expand it'], ['Ctrl+Enter', 'Follow a link'],
    ['Shift+F10, right click', 'What can be done to the row'],
  ]],
  ['Selecting and copying', [
    ['Space, Ctrl+click', 'Select the row, or no more'], ['Shift+arrow, Shift+click', 'Select cells'], ['Shift+Space', 'Select the row’s cells'],
    ['Ctrl+Space', 'Select the column'], ['Ctrl+A', 'Select everything'], ['Ctrl+C', 'Copy, for spreadsheets as a table'], ['Escape', 'Select nothing'],
  ]],
  ['Column headers', [
    ['Enter', 'Sort; with Shift by a further column'], ['Alt+↓, right click', 'Menu: filter, group, pin, hide'], ['Shift+←, Shift+→', 'Narrower, wider'],
    ['Ctrl+Shift+←, Ctrl+Shift+→', 'Move the column'],
  ]],
  ['Everywhere', [['/', 'Search all rows'], ['Ctrl+F', 'Find in the rows at hand'], ['P', 'Keep the rows as they are, or go on'], ['S', 'A second table beside this one, or only this one'], ['F6', 'From one table to the other'], ['E', 'Save all rows as a file'], ['I', 'What goes on: rates, delays, reuse'], ['?', 'These keys']]],
]);
