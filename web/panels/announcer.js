// announcer.js: announcements to screen readers.

import { phrase, plural } from '../model/language.js';

const pause = 1_000;  // milliseconds between two announcements

/**
 * Announces texts at most once per second. Only the last waiting text is announced.
 *
 * `write(text)` writes to the live region. `later(call, milliseconds)` and `now()` are the clock.
 */
export class Announcer {
  constructor(write, { later = (call, wait) => setTimeout(call, wait), now = () => performance.now() } = {}) {
    this.write = write;
    this.later = later;
    this.now = now;
  }
  #spokenAt = -Infinity;
  #waiting = null;
  #last = '';

  /** Announces a text, at once or after the pause. A repeated text is announced again. */
  announce(text) {
    const isScheduled = this.#waiting !== null;
    this.#waiting = text;
    if (isScheduled) return;
    const wait = this.#spokenAt + pause - this.now();
    if (wait <= 0) this.#speak();
    else this.later(() => this.#speak(), wait);
  }

  #speak() {
    const text = this.#waiting;
    this.#waiting = null;
    this.#spokenAt = this.now();
    // Screen readers ignore an unchanged text, so a repeated one gets a trailing no-break space.
    this.#last = text === this.#last ? `${text}\u00a0` : text;
    this.write(this.#last);
  }
}

/**
 * Describes a view, such as `120 rows match, sorted by CPU descending, grouped by User`.
 *
 * @param {object} view
 * @param {number} rows
 * @param {(name: string, level?: number) => string} titles returns the title of a column, or of a
 *   level of sections by it
 */
export function viewInWords({ sort, search, where, filters, group }, rows, titles) {
  const isNarrowed = search !== '' || where !== '' || filters.length > 0;
  const count = isNarrowed ? plural(rows, '{count} row matches', '{count} rows match') : plural(rows, '{count} row', '{count} rows');
  const order = ({ column, descending }) => (descending ? phrase('{column} descending', { column: titles(column) }) : phrase('{column} ascending', { column: titles(column) }));
  const list = (texts) => texts.join(phrase(', then '));
  return [
    count, sort.length > 0 && phrase('sorted by {columns}', { columns: list(sort.map(order)) }), group.length > 0 && phrase('grouped by {columns}', { columns: list(group.map((name, level) => titles(name, level))) }),
  ].filter(Boolean).join(', ');
}
