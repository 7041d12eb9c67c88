// commands.js: the commands of the palette: those of the page, and those of views, columns and
// tables. No DOM.

import { arrange, titleOf } from '../model/columns.js';
import { changePlace } from '../model/places.js';
import { lacks } from './columnmenu.js';

/**
 * Returns the commands for the columns of a table.
 *
 * @param {object[]} columns
 * @param {import('../model/query.js').View} view
 * @param {{change: (wish: object) => void, goTo: (name: string) => void,
 *   filter: (name: string) => void, highlight: (column: object) => void,
 *   lack: (what: object) => string}} on
 * @returns {import('../model/palette.js').Command[]}
 */
export function columnCommands(columns, view, on) {
  const places = arrange(columns, view.columns);
  const shown = places.filter(({ isHidden }) => !isHidden).length;
  return places.flatMap(({ column: name, isHidden, isPinned }) => {
    const column = columns.find((one) => one.name === name);
    const title = titleOf(column);
    const put = (wish) => () => on.change({ columns: changePlace(columns, view.columns, name, wish) });
    const own = (label, run, more = {}) => ({ label, group: 'Columns', run, ...more });
    const sort = (descending) => own(`Sort by ${title}, ${descending ? 'descending' : 'ascending'}`, () => on.change({ sort: [{ column: name, descending }] }), lacks(on.lack({ sort: name })));
    if (isHidden) return [own(`Show ${title}`, put({ isHidden: false })), sort(false), sort(true)];
    const canGroup = column.type !== 'series' && column.type !== 'image' && !view.group.includes(name) && view.group.length < 4;
    return [
      sort(false), sort(true),
      own(`Go to column ${title}`, () => on.goTo(name)),
      own(`Filter by ${title}…`, () => on.filter(name)),
      ...(column.type === 'series' || column.type === 'image' ? [] : [own(`Highlight ${title}…`, () => on.highlight(column))]),
      ...(canGroup ? [own(`Group by ${title}`, () => on.change({ group: [...view.group, name], collapsed: [] }), lacks(on.lack({ group: name })))] : []),
      own(`Hide ${title}`, put({ isHidden: true }), shown > 1 ? {} : { isDisabled: true, why: 'It is the only visible column.' }),
      own(isPinned ? `Unpin ${title}` : `Pin ${title} left`, put({ isPinned: !isPinned })),
    ];
  });
}

/** Returns the commands that open the other tables. */
export function tableCommands(tables, shown, open) {
  return tables.filter(({ name }) => name !== shown).map(({ name, title }) => ({ label: `Open the table ${title || name}`, group: 'Tables', run: () => open(name) }));
}

/** Returns the items of a menu as commands; headings and separators are left out. */
export function commandsOf(items, group) {
  return items.filter((item) => item !== null && item.heading === undefined).map((item) => ({ ...item, group }));
}
