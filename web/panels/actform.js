// actform.js: the confirmation dialog of an action, with a form for its arguments.

import { make } from '../grid/elements.js';
import { valueOf } from '../model/acts.js';

/**
 * Opens a dialog for an action's confirmation and arguments.
 *
 * If the action needs neither and `isAsked` is false, no dialog opens and `go({})` is called at
 * once.
 *
 * @param {object} action as described in `hello`
 * @param {{question: string, isAsked: boolean}} how `question` names the action and its target;
 *   `isAsked` opens the dialog in any case
 * @param {(values: object) => void} go called at most once, with the arguments by name
 * @param {() => void} closed called when the dialog is closed, or at once if none opens
 * @returns {{ask: (question: string) => void}|null} a handle that replaces the question; null if
 *   no dialog opened
 */
export function askFor(action, { question, isAsked }, go, closed) {
  const fields = (action.arguments ?? []).map(makeField);
  if (fields.length === 0 && !action.confirm && !isAsked) {
    closed();
    go({});
    return null;
  }
  const dialog = make('dialog', 'box act-box');
  dialog.setAttribute('aria-label', action.title || action.name);
  const form = make('form');
  form.noValidate = true;
  const head = make('div', 'box-head');
  const about = make('h2', 'act-about', question);
  head.append(about);
  form.append(head);
  if (action.confirm) form.append(make('p', 'act-question', action.confirm));
  const list = make('div', 'box-fields');
  list.append(...fields.map(({ label }) => label));
  const fault = make('p', 'box-fault');
  fault.setAttribute('role', 'alert');
  const foot = make('div', 'box-foot');
  const cancel = button('Cancel', () => dialog.close());
  const main = make('button', action.danger ? 'main danger' : 'main', action.title || action.name);
  main.type = 'submit';
  foot.append(fault, cancel, main);
  form.append(list, foot);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const values = {};
    for (const { argument, read, input } of fields) {
      const { value, fault: wrong } = valueOf(argument, read());
      if (wrong !== undefined) {
        fault.textContent = wrong;
        return input.focus();
      }
      if (value !== undefined) values[argument.name] = value;
    }
    main.disabled = true;  // a second press of Enter must not run the action twice
    dialog.close();
    return go(values);
  });
  dialog.append(form);
  dialog.addEventListener('keydown', (event) => event.stopPropagation());
  dialog.addEventListener('close', () => {
    dialog.remove();
    closed();
  });
  document.body.append(dialog);
  dialog.showModal();
  (fields[0]?.input ?? (action.danger ? cancel : main)).focus();
  return { ask: (anew) => { about.textContent = anew; } };
}

function makeField(argument) {
  const { name, label: title, type, choices, default: usual, minimum, maximum } = argument;
  const label = make('label', type === 'boolean' ? 'box-tick' : 'box-field');
  const text = make('span', '', title || name);
  if (type === 'boolean') {
    const input = make('input');
    input.type = 'checkbox';
    input.checked = usual === true;
    label.append(input, text);
    return { argument, label, input, read: () => input.checked };
  }
  const input = make(choices === undefined ? 'input' : 'select');
  if (choices !== undefined) {
    const option = (value, shown) => Object.assign(make('option', '', shown), { value });
    if (usual === undefined) input.append(option('', '—'));
    input.append(...choices.map((choice, at) => option(at, String(choice))));
    input.value = usual === undefined ? '' : String(choices.indexOf(usual));
  } else {
    input.type = 'text';
    input.inputMode = type === 'integer' ? 'numeric' : type === 'number' ? 'decimal' : 'text';
    input.maxLength = 1_000;
    input.autocomplete = 'off';
    input.value = usual === undefined ? '' : String(usual);
    const bounds = [minimum === undefined ? '' : `from ${minimum.toLocaleString()}`, maximum === undefined ? '' : `to ${maximum.toLocaleString()}`];
    input.placeholder = bounds.filter(Boolean).join(' ');
  }
  label.append(text, input);
  return { argument, label, input, read: () => input.value };
}

function button(text, press) {
  const element = make('button', '', text);
  element.addEventListener('click', press);
  return element;
}
