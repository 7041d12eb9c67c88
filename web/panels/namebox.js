// namebox.js: the dialog for a short text, such as the title of a tile.

import { make } from '../grid/elements.js';
import { putUnder } from './menu.js';
import { phrase } from '../model/language.js';

/**
 * Opens the dialog below an element.
 *
 * @param {Element} under
 * @param {{heading: string, value: string, standard: string, longest: number}} what `standard` is
 *   the text that stands for an empty one
 * @param {(text: string) => void} apply gets the text without blanks at its ends, once the dialog
 *   is closed
 */
export function askName(under, { heading, value, standard, longest }, apply) {
  const before = document.activeElement;
  const dialog = make('dialog', 'box');
  dialog.setAttribute('aria-label', heading);
  const form = make('form');
  form.method = 'dialog';
  const head = make('div', 'box-head');
  head.append(make('h2', '', heading));
  const fields = make('div', 'box-fields');
  const line = make('label', 'box-field');
  const input = make('input');
  Object.assign(input, { type: 'text', value, placeholder: standard, maxLength: longest, autocomplete: 'off', spellcheck: false });
  line.append(make('span', '', phrase('Title')), input);
  fields.append(line);
  const foot = make('div', 'box-foot');
  const cancel = make('button', '', phrase('Cancel'));
  const main = make('button', 'main', phrase('Rename'));
  main.type = 'submit';
  foot.append(cancel, main);
  form.append(head, fields, foot);
  dialog.append(form);
  let isWanted = false;
  form.addEventListener('submit', () => { isWanted = true; });
  cancel.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => { if (target === dialog) dialog.close(); });
  dialog.addEventListener('keydown', (event) => event.stopPropagation());
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before?.isConnected) before.focus({ preventScroll: true });
    if (isWanted) apply(input.value.trim());
  });
  document.body.append(dialog);
  dialog.showModal();
  input.select();
  putUnder(dialog, under.getBoundingClientRect());
}
