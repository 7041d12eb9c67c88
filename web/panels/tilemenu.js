// tilemenu.js: the items that add tiles to the summary strip. No DOM.

import { titleOf } from '../model/columns.js';
import { filterOf, functionsFor, isNarrow, mostTiles, sameTile, tilesOf } from '../model/tiles.js';

/** Returns the item that adds a tile, or removes it if the view has it. */
function tileItem(label, tile, { view, table, change }) {
  const tiles = tilesOf(view, table);
  const isShown = tiles.some((other) => sameTile(other, tile));
  const isFull = !isShown && tiles.length >= mostTiles;
  return {
    label, isChecked: isShown, isDisabled: isFull, ...(isFull ? { why: `The summary has ${mostTiles} tiles. Remove one first.` } : {}),
    run: () => change({ tiles: isShown ? tiles.filter((other) => !sameTile(other, tile)) : [...tiles, tile] }),
  };
}

/**
 * Returns the items that add tiles of a column.
 *
 * @param {{view: import('../model/query.js').View, table: object, change: (wish: object) => void}}
 *   how `change` changes the view
 */
export function columnTiles(column, how) {
  const filter = filterOf(how.view);
  const items = (own) => functionsFor(column).map(([kind, label]) => tileItem(label, { function: kind, column: column.name, ...own }, how));
  const all = [{ heading: 'Of all rows' }, ...items({})];
  return isNarrow(filter) ? [...all, { heading: 'Of the rows shown' }, ...items(filter)] : all;
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
    { heading: 'Number of rows' },
    tileItem('All rows', { function: 'count' }, how),
    ...(table.windowed ? [] : [
      ...(isNarrow(filter) ? [tileItem('Rows shown', { function: 'count', ...filter }, how)] : []),
      { heading: 'Of a column' },
      ...table.columns.filter((column) => functionsFor(column).length > 0)
        .map((column) => ({ label: `${titleOf(column)}…`, run: () => open(titleOf(column), columnTiles(column, how)) })),
    ]),
  ];
}
