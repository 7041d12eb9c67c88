// filterbox.js: the dialog that edits a column's filter. Its fields depend on the column's type.

import { make } from '../grid/elements.js';
import { operatorsFor, patternFault } from '../model/query.js';
import { putUnder } from './menu.js';
import { isNumeric, titleOf } from '../model/columns.js';
import { compareEnds, endText, rangeFrom } from '../model/spans.js';
import { ValueList } from './valuelist.js';
import { SHARES } from '../model/highlights.js';
import { number, phrase } from '../model/language.js';

/**
 * Opens the dialog below an element.
 *
 * @param {object} how
 * @param {Element} how.under
 * @param {import('../model/columns.js').Spec} how.spec
 * @param {import('../model/query.js').Term|undefined} how.term the current filter
 * @param {(name: string, take: (found: object) => void) => () => void} how.values requests a column's
 *   values; `take` may be called several times; returns a function that cancels
 * @param {(spec: import('../model/columns.js').Spec) => any[]} how.cells a column's values in the
 *   window, in view order
 * @param {(term: import('../model/query.js').Term|null) => string} how.apply applies a filter and
 *   returns an empty string, or the error with which the dialog stays open
 * @param {string} [how.heading] the title, that of the column by default
 * @param {string} [how.refused] why the server did not apply `term`, or empty
 * @param {(op: string) => string} [how.lack] why an operator is not offered, or empty
 * @param {import('../model/columns.js').Spec[]} [how.others] the columns that the condition may be
 *   about instead
 * @param {(column: object) => string[][]} [how.operators] returns the operators for a column
 */
