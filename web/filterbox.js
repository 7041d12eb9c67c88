// filterbox.js: the box in which a reader says what a column's rows must be like. What it asks for depends on the column's type.

import { amountFrom, operatorsFor, patternFault } from './query.js';
import { putUnder } from './menu.js';
import { titleOf } from './columns.js';
import { ValueList } from './valuelist.js';

/**
 * Opens the box under an element.
 *
 * @param {object} how
 * @param {Element} how.under
 * @param {import('./columns.js').Spec} how.spec
 * @param {import('./query.js').Term|undefined} how.term what is asked now
 * @param {(take: (found: object) => void) => () => void} how.values asks for the column's values: `take` hears of them, perhaps
 *   several times; answers a function that gives up
 * @param {(term: import('./query.js').Term|null) => void} how.apply
 */
export function openFilterBox({ under, spec, term, values, apply }) {
  const { column } = spec;
  const dialog = make('dialog', 'box filter-box');
  dialog.setAttribute('aria-label', `Filter ${titleOf(column)}`);
  const form = make('form');
  form.method = 'dialog';
  form.noValidate = true;
  const ops = operatorsFor(column);
  const choose = make('select');
  choose.setAttribute('aria-label', 'Condition');
  for (const [op, label] of ops) choose.append(new Option(label, op));
  choose.value = term?.op ?? (column.type === 'text' && column.style !== 'badge' ? 'contains' : ops[0][0]);
  const heading = make('h2', '', titleOf(column));
  const head = make('div', 'box-head');
  head.append(heading, choose);
  const fields = make('div', 'box-fields');
  const fault = make('p', 'box-fault');
  fault.setAttribute('role', 'alert');
  const clear = make('button', 'plain', 'Clear');
  clear.type = 'button';
  clear.disabled = term === undefined;
  const done = make('button', 'main', 'Apply');
  done.type = 'submit';
  const foot = make('div', 'box-foot');
  foot.append(fault, clear, done);
  form.append(head, fields, foot);
  dialog.append(form);

  let read = () => null;
  const list = new ValueList(spec);
  const show = () => {
    fault.textContent = '';
    const held = term?.op === choose.value ? term : undefined;
    const editor = editorOf(choose.value, spec, held, list, values);
    fields.replaceChildren(...editor.parts);
    ({ read } = editor);
    (editor.parts[0]?.querySelector('input') ?? choose).focus();
    putUnder(dialog, under.getBoundingClientRect());
  };
  choose.addEventListener('change', show);
  form.addEventListener('submit', (event) => {
    const answer = read();
    if (typeof answer !== 'string') return apply(answer);
    event.preventDefault();
    fault.textContent = answer;
    return undefined;
  });
  clear.addEventListener('click', () => {
    dialog.close();
    apply(null);
  });
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });  // beside the box
  dialog.addEventListener('keydown', (event) => event.stopPropagation());
  dialog.addEventListener('close', () => {
    list.close();
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  show();
}

/** What to fill in for an operator: nodes, and a function that answers the term, null for none, or a text: what is wrong with it. */
function editorOf(op, { column }, held, list, values) {
  const name = column.name;
  switch (op) {
    case 'range': {
      const isTime = column.type === 'timestamp';
      const from = field('From', isTime, shownEnd(held?.from, isTime));
      const through = field('Through', isTime, shownEnd(held?.through, isTime));
      return { parts: [from.label, through.label], read: () => readRange(column, from.input.value, through.input.value) };
    }
    case 'oneOf': case 'noneOf': {
      list.open(new Set(held?.values ?? []), values);
      return { parts: [list.el], read: () => (list.chosen.size === 0 ? null : { column: name, op, values: [...list.chosen] }) };
    }
    case 'isEmpty': case 'isFilled': return { parts: [], read: () => ({ column: name, op }) };
    default: {
      const { label, input } = field(op === 'matches' ? 'Regular expression' : 'Text', false, held?.value ?? '');
      return {
        parts: [label],
        read() {
          const { value } = input;
          if (value === '') return null;
          const wrong = op === 'matches' ? patternFault(value) : '';
          return wrong === '' ? { column: name, op, value } : `The expression ${wrong}.`;
        },
      };
    }
  }
}

function readRange(column, fromText, throughText) {
  const read = (text) => (column.type === 'timestamp' ? timeFrom(text) : amountFrom(text, column));
  const [from, through] = [read(fromText), read(throughText)];
  if (from === null || through === null) {
    return `“${from === null ? fromText : throughText}” is no ${column.type === 'timestamp' ? 'time' : 'number'}.`;
  }
  if (from === undefined && through === undefined) return null;
  if (from !== undefined && through !== undefined && Number(from) > Number(through)) return 'The range ends before it begins.';
  const term = { column: column.name, op: 'range' };
  if (from !== undefined) term.from = from;
  if (through !== undefined) term.through = through;
  return term;
}

function timeFrom(text) {
  if (text === '') return undefined;
  const time = new Date(text).getTime();
  return Number.isNaN(time) ? null : time;
}

function shownEnd(value, isTime) {
  if (value === undefined) return '';
  if (!isTime) return String(value);
  const date = new Date(value);
  const local = new Date(value - date.getTimezoneOffset() * 60_000);
  return Number.isNaN(local.getTime()) ? '' : local.toISOString().slice(0, 19);
}

function field(text, isTime, value) {
  const label = make('label', 'box-field');
  const input = make('input');
  input.type = isTime ? 'datetime-local' : 'text';
  if (isTime) input.step = '1';
  input.maxLength = 1_000;
  input.autocomplete = 'off';
  input.spellcheck = false;
  input.value = value;
  label.append(make('span', '', text), input);
  return { label, input };
}

function make(kind, name = '', text = '') {
  const element = document.createElement(kind);
  if (name !== '') element.className = name;
  element.textContent = text;
  return element;
}
