// tiles.js: the messages of the summary strip and of the facets panel. No DOM, no socket, no clock.

/** Whether a message has the form of the server's `facets`; facets.js checks each of them. */
export function isFacets({ id, facets }) {
  return Number.isSafeInteger(id) && id >= 0 && Array.isArray(facets) && facets.every((facet) => Number.isSafeInteger(facet?.at));
}

/** Requests tiles or facets in wire format, in place of earlier ones of this type. */
export function requestOf(type, id, wanted) {
  return { type, id, [type]: wanted };
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
