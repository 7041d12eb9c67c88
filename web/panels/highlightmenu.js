// highlightmenu.js: the items that highlight the values of a column. No DOM.

import { isNumeric } from '../model/columns.js';
import { highlightOf, LOOKS, nextHighlights } from '../model/highlights.js';
import { phrase } from '../model/language.js';

/**
 * Returns the items of the menu that highlights a column.
 *
 * @param {object} column
 * @param {import('../model/query.js').View} view
 * @param {{change: (changes: object) => void, edit: (look: string) => void,
 *   text: (term: import('../model/query.js').Term) => string}} on `edit` edits the rule of a look,
 *   and `text` returns a rule's condition
 * @returns {import('./menu.js').MenuItem[]}
 */
export function highlightMenu(column, view, on) {
  const { highlights = [] } = view;
  const { name } = column;
  const whole = (look, label) => {
    const own = highlightOf(view, name, look);
    const isOfSource = look === 'bar' && column.style === 'bar';
    return {
      label, isChecked: own !== undefined || isOfSource, ...(isOfSource ? { isDisabled: true, why: phrase('The source shows this column with bars.') } : {}),
      run: () => on.change({ highlights: nextHighlights(highlights, name, look, own === undefined ? { column: name, look } : null) }),
    };
  };
  const rest = highlights.filter((other) => other.column !== name);
  return [
    ...(isNumeric(column.type) ? [{ heading: phrase('All values') }, whole('bar', phrase('Bars')), whole('heat', phrase('Heat scale'))] : []),
    { heading: phrase('Values that match') },
    ...LOOKS.map(([look, label]) => {
      const own = highlightOf(view, name, look);
      return { label: own?.term === undefined ? `${phrase(label)}…` : `${phrase(label)}: ${on.text(own.term)}`, isChecked: own !== undefined, run: () => on.edit(look) };
    }),
    ...(rest.length < highlights.length ? [null, { label: phrase('Remove all of the column'), run: () => on.change({ highlights: rest.length === 0 ? undefined : rest }) }] : []),
  ];
}
