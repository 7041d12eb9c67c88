// commands.js: the commands of the palette: those of the page, and those of views, columns and
// tables. No DOM.

import { arrange, titleOf } from '../model/columns.js';
import { changePlace } from '../model/places.js';
import { hasRanges } from '../model/ranges.js';
import { foldItems, lacks } from './columnmenu.js';
import { pinItem, sumCommands, tileCommands } from './directmenu.js';
import { linesMenu } from './displaymenu.js';
import { follow, isFollowing, newestOf } from './follow.js';
import { orderItems } from './sectionmenu.js';
import { isEnglish, isRightToLeft, keyText, phrase } from '../model/language.js';

/**
 * Returns the commands of the page and of a pane, in the order of the list.
 *
 * `controller` has the pane's controllers and `columnController` those of its headers. `exports`
 * are the items of the export menu, and `canReset` states whether the view differs from the
 * source's. `on.press(id)` presses a button of the page.
 *
 * @param {{pane: object, controller: object, columnController: object, views: object, bar: object,
 *   exports: object[], canReset: boolean, on: Object<string, Function>}} page
 * @param {() => void} openHelp
 * @returns {import('../model/palette.js').Command[]}
 */
export function allCommands({ pane, controller, columnController, views, bar, exports, canReset, on }, openHelp) {
  const { session: { tables, table, isPaused }, columns } = pane;
  const page = (label, hint, run) => ({ label, group: phrase('Page'), hint, run });
  return [
    page(phrase('Search all columns'), '/', () => bar.focusFilter()),
    page(phrase('Find in table'), keyText('Ctrl+F'), () => controller.find.open()),
    page(phrase('Undo a change of the view'), keyText('Ctrl+Z'), () => on.step(true)),
    page(phrase('Redo a change of the view'), keyText('Ctrl+Shift+Z'), () => on.step(false)),
    page(isPaused ? phrase('Resume updates') : phrase('Pause updates'), 'P', () => pane.pause()),
    ...(newestOf(pane) === undefined ? [] : [page(isFollowing(pane) ? phrase('Leave the newest rows') : phrase('Stay at the newest rows'), 'L', () => follow(pane))]),
    page(phrase('Split view on or off'), 'S', on.split),
    page(phrase('Go to the other table'), 'F6', on.next),
    page(pane.facets === null ? phrase('Facets: count and filter by values') : phrase('Close the facets'), 'F', on.toggleFacets),
    page(phrase('Activity: rates, delays, reuse'), 'I', on.togglePanel),
    page(phrase('View options: theme, row height, export'), '', () => on.press('options')),
    page(phrase('Keyboard shortcuts'), '?', openHelp),
    ...(canReset ? [page(phrase('Reset the view to what the source suggests'), '', () => on.press('reset'))] : []),
    page(phrase('Clear the search and all filters'), '', () => pane.change({ search: '', where: '', filters: [] })),
    ...(pane.view.group.length === 0 ? [] : commandsOf(foldItems(pane.view, (isCollapsed) => controller.pointing.foldAll(isCollapsed)), phrase('Page'))),
    ...(controller.pinning.count === 0 ? [] : [page(phrase('Unpin all rows'), '', () => controller.pinning.unpinAll())]),
    ...(pane.strip?.commands ?? []),
    page(phrase('Choose columns…'), '', () => columnController.choose(pane.heads.cells[0] ?? pane.grid)),
    page(phrase('Form of all times…'), '', () => columnController.times(undefined, pane.heads.cells[0] ?? pane.grid)),
    ...linesMenu(pane.session.view, (changes) => pane.change(changes)).map((item) => ({ ...item, label: phrase('Lines of text: {lines}', { lines: isEnglish() ? item.label.toLowerCase() : item.label }), group: phrase('Page') })),
    ...commandsOf(exports, phrase('Export')),
    ...views.state.views.map(({ title, name }) => ({ label: phrase('Open the view {title}', { title }), group: phrase('Views'), run: () => views.open(name) })),
    ...commandsOf(views.items, phrase('Views')),
    ...tableCommands(tables, pane.session.view.table, on.open),
    ...commandsOf(controller.acting.items(false), phrase('Actions')),
    ...(table === undefined || table.windowed ? [] : tileCommands(table.columns, { view: pane.session.view, table, change: (changes) => pane.change(changes) })),
    ...(table === undefined ? [] : columnCommands(table.columns, pane.view, {
      change: (changes) => pane.change(changes),
      lack: (what) => pane.lack(what),
      filter: (name) => columnController.filterBy(name, pane.heads.cells[0] ?? pane.grid),
      highlight: (column) => columnController.highlight(column, pane.heads.cells[0] ?? pane.grid),
      times: (column) => columnController.times(column, pane.heads.cells[0] ?? pane.grid),
      ranges: (name) => columnController.showRanges(name, pane.heads.cells[0] ?? pane.grid),
      label: table.label,
      goTo(name) {
        controller.goTo(Math.max(0, controller.focus.position ?? 0), columns.shown.findIndex(({ column }) => column.name === name));
        pane.grid.focus({ preventScroll: true });
      },
    })),
    ...(table === undefined ? [] : sumCommands(table.columns, columnController)),
  ];
}

