// keys.js: where the keyboard takes the active cell. No DOM.

/**
 * The active cell after a key, or null when the key means nothing here. The row of column headers is position -1.
 *
 * @param {{position: number, column: number}} from
 * @param {string} key as in KeyboardEvent
 * @param {{total: number, columns: number, page: number, isControl: boolean}} grid `page`: items that a page key passes over
 */
export function moveActive({ position, column }, key, { total, columns, page, isControl }) {
  const go = (toPosition, toColumn) => ({
    position: Math.max(-1, Math.min(total - 1, toPosition)),
    column: Math.max(0, Math.min(columns - 1, toColumn)),
  });
  switch (key) {
    case 'ArrowDown': return go(isControl ? total - 1 : position + 1, column);
    case 'ArrowUp': return go(isControl ? 0 : position - 1, column);
    case 'ArrowRight': return go(position, isControl ? columns - 1 : column + 1);
    case 'ArrowLeft': return go(position, isControl ? 0 : column - 1);
    case 'PageDown': return go(Math.max(0, position) + page, column);
    case 'PageUp': return go(Math.max(0, position - page), column);
    case 'Home': return go(0, isControl ? 0 : column);
    case 'End': return go(total - 1, isControl ? columns - 1 : column);
    default: return null;
  }
}
