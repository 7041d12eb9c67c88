// columnmenu.js: the items of column menus: labels, each with a change of the view. No DOM.

import { functionName, FUNCTIONS, isFitting, nextSort } from '../model/query.js';
import { arrange, isNumeric } from '../model/columns.js';
import { changePlace, stepPlace } from '../model/places.js';
import { hasRanges } from '../model/ranges.js';
import { isRightToLeft, keyText, phrase } from '../model/language.js';

/**
 * Returns the items of a column's menu.
 *
 * @param {object} column
 * @param {object[]} columns all columns of the table
 * @param {import('../model/query.js').View} view
 * @param {{change: (changes: object) => void, filter: () => void, totals?: () => void,
 *   order?: () => void, ranges?: () => void, foldAll?: (isCollapsed: boolean) => void,
 *   tile?: () => void, sums?: () => void, pin?: import('./menu.js').MenuItem,
 *   highlight?: () => void, times?: () => void, choose?: () => void, fit: (all: boolean) => void,
 *   lack?: (what: object) => string}} on
 *   `totals` offers all totals of the column, `order` the orders of its sections, `ranges` the
 *   sizes of their ranges, `tile` its tiles, `sums` its sums by group, `highlight` its looks and
 *   `times` the form of its times; `pin` pins it with the column that names the rows, `choose`
 *   opens the list of columns, and `lack` returns why the source does not support an item
 * @returns {import('./menu.js').MenuItem[]}
 */
export function columnMenu(column, columns, view, on) {
  const { name } = column;
  const layout = (next) => () => on.change({ columns: next });
  const place = arrange(columns, view.columns).find((other) => other.column === name);
  const shown = arrange(columns, view.columns).filter(({ isHidden }) => !isHidden);
  const at = shown.indexOf(shown.find((other) => other.column === name));
  const own = view.sort.find((term) => term.column === name);
  const sorted = (descending) => ({
    label: descending ? phrase('Sort descending') : phrase('Sort ascending'), isRadio: true, isChecked: own?.descending === descending,
    ...lacks(on.lack?.({ sort: name })),
    run: () => on.change({ sort: [{ column: name, descending }] }),
  });
  const moved = (step) => ({ isDisabled: at === (step < 0 ? 0 : shown.length - 1), run: layout(stepPlace(columns, view.columns, name, step)) });
  const isGroup = view.group.includes(name);
  const canGroup = column.type !== 'series' && column.type !== 'image';
  const items = [
    sorted(false), sorted(true),
    view.sort.length > 0 && own === undefined ? { label: phrase('Add to sort'), hint: keyText('Shift+click'), run: () => on.change({ sort: nextSort(view.sort, column, true) }) } : undefined,
    own !== undefined ? { label: phrase('Remove sort'), run: () => on.change({ sort: view.sort.filter((term) => term !== own) }) } : undefined,
    null,
    { label: phrase('Filter…'), run: on.filter },
    canGroup ? {
      label: phrase('Group by this column'), isChecked: isGroup, isDisabled: !isGroup && view.group.length >= 4,
      ...(isGroup ? {} : lacks(on.lack?.({ group: name }))),
      run: () => on.change({ group: isGroup ? view.group.filter((other) => other !== name) : [...view.group, name], collapsed: [] }),
    } : undefined,
    on.ranges !== undefined && hasRanges(column) ? {
      label: phrase('Group by ranges…'), isChecked: isGroup && view.ranges?.some((range) => range.column === name) === true,
      isDisabled: !isGroup && view.group.length >= 4, ...lacks(on.lack?.({ ranges: true })), run: on.ranges,
    } : undefined,
    isGroup && on.order !== undefined ? { label: phrase('Order the sections…'), run: on.order } : undefined,
    ...(isGroup && on.foldAll !== undefined ? foldItems(view, on.foldAll) : []),
    ...(isNumeric(column.type) ? totalItems(column, view, on, ['sum', 'mean']) : []),
    isNumeric(column.type) && on.sums !== undefined ? { label: phrase('Sum by group…'), run: on.sums } : undefined,
    canGroup && on.totals !== undefined ? { label: isNumeric(column.type) ? phrase('More totals…') : phrase('Totals…'), run: on.totals } : undefined,
    canGroup && on.highlight !== undefined ? { label: phrase('Highlight…'), run: on.highlight } : undefined,
    column.type === 'timestamp' && on.times !== undefined ? { label: phrase('Times…'), run: on.times } : undefined,
    canGroup && on.tile !== undefined ? { label: phrase('Add to the summary…'), run: on.tile } : undefined,
    null,
    { label: place.isPinned ? phrase('Unpin') : isRightToLeft() ? phrase('Pin right') : phrase('Pin left'), run: layout(changePlace(columns, view.columns, name, { isPinned: !place.isPinned })) },
    place.isPinned ? undefined : on.pin,
    { label: phrase('Move left'), hint: keyText('Ctrl+Shift+←'), ...moved(isRightToLeft() ? 1 : -1) },
    { label: phrase('Move right'), hint: keyText('Ctrl+Shift+→'), ...moved(isRightToLeft() ? -1 : 1) },
    { label: phrase('Fit to content'), run: () => on.fit(false) },
    { label: phrase('Fit all columns'), run: () => on.fit(true) },
    on.choose !== undefined ? { label: phrase('Choose columns…'), run: on.choose } : undefined,
    { label: phrase('Hide column'), isDisabled: shown.length === 1, run: layout(changePlace(columns, view.columns, name, { isHidden: true })) },
  ];
  return items.filter((item) => item !== undefined);
}

/**
 * Returns the items that collapse and expand all sections of a view.
 * @param {import('../model/query.js').View} view
 * @param {(isCollapsed: boolean) => void} foldAll
 */
export function foldItems({ collapsed }, foldAll) {
  return [
    { label: phrase('Collapse all sections'), run: () => foldAll(true) },
    { label: phrase('Expand all sections'), ...lacks(collapsed.length > 0 ? '' : phrase('No section is collapsed.')), run: () => foldAll(false) },
  ];
}

/** Returns what disables an item of a menu for this reason; nothing if it is empty. */
export function lacks(reason = '') {
  return reason === '' ? {} : { isDisabled: true, why: reason };
}

/**
 * Returns the items that add and remove totals of a column: those of `kinds`, or all that suit it.
 * @param {string[]} [kinds]
 */
export function totalItems(column, { aggregates }, on, kinds = Object.keys(FUNCTIONS)) {
  const { name } = column;
  return kinds.filter((kind) => isFitting({ column: name, function: kind }, [column])).map((kind) => {
    const own = aggregates.find((one) => one.column === name && one.function === kind);
    const why = own !== undefined ? '' : aggregates.length >= 16 ? phrase('A view has 16 totals at most.') : on.lack?.({ aggregate: true }) ?? '';
    return {
      label: functionName(kind), isChecked: own !== undefined, ...lacks(why),
      run: () => on.change({ aggregates: own === undefined ? [...aggregates, { column: name, function: kind }] : aggregates.filter((one) => one !== own) }),
    };
  });
}
