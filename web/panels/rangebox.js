// rangebox.js: the dialog that groups a column by ranges of its values.

import { make } from '../grid/elements.js';
import { titleOf } from '../model/columns.js';
import { sizeText, widthFormat } from '../model/ranges.js';
import { bestSize, innerSizes, sizesFor, widthFrom } from '../model/widths.js';
import { putUnder } from './menu.js';
import { phrase } from '../model/language.js';

/**
 * Opens the dialog below an element.
 *
 * @param {object} how
 * @param {Element} how.under
 * @param {import('../model/columns.js').Spec} how.spec
 * @param {import('../model/widths.js').Size[]} how.sizes the present ranges of the column's levels,
 *   from the outermost one; empty for none
 * @param {number} how.levels the number of levels that the column can have
 * @param {[number, number]|null} how.bounds the least and the greatest value, as far as known
 * @param {(take: (bounds: [number, number]|null) => void) => () => void} how.ask requests the
 *   bounds of all rows; returns a function that cancels
 * @param {(sizes: import('../model/widths.js').Size[]) => void} how.apply groups by ranges of these
 *   sizes, or by value without any
 */
export function openRangeBox({ under, spec, sizes: before, levels, bounds, ask, apply }) {
  const { column } = spec;
  const format = widthFormat(spec);
  const [size = null, inner = null] = before;
  const focused = document.activeElement;
  const dialog = make('dialog', 'box range-box');
  const title = phrase('Group {column} by ranges', { column: titleOf(column) });
  dialog.setAttribute('aria-label', title);
  const form = make('form');
  form.method = 'dialog';
  form.noValidate = true;
  const head = make('div', 'box-head');
  head.append(make('h2', '', title));
  const fields = make('div', 'box-fields');
  const choose = make('select');
  const chooseInner = make('select');
  const own = make('input');
  own.type = 'text';
  own.maxLength = 100;
  own.autocomplete = 'off';
  const line = (text, input) => {
    const label = make('label', 'box-field');
    label.append(make('span', '', text), input);
    return label;
  };
  const ownLine = line(phrase('Own width'), own);
  const innerLine = line(phrase('Then by'), chooseInner);
  fields.append(line(column.type === 'timestamp' ? phrase('Unit') : phrase('Width'), choose), ...(column.type === 'timestamp' ? [] : [ownLine]), innerLine);
  const fault = make('p', 'box-fault');
  fault.setAttribute('role', 'alert');
  const cancel = make('button', '', phrase('Cancel'));
  cancel.type = 'button';
  const main = make('button', 'main', phrase('Group'));
  main.type = 'submit';
  const foot = make('div', 'box-foot');
  foot.append(fault, cancel, main);
  form.append(head, fields, foot);
  dialog.append(form);

  let sizes = [];
  let inners = [];
  let isTouched = false;
  const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const offer = (known) => {
    sizes = sizesFor(column, known);
    const best = bestSize(sizes, known);
    const isOwn = size !== null && !sizes.some((one) => isSame(one, size));
    choose.replaceChildren(
      ...sizes.map((one, at) => new Option(sizeText(one, format, Date.now()), String(at))),
      ...(column.type === 'timestamp' ? [] : [new Option(phrase('Own width'), 'own')]), new Option(phrase('None: each value'), 'none'),
    );
    choose.value = isOwn ? 'own' : String(sizes.findIndex((one) => isSame(one, size ?? best)));
    if (isOwn && own.value === '') own.value = sizeText(size, format, Date.now());
    show();
    if (inner !== null) {
      if (!inners.some((one) => isSame(one, inner))) {
        inners.push(inner);
        chooseInner.append(new Option(sizeText(inner, format, Date.now()), String(inners.length - 1)));
      }
      chooseInner.value = String(inners.findIndex((one) => isSame(one, inner)));
    }
  };
  // Offers the sizes that divide the chosen one further.
  const offerInner = () => {
    const outer = choose.value === 'own' || choose.value === 'none' ? undefined : sizes[Number(choose.value)];
    const kept = inners[Number(chooseInner.value || NaN)];
    inners = outer === undefined || levels < 2 ? [] : innerSizes(column, outer);
    innerLine.hidden = inners.length === 0;
    chooseInner.replaceChildren(new Option(phrase('Nothing'), ''), ...inners.map((one, at) => new Option(sizeText(one, format, Date.now()), String(at))));
    chooseInner.value = kept === undefined ? '' : String(inners.findIndex((one) => isSame(one, kept)));
    if (chooseInner.selectedIndex < 0) chooseInner.value = '';
  };
  const show = () => {
    ownLine.hidden = choose.value !== 'own';
    offerInner();
    putUnder(dialog, under.getBoundingClientRect());
  };
  choose.addEventListener('change', () => {
    isTouched = true;
    fault.textContent = '';
    show();
    if (choose.value === 'own') own.focus();
  });
  own.addEventListener('input', () => {
    fault.textContent = '';
    own.removeAttribute('aria-invalid');
  });
  form.addEventListener('submit', (event) => {
    const found = choose.value === 'none' ? null : choose.value === 'own' ? widthFrom(own.value, spec, Date.now()) : sizes[Number(choose.value)];
    if (found?.fault === undefined) return apply(found === null ? [] : [found, inners[Number(chooseInner.value || NaN)]].filter((one) => one !== undefined));
    event.preventDefault();
    fault.textContent = found.fault;
    own.setAttribute('aria-invalid', 'true');
    return own.focus();
  });
  cancel.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => { if (target === dialog) dialog.close(); });
  dialog.addEventListener('keydown', (/** @type {On<KeyboardEvent>} */ event) => {
    event.stopPropagation();
    if (event.key !== 'Enter' || event.target.localName !== 'select') return;
    event.preventDefault();
    main.click();
  });
  // The user's choice stays when the bounds arrive.
  const leave = ask((found) => { if (found !== null && !isTouched && dialog.open) offer(found); });
  dialog.addEventListener('close', () => {
    leave();
    dialog.remove();
    if (focused?.isConnected) focused.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
  offer(bounds);
  choose.focus();
}
