// speech.js: what a screen reader is told: never more than once a second, and the last word wins.

const pause = 1_000;

/** `write(text)` puts a text where it is spoken; `later(call, milliseconds)` and `now()` are the clock's. */
export class Speech {
  constructor(write, { later = (call, wait) => setTimeout(call, wait), now = () => performance.now() } = {}) {
    Object.assign(this, { write, later, now });
  }
  #spokenAt = -Infinity;
  #waiting = null;
  #said = '';

  /** Says a text, at once or as soon as the last one has been heard. The same text again is said again. */
  say(text) {
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
    // A text that does not change is not spoken: a space tells one from the other.
    this.#said = text === this.#said ? `${text}\u00a0` : text;
    this.write(this.#said);
  }
}

/** What a view shows, in words: `120 rows match, sorted by CPU descending, grouped by User`. */
export function viewInWords({ sort, search, filters, group }, rows, titles) {
  const isNarrowed = search !== '' || filters.length > 0;
  const count = `${rows.toLocaleString()} ${rows === 1 ? 'row' : 'rows'}${isNarrowed ? (rows === 1 ? ' matches' : ' match') : ''}`;
  const sorted = sort.map(({ column, descending }) => `${titles(column)} ${descending ? 'descending' : 'ascending'}`).join(', then ');
  return [count, sorted && `sorted by ${sorted}`, group.length > 0 && `grouped by ${group.map(titles).join(', then ')}`].filter(Boolean).join(', ');
}
