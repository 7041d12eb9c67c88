// tilemenu.js: the items that add tiles to the summary strip. No DOM.

import { titleOf } from '../model/columns.js';
import { functionsFor, mostTiles, sameTile, tilesOf } from '../model/tiles.js';

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
  const { filters } = how.view;
  const items = (terms) => functionsFor(column).map(([kind, label]) => (
    tileItem(label, { function: kind, column: column.name, ...(terms.length > 0 ? { terms } : {}) }, how)));
  const all = [{ heading: 'Of all rows' }, ...items([])];
  return filters.length === 0 ? all : [...all, { heading: 'Of rows that match the filters' }, ...items(filters)];
}

/**
 * Returns the items of the menu that adds a tile.
 *
 * @param {object} how as in {@link columnTiles}
 * @param {(label: string, items: object[]) => void} open opens the menu of a column
 * @returns {import('./menu.js').MenuItem[]}
 */
export function tileMenu(how, open) {
  const { view: { filters }, table } = how;
  return [
    { heading: 'Number of rows' },
    tileItem('All rows', { function: 'count' }, how),
    ...(filters.length > 0 ? [tileItem('Rows that match the filters', { function: 'count', terms: filters }, how)] : []),
    ...(table.windowed ? [] : [
      { heading: 'Of a column' },
      ...table.columns.filter((column) => functionsFor(column).length > 0)
        .map((column) => ({ label: `${titleOf(column)}…`, run: () => open(titleOf(column), columnTiles(column, how)) })),
    ]),
  ];
}
