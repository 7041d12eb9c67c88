// valuelist.js: a column's values with their counts, to tick some of them.

const mostShown = 1_000;

/** The list in a filter box. `chosen` is what is ticked. */
export class ValueList {
  constructor(spec) {
    this.spec = spec;
    this.chosen = new Set();
    this.#giveUp = () => {};
    this.el = make('div', 'values');
    this.find = make('input');
    this.find.type = 'search';
    this.find.placeholder = 'Find a value';
    this.find.setAttribute('aria-label', 'Find a value');
    this.find.autocomplete = 'off';
    this.rows = make('div', 'value-rows');
    this.rows.setAttribute('role', 'group');
    this.rows.setAttribute('aria-label', 'Values');
    this.told = make('p', 'quiet');
    this.told.setAttribute('role', 'status');
    this.el.append(this.find, this.rows, this.told);
    this.#found = [];
    this.#isAsked = false;
    this.find.addEventListener('input', () => this.#show());
    this.rows.addEventListener('change', ({ target }) => {
      const value = this.#shown[Number(target.dataset.at)];
      if (target.checked) this.chosen.add(value);
      else this.chosen.delete(value);
    });
  }
  #found;
  #giveUp;
  #shown = [];
  #isAsked;

  /** Ticks these values, and asks for all there are. */
  open(chosen, ask) {
    this.chosen = chosen;
    this.#show();
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.told.textContent = 'Counting…';
    this.#giveUp = ask(({ values, note }) => {
      this.#found = values;
      this.told.textContent = note;
      this.#show();
    });
  }

  /** Nobody looks any more. */
  close() {
    this.#giveUp();
  }

  // What is ticked is shown even when no row has it any more: else nobody could take it away.
  #show() {
    const word = this.find.value.trim().toLowerCase();
    const known = new Set(this.#found.map(([value]) => value));
    const all = [...[...this.chosen].filter((value) => !known.has(value)).map((value) => [value, 0]), ...this.#found];
    const shown = all.filter(([value]) => word === '' || this.#text(value).toLowerCase().includes(word)).slice(0, mostShown);
    this.#shown = shown.map(([value]) => value);
    this.rows.replaceChildren(...shown.map(([value, count], at) => {
      const row = make('label', 'value-row');
      const tick = make('input');
      tick.type = 'checkbox';
      tick.checked = this.chosen.has(value);
      tick.dataset.at = at;
      row.append(tick, make('span', value === null ? 'value-text quiet' : 'value-text', this.#text(value)), make('span', 'value-count', count.toLocaleString()));
      return row;
    }));
  }

  #text(value) {
    return value === null ? '(empty)' : this.spec.format(value, Date.now()) || '“”';
  }
}

function make(kind, name = '', text = '') {
  const element = document.createElement(kind);
  if (name !== '') element.className = name;
  element.textContent = text;
  return element;
}