export function openFilterBox({ under, spec: own, term, values, cells, apply, heading: title = titleOf(own.column), refused = '', lack = () => '', others = [], operators = operatorsFor }) {
  let spec = others.find(({ column }) => column.name === term?.column) ?? own;
  const dialog = make('dialog', others.length > 1 ? 'box filter-box rule-box' : 'box filter-box');
  dialog.setAttribute('aria-label', title === titleOf(own.column) ? phrase('Filter {column}', { column: title }) : title);
  const form = make('form');
  form.method = 'dialog';
  form.noValidate = true;
  const choose = make('select');
  choose.setAttribute('aria-label', phrase('Condition'));
  const offer = () => {
    const ops = operators(spec.column);
    const held = term?.column === spec.column.name ? term.op : undefined;
    choose.replaceChildren(...ops.map(([op, label]) => {
      const option = new Option(label, op);
      option.title = lack(op);
      option.disabled = option.title !== '' && op !== held;
      return option;
    }));
    choose.value = held ?? (spec.column.type === 'text' && spec.column.style !== 'badge' ? 'contains' : ops[0][0]);
    if (choose.selectedOptions[0]?.disabled) choose.value = [...choose.options].find((option) => !option.disabled)?.value ?? choose.value;
  };
  offer();
  const of = make('select');
  of.append(...others.map(({ column: { name }, column }) => new Option(column === own.column ? phrase('This column') : titleOf(column), name)));
  of.value = spec.column.name;
  of.addEventListener('change', () => {
    spec = others.find(({ column }) => column.name === of.value) ?? own;
    list.close();
    list = new ValueList(spec);
    offer();
    show(of);
  });
  const heading = make('h2', '', title);
  const head = make('div', 'box-head');
  head.append(heading, choose);
  const about = make('label', 'box-field');
  about.append(make('span', '', phrase('By column')), of);
  const fields = make('div', 'box-fields');
  const fault = make('p', 'box-fault');
  fault.setAttribute('role', 'alert');
  const clear = make('button', 'plain', phrase('Clear'));
  clear.disabled = term === undefined;
  const done = make('button', 'main', phrase('Apply'));
  done.type = 'submit';
  const foot = make('div', 'box-foot');
  foot.append(fault, clear, done);
  form.append(head, fields, foot);
  dialog.append(form);

  let read = () => null;
  let list = new ValueList(spec);
  /** @param {HTMLElement} [focused] what gets the focus instead of the first field */
  const show = (focused) => {
    fault.textContent = refused !== '' && choose.value === term?.op ? phrase('Not applied. {reason}', { reason: refused }) : lack(choose.value);
    const held = term?.op === choose.value && term.column === spec.column.name ? term : undefined;
    const { name } = spec.column;
    const editor = editorOf(choose.value, spec, held, list, (take) => values(name, take), () => cells(spec));
    fields.replaceChildren(...(others.length > 1 ? [about] : []), ...editor.parts);
    ({ read } = editor);
    (focused ?? editor.parts[0]?.querySelector('input, select') ?? choose).focus();
    putUnder(dialog, under.getBoundingClientRect());
  };
  choose.addEventListener('change', () => show());
  form.addEventListener('input', (/** @type {On<Event>} */ { target }) => {
    fault.textContent = '';
    target.removeAttribute('aria-invalid');
  });
  form.addEventListener('submit', (event) => {
    const answer = read();
    const isTerm = answer === null || answer.fault === undefined;
    const words = isTerm ? apply(answer) : answer.fault;
    if (words === '') return;
    event.preventDefault();
    fault.textContent = words;
    if (isTerm) return;
    answer.input.setAttribute('aria-invalid', 'true');
    answer.input.focus();
  });
  clear.addEventListener('click', () => {
    dialog.close();
    apply(null);
  });
  // A click on the backdrop closes the dialog.
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener('keydown', (event) => event.stopPropagation());
  dialog.addEventListener('close', () => {
    list.close();
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  show();
}

/**
 * Builds the fields for an operator: their nodes, and a function that reads them.
 *
 * The function returns the term, null for no filter, or `{fault, input}` for invalid input.
 */
function editorOf(op, spec, held, list, values, cells) {
  const name = spec.column.name;
  switch (op) {
    case 'range': return rangeEditor(spec, held, cells());
    case 'oneOf': case 'noneOf': {
      list.open(held?.values ?? [], values);
      return { parts: [list.el], read: () => (list.selected.size === 0 ? null : { column: name, op, values: list.values }) };
    }
    case 'isEmpty': case 'isFilled': return { parts: [], read: () => ({ column: name, op }) };
    case 'top': case 'bottom': return shareEditor(name, op, held);
    default: {
      const { label, input } = field(op === 'matches' ? phrase('Regular expression') : phrase('Text'), held?.value ?? '');
      return {
        parts: [label],
        read() {
          const { value } = input;
          if (value === '') return null;
          const wrong = op === 'matches' ? patternFault(value) : '';
          return wrong === '' ? { column: name, op, value } : { fault: phrase('The expression {fault}.', { fault: wrong }), input };
        },
      };
    }
  }
}

function shareEditor(column, op, held) {
  const label = make('label', 'box-field');
  const choose = make('select');
  choose.append(...Object.keys(SHARES[op]).map((percent) => new Option(`${number(Number(percent))} %`, percent)));
  choose.value = String(held?.percent ?? 5);
  label.append(make('span', '', phrase('Share of the values')), choose);
  return { parts: [label], read: () => ({ column, op, percent: Number(choose.value) }) };
}

function rangeEditor(spec, held = {}, cells) {
  const before = [endText(held.from, 'low', spec, Date.now()), endText(held.through, 'high', spec, Date.now())];
  const fields = [phrase('From'), phrase('To (inclusive)')].map((words, at) => field(words, before[at]));
  const example = cells.find((cell) => cell !== null && typeof cell !== 'object');
  const value = example === undefined ? '' : spec.format(example, Date.now());
  if (value !== '') for (const { input } of fields) input.placeholder = phrase('Such as {value}', { value });
  // Both ends fit into the first field, see rangeFrom.
  const both = isNumeric(spec.column.type) ? rangeExample(cells, spec) : '';
  if (both !== '') fields[0].input.placeholder = phrase('Such as {value}', { value: both });
  const read = () => {
    const found = rangeFrom(fields.map(({ input }) => input.value), spec, { now: Date.now(), cells, held, before });
    if (found === null) return null;
    return found.fault === undefined ? { column: spec.column.name, op: 'range', ...found } : { fault: found.fault, input: fields[found.at].input };
  };
  return { parts: fields.map(({ label }) => label), read };
}

/** Returns the least and the greatest of some values as a range; an empty text if it is long. */
function rangeExample(cells, spec) {
  const values = cells.filter((cell) => cell !== null && typeof cell !== 'object').sort((one, other) => compareEnds(one, other, spec.column));
  const [low, high] = [values.at(0), values.at(-1)].map((cell) => (cell === undefined ? '' : spec.format(cell, Date.now())));
  return low === high || low.length + high.length > 18 ? '' : `${low}..${high}`;
}

function field(text, value) {
  const label = make('label', 'box-field');
  const input = make('input');
  input.type = 'text';
  input.maxLength = 1_000;
  input.autocomplete = 'off';
  input.spellcheck = false;
  input.value = value;
  label.append(make('span', '', text), input);
  return { label, input };
}
