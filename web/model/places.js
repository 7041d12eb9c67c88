// places.js: the user's changes to the columns' layout. Loaded after the first rows. No DOM.

import { arrange, titleOf, WIDTHS } from './columns.js';

/** Returns the layout after changing a column's `width`, `isHidden` or `isPinned`. */
export function changePlace(columns, layout, name, change) {
  const width = change.width === undefined ? {} : { width: change.width === 0 ? 0 : Math.max(WIDTHS.least, Math.min(WIDTHS.most, Math.round(change.width))) };
  return simplest(columns, arrange(columns, layout).map((place) => (place.column === name ? { ...place, ...change, ...width } : place)));
}

/**
 * Returns the layout after moving a column before another one, or to the end (`before` is null).
 * Its new neighbors decide whether it is pinned.
 */
export function movePlace(columns, layout, name, before) {
  const places = arrange(columns, layout);
  const moved = places.find(({ column }) => column === name);
  if (moved === undefined || name === before) return simplest(columns, places);
  const others = places.filter((place) => place !== moved);
  const at = before === null ? others.length : others.findIndex(({ column }) => column === before);
  if (at < 0) return simplest(columns, places);
  // Before a pinned column it is pinned. Directly after the last pinned one it is unchanged.
  const isPinned = others[at]?.isPinned ? true : moved.isPinned && (at === 0 || others[at - 1].isPinned);
  others.splice(at, 0, { ...moved, isPinned });
  return simplest(columns, others);
}

/** Returns the layout after moving a column by one visible place to the left (-1) or right (1). */
export function stepPlace(columns, layout, name, step) {
  const shown = arrange(columns, layout).filter(({ isHidden }) => !isHidden).map(({ column }) => column);
  const at = shown.indexOf(name);
  const to = at + step;
  if (at < 0 || to < 0 || to >= shown.length) return layout;
  return movePlace(columns, layout, name, step < 0 ? shown[to] : shown[to + 1] ?? null);
}

/** Returns the layout with these columns visible, and with `isOnly` all others hidden. */
export function showPlaces(columns, layout, names, isOnly = false) {
  return simplest(columns, arrange(columns, layout).map((place) => (
    names.includes(place.column) ? { ...place, isHidden: false } : isOnly ? { ...place, isHidden: true } : place)));
}

/** Returns the names of the columns whose title or name contains all words in a text. */
export function findColumns(columns, text) {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '');
  return columns.filter((column) => {
    const own = `${titleOf(column)} ${column.name}`.toLowerCase();
    return words.every((word) => own.includes(word));
  }).map(({ name }) => name);
}

function simplest(columns, places) {
  const all = arrange(columns, places);
  const isPlain = all.every((place, at) => place.column === columns[at].name && place.width === 0 && !place.isHidden && !place.isPinned);
  return isPlain ? [] : all;
}
