// exportbox.js: the dialog with the choices of an export: format, separator and columns.

import { make } from '../grid/elements.js';
import { fieldsOf, FORMATS, SEPARATORS } from '../model/exporting.js';
import { putUnder } from './menu.js';
import { phrase } from '../model/language.js';

// The last choices, until the page is reloaded.
let last = { format: 'csv', separator: 'comma', columns: 'all' };

/**
 * Opens the dialog below an element.
 *
 * @param {Element} under
 * @param {{session: import('../model/session.js').Session, rows: string|undefined,
 *   addressOf: (format: string, layout: {separator?: string, fields?: string[]}) => string,
 *   save: (address: string, name: string) => void}} how `rows` is the number of rows, `addressOf`
 *   returns the URL of an export or an empty text if it is too long, and `save` downloads it
 */
export function openExportBox(under, { session: { table, view }, rows, addressOf, save }) {
  const before = document.activeElement;
  const shown = fieldsOf(view, table.columns);
  const dialog = make('dialog', 'box export-box');
  dialog.setAttribute('aria-label', phrase('Export'));
  const form = make('form');
  form.method = 'dialog';
  const head = make('div', 'box-head');
  head.append(make('h2', '', phrase('Export')), make('span', 'quiet', rows === undefined ? '' : phrase('{count} rows, in the order of the view', { count: rows })));
  const fields = make('div', 'box-fields');
  const format = choice(fields, phrase('Format'), FORMATS, last.format);
  const separator = choice(fields, phrase('Separator'), SEPARATORS.map(([name, label]) => [name, phrase(label)]), last.separator);
  const columns = choice(fields, phrase('Columns'), [['all', phrase('All {count}', { count: table.columns.length })], ['shown', phrase('The {count} visible, in their order', { count: shown.length })]], last.columns);
  const fault = make('p', 'box-fault');
  fault.setAttribute('role', 'alert');
  const cancel = make('button', '', phrase('Cancel'));
  cancel.type = 'button';
  const main = make('button', 'main', phrase('Export'));
  main.type = 'submit';
  const foot = make('div', 'box-foot');
  foot.append(fault, cancel, main);
  form.append(head, fields, foot);
  dialog.append(form);

  const address = () => addressOf(format.value, {
    ...(format.value === 'csv' ? { separator: separator.value } : {}), ...(columns.value === 'shown' ? { fields: shown } : {}),
  });
  const show = () => {
    separator.disabled = format.value !== 'csv';
    separator.title = separator.disabled ? phrase('NDJSON has no separator.') : '';
    fault.textContent = address() === '' ? phrase('The filters or the names of the columns are too long for an export.') : '';
    main.disabled = fault.textContent !== '';
  };
  form.addEventListener('change', show);
  form.addEventListener('submit', () => {
    last = { format: format.value, separator: separator.value, columns: columns.value };
    save(address(), `${table.name}.${format.value === 'csv' && separator.value === 'tab' ? 'tsv' : format.value}`);
  });
  cancel.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => { if (target === dialog) dialog.close(); });
  dialog.addEventListener('keydown', (/** @type {On<KeyboardEvent>} */ event) => {
    event.stopPropagation();
    if (event.key !== 'Enter' || event.target.localName !== 'select') return;
    event.preventDefault();
    if (!main.disabled) main.click();
  });
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before?.isConnected) before.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  show();
  dialog.showModal();
  format.focus();
  putUnder(dialog, under.getBoundingClientRect());
}

function choice(list, label, options, value) {
  const line = make('label', 'box-field');
  const select = make('select');
  select.append(...options.map(([name, text]) => new Option(text, name)));
  select.value = value;
  line.append(make('span', '', label), select);
  list.append(line);
  return select;
}
