// loads.js: statistics on prefetch of deferred cells and rows of remote tables. No DOM, no clock.

import { missingOf } from './columns.js';
import { itemFrom } from '../protocol/wire.js';
import { phrase } from './language.js';

/** Subscribes to the server's load statistics while the open table has loaded something late. */
export class LoadWatch {
  /** @param {import('./session.js').Session} session */
  constructor(session) {
    this.session = session;
  }
  #late = new Set();

  /** Checks a new window for items that are loading. */
  look() {
    const { copy, view: { table } } = this.session;
    this.#note(table, () => isLoading(copy.items));
    this.session.wantStats(this.#late.has(table), this);
  }

  /** Checks a patch for items that are loading. */
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

/** Whether any of these items is still loading or could not be loaded. */
export function isLoading(items) {
  return items.some((item) => !item.isHeader && (item.absence !== null || item.cells.some((cell) => missingOf(cell) !== null)));
}

/**
 * Describes the prefetch statistics as `{text, title}`: a short text and a tooltip.
 *
 * Both are empty if nothing was loaded.
 *
 * @param {{hits: number, late: number, cancelled: number, wasted: number,
 *   failed: number}|null} prefetch as in `stats`
 */
export function loadsText(prefetch, locale) {
  const { hits = 0, late = 0, cancelled = 0, wasted = 0, failed = 0 } = prefetch ?? {};
  if (hits + late === 0) return { text: '', title: '' };
  // Rounded down, so that 100% means all.
  const share = Math.floor((100 * hits) / (hits + late));
  const others = [
    cancelled > 0 && phrase('{count} cancelled', { count: cancelled }, locale), wasted > 0 && phrase('{count} never viewed', { count: wasted }, locale),
    failed > 0 && phrase('{count} failed', { count: failed }, locale),
  ].filter(Boolean);
  return {
    text: phrase('{share}% loaded ahead', { share }),
    title: [phrase('{hits} of {count} were loaded before they came into view', { hits, count: hits + late }, locale), ...others].join(', '),
  };
}
