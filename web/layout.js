// layout.js: which columns are shown, in which order, how wide, and which stay at the edge: as the reader wants them. No DOM.
//# allFunctionsCalledOnLoad

/** The narrowest and the widest that a reader may make a column. */
export const WIDTHS = Object.freeze({ least: 36, most: 2_000 });

/**
 * A column's place as the reader wants it; `width` is 0 where the page may choose. A view holds none as long as all is as the
 * source has it, else one for each column.
 * @typedef {{column: string, width: number, isHidden: boolean, isPinned: boolean}} Place
 */

/** A place for each of these columns: those the layout names in its order, pinned ones first, then those it does not know. */
export function arrange(columns, layout) {
  const names = new Set(columns.map(({ name }) => name));
  const known = layout.filter(({ column }) => names.has(column));
  for (const { column } of known) names.delete(column);
  const rest = columns.filter(({ name }) => names.has(name)).map(({ name }) => ({ column: name, width: 0, isHidden: false, isPinned: false }));
  const all = [...known, ...rest];
  if (all.length > 0 && all.every(({ isHidden }) => isHidden)) all[0] = { ...all[0], isHidden: false };  // a table shows something
  return [...all.filter(({ isPinned }) => isPinned), ...all.filter(({ isPinned }) => !isPinned)];
}

/** The layout after some of a column's wishes have changed: `{width}`, `{isHidden}`, `{isPinned}`. */
export function changePlace(columns, layout, name, wish) {
  const width = wish.width === undefined ? {} : { width: wish.width === 0 ? 0 : Math.max(WIDTHS.least, Math.min(WIDTHS.most, Math.round(wish.width))) };
  return simplest(columns, arrange(columns, layout).map((place) => (place.column === name ? { ...place, ...wish, ...width } : place)));
}

/** The layout after a column was put directly before another one, or at the end (`before` is null). It joins those it is put among. */
export function movePlace(columns, layout, name, before) {
  const places = arrange(columns, layout);
  const moved = places.find(({ column }) => column === name);
  if (moved === undefined || name === before) return simplest(columns, places);
  const others = places.filter((place) => place !== moved);
  const at = before === null ? others.length : others.findIndex(({ column }) => column === before);
  if (at < 0) return simplest(columns, places);
  // Between two pinned ones it is pinned, too; after the last pinned one it keeps what it was.
  const isPinned = others[at]?.isPinned ? true : moved.isPinned && (at === 0 || others[at - 1].isPinned);
  others.splice(at, 0, { ...moved, isPinned });
  return simplest(columns, others);
}

/** The layout after a column went one place to the left (-1) or right (1) among those that are shown. */
export function stepPlace(columns, layout, name, step) {
  const shown = arrange(columns, layout).filter(({ isHidden }) => !isHidden).map(({ column }) => column);
  const at = shown.indexOf(name);
  const to = at + step;
  if (at < 0 || to < 0 || to >= shown.length) return layout;
  return movePlace(columns, layout, name, step < 0 ? shown[to] : shown[to + 1] ?? null);
}

/** The layout with all columns shown. */
export function showAll(columns, layout) {
  return simplest(columns, arrange(columns, layout).map((place) => ({ ...place, isHidden: false })));
}

function simplest(columns, places) {
  const all = arrange(columns, places);
  const isPlain = all.every((place, at) => place.column === columns[at].name && place.width === 0 && !place.isHidden && !place.isPinned);
  return isPlain ? [] : all;
}

/** The layout as a text for the address: `*pid,name:220,-command`; a star pins, a minus hides. */
export function layoutText(layout, encode) {
  return layout.map(({ column, width, isHidden, isPinned }) =>
    (isPinned ? '*' : '') + (isHidden ? '-' : '') + encode(column) + (width > 0 ? `:${width}` : '')).join(',');
}

/** Reads {@link layoutText} back. */
export function layoutFrom(text, decode) {
  const layout = [];
  for (const term of (text ?? '').split(',').slice(0, 2_000)) {
    const [, pin, hide, name, width = '0'] = /^(\*?)(-?)([^:]*)(?::(\d{1,5}))?$/.exec(term) ?? [];
    const column = decode(name ?? '');
    if (column === '' || layout.some((place) => place.column === column)) continue;
    const wished = Number(width);
    layout.push({
      column, width: wished === 0 ? 0 : Math.max(WIDTHS.least, Math.min(WIDTHS.most, wished)), isHidden: hide === '-', isPinned: pin === '*',
    });
  }
  return layout;
}
