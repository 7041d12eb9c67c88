// longpress.js: a touch held in place on a cell opens its menu. The only permanent listener is the
// grid's; the others last as long as the touch.

const pressTime = 500;   // milliseconds
const slop = 10;         // pixels that a resting finger may move
const ghostTime = 400;   // milliseconds after the touch in which browsers send a click

/** Whether a touch moved too far to be a long press. */
export function isMoved({ x, y }, { clientX, clientY }) {
  return Math.hypot(clientX - x, clientY - y) > slop;
}

/**
 * Installs the listeners. `press({target, clientX, clientY})` opens a menu and returns whether it
 * did. Pages get no `contextmenu` event and no click from such a touch.
 *
 * @param {HTMLElement} grid
 * @param {(point: {target: Element, clientX: number, clientY: number}) => boolean} press
 */
export function listenForLongPress(grid, press) {
  let end = () => {};
  grid.addEventListener('pointerdown', (/** @type {On<PointerEvent>} */ event) => {
    end();
    if (event.pointerType !== 'touch' || !event.isPrimary || event.target.closest('[role=gridcell], [role=rowheader]') === null) return;
    const { target, clientX, clientY, pointerId } = event;
    const at = { x: clientX, y: clientY };
    const done = new AbortController();
    const how = { signal: done.signal, capture: true };
    let isOpen = false;
    end = () => {
      clearTimeout(timer);
      done.abort();
      end = () => {};
    };
    const open = () => {
      clearTimeout(timer);
      isOpen = target.isConnected && press({ target, clientX, clientY });
      if (!isOpen) end();
    };
    const timer = setTimeout(open, pressTime);
    addEventListener('pointermove', (moved) => { if (!isOpen && moved.pointerId === pointerId && isMoved(at, moved)) end(); }, how);
    addEventListener('pointerdown', ({ pointerId: other }) => {
      if (other === pointerId) return;
      if (isOpen) done.abort();  // the next touch, such as one on the menu, has a click of its own
      else end();
    }, how);
    // Browsers with a long press of their own may send this first.
    addEventListener('contextmenu', (menu) => {
      menu.preventDefault();
      menu.stopImmediatePropagation();
      if (!isOpen) open();
    }, how);
    addEventListener('touchend', (lifted) => { if (isOpen && lifted.cancelable) lifted.preventDefault(); }, { ...how, passive: false });
    addEventListener('click', (click) => {
      if (!isOpen) return;
      click.preventDefault();
      click.stopImmediatePropagation();
    }, how);
    // Scrolling by touch cancels the pointer. A `scroll` event may come from a change of the rows.
    for (const name of ['pointerup', 'pointercancel']) {
      addEventListener(name, (/** @type {PointerEvent} */ { pointerId: other }) => {
        if (other !== pointerId) return;
        if (isOpen) setTimeout(() => done.abort(), ghostTime);
        else end();
      }, how);
    }
  });
}
