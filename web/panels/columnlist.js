// columnlist.js: the dialog that shows and hides columns. A long list has a search box.

import { make } from '../grid/elements.js';
import { arrange, titleOf } from '../model/columns.js';
import { changePlace, findColumns, showPlaces } from '../model/places.js';
import { putUnder } from './menu.js';
import { phrase } from '../model/language.js';

/** The number of columns up to which a list has no search box. */
const fewColumns = 10;

/**
 * Opens the dialog below an element. Each choice changes the view at once.
 *
 * @param {Element} under
 * @param {import('../model/session.js').Session} session
 * @param {(changes: object) => void} change
 */
export function openColumnList(under, session, change) {
  const { columns } = session.table;
  const before = document.activeElement;
  const dialog = make('dialog', 'box column-list');
  dialog.setAttribute('aria-label', phrase('Columns'));
  const head = make('div', 'box-head');
  const count = make('span', 'quiet');
  count.setAttribute('role', 'status');
  head.append(make('h2', '', phrase('Columns')), count);
  const find = make('input');
  Object.assign(find, { type: 'search', placeholder: phrase('Find a column'), autocomplete: 'off', spellcheck: false, hidden: columns.length <= fewColumns });
  find.setAttribute('aria-label', phrase('Find a column'));
  const list = make('div', 'value-rows');
  list.setAttribute('role', 'group');
  list.setAttribute('aria-label', phrase('Columns'));
  const none = make('p', 'quiet', phrase('No column has these words.'));
  const foot = make('div', 'box-foot');
  const buttons = Object.fromEntries(['show', 'only', 'reset', 'done'].map((name) => [name, make('button', name === 'done' ? 'main' : '')]));
  foot.append(...Object.values(buttons));
  dialog.append(head, find, list, none, foot);

  const ticks = arrange(columns, session.view.columns).map(({ column: name }) => {
    const column = columns.find((one) => one.name === name);
    const row = make('label', 'value-row');
    const tick = make('input');
    tick.type = 'checkbox';
    tick.addEventListener('change', () => put(changePlace(columns, session.view.columns, name, { isHidden: !tick.checked })));
    row.title = column.description ?? '';
    row.append(tick, make('span', 'value-text', titleOf(column)), make('span', 'value-count', titleOf(column) === name ? '' : name));
    return { name, row, tick };
  });
  list.append(...ticks.map(({ row }) => row));

  const put = (layout) => {
    change({ columns: layout });
    show();
  };
  const show = () => {
    const places = new Map(arrange(columns, session.view.columns).map((place) => [place.column, place]));
    const shown = [...places.values()].filter(({ isHidden }) => !isHidden).length;
    const found = findColumns(columns, find.value);
    for (const { name, row, tick } of ticks) {
      tick.checked = !places.get(name).isHidden;
      // One column is always visible.
      tick.disabled = tick.checked && shown === 1;
      row.hidden = !found.includes(name);
    }
    const isAll = found.length === columns.length;
    count.textContent = phrase('{shown} of {count} shown', { shown, count: columns.length });
    none.hidden = found.length > 0;
    buttons.show.textContent = isAll ? phrase('Show all') : found.length === 1 ? phrase('Show this one') : phrase('Show these {count}', { count: found.length });
    buttons.show.disabled = found.every((name) => !places.get(name).isHidden);
    buttons.only.textContent = isAll || found.length === 1 ? phrase('Hide all others') : phrase('Hide all but these {count}', { count: found.length });
    buttons.only.disabled = isAll || found.length === 0;
    buttons.only.hidden = find.hidden;
    buttons.reset.disabled = session.view.columns.length === 0;
  };
  const choose = (isOnly) => put(showPlaces(columns, session.view.columns, findColumns(columns, find.value), isOnly));
  buttons.show.addEventListener('click', () => choose(false));
  buttons.only.addEventListener('click', () => choose(true));
  buttons.reset.textContent = phrase('Reset');
  buttons.reset.title = phrase('Bring back the order, widths and columns of the source');
  buttons.reset.addEventListener('click', () => put([]));
  buttons.done.textContent = phrase('Done');
  buttons.done.addEventListener('click', () => dialog.close());
  find.addEventListener('input', show);
  dialog.addEventListener('keydown', (event) => {
    event.stopPropagation();
    const visible = ticks.filter(({ row, tick }) => !row.hidden && !tick.disabled).map(({ tick }) => tick);
    const at = visible.findIndex((tick) => tick === document.activeElement);
    if (event.key === 'Enter' && (at >= 0 || document.activeElement === find)) {
      event.preventDefault();
      return void (visible[at] ?? visible[0])?.click();
    }
    // The first Escape clears the search, in all browsers, and the next one closes the dialog.
    if (event.key === 'Escape' && document.activeElement === find && find.value !== '') {
      event.preventDefault();
      find.value = '';
      return void show();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || (at < 0 && document.activeElement !== find)) return;
    event.preventDefault();
    const next = at + step;
    (visible[next] ?? (next < 0 && !find.hidden ? find : document.activeElement)).focus();
  });
  dialog.addEventListener('click', ({ target }) => { if (target === dialog) dialog.close(); });
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before?.isConnected) before.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  show();
  dialog.showModal();
  (find.hidden ? ticks.find(({ tick }) => !tick.disabled)?.tick : find)?.focus();
  // The search must not move what is below the list.
  list.style.minHeight = `${list.offsetHeight}px`;
  putUnder(dialog, under.getBoundingClientRect());
}
