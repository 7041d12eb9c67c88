// help.js: the dialog that lists the keyboard shortcuts.

import { make } from '../grid/elements.js';
import { KEYS } from '../model/keys.js';
import { keyText, phrase } from '../model/language.js';

/** Opens the dialog. */
export function openHelp() {
  const dialog = make('dialog', 'box help');
  dialog.setAttribute('aria-label', phrase('Keyboard shortcuts'));
  const close = make('button', 'plain', phrase('Close'));
  close.addEventListener('click', () => dialog.close());
  const head = make('div', 'box-head');
  head.append(make('h2', '', phrase('Keyboard shortcuts')), close);
  dialog.append(head);
  for (const [title, keys] of KEYS) {
    const list = make('dl');
    for (const [key, meaning] of keys) {
      const term = make('dt');
      keyText(key).split(', ').forEach((one, at) => term.append(at > 0 ? ' ' : '', make('kbd', '', one)));
      list.append(term, make('dd', '', phrase(meaning)));
    }
    dialog.append(make('h3', '', phrase(title)), list);
  }
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener('keydown', (event) => event.stopPropagation());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
