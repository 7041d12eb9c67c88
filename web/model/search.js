// search.js: what a searched text means in each column, for the search box and for the search within the page (find.js): both find the same
// rows. In columns of texts it is a part of the text; in the others it says the value that the column shows as that text. No DOM, no clock.

import { wireFilter } from './query.js';
import { insideOf, isRead, spanFrom } from './spans.js';

const mostTerms = 80;   // of the 100 that a filter may have, so that some are left for those of the columns
const longest = 24_000;  // characters, of the 48,000 bytes of all filters

/** A text that is looked for in these columns. */
export class Search {
  #tests = new Map();  // by column name: whether a cell is found
  #terms = [];

  /**
   * @param {string} text
   * @param {import('./columns.js').Spec[]} specs
   * @param {{isTextOnly: boolean, now: number}} how `isTextOnly`: the rows stay with their source, which searches texts
   */
  constructor(text, specs, { isTextOnly, now }) {
    const word = text.toLowerCase();
    if (word === '') return;
    for (const spec of specs) {
      const { column } = spec;
      const { name, type } = column;
      if (type === 'text') {
        this.#add(name, (cell) => String(cell).toLowerCase().includes(word), { column: name, op: 'contains', value: text });
      } else if (isTextOnly) continue;
      else if (type === 'boolean') {
        const value = [true, false].find((one) => [String(one), spec.format(one, now).toLowerCase()].includes(word.trim()));
        if (value !== undefined) this.#add(name, (cell) => cell === value, { column: name, op: '=', value });
      } else if (isRead(column)) {
        const span = spanFrom(text, spec, { now });
        // How long ago something was is another value with each second.
        if (span === undefined || span.fault !== undefined || span.isAge) continue;
        const isInside = insideOf(span, column);
        if (isInside !== null) this.#add(name, isInside, { column: name, op: 'range', from: span.low, through: span.high });
      }
    }
  }

  #add(name, test, term) {
    this.#tests.set(name, test);
    this.#terms.push(term);
  }

  /** Whether a cell of a column is found. */
  finds(cell, { column: { name } }) {
    return cell !== null && cell !== undefined && this.#tests.get(name)?.(cell) === true;
  }

  /**
   * It as a FILTER of the wire, together with the terms of the columns; null when the server's own search says the same, or so many columns are
   * more than a filter may have.
   */
  filter(terms) {
    if (this.#terms.every(({ op }) => op === 'contains')) return null;
    const any = { any: this.#terms };
    const others = wireFilter(terms);
    if (this.#terms.length + terms.length > mostTerms || JSON.stringify(any).length > longest) return null;
    return others === undefined ? any : { all: [...(terms.length === 1 ? [others] : others.all), any] };
  }
}

let last = null;

/** The same search as the last one, when it is; spans take time to find. */
export function searchOf(text, specs, how) {
  const isSame = last !== null && last.text === text && last.specs === specs && last.isTextOnly === how.isTextOnly;
  if (!isSame) last = { text, specs, isTextOnly: how.isTextOnly, search: new Search(text, specs, how) };
  return last.search;
}
