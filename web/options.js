// options.js: the menu of how the page looks: theme, density, columns.

import { columnsMenu } from './columnmenu.js';
import { openMenu } from './menu.js';
import { density, setDensity, setTheme, theme } from './prefs.js';

/**
 * Listens on the button that opens the menu.
 *
 * @param {HTMLElement} button
 * @param {import('./session.js').Session} session
 * @param {{change: (wish: object) => void, densityChanged: () => void, help: () => void}} on
 */
export function listenForOptions(button, session, on) {
  const themes = [['', 'As the system'], ['light', 'Light'], ['dark', 'Dark']];
  const densities = [['compact', 'Compact rows'], ['normal', 'Normal rows'], ['roomy', 'Roomy rows']];
  button.addEventListener('click', () => {
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
      { label: 'Columns…', isDisabled: columns.length === 0, run: () => openMenu(button, 'Columns', columnsMenu(columns, session.view, on.change)) },
    ]);
  });
}
