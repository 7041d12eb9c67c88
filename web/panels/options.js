// options.js: the options menu: theme, language, density, shortcuts, export, actions, columns,
// sign-out.

import { openColumnList } from './columnlist.js';
import { linesMenu, timesItem } from './displaymenu.js';
import { countText } from '../model/columns.js';
import { exportAddress, FORMATS } from '../model/exporting.js';
import { openExportBox } from './exportbox.js';
import { openMenu } from './menu.js';
import { density, hasShortcuts, language, setDensity, chooseLanguage, setShortcuts, setTheme, theme } from '../grid/browser.js';
import { signOut } from '../protocol/wire.js';
import { localOffsets, offsetsBetween } from '../model/zone.js';
import { keyText, phrase } from '../model/language.js';

const year = 365.25 * 86_400_000;

/** Returns the menu items that export all rows of the view; a dialog opens below `under`. */
export function exportItems(under, session, announce) {
  const { table, view, copy } = session;
  const rows = copy.seq === 0 ? undefined : countText(copy.rows, copy.accuracy);
  const addressOf = (format, layout) => {
    const path = table === undefined ? '' : exportAddress(view, table, format, (part) => session.narrowed(part), { ...layout, ...zone(session) });
    return path === '' ? '' : `${globalThis.rowcast.room}${path}`;
  };
  return [
    ...FORMATS.map(([format, name]) => {
      const address = addressOf(format);
      return { label: rows === undefined ? phrase('Export {format}', { format: name }) : phrase('Export {format} ({count})', { format: name, count: rows }), isDisabled: address === '', run: () => save(address, `${table.name}.${format}`, announce) };
    }),
    {
      label: phrase('Export with choices…'), isDisabled: table === undefined,
      run: () => openExportBox(under, { session, rows, addressOf, save: (address, name) => save(address, name, announce) }),
    },
  ];
}

// Returns the offsets of local time for an address, which has little room: those of twenty years.
function zone({ zone: offset }) {
  const now = Date.now();
  return { offset, offsets: offsetsBetween(localOffsets(), now - 20 * year, now + year) };
}

/** Saves the rows of a view of the open table as a CSV file, and returns whether it is possible. */
export function saveRows(session, view, announce) {
  const { table } = session;
  const path = exportAddress(view, table, 'csv', (part) => session.narrowed(part), zone(session));
  if (path !== '') save(`${globalThis.rowcast.room}${path}`, `${table.name}.csv`, announce);
  return path !== '';
}

/** Opens the menu of export formats. */
export function showExports(under, session, announce) {
  openMenu(under, phrase('Export'), exportItems(under, session, announce));
}

// Starts a download. The browser shows its progress.
function save(address, name, announce) {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  announce(phrase('Exporting {name}', { name }));
}

/**
 * Opens the menu under its button.
 *
 * @param {HTMLElement} button
 * @param {import('../model/session.js').Session} session
 * @param {{change: (changes: object) => void, commands: () => void, actions: object[], views:
 *   object[], densityChanged: () => void, announce: (text: string) => void}} on `actions` has the
 *   menu items of the actions on the whole table, and `views` those of saved views
 */
export function showOptions(button, session, on) {
  const themes = [['', phrase('System')], ['light', phrase('Light')], ['dark', phrase('Dark')]];
  // Languages have their own names in every language.
  const languages = [['', phrase('System')], ['en', 'English'], ...Object.entries(globalThis.rowcast.language.names)];
  const densities = [['compact', phrase('Compact')], ['normal', phrase('Normal')], ['roomy', phrase('Comfortable')]];
  const columns = session.table?.columns ?? [];
  const open = (title, items) => openMenu(button, title, items);
  openMenu(button, phrase('View options'), [
    { label: phrase('Find a command…'), hint: keyText('Ctrl+K'), run: on.commands },
    { heading: phrase('Theme') },
    ...themes.map(([name, label]) => ({ label, isRadio: true, isChecked: theme() === name, run: () => setTheme(name) })),
    { heading: phrase('Language') },
    ...languages.map(([name, label]) => ({ label, isRadio: true, isChecked: language() === name, run: () => chooseLanguage(name) })),
    { heading: phrase('Row height') },
    ...densities.map(([name, label]) => ({
      label, isRadio: true, isChecked: density() === name,
      run() {
        setDensity(name);
        on.densityChanged();
      },
    })),
    { heading: phrase('Values') },
    timesItem(columns, session.view, on.change, open),
    { label: phrase('Lines of text…'), isDisabled: columns.length === 0, run: () => open(phrase('Lines of text in a row'), linesMenu(session.view, on.change)) },
    { heading: phrase('Keyboard') },
    { label: phrase('Single-key shortcuts'), isChecked: hasShortcuts(), run: () => setShortcuts(!hasShortcuts()) },
    { heading: phrase('Views') },
    ...on.views,
    { heading: phrase('Export') },
    ...exportItems(button, session, on.announce),
    ...(on.actions.length > 0 ? [{ heading: phrase('Actions') }, ...on.actions] : []),
    { heading: phrase('Columns') },
    { label: phrase('Choose columns…'), isDisabled: columns.length === 0, run: () => openColumnList(button, session, on.change) },
    ...(session.isSignedIn ? [{ heading: phrase('Sign-in') }, { label: phrase('Sign out'), run: () => session.send(signOut()) }] : []),
  ]);
}
