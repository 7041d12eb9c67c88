// valuelist.js: a column's values with their counts and checkboxes. Values with the same displayed
// text are merged.

import { make } from '../grid/elements.js';
import { isRead, spanOf } from '../model/spans.js';
import { number, phrase, plural } from '../model/language.js';

const mostShown = 1_000;

/** The value list of a filter box. `selected` has the checked values by `#keyOf`. */
export class ValueList {
  constructor(spec) {
    this.spec = spec;
    /** @type {Map<string, any>} */
    this.selected = new Map();
    this.#isMerged = isRead(spec.column);
    this.#giveUp = () => {};
    this.el = make('div', 'values');
    this.find = make('input');
    this.find.type = 'search';
    this.find.placeholder = phrase('Find a value');
    this.find.setAttribute('aria-label', phrase('Find a value'));
    this.find.autocomplete = 'off';
    this.rows = make('div', 'value-rows');
    this.rows.setAttribute('role', 'group');
    this.rows.setAttribute('aria-label', phrase('Values'));
    this.status = make('p', 'quiet');
    this.status.setAttribute('role', 'status');
    this.el.append(this.find, this.rows, this.status);
    this.#found = [];
    this.#isRequested = false;
    this.find.addEventListener('input', () => this.#show());
    this.rows.addEventListener('change', (/** @type {On<Event, HTMLInputElement>} */ { target }) => {
      const value = this.#shown[Number(target.dataset.at)];
      if (target.checked) this.selected.set(this.#keyOf(value), value);
      else this.selected.delete(this.#keyOf(value));
    });
  }
  #found;
  #giveUp;
  #shown = [];
  #isRequested;
  #isMerged;
  #now = Date.now();

  /**
   * The checked values for a filter term.
   *
   * A value that shares its text with others is the range `[from, through]` of all of them.
   */
  get values() {
    return [...this.selected.values()].map((value) => {
      if (value === null || Array.isArray(value) || !this.#isMerged) return value;
      const { low, high } = spanOf(value, this.spec, this.#now);
      return low === high ? value : [low, high];
    });
  }

  // Returns the key that identifies a value: its displayed text where values may share one.
  #keyOf(value) {
    return value !== null && this.#isMerged ? `shown ${this.#text(value)}` : JSON.stringify(value);
  }

  /** Checks these values, and requests all values of the column on the first call. */
  open(selected, ask) {
    this.selected = new Map(selected.map((value) => [this.#keyOf(value), value]));
    this.#show();
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.status.textContent = phrase('Counting…');
    this.#giveUp = ask(({ values, note }) => {
      this.#found = this.#merged(values);
      this.status.textContent = note ?? plural(this.#found.length, '{count} value', '{count} values');
      this.#show();
    });
  }

  /** Cancels the request, because the list is closed. */
  close() {
    this.#giveUp();
  }

  #merged(values) {
    const counts = new Map();
    for (const [value, count] of values) {
      const key = this.#keyOf(value);
      const own = counts.get(key);
      if (own === undefined) counts.set(key, [value, count]);
      else own[1] += count;
    }
    return [...counts.values()].sort((one, other) => other[1] - one[1]);
  }

  // Draws the list. Checked values that no row has are listed as well, so that the user can uncheck
  // them.
  #show() {
    const word = this.find.value.trim().toLowerCase();
    const known = new Set(this.#found.map(([value]) => this.#keyOf(value)));
    const all = [...[...this.selected].filter(([key]) => !known.has(key)).map(([, value]) => [value, 0]), ...this.#found];
    const shown = all.filter(([value]) => word === '' || this.#text(value).toLowerCase().includes(word)).slice(0, mostShown);
    this.#shown = shown.map(([value]) => value);
    this.rows.replaceChildren(...shown.map(([value, count], at) => {
      const row = make('label', 'value-row');
      const tick = make('input');
      tick.type = 'checkbox';
      tick.checked = this.selected.has(this.#keyOf(value));
      tick.dataset.at = String(at);
      row.append(tick, make('span', value === null ? 'value-text quiet' : 'value-text', this.#text(value)), make('span', 'value-count', number(count)));
      return row;
    }));
  }

  #text(value) {
    if (value === null) return phrase('(empty)');
    const first = Array.isArray(value) ? value[0] : value;
    // An end of a range of times may be text.
    return this.spec.format(this.spec.column.type === 'timestamp' ? Number(first) : first, this.#now) || '“”';
  }
}
