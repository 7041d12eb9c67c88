// find.js: finds a text in the rows of a view, marks it where it is drawn, and goes from one to the next: in the rows at hand at once, in all
// others by having them fetched. Beside that it says in how many rows the server finds it in their texts. The browser's own search sees only
// what is drawn.

import { findText, nextFound } from '../model/seek.js';

const recount = 300;      // milliseconds between two counts while rows change
const typingPause = 250;  // milliseconds without a key before the server is asked

/**
 * The strip. `on` has `here()`, the place of the active cell or of the first one in sight, `go(position, column)`, which makes a cell
 * active, `searchOf(text)`, the search of search.js, `countAll(text, told)`, which tells in how many of all rows it is, or null, `seek(text, isBackward, {told, isWanted})`, which looks
 * for the next one beyond the rows at hand, `only(text)`, which shows only the rows that have it, `leave()`, which gives the focus back,
 * `say(text)`, and `changed()`, which hears that there is something to draw.
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
    previous.addEventListener('click', () => this.#step(true));
    next.addEventListener('click', () => this.#step(false));
    close.addEventListener('click', () => this.close());
    strip.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && event.target === this.input) this.#step(event.shiftKey);
      else if (event.key === 'Escape') this.close();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
  #found = [];
  #hasGone = false; // to one of them: the active cell is it, wherever its row goes
  #turn = 0;        // what is looked for for another one is left
  #isSeeking = false;
  #copy = null;
  #wish = null;     // which way to go once there is something to look through
  #specs = [];
  #countedAt = 0;
  #marked = [];
  #typing = 0;
  #recounting = 0;

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
    this.#stop();
    this.#unmark();
    this.on.leave();
  }

  /** After a frame: what is drawn may be another. */
  drawn(nodes, copy, specs, now) {
    if (!this.isOpen) return;
    this.#copy = copy;
    this.#specs = specs;
    if (this.#wish !== null) queueMicrotask(() => this.#wish !== null && this.#step(this.#wish));  // not amidst a frame
    const wait = this.#countedAt + recount - now;
    if (wait <= 0) {
      this.#countedAt = now;
      this.#look(false);
    } else if (this.#recounting === 0) {
      // This may be the last frame for long.
      this.#recounting = setTimeout(() => {
        this.#recounting = 0;
        this.on.changed();
      }, wait + 1);
    }
    this.#mark(nodes);
  }

  #look(isTyped) {
    this.#found = this.#copy === null ? [] : findText(this.on.searchOf(this.input.value), this.#copy, this.#specs);
    if (isTyped) {
      this.#stop();
      this.#hasGone = false;
      this.#countedAt = 0;
      this.#countAll();
      this.on.changed();
    }
    this.#tell();
  }

  #stop() {
    this.#turn += 1;
    this.#isSeeking = false;
    this.#wish = null;
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
      if (count !== null) this.all.textContent = `${count.toLocaleString()} matching ${count === 1 ? 'row' : 'rows'}`;
    }), typingPause);
  }

  #tell() {
    if (this.#isSeeking) return;
    const count = this.#found.length.toLocaleString();
    const here = this.#hasGone ? this.on.here() : null;
    const at = here === null ? -1 : this.#found.findIndex(({ position, column }) => position === here.position && column === here.column);
    this.#write(this.input.value === '' ? '' : at >= 0 ? `${(at + 1).toLocaleString()} of ${count}` : count === '1' ? '1 match' : `${count} matches`);
  }

  #write(text) {
    if (this.told.textContent !== text) this.told.textContent = text;
  }

  #step(isBackward) {
    if (this.input.value === '') return;
    this.#stop();
    if (this.#copy === null) {
      this.#wish = isBackward;
      return;
    }
    this.#look(false);
    const found = this.#found;
    const here = this.on.here();
    // The first step may stay where the reader is.
    const isOn = !this.#hasGone && !isBackward ? found.find(({ position, column }) => position === here.position && column === here.column) : undefined;
    const next = isOn ?? nextFound(found, here, isBackward);
    if (next !== undefined) return void this.#go(next);
    const isWhole = this.#copy.start === 0 && this.#copy.end === this.#copy.total;
    if (!isWhole) return void this.#seek(isBackward);
    if (found.length > 0) this.#go(found.at(isBackward ? -1 : 0));
  }

  async #seek(isBackward) {
    const turn = this.#turn;
    const isWanted = () => turn === this.#turn;
    const told = (share) => isWanted() && this.#write(`${Math.floor(share * 100)}% searched`);
    this.#isSeeking = true;
    told(0);
    let words = '';
    try {
      const found = await this.on.seek(this.input.value, isBackward, { told, isWanted });
      if (!isWanted()) return;
      this.#isSeeking = false;
      if (found !== null) return void this.#go(found);
      words = 'no more matches';
    } catch (error) {
      if (!isWanted()) return;
      words = 'search failed';
      this.on.say(error.message);
    }
    this.#isSeeking = true;  // the words stay until the next step or letter
    this.#write(words);
  }

  #go(place) {
    this.#hasGone = true;
    this.on.go(place.position, place.column);
    this.#tell();
  }

  #mark(nodes) {
    if (!this.highlight) return;
    this.#unmark();
    const word = this.input.value.toLowerCase();
    if (word === '') return;
    const search = this.on.searchOf(this.input.value);
    for (const { cells, shown } of nodes.values()) {
      this.#specs.forEach((spec, at) => {
        if (cells[at] !== undefined && search.finds(shown[at], spec)) this.#markIn(cells[at].el, word);
      });
    }
  }

  // The text where it stands as it is typed; otherwise, as with a number without its separators, all that the cell shows.
  #markIn(cell, word) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    let all = null;
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      all ??= node;
      const at = node.data.toLowerCase().indexOf(word);
      if (at >= 0 && at + word.length <= node.length) return this.#highlightIn(node, at, at + word.length);
    }
    return all === null ? undefined : this.#highlightIn(all, 0, all.length);
  }

  #highlightIn(node, from, end) {
    const range = new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: end });
    this.highlight.add(range);
    this.#marked.push(range);
  }

  #unmark() {
    for (const range of this.#marked) this.highlight.delete(range);
    this.#marked.length = 0;
  }
}
