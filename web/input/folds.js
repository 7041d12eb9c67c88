// folds.js: what collapses a section and expands it again: a click on its header, or Enter, Left and Right while it is active.

/**
 * Listens on the grid; before its other keys, which mean something else in a row.
 *
 * @param {import('../grid/headers.js').Sections} sections
 * @param {import('./focus.js').Focus} focus
 * @param {(header: import('../protocol/wire.js').Header) => void} toggle
 */
export function listenForFolds(grid, sections, focus, toggle) {
  grid.addEventListener('click', (event) => {
    const header = sections.headerAt(event.target);
    if (header !== null) toggle(header);
  });
  grid.addEventListener('keydown', (event) => {
    const header = focus.item;
    if (!header?.isHeader || event.altKey || event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (!isToggle(event.key, header.isCollapsed)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    toggle(header);
  });
}

/** Whether a key on a header means to collapse or expand it. */
export function isToggle(key, isCollapsed) {
  return key === 'Enter' || key === ' ' || key === (isCollapsed ? 'ArrowRight' : 'ArrowLeft');
}
