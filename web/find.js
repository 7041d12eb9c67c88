// find.js: finds a text in the rows at hand, marks it where it is drawn, and goes from one to the next; and says in how many of all rows
// it is, as the server finds it in their texts. The browser's own search sees only what is drawn.

const recount = 300;      // milliseconds between two counts while rows change
const typingPause = 250;  // milliseconds without a key before the server is asked

/**
 * The strip; `on.go(position, column)` makes a cell active, `on.countAll(text, told)` tells in how many of all rows it is, or null, `on.only(text)`
 * shows only these, `on.leave()` gives the focus back, `on.changed()` hears that there is something to draw.
 */
export class Find {
  constructor(strip, on) {
    Object.assign(this, { strip, on });
    this.input = strip.querySelector('input');
    this.told = strip.querySelector('[role=status]');
    // Without it nothing is marked, and the rest works. There is one for all panes.
    this.highlight = globalThis.Highlight ? CSS.highlights.get('found') ?? new Highlight() : null;
    if (this.highlight) CSS.highlights.set('found', this.highlight);
    this.input.addEventListener('input', () => this.#look(true));
    const [all, previous, next, close] = strip.querySelectorAll('button');
    this.all = all;
    all.addEventListener('click', () => {
      this.close();
      this.on.only(this.input.value);
    });
    previous.addEventListener('click', () => this.#step(-1));
    next.addEventListener('click', () => this.#step(1));
    close.addEventListener('click', () => this.close());
    strip.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && event.target === this.input) this.#step(event.shiftKey ? -1 : 1);
      else if (event.key === 'Escape') this.close();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
  #found = [];
  #at = -1;
  #copy = null;
  #specs = [];
  #countedAt = 0;
  #marked = [];
  #typing = 0;

  get isOpen() {
    return !this.strip.hidden;
  }

  open() {
    this.strip.hidden = false;
    this.input.focus();
    this.input.select();
    this.#countAll();
  }

  close() {
    this.strip.hidden = true;
    this.#unmark();
    this.on.leave();
  }

  /** After a frame: what is drawn may be another. */
  drawn(body, copy, specs, now) {
    if (!this.isOpen) return;
    this.#copy = copy;
    this.#specs = specs;
    if (now - this.#countedAt > recount) {
      this.#countedAt = now;
      this.#look(false);
    }
    this.#mark(body);
  }

  #look(isTyped) {
    this.#found = this.#copy === null ? [] : findText(this.input.value, this.#copy, this.#specs, Date.now());
    this.#at = Math.min(this.#at, this.#found.length - 1);
    if (isTyped) {
      this.#at = -1;
      this.#countedAt = 0;
      this.#countAll();
      this.on.changed();
    }
    this.#tell();
  }

  // What is told of another text than the one that stands there is not shown.
  #countAll() {
    const word = this.input.value;
    this.all.hidden = true;
    clearTimeout(this.#typing);
    if (word === '') return;
    this.#typing = setTimeout(() => this.on.countAll(word, (count) => {
      if (word !== this.input.value || !this.isOpen) return;
      this.all.hidden = count === null;
      if (count !== null) this.all.textContent = `${count.toLocaleString()} ${count === 1 ? 'row' : 'rows'} in all`;
    }), typingPause);
  }

  #tell() {
    const count = this.#found.length.toLocaleString();
    const text = this.input.value === '' ? '' : this.#at >= 0 ? `${this.#at + 1} of ${count}` : `${count} at hand`;
    if (this.told.textContent !== text) this.told.textContent = text;
  }

  #step(step) {
    this.#look(false);
    if (this.#found.length === 0) return;
    this.#at = (this.#at < 0 && step < 0 ? this.#found.length - 1 : this.#at + step + this.#found.length) % this.#found.length;
    const { position, column } = this.#found[this.#at];
    this.on.go(position, column);
    this.#tell();
  }

  #mark(body) {
    if (!this.highlight) return;
    this.#unmark();
    const word = this.input.value.toLowerCase();
    if (word === '') return;
    const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const at = node.data.toLowerCase().indexOf(word);
      if (at < 0 || at + word.length > node.length) continue;
      const range = new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: at + word.length });
      this.highlight.add(range);
      this.#marked.push(range);
    }
  }

  #unmark() {
    for (const range of this.#marked) this.highlight.delete(range);
    this.#marked.length = 0;
  }
}

/**
 * The cells at hand that show a text, in reading order. Case does not count.
 *
 * @param {import('./rows.js').WindowCopy} copy
 * @param {import('./columns.js').Spec[]} specs those that are shown
 */
export function findText(text, copy, specs, now) {
  const word = text.toLowerCase();
  const found = [];
  if (word === '') return found;
  copy.items.forEach((item, index) => {
    if (item.isHeader) return;
    specs.forEach((spec, column) => {
      if (spec.format(item.cells[spec.index] ?? null, now).toLowerCase().includes(word)) found.push({ position: copy.start + index, column });
    });
  });
  return found;
}
