// palette.js: the dialog that finds a command by words (ARIA combobox pattern) and runs it.

import { make } from '../grid/elements.js';
import { matching } from '../model/palette.js';
import { allCommands } from './commands.js';
import { openHelp } from './help.js';
import { exportItems } from './options.js';
import { phrase } from '../model/language.js';

/** Opens the dialog with all commands. `page` is described at {@link allCommands}. */
export function showPalette(page) {
  openPalette(allCommands({ ...page, exports: exportItems(page.pane.heads.cells[0] ?? page.pane.grid, page.pane.session, page.on.announce) }, openHelp));
}

/**
 * Opens the dialog. The focus returns to the previous element before the chosen command runs.
 *
 * @param {import('../model/palette.js').Command[]} commands
 */
function openPalette(commands) {
  const before = document.activeElement;
  const dialog = make('dialog', 'box palette');
  dialog.setAttribute('aria-label', phrase('Commands'));
  const input = make('input', '');
  Object.assign(input, { type: 'text', placeholder: phrase('Type a command, a view, a column or a table'), autocomplete: 'off', spellcheck: false, maxLength: 200 });
  for (const [name, value] of Object.entries({ role: 'combobox', 'aria-label': phrase('Command'), 'aria-expanded': 'true', 'aria-controls': 'palette-list', 'aria-autocomplete': 'list' })) input.setAttribute(name, value);
  const list = make('div', 'palette-list');
  list.id = 'palette-list';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', phrase('Commands'));
  const none = make('p', 'palette-none');
  none.setAttribute('role', 'status');
  dialog.append(input, list, none);
  let found = [];
  let at = 0;

  const show = (to) => {
    list.children[at]?.setAttribute('aria-selected', 'false');
    at = to;
    const option = list.children[at];
    if (option === undefined) return input.removeAttribute('aria-activedescendant');
    option.setAttribute('aria-selected', 'true');
    input.setAttribute('aria-activedescendant', option.id);
    return option.scrollIntoView({ block: 'nearest' });
  };
  const look = () => {
    found = matching(commands, input.value);
    list.replaceChildren(...found.map(makeOption));
    list.hidden = found.length === 0;
    none.textContent = found.length === 0 ? phrase('No command has these words.') : '';
    at = 0;
    show(0);
  };
  const run = (command) => {
    if (command === undefined) return;
    if (command.isDisabled) return void (none.textContent = command.why ?? phrase('This command is not available now.'));
    dialog.close();
    command.run();
  };
  input.addEventListener('input', look);
  dialog.addEventListener('keydown', (event) => {
    event.stopPropagation();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) show((at + step + found.length) % found.length);
    else if (event.key === 'Enter') run(found[at]);
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') dialog.close();
    else return;
    event.preventDefault();
  });
  list.addEventListener('click', (/** @type {On<MouseEvent>} */ { target }) => run(found[[...list.children].indexOf(target.closest('[role=option]'))]));
  dialog.addEventListener('click', ({ target }) => { if (target === dialog) dialog.close(); });
  dialog.addEventListener('close', () => {
    dialog.remove();
    // The command may have moved the focus already.
    if (before?.isConnected && document.activeElement === document.body) before.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
  look();
}

/** @param {import('../model/palette.js').Command} command */
function makeOption({ label, group, hint, isDisabled, isChecked, why = '' }, number) {
  const option = make('div', 'choice');
  option.id = `palette-${number}`;
  option.setAttribute('role', 'option');
  option.setAttribute('aria-selected', 'false');
  if (isDisabled) option.setAttribute('aria-disabled', 'true');
  if (why !== '') option.title = why;
  option.append(make('span', '', isChecked ? `✓ ${label}` : label), make('small', '', group));
  if (hint) option.append(make('kbd', '', hint));
  return option;
}
