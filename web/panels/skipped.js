// skipped.js: the dialog with the reasons why rows of a source were skipped. Loaded on demand.

import { make } from '../grid/elements.js';
import { skippedLists } from '../model/source.js';
import { number, phrase } from '../model/language.js';

/** Opens the dialog with the current reasons of a source. */
export function openSkipped(source, locale) {
  const dialog = make('dialog', 'box help skipped');
  dialog.setAttribute('aria-label', phrase('Why rows were skipped'));
  const close = make('button', 'plain', phrase('Close'));
  close.addEventListener('click', () => dialog.close());
  const head = make('div', 'box-head');
  head.append(make('h2', '', phrase('Why rows were skipped')), close);
  dialog.append(head);
  for (const { title, reasons } of skippedLists(source)) {
    const list = make('ul');
    for (const { reason, count, example } of reasons) {
      const item = make('li');
      item.append(make('strong', '', number(count, undefined, locale)), ' × ', make('span', 'reason', reason));
      if (example !== '') item.append(make('code', 'example', example));
      list.append(item);
    }
    dialog.append(make('h3', '', title), list);
  }
  dialog.append(make('p', 'quiet', phrase('The last example of each reason is shown. The server’s log has more.')));
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener('keydown', (event) => event.stopPropagation());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
