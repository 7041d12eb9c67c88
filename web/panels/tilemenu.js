// tilemenu.js: the items that add tiles to the summary strip. No DOM.

import { titleOf } from '../model/columns.js';
import { filterOf, functionsFor, isNarrow, mostTiles, sameTile, tilesOf } from '../model/tiles.js';
import { phrase } from '../model/language.js';

/** Returns the item that adds a tile, or removes it if the view has it. */
function tileItem(label, tile, { view, table, change }) {
  const tiles = tilesOf(view, table);
  const isShown = tiles.some((other) => sameTile(other, tile));
  const isFull = !isShown && tiles.length >= mostTiles;
  return {
    label, isChecked: isShown, isDisabled: isFull, ...(isFull ? { why: phrase('The summary has {most} tiles. Remove one first.', { most: mostTiles }) } : {}),
    run: () => change({ tiles: isShown ? tiles.filter((other) => !sameTile(other, tile)) : [...tiles, tile] }),
  };
}

/**
 * Returns the items that add tiles of a column.
 *
 * @param {{view: import('../model/query.js').View, table: object, change: (changes: object) =>
 *   void}} how `change` changes the view
 */
export function columnTiles(column, how) {
  const filter = filterOf(how.view);
  const items = (own) => functionsFor(column).map(([kind, label]) => tileItem(label, { function: kind, column: column.name, ...own }, how));
  const all = [{ heading: phrase('Of all rows') }, ...items({})];
  return isNarrow(filter) ? [...all, { heading: phrase('Of the rows shown') }, ...items(filter)] : all;
}

/**
 * Returns the items of the menu that adds a tile.
 *
 * @param {object} how as in {@link columnTiles}
 * @param {(label: string, items: object[]) => void} open opens the menu of a column
 * @returns {import('./menu.js').MenuItem[]}
 */
export function tileMenu(how, open) {
  const { view, table } = how;
  const filter = filterOf(view);
  return [
    { heading: phrase('Number of rows') },
    tileItem(phrase('All rows'), { function: 'count' }, how),
    ...(table.windowed ? [] : [
      ...(isNarrow(filter) ? [tileItem(phrase('Rows shown'), { function: 'count', ...filter }, how)] : []),
      { heading: phrase('Of a column') },
      ...table.columns.filter((column) => functionsFor(column).length > 0)
        .map((column) => ({ label: `${titleOf(column)}…`, run: () => open(titleOf(column), columnTiles(column, how)) })),
    ]),
  ];
}
