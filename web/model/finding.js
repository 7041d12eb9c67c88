// finding.js: the meaning of a text in the find strip: words, phrases and negated words, with the
// rules of the filter bar (docs/filtering.md). No DOM, no clock.

import { Search } from './search.js';
import { isWord, quoted } from './where.js';

/**
 * A word or phrase to find. `isNegated` is whether rows must not contain it.
 * @typedef {{word: string, isNegated: boolean}} Term
 */

/**
 * Parses a text into alternatives, each a list of terms that a row must all meet.
 *
 * A text that the filter bar reads as one word, such as `1.5 MiB`, is one term.
 *
 * @returns {Term[][]} empty for a text without words
 */
export function alternativesOf(text) {
  const tidy = text.trim();
  if (tidy === '') return [];
  if (isWord(tidy)) return [[{ word: tidy, isNegated: false }]];
  const alternatives = [[]];
  let isNegated = false;
  for (const token of tokensOf(tidy)) {
    if (token.isWord && /^or$/i.test(token.text)) alternatives.push([]);
    else if (token.isWord && /^not$/i.test(token.text)) isNegated = !isNegated;
    else if (!token.isWord || !/^and$/i.test(token.text)) {
      alternatives.at(-1).push({ word: token.text, isNegated: isNegated !== token.isNegated });
      isNegated = false;
    }
  }
  return alternatives.filter(({ length }) => length > 0);
}

// A phrase in quotes, which the end of the text closes too, or a word; each possibly after a minus.
const token = /(-?)(?:"((?:\\.|[^"\\]|\\$)*)(?:"|$)|([^\s"]+))/gu;

function tokensOf(text) {
  return [...text.matchAll(token)].map(([, minus, phrase, word]) => ({
    text: phrase === undefined ? word : phrase.replace(/\\(["\\])/g, '$1'), isWord: phrase === undefined && minus === '', isNegated: minus === '-',
  })).filter((one) => one.text !== '');
}

/** Returns a text for the filter bar that shows the rows with these alternatives. */
export function barTextOf(alternatives) {
  const textOf = ({ word, isNegated }) => `${isNegated ? '-' : ''}${quoted(word)}`;
  return alternatives.map((terms) => terms.map(textOf).join(' ')).join(' or ');
}

/** The rows and cells that a text in the find strip matches. */
export class Finding {
  #alternatives;

  /**
   * @param {string} text
   * @param {import('./columns.js').Spec[]} specs all columns of the table
   * @param {{isTextOnly: boolean, now: number}} how as for a `Search`
   */
  constructor(text, specs, how) {
    const alternatives = alternativesOf(text);
    this.specs = specs;
    /** The text for the filter bar that shows the matching rows. */
    this.barText = barTextOf(alternatives);
    /** The words to find, in lower case. */
    this.words = [...new Set(alternatives.flat().filter(({ isNegated }) => !isNegated).map(({ word }) => word.toLowerCase()))];
    this.#alternatives = alternatives.map((terms) => terms.map(({ word, isNegated }) => ({ search: new Search(word, specs, how), isNegated })));
  }

  /**
   * Returns the test of a row's cells, or null if the row does not match.
   *
   * The test is true for the cells with a word to find. Of a row that only lacks words, it is true
   * for the first visible cell.
   *
   * @param {readonly *[]} cells
   * @returns {((cell: *, spec: import('./columns.js').Spec, column: number) => boolean)|null}
   */
  ofRow(cells) {
    const contains = ({ search }) => this.specs.some((spec) => search.finds(cells[spec.index], spec));
    const met = this.#alternatives.filter((terms) => terms.every((term) => contains(term) !== term.isNegated));
    if (met.length === 0) return null;
    const found = met.flat().filter(({ isNegated }) => !isNegated);
    return found.length === 0 ? (cell, spec, column) => column === 0 : (cell, spec) => found.some(({ search }) => search.finds(cell, spec));
  }
}

let last = null;

/** Returns what a text finds. The last one is cached, because computing spans takes time. */
export function findingOf(text, specs, how) {
  const isSame = last !== null && last.text === text && last.specs === specs && last.isTextOnly === how.isTextOnly;
  if (!isSame) last = { text, specs, isTextOnly: how.isTextOnly, finding: new Finding(text, specs, how) };
  return last.finding;
}
