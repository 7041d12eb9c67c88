// tiles.js: the messages of the summary strip. No DOM, no socket, no clock.

/** Requests the values of tiles in wire format, in place of earlier ones. */
export function tiles(id, wanted) {
  return { type: 'tiles', id, tiles: wanted };
}

/** Whether a message has the form of the server's `tiles`. */
export function isTiles({ id, tiles: all }) {
  return Number.isSafeInteger(id) && id >= 0 && Array.isArray(all) && all.every(isOutcome);
}

function isOutcome(tile) {
  if (typeof tile !== 'object' || tile === null || Array.isArray(tile)) return false;
  const { error, before, seconds, course } = tile;
  if (error !== undefined) return typeof error === 'object' && error !== null && typeof error.reason === 'string';
  return before === undefined || (Number.isFinite(seconds) && Array.isArray(course));
}
