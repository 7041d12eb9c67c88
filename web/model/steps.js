// steps.js: the difference between two views in words, for Undo and Redo. No DOM.

import { arrange } from './columns.js';
import { phrase, phraseKey } from './language.js';

const parts = Object.freeze({
  search: phraseKey('search'), filters: phraseKey('filters'), where: phraseKey('filter'), sort: phraseKey('sort order'), group: phraseKey('grouping'), ranges: phraseKey('ranges of sections'), aggregates: phraseKey('totals'),
  sections: phraseKey('order of sections'), collapsed: phraseKey('collapsed sections'), tiles: phraseKey('summary'), highlights: phraseKey('highlights'),
  facets: phraseKey('columns of the facets'), times: phraseKey('form of times'), lines: phraseKey('lines of text'), pins: phraseKey('pinned rows'),
});

/**
 * Returns the parts in which two views differ, in words, such as `sort order, column widths`; empty
 * if they are equal.
 *
 * @param {import('./query.js').View} before
 * @param {import('./query.js').View} after
 * @param {object[]} columns of the table
 */
export function changeText(before, after, columns) {
  if (before.table !== after.table) return phrase('table');
  const isOther = (name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null);
  const named = Object.keys(parts).filter(isOther).map((name) => phrase(parts[name]));
  const layout = isOther('columns') ? layoutText(arrange(columns, before.columns), arrange(columns, after.columns)) : [];
  if (named.length === 0 && layout.length === 0) return isOther('named') ? phrase('name of the view') : '';
  return [...named, ...layout].join(', ');
}

function layoutText(before, after) {
  const differs = (text) => JSON.stringify(before.map(text)) !== JSON.stringify(after.map(text));
  const byName = (places) => places.toSorted((one, other) => (one.column < other.column ? -1 : 1));
  const changes = (member) => JSON.stringify(byName(before).map((place) => place[member])) !== JSON.stringify(byName(after).map((place) => place[member]));
  return [
    differs(({ column }) => column) && !changes('isPinned') ? phrase('column order') : '', changes('width') ? phrase('column widths') : '',
    changes('isHidden') ? phrase('hidden columns') : '', changes('isPinned') ? phrase('pinned columns') : '',
  ].filter(Boolean);
}

/** Returns the text that announces a step back or forward in the history. */
export function stepText(isBack, change) {
  return `${isBack ? phrase('Undone') : phrase('Redone')}${change === '' ? '' : `: ${change}`}`;
}
