// drag.js: drags of column headers: resize, reorder, drop to group, and drop outside to hide.

import { phrase } from '../model/language.js';

const farEnough = 5;  // pixels after which a press becomes a drag
const outside = 24;  // pixels above or below the table from which a drop hides the column

/**
 * Installs the listeners for drags of column headers.
 *
 * @param {import('../grid/headers.js').Heads} heads
 * @param {HTMLElement} target dropping a header here groups by its column
 * @param {object} on `resize(spec, width)` while an edge is dragged, `resized(spec)` when it is
 *   released, `fit(spec)` for a double click on an edge, `move(name, before)`, `group(name)` and
 *   `hide(name)` for a dropped header
 */
export function listenForDrags(heads, target, on) {
  const { row } = heads;
  row.addEventListener('pointerdown', (event) => {
    const spec = heads.specAt(event.target);
    if (spec === undefined || event.button !== 0 || event.target.closest('.head-more')) return;
    if (event.target.closest('.head-edge')) pull(event, spec);
    else if (event.pointerType !== 'touch') carry(event, spec);  // touch scrolls instead
  });
  row.addEventListener('dblclick', (event) => {
    if (event.target.closest('.head-edge')) on.fit(heads.specAt(event.target));
  });

  function pull(event, spec) {
    event.preventDefault();
    const from = event.clientX;
    const { width } = spec;
    const sign = getComputedStyle(row).direction === 'rtl' ? -1 : 1;
    let isPulled = false;
    follow(event, (now) => {
      isPulled = true;
      on.resize(spec, width + sign * (now.clientX - from));
    }, () => isPulled && on.resized(spec));
  }

  function carry(event, spec) {
    const from = event.clientX;
    let ghost = null;
    /** @type {{isGroup?: boolean, isOut?: boolean, before?: string|null, x?: number}|null} */
    let drop = null;
    follow(event, (now) => {
      if (ghost === null && Math.hypot(now.clientX - from, now.clientY - event.clientY) < farEnough) return;
      ghost ??= makeGhost(spec, row);
      ghost.el.style.translate = `${now.clientX + 12}px ${now.clientY + 10}px`;
      drop = target.contains(document.elementFromPoint(now.clientX, now.clientY)) ? { isGroup: true }
        : isOutside(row, now.clientY) && heads.specs.length > 1 ? { isOut: true } : placeAt(heads, spec, now.clientX);
      target.classList.toggle('drop', drop.isGroup === true);
      ghost.say(drop.isOut === true);
      ghost.line.hidden = drop.x === undefined;
      if (drop.x !== undefined) ghost.line.style.translate = `${drop.x - row.getBoundingClientRect().left}px`;
    }, (isDropped) => {
      if (ghost === null) return;
      for (const part of [ghost.el, ghost.line]) part.remove();
      target.classList.remove('drop');
      // A drag must not end in a click.
      addEventListener('click', swallow, { capture: true, once: true });
      setTimeout(() => removeEventListener('click', swallow, { capture: true }));
      if (!isDropped || drop === null) return;
      if (drop.isGroup) on.group(spec.column.name);
      else if (drop.isOut) on.hide(spec.column.name);
      else if (drop.before !== spec.column.name) on.move(spec.column.name, drop.before);
    });
  }
}

function swallow(event) {
  event.stopPropagation();
  event.preventDefault();
}

/**
 * Follows a pressed pointer until it is released or cancelled.
 *
 * `end` receives true for a release, false for Escape or a `pointercancel`.
 */
function follow({ pointerId, target }, move, end) {
  const done = new AbortController();
  const finish = (isDropped) => {
    done.abort();
    end(isDropped);
  };
  target.setPointerCapture(pointerId);
  const how = { signal: done.signal };
  target.addEventListener('pointermove', move, how);
  target.addEventListener('pointerup', () => finish(true), how);
  target.addEventListener('pointercancel', () => finish(false), how);
  addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    finish(false);
  }, { ...how, capture: true });
}

/** Whether a drop at `y` is above or below the table. Beyond its sides, it moves the column. */
function isOutside(row, y) {
  const { top, bottom } = row.closest('.grid').getBoundingClientRect();
  return y < top - outside || y > bottom + outside;
}

/** Returns the column before which a drop at `x` inserts (null: at the end) and the mark's x. */
function placeAt(heads, spec, x) {
  const isRightToLeft = getComputedStyle(heads.row).direction === 'rtl';
  const boxes = heads.cells.map((cell) => cell.getBoundingClientRect());
  const isBefore = ({ left, width }) => (isRightToLeft ? x > left + width / 2 : x < left + width / 2);
  let at = boxes.findIndex(isBefore);
  if (at < 0) at = boxes.length;
  if (at === spec.at + 1) at = spec.at;  // a drop right after itself changes nothing
  const box = boxes[Math.min(at, boxes.length - 1)];
  return { before: heads.specs[at]?.column.name ?? null, x: (at < boxes.length) !== isRightToLeft ? box.left : box.right };
}

function makeGhost(spec, row) {
  const el = document.createElement('div');
  el.className = 'drag-ghost';
  const title = row.querySelectorAll('.head-title')[spec.at].textContent;
  el.textContent = title;
  document.body.append(el);
  const line = document.createElement('div');
  line.className = 'drop-line';
  row.append(line);
  const say = (isOut) => { el.textContent = isOut ? phrase('Hide {column}', { column: title }) : title; };
  return { el, line, say };
}
