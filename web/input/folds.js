// folds.js: collapses and expands sections on a click on their header, or on Enter, Space, Left and
// Right while it is active.

import { isRightToLeft } from '../model/language.js';

/**
 * Installs the listeners. Call it before those of other keys, which have another meaning in a row.
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
    if (!isToggle(event.key, header.isCollapsed, isRightToLeft())) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    toggle(header);
  });
}

/** Whether a key on a header toggles its section. The arrow to the inline end expands it. */
export function isToggle(key, isCollapsed, isMirrored = false) {
  return key === 'Enter' || key === ' ' || key === (isCollapsed !== isMirrored ? 'ArrowRight' : 'ArrowLeft');
}
