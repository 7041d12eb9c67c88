// drag.js: column headers under the pointer: their edges are pulled, they are put elsewhere, or dropped where rows are grouped.

const farEnough = 5;  // pixels until a press is a drag and no longer a click

/**
 * Listens on the row of column headers.
 *
 * @param {import('../grid/headers.js').Heads} heads
 * @param {HTMLElement} target where a header is dropped to group by it
 * @param {object} on `resize(spec, width)` while an edge is pulled and `resized(spec)` after it, `fit(spec)` for a double click on it,
 *   `move(name, before)` and `group(name)` for what was dropped
 */
export function listenForDrags(heads, target, on) {
  const { row } = heads;
  row.addEventListener('pointerdown', (event) => {
    const spec = heads.specAt(event.target);
    if (spec === undefined || event.button !== 0 || event.target.closest('.head-more')) return;
    if (event.target.closest('.head-edge')) pull(event, spec);
    else if (event.pointerType !== 'touch') carry(event, spec);  // a finger scrolls there
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
    let drop = null;
    follow(event, (now) => {
      if (ghost === null && Math.hypot(now.clientX - from, now.clientY - event.clientY) < farEnough) return;
      ghost ??= makeGhost(spec, row);
      ghost.el.style.translate = `${now.clientX + 12}px ${now.clientY + 10}px`;
      drop = target.contains(document.elementFromPoint(now.clientX, now.clientY)) ? { isGroup: true } : placeAt(heads, spec, now.clientX);
      target.classList.toggle('drop', drop.isGroup === true);
      ghost.line.hidden = drop.isGroup === true;
      if (!drop.isGroup) ghost.line.style.translate = `${drop.x - row.getBoundingClientRect().left}px`;
    }, (isDropped) => {
      if (ghost === null) return;
      for (const part of Object.values(ghost)) part.remove();
      target.classList.remove('drop');
      addEventListener('click', swallow, { capture: true, once: true });  // what was carried was not clicked
      setTimeout(() => removeEventListener('click', swallow, { capture: true }));
      if (!isDropped || drop === null) return;
      if (drop.isGroup) on.group(spec.column.name);
      else if (drop.before !== spec.column.name) on.move(spec.column.name, drop.before);
    });
  }
}

function swallow(event) {
  event.stopPropagation();
  event.preventDefault();
}

/** Follows a pressed pointer until it is released (true) or given up (false): Escape, or the browser takes it away. */
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

/** Before which column one dropped at `x` would stand, and where the line between them is. */
function placeAt(heads, spec, x) {
  const isRightToLeft = getComputedStyle(heads.row).direction === 'rtl';
  const boxes = heads.cells.map((cell) => cell.getBoundingClientRect());
  const isBefore = ({ left, width }) => (isRightToLeft ? x > left + width / 2 : x < left + width / 2);
  let at = boxes.findIndex(isBefore);
  if (at < 0) at = boxes.length;
  if (at === spec.at + 1) at = spec.at;  // directly after itself is where it is
  const box = boxes[Math.min(at, boxes.length - 1)];
  return { before: heads.specs[at]?.column.name ?? null, x: (at < boxes.length) !== isRightToLeft ? box.left : box.right };
}

function makeGhost(spec, row) {
  const el = document.createElement('div');
  el.className = 'drag-ghost';
  el.textContent = row.querySelectorAll('.head-title')[spec.at].textContent;
  document.body.append(el);
  const line = document.createElement('div');
  line.className = 'drop-line';
  row.append(line);
  return { el, line };
}