/**
 * Returns the commands for the columns of a table.
 *
 * @param {object[]} columns
 * @param {import('../model/query.js').View} view
 * @param {{change: (changes: object) => void, goTo: (name: string) => void,
 *   filter: (name: string) => void, highlight: (column: object) => void,
 *   times: (column: object) => void, ranges?: (name: string) => void, label?: string,
 *   lack: (what: object) => string}} on
 * @returns {import('../model/palette.js').Command[]}
 */
export function columnCommands(columns, view, on) {
  const places = arrange(columns, view.columns);
  const shown = places.filter(({ isHidden }) => !isHidden).length;
  return places.flatMap(({ column: name, isHidden, isPinned }) => {
    const column = columns.find((one) => one.name === name);
    const title = titleOf(column);
    const put = (changes) => () => on.change({ columns: changePlace(columns, view.columns, name, changes) });
    const own = (label, run, more = {}) => ({ label, group: phrase('Columns'), run, ...more });
    const sort = (descending) => own(descending ? phrase('Sort by {column}, descending', { column: title }) : phrase('Sort by {column}, ascending', { column: title }), () => on.change({ sort: [{ column: name, descending }] }), lacks(on.lack({ sort: name })));
    if (isHidden) return [own(phrase('Show {column}', { column: title }), put({ isHidden: false })), sort(false), sort(true)];
    const pinned = isPinned ? undefined : pinItem(column, columns, view, on.label, on.change);
    const canGroup = column.type !== 'series' && column.type !== 'image' && !view.group.includes(name) && view.group.length < 4;
    return [
      sort(false), sort(true),
      own(phrase('Go to column {column}', { column: title }), () => on.goTo(name)),
      own(phrase('Filter by {column}…', { column: title }), () => on.filter(name)),
      ...(column.type === 'series' || column.type === 'image' ? [] : [own(phrase('Highlight {column}…', { column: title }), () => on.highlight(column))]),
      ...(column.type === 'timestamp' ? [own(phrase('Form of the times of {column}…', { column: title }), () => on.times(column))] : []),
      ...(view.group.includes(name) ? orderItems(column, columns, view, on).map((item) => ({ ...item, label: phrase('Sections of {column}: {order}', { column: title, order: item.label }), group: phrase('Columns') })) : []),
      ...(canGroup ? [own(phrase('Group by {column}', { column: title }), () => on.change({ group: [...view.group, name], collapsed: [] }), lacks(on.lack({ group: name })))] : []),
      ...(on.ranges !== undefined && hasRanges(column) && (view.group.includes(name) || view.group.length < 4) ? [own(phrase('Group by ranges of {column}…', { column: title }), () => on.ranges(name), lacks(on.lack({ ranges: true })))] : []),
      own(phrase('Hide {column}', { column: title }), put({ isHidden: true }), shown > 1 ? {} : { isDisabled: true, why: phrase('It is the only visible column.') }),
      own(isPinned ? phrase('Unpin {column}', { column: title })
        : isRightToLeft() ? phrase('Pin {column} right', { column: title }) : phrase('Pin {column} left', { column: title }), put({ isPinned: !isPinned })),
      ...(pinned === undefined ? [] : [own(pinned.command, pinned.run)]),
    ];
  });
}

/** Returns the commands that open the other tables. */
export function tableCommands(tables, shown, open) {
  return tables.filter(({ name }) => name !== shown).map(({ name, title }) => ({ label: phrase('Open the table {title}', { title: title || name }), group: phrase('Tables'), run: () => open(name) }));
}

/** Returns the items of a menu as commands; headings and separators are left out. */
export function commandsOf(items, group) {
  return items.filter((item) => item !== null && item.heading === undefined).map((item) => ({ ...item, group }));
}
