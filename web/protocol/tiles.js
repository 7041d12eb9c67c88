// tiles.js: the messages of the summary strip, the facets panel and the pinned rows. No DOM, no
// socket, no clock.

/** Whether a message has the form of the server's `facets`; facets.js checks each of them. */
export function isFacets({ id, facets }) {
  return Number.isSafeInteger(id) && id >= 0 && Array.isArray(facets) && facets.every((facet) => Number.isSafeInteger(facet?.at));
}

/**
 * Requests tiles or facets in wire format, or pinned rows by key, in place of earlier ones of this
 * type.
 */
export function requestOf(type, id, wanted) {
  return { type, id, [type === 'pins' ? 'keys' : type]: wanted };
}

/** Whether a message has the form of the server's `pins`. */
export function isPins({ id, rows, error }) {
  const isItem = (item) => item === null || (Array.isArray(item) && isCount(item[0]) && isCount(item[1]) && Array.isArray(item[2]));
  return isCount(id) && Array.isArray(rows) && rows.every((row) => Array.isArray(row) && isCount(row[0]) && isItem(row[1]))
    && (error === undefined || typeof error?.reason === 'string');
}

function isCount(value) {
  return Number.isSafeInteger(value) && value >= 0;
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
