// sectionmenu.js: the items of menus about the sections of a grouped column. No DOM.

import { titleOf } from '../model/columns.js';
import { functionName, fittingSections, nextSections } from '../model/query.js';
import { lacks } from './columnmenu.js';
import { isEnglish, phrase } from '../model/language.js';

/**
 * Returns the items that order the sections of a grouped column.
 *
 * @param {object} column
 * @param {object[]} columns all columns of the table
 * @param {import('../model/query.js').View} view
 * @param {{change: (changes: object) => void, lack?: (what: object) => string}} on `lack` returns
 *   why the source does not support an order
 * @returns {import('./menu.js').MenuItem[]}
 */
export function orderItems({ name }, columns, { group, aggregates, sections }, on) {
  const own = fittingSections(sections, group, aggregates).find((order) => order.column === name) ?? { column: name, by: 'value', descending: false };
  const item = (label, by, descending) => {
    const order = { column: name, by, descending };
    const isChecked = JSON.stringify([own.by, own.descending]) === JSON.stringify([by, descending]);
    return {
      label, isRadio: true, isChecked, ...(by === 'value' && !descending ? {} : lacks(on.lack?.({ order: true }))),
      run: () => on.change({ sections: nextSections(sections, order) }),
    };
  };
  return [
    item(phrase('By value, ascending'), 'value', false), item(phrase('By value, descending'), 'value', true),
    item(phrase('Largest first'), 'count', true), item(phrase('Smallest first'), 'count', false),
    ...aggregates.flatMap(({ column, function: kind }) => {
      const title = titleOf(columns.find((other) => other.name === column) ?? { name: column });
      const total = { function: isEnglish() ? functionName(kind).replace(/^[A-Z]/, (letter) => letter.toLowerCase()) : functionName(kind), column: title };
      const by = { column, function: kind };
      return [item(phrase('By {function} of {column}, descending', total), by, true), item(phrase('By {function} of {column}, ascending', total), by, false)];
    }),
  ];
}
