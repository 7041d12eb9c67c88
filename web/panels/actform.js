// actform.js: the confirmation dialog of an action, with a form for its arguments.

import { make } from '../grid/elements.js';
import { valueOf } from '../model/acts.js';
import { phrase } from '../model/language.js';

/**
 * Opens a dialog for an action's confirmation and arguments.
 *
 * If the action needs neither and `hasQuestion` is false, no dialog opens and `go({})` is called at
 * once.
 *
 * @param {object} action as described in `hello`
 * @param {{question: string, hasQuestion: boolean, test?: (values: object) => Promise<{isGood:
 *   boolean, text: string}>}} how `question` names the action and its target; `hasQuestion` opens
 *   the dialog in any case; `test` tries the arguments without effect
 * @param {(values: object) => void} go called at most once, with the arguments by name
 * @param {() => void} closed called when the dialog is closed, or at once if none opens
 * @returns {{ask: (question: string) => void}|null} a handle that replaces the question; null if
 *   no dialog opened
 */
export function askFor(action, { question, hasQuestion, test }, go, closed) {
  const fields = (action.arguments ?? []).map(makeField);
  if (fields.length === 0 && !action.confirm && !hasQuestion) {
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
  const cancel = button(phrase('Cancel'), () => dialog.close());
  const main = make('button', action.danger ? 'main danger' : 'main', action.title || action.name);
  main.type = 'submit';
  const status = make('p', 'box-fault quiet');
  status.setAttribute('role', 'status');
  foot.append(fault, status, cancel, main);
  form.append(list, foot);
  // Returns the arguments by name, or null after showing what is wrong with one.
  const read = () => {
    const values = {};
    [fault.textContent, status.textContent] = ['', ''];
    for (const { argument, read: typed, input } of fields) {
      const { value, fault: wrong } = valueOf(argument, typed());
      if (wrong !== undefined) {
        fault.textContent = wrong;
        input.focus();
        return null;
      }
      if (value !== undefined) values[argument.name] = value;
    }
    return values;
  };
  if (test !== undefined) {
    const tester = button(phrase('Test'), async () => {
      const values = read();
      if (values === null) return;
      tester.disabled = true;
      status.textContent = phrase('Testing…');
      const { isGood, text } = await test(values);
      tester.disabled = false;
      [fault.textContent, status.textContent] = isGood ? ['', text] : [text, ''];
    });
    tester.type = 'button';
    main.before(tester);
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const values = read();
    if (values === null) return;
    main.disabled = true;  // a second press of Enter must not run the action twice
    dialog.close();
    go(values);
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
  const { name, label: title, type, choices, default: usual } = argument;
  const label = make('label', type === 'boolean' ? 'box-tick' : 'box-field');
  const text = make('span', '', title || name);
  if (type === 'boolean') {
    const input = make('input');
    input.type = 'checkbox';
    input.checked = usual === true;
    label.append(input, text);
    return { argument, label, input, read: () => input.checked };
  }
  const input = choices === undefined ? makeText(argument) : makeSelect(argument);
  label.append(text, input);
  return { argument, label, input, read: () => input.value };
}

function makeSelect({ choices, default: usual }) {
  const select = make('select');
  const option = (value, shown) => Object.assign(make('option', '', shown), { value });
  if (usual === undefined) select.append(option('', '—'));
  select.append(...choices.map((choice, at) => option(at, String(choice))));
  select.value = usual === undefined ? '' : String(choices.indexOf(usual));
  return select;
}

function makeText({ type, default: usual, minimum, maximum }) {
  const input = make('input');
  input.type = 'text';
  input.inputMode = type === 'integer' ? 'numeric' : type === 'number' ? 'decimal' : 'text';
  input.maxLength = 1_000;
  input.autocomplete = 'off';
  input.value = usual === undefined ? '' : String(usual);
  const bounds = [minimum === undefined ? '' : phrase('from {minimum}', { minimum }), maximum === undefined ? '' : phrase('to {maximum}', { maximum })];
  input.placeholder = bounds.filter(Boolean).join(' ');
  return input;
}

function button(text, press) {
  const element = make('button', '', text);
  element.addEventListener('click', press);
  return element;
}
