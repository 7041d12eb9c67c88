// options.js: the menu of how the page looks: theme, density, columns.

import { columnsMenu } from './columnmenu.js';
import { exportAddress, FORMATS } from './exporting.js';
import { openMenu } from './menu.js';
import { density, setDensity, setTheme, theme } from './reader.js';

/** What takes the whole view away as a file. */
export function exportItems({ table, view }, say) {
  return FORMATS.map(([format, name]) => {
    const address = table === undefined ? '' : exportAddress(view, table, format);
    return { label: `Save all rows as ${name}`, isDisabled: address === '', run: () => save(address, `${table.name}.${format}`, say) };
  });
}

/** Opens the menu of what takes the whole view away. */
export function showExports(under, session, say) {
  openMenu(under, 'Save all rows', exportItems(session, say));
}

// The browser keeps what comes, and shows how far it is.
function save(address, name, say) {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  say(`Saving ${name}`);
}

/**
 * Opens the menu under its button.
 *
 * @param {HTMLElement} button
 * @param {import('./session.js').Session} session
 * @param {{change: (wish: object) => void, actions: object[], densityChanged: () => void, say: (text: string) => void}} on `actions` are the
 *   items of what can be done to the whole table
 */
export function showOptions(button, session, on) {
  const themes = [['', 'As the system'], ['light', 'Light'], ['dark', 'Dark']];
  const densities = [['compact', 'Compact rows'], ['normal', 'Normal rows'], ['roomy', 'Roomy rows']];
  const columns = session.table?.columns ?? [];
  openMenu(button, 'View options', [
    ...themes.map(([name, label]) => ({ label, isRadio: true, isChecked: theme() === name, run: () => setTheme(name) })),
    null,
    ...densities.map(([name, label]) => ({
      label, isRadio: true, isChecked: density() === name,
      run() {
        setDensity(name);
        on.densityChanged();
      },
    })),
    null,
    ...exportItems(session, on.say),
    ...(on.actions.length > 0 ? [null, ...on.actions] : []),
    null,
    { label: 'Columns…', isDisabled: columns.length === 0, run: () => openMenu(button, 'Columns', columnsMenu(columns, session.view, on.change)) },
  ]);
}
