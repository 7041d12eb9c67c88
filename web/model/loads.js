// loads.js: what is loaded late (deferred cells, rows that stay at their source), and how much of it is there before anyone sees its
// place. No DOM, no clock.

import { missingOf } from './columns.js';
import { itemFrom } from '../protocol/wire.js';

/** Has the server tell how loads go while a table is open of which something was seen on its way. */
export class LoadWatch {
  /** @param {import('./session.js').Session} session */
  constructor(session) {
    this.session = session;
  }
  #late = new Set();

  /** There is another window. */
  look() {
    const { copy, view: { table } } = this.session;
    this.#note(table, () => isLoading(copy.items));
    this.session.wantStats(this.#late.has(table), this);
  }

  /** A patch has come. */
  patched({ updated = [], inserted = [] }) {
    const { table } = this.session.view;
    const isMissing = (entry) => entry.some((cell, at) => at > 2 && missingOf(cell) !== null);
    this.#note(table, () => updated.some((entry) => typeof entry[1] === 'number' && isMissing(entry)) || isLoading(inserted.map(([, , item]) => itemFrom(item))));
    if (this.#late.has(table)) this.session.wantStats(true, this);
  }

  #note(table, isLate) {
    if (!this.#late.has(table) && isLate()) this.#late.add(table);
  }
}

/** Whether anything in these items is on its way, or could not come: then their table loads late. */
export function isLoading(items) {
  return items.some((item) => !item.isHeader && (item.absence !== null || item.cells.some((cell) => missingOf(cell) !== null)));
}

/**
 * How well it goes, in a few words and in full: `{text, title}`; both empty while nobody has seen anything of it.
 *
 * @param {{hits: number, late: number, cancelled: number, wasted: number, failed: number}|null} prefetch as in `stats`
 */
export function loadsText(prefetch, locale) {
  const { hits = 0, late = 0, cancelled = 0, wasted = 0, failed = 0 } = prefetch ?? {};
  if (hits + late === 0) return { text: '', title: '' };
  const many = (value) => value.toLocaleString(locale);
  // Rounded down: all of them is said only when it was all of them.
  const share = Math.floor((100 * hits) / (hits + late));
  const others = [[cancelled, 'cancelled'], [wasted, 'never viewed'], [failed, 'failed']].filter(([count]) => count > 0);
  return {
    text: `${share}% loaded ahead`,
    title: [`${many(hits)} of ${many(hits + late)} were loaded before they came into view`, ...others.map(([count, what]) => `${many(count)} ${what}`)].join(', '),
  };
}
