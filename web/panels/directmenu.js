// directmenu.js: items and commands that do at once what would take several others: sums by group,
// a column kept next to the name of its row, and tiles of a column. No DOM.

import { arrange, isNumeric, titleOf } from '../model/columns.js';
import { changePlace } from '../model/places.js';
import { columnTiles } from './tilemenu.js';
import { lacks } from './columnmenu.js';
import { isRightToLeft, phrase } from '../model/language.js';

const mostPairs = 200;  // commands that name two columns

/**
 * Returns what shows the sums of a column by the values of another one, the largest first.
 *
 * @param {string} name
 * @param {string} group the column with the values
 * @returns {object} changes of a view whose sections are to be collapsed
 */
export function sumsBy(name, group) {
  const sum = { column: name, function: 'sum' };
  return { group: [group], aggregates: [sum], sections: [{ column: group, by: sum, descending: true }], ranges: undefined };
}

/** Returns the columns by whose values sums are useful, other than the summed one. */
export function groupsOf(columns, name) {
  return columns.filter((column) => (column.type === 'text' || column.type === 'boolean') && column.name !== name);
}

/**
 * Returns the items of the menu that sums a column up by groups.
 *
 * @param {object} column
 * @param {object[]} columns all columns of the table
 * @param {{groupBy: (changes: object) => void, lack?: (what: object) => string}} on `groupBy`
 *   changes the view and collapses its sections
 * @returns {import('./menu.js').MenuItem[]}
 */
export function sumItems(column, columns, on) {
  return groupsOf(columns, column.name).map((group) => ({
    label: titleOf(group), ...lacks(lackOfSums(group, on)), run: () => on.groupBy(sumsBy(column.name, group.name)),
  }));
}

/** Returns the commands that sum columns up by groups. */
export function sumCommands(columns, on) {
  return columns.filter(({ type }) => isNumeric(type)).flatMap((column) => groupsOf(columns, column.name).map((group) => ({
    label: phrase('Sum {column} by {group}', { column: titleOf(column), group: titleOf(group) }), group: phrase('Columns'),
    ...lacks(lackOfSums(group, on)), run: () => on.groupBy(sumsBy(column.name, group.name)),
  }))).slice(0, mostPairs);
}

/**
 * @param {{name: string}} group
 * @param {{lack?: (what: object) => string}} on
 */
function lackOfSums({ name }, on) {
  const lack = (what) => on.lack?.(what) ?? '';
  return lack({ group: name }) || lack({ aggregate: true }) || lack({ order: true });
}

/** Returns the column that names the rows: the one that the source states, or the first text. */
export function labelColumn(columns, label) {
  return columns.find(({ name }) => name === label) ?? columns.find(({ type }) => type === 'text');
}

/**
 * Returns the item that pins a column together with the one that names the rows, or undefined if
 * that one is pinned or hidden.
 *
 * @param {object} column
 * @param {object[]} columns all columns of the table
 * @param {import('../model/query.js').View} view
 * @param {string|undefined} label the name of the column that names the rows
 * @param {(changes: object) => void} change
 */
export function pinItem(column, columns, view, label, change) {
  const named = labelColumn(columns, label);
  const place = arrange(columns, view.columns).find((other) => other.column === named?.name);
  if (named === undefined || named.name === column.name || place.isPinned || place.isHidden) return undefined;
  const pinned = [named, column].reduce((layout, { name }) => changePlace(columns, layout, name, { isPinned: true }), view.columns);
  const titles = { column: titleOf(column), label: titleOf(named) };
  return {
    label: isRightToLeft() ? phrase('Pin right with {label}', titles) : phrase('Pin left with {label}', titles),
    command: isRightToLeft() ? phrase('Pin {column} right with {label}', titles) : phrase('Pin {column} left with {label}', titles),
    run: () => change({ columns: pinned }),
  };
}

/**
 * Returns the commands that add tiles of columns to the summary.
 * @param {object[]} columns
 * @param {object} how as in {@link columnTiles}
 */
export function tileCommands(columns, how) {
  return columns.flatMap((column) => columnTiles(column, { ...how, view: { ...how.view, filters: [], search: '', where: '' } })
    .flatMap((item) => ('heading' in item ? [] : [{ ...item, label: phrase('Summary: {function} of {column}', { function: item.label, column: titleOf(column) }), group: phrase('Summary') }]))).slice(0, mostPairs);
}
