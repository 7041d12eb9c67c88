// displaymenu.js: the items of the menus for the form of times and for the lines of a row.
// No DOM.

import { formOf } from '../model/columns.js';
import { formFor, FORMS, LINES, nextTimes } from '../model/display.js';
import { phrase, plural } from '../model/language.js';

/**
 * Returns the items that choose the form of times.
 *
 * @param {import('../model/query.js').View} view
 * @param {(changes: object) => void} change
 * @param {object} [column] whose times; those of all columns if undefined
 * @returns {import('./menu.js').MenuItem[]}
 */
export function timesMenu({ times = [] }, change, column) {
  const name = column?.name;
  const own = times.find((one) => one.column === name) ?? {};
  const put = (form) => () => change({ times: nextTimes(times, name, form) });
  const choice = (label, member, value) => ({ label, isRadio: true, isChecked: own[member] === value, run: put({ [member]: value }) });
  const all = formFor(times, undefined);
  const standard = (member) => (name !== undefined && all[member] !== undefined ? phrase('As in all columns') : phrase('As the source suggests'));
  const hasClock = column === undefined || (formOf(column).word !== 'date' && formFor(times, name).as !== 'relative');
  const others = times.filter((one) => one.column !== undefined);
  return [
    { heading: phrase('Show times as') },
    choice(standard('as'), 'as', undefined),
    ...FORMS.map(([form, label]) => choice(phrase(label), 'as', form)),
    ...(hasClock ? [
      { heading: phrase('Milliseconds') },
      choice(standard('decimals'), 'decimals', undefined), choice(phrase('With milliseconds'), 'decimals', 3), choice(phrase('Without milliseconds'), 'decimals', 0),
    ] : []),
    ...(name === undefined && others.length > 0 ? [null, {
      label: plural(others.length, 'Forget the form of one column', 'Forget the forms of {count} columns'),
      run: () => change({ times: times.length === others.length ? undefined : times.filter((one) => one.column === undefined) }),
    }] : []),
  ];
}

/** Returns the items that choose how many lines of text a row has. */
export function linesMenu({ lines = 1 }, change) {
  return LINES.map((count) => ({
    label: plural(count, 'One line', 'Up to {count} lines'), isRadio: true, isChecked: lines === count,
    run: () => change({ lines: count === 1 ? undefined : count }),
  }));
}

/** Returns the item that opens the menu of all times with `open(title, items)`. */
export function timesItem(columns, view, change, open) {
  const has = columns.some(({ type }) => type === 'timestamp');
  return {
    label: phrase('Times…'), ...(has ? {} : { isDisabled: true, why: phrase('This table has no columns of times.') }),
    run: () => open(phrase('Times'), timesMenu(view, change)),
  };
}
