// viewbox.js: the dialog for the title and name of a view.

import { make } from '../grid/elements.js';
import { LONGEST, nameFault, nameFrom } from '../model/saved.js';
import { phrase } from '../model/language.js';

/**
 * Opens the dialog, which stays open until `save(edit)` succeeds or the user closes it. An error's
 * message is shown in the dialog.
 *
 * @param {{heading: string, title: string, name: string, role: string, taken: string[],
 *   isNew: boolean}} view `taken` has the names of other views
 * @param {(edit: {title: string, name: string, role: string}) => Promise<void>} save
 */
export function askView({ heading, title, name, role, taken, isNew }, save) {
  const before = document.activeElement;
  const dialog = make('dialog', 'box view-box');
  dialog.setAttribute('aria-label', heading);
  const form = make('form');
  const head = make('div', 'box-head');
  head.append(make('h2', '', heading));
  const fields = make('div', 'box-fields');
  const titleField = field(fields, phrase('Title'), title, LONGEST.title);
  const nameField = field(fields, phrase('Name'), name || nameFrom(title || 'view', taken), LONGEST.name);
  const hint = make('p', 'view-hint');
  hint.id = 'view-hint';
  nameField.setAttribute('aria-describedby', hint.id);
  const tick = make('label', 'box-tick');
  const box = make('input');
  box.type = 'checkbox';
  box.checked = role === 'operator';
  tick.append(box, phrase('Only for operators'));
  const fault = make('p', 'box-fault');
  fault.setAttribute('role', 'alert');
  const foot = make('div', 'box-foot');
  const cancel = make('button', '', phrase('Cancel'));
  const main = make('button', 'main', phrase('Save'));
  main.type = 'submit';
  foot.append(fault, cancel, main);
  form.append(head, fields, hint, tick, foot);
  dialog.append(form);
  const showLink = () => { hint.textContent = phrase('Link: {address}', { address: `${location.origin}/v/${nameField.value}` }); };
  let isOwn = !isNew;  // whether the user has chosen the name
  nameField.addEventListener('input', () => {
    isOwn = true;
    showLink();
  });
  titleField.addEventListener('input', () => {
    if (!isOwn) nameField.value = nameFrom(titleField.value, taken);
    showLink();
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const reason = titleField.value.trim() === '' ? phrase('The view needs a title.') : nameFault(nameField.value)
      || (taken.includes(nameField.value) ? phrase('Another view of this table has this name.') : '');
    fault.textContent = reason;
    if (reason !== '') return void (titleField.value.trim() === '' ? titleField : nameField).focus();
    main.disabled = true;
    try {
      await save({ title: titleField.value.trim(), name: nameField.value, role: box.checked ? 'operator' : 'viewer' });
      dialog.close();
    } catch (error) {
      fault.textContent = error.message;
    } finally {
      main.disabled = false;
    }
  });
  cancel.addEventListener('click', () => dialog.close());
  dialog.addEventListener('keydown', (event) => event.stopPropagation());
  showLink();
  document.body.append(dialog);
  dialog.showModal();
  titleField.focus();
  titleField.select();
  return new Promise((closed) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (before?.isConnected) before.focus({ preventScroll: true });
      closed();
    });
  });
}

function field(list, label, value, longest) {
  const line = make('label', 'box-field');
  const input = make('input');
  Object.assign(input, { type: 'text', value, maxLength: longest, autocomplete: 'off', spellcheck: false });
  line.append(make('span', '', label), input);
  list.append(line);
  return input;
}
