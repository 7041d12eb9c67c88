// search.js: the meaning of a search text in each column, for the search box and for find.js, so
// that both find the same rows. Text columns match substrings; other columns match the values they
// format as that text. No DOM, no clock.

import { wireFilter } from './query.js';
import { insideOf, isRead, spanFrom } from './spans.js';

// A filter may have 100 terms; the rest is for the filters of columns.
const mostTerms = 80;
const longest = 24_000;  // characters; all filters together may have 48,000 bytes

/** A search for a text in a table's columns. */
export class Search {
  #tests = new Map();  // predicates on cells, by column name
  #terms = [];

  /**
   * @param {string} text
   * @param {import('./columns.js').Spec[]} specs
   * @param {{isTextOnly: boolean, now: number}} how `isTextOnly` restricts the search to text
   *   columns, as for remote tables
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
        // Ages are skipped, because their values change every second.
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

  /** Whether the search matches a cell. */
  finds(cell, { column: { name } }) {
    return cell !== null && cell !== undefined && this.#tests.get(name)?.(cell) === true;
  }

  /**
   * Returns a wire filter for the search and the columns' terms, or null to use the server's
   * search.
   *
   * The server's search is used if it gives the same result, or if a filter would be too large.
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

/** Returns the search for a text. The last one is cached, because computing spans takes time. */
export function searchOf(text, specs, how) {
  const isSame = last !== null && last.text === text && last.specs === specs && last.isTextOnly === how.isTextOnly;
  if (!isSame) last = { text, specs, isTextOnly: how.isTextOnly, search: new Search(text, specs, how) };
  return last.search;
}
