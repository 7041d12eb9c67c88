// find.js: find in table. Marks matches in drawn cells and steps between them, fetching rows
// outside the window. Also shows the server's count of matching rows. The browser's own search
// covers only drawn rows.

import { findPinned, findText, isPinned, nextFound } from '../model/seek.js';
import { phrase, plural } from '../model/language.js';

const recount = 300;      // milliseconds between two counts while rows change
const typingPause = 250;  // milliseconds without a key press before a count is requested

/**
 * The find strip.
 *
 * `on` has these functions:
 * - `here()` returns the position of the active cell, or of the first visible one.
 * - `go(position, column)` makes a cell active.
 * - `findingOf(text)` returns what finding.js finds.
 * - `countAll(text, take)` passes `take` the number of matching rows, or null.
 * - `seek(text, isBackward, {progress, isWanted})` finds the next match outside the window.
 * - `only(text)` filters the table to the rows that match a text of the filter bar.
 * - `leave()` returns the focus, `announce(text)` announces a text, `changed()` requests a frame.
 */
export class Find {
  constructor(strip, on) {
    this.strip = strip;
    this.on = on;
    this.input = strip.querySelector('input');
    this.status = strip.querySelector('[role=status]');
    // Shared by all panes. Without browser support, matches are not marked.
    this.highlight = globalThis.Highlight ? CSS.highlights.get('found') ?? new Highlight() : null;
    if (this.highlight) CSS.highlights.set('found', this.highlight);
    this.input.addEventListener('input', () => this.#look(true));
    const [all, previous, next, close] = strip.querySelectorAll('button');
    this.all = all;
    all.addEventListener('click', () => {
      this.close();
      this.on.only(this.on.findingOf(this.input.value).barText);
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
  #found = [];      // the matches in the window
  #foundPinned = [];  // the matches in pinned rows, which come first and only here
  #pinned = [];
  #hasGone = false; // whether the active cell was set to a match
  #turn = 0;        // number of the latest search; results of earlier ones are dropped
  #isSeeking = false;
  #copy = null;
  #pendingStep = null;     // direction of a step that waits for the first rows
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

  /** Updates matches and marks after a frame is drawn, in its `nodes` and the `pinned` rows. */
  drawn(nodes, copy, specs, pinned, now) {
    if (!this.isOpen) return;
    this.#pinned = pinned;
    this.#copy = copy;
    this.#specs = specs;
    // The step runs after the frame, because it changes what is drawn.
    if (this.#pendingStep !== null) queueMicrotask(() => this.#pendingStep !== null && this.#step(this.#pendingStep));
    const wait = this.#countedAt + recount - now;
    if (wait <= 0) {
      this.#countedAt = now;
      this.#look(false);
    } else if (this.#recounting === 0) {
      // No further frame may follow for a long time.
      this.#recounting = setTimeout(() => {
        this.#recounting = 0;
        this.on.changed();
      }, wait + 1);
    }
    this.#mark(nodes);
  }

  #look(isTyped) {
    const finding = this.on.findingOf(this.input.value);
    this.#foundPinned = findPinned(finding, this.#pinned, this.#specs);
    this.#found = this.#copy === null ? [] : findText(finding, this.#copy, this.#specs, this.#pinned);
    if (isTyped) {
      this.#stop();
      this.#hasGone = false;
      this.#countedAt = 0;
      this.#countAll();
      this.on.changed();
    }
    this.#showStatus();
  }

  #stop() {
    this.#turn += 1;
    this.#isSeeking = false;
    this.#pendingStep = null;
  }

  // Ignores counts for a text that has changed meanwhile.
  #countAll() {
    const word = this.input.value;
    this.all.hidden = true;
    clearTimeout(this.#typing);
    if (word.trim() === '') return;
    this.#typing = setTimeout(() => this.on.countAll(this.on.findingOf(word).barText, (count) => {
      if (word !== this.input.value || !this.isOpen) return;
      this.all.hidden = count === null;
      if (count !== null) this.all.textContent = plural(count, '{count} matching row', '{count} matching rows');
    }), typingPause);
  }

  #showStatus() {
    if (this.#isSeeking) return;
    const found = [...this.#foundPinned, ...this.#found];
    const count = found.length;
    const here = this.#hasGone ? this.on.here() : null;
    const at = here === null ? -1 : found.findIndex(({ position, column }) => position === here.position && column === here.column);
    this.#write(this.input.value === '' ? '' : at >= 0 ? phrase('{place} of {count}', { place: at + 1, count }) : plural(count, '{count} match', '{count} matches'));
  }

  #write(text) {
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  #step(isBackward) {
    if (this.input.value === '') return;
    this.#stop();
    if (this.#copy === null) {
      this.#pendingStep = isBackward;
      return;
    }
    this.#look(false);
    const { start, end, total } = this.#copy;
    const here = this.on.here();
    // Matches between the pinned rows and the window are not known.
    const isNear = start === 0 || isBackward === isPinned(here.position);
    const found = isNear ? [...this.#foundPinned, ...this.#found] : isPinned(here.position) ? this.#foundPinned : this.#found;
    // The first step may stay at the active cell.
    const isOn = !this.#hasGone && !isBackward ? found.find(({ position, column }) => position === here.position && column === here.column) : undefined;
    const next = isOn ?? nextFound(found, here, isBackward);
    if (next !== undefined) return void this.#go(next);
    if (start > 0 || end < total) return void this.#seek(isBackward, here);
    if (found.length > 0) this.#go(found.at(isBackward ? -1 : 0));
  }

  // Returns the first match of a search from a place: a search of the rows that goes on at the
  // other end of the view has passed the pinned rows, and one that starts at these has not.
  #passing(found, here, isBackward) {
    const isPassed = found === null || (!isPinned(here.position) && nextFound([found], here, isBackward) === undefined);
    return (isPassed ? this.#foundPinned.at(isBackward ? -1 : 0) : undefined) ?? found;
  }

  async #seek(isBackward, here) {
    const turn = this.#turn;
    const isWanted = () => turn === this.#turn;
    const progress = (share) => isWanted() && this.#write(phrase('{share}% searched', { share: Math.floor(share * 100) }));
    this.#isSeeking = true;
    progress(0);
    let words = '';
    try {
      const found = this.#passing(await this.on.seek(this.input.value, isBackward, { progress, isWanted }), here, isBackward);
      if (!isWanted()) return;
      this.#isSeeking = false;
      if (found !== null) return void this.#go(found);
      words = phrase('no more matches');
    } catch (error) {
      if (!isWanted()) return;
      words = phrase('search failed');
      this.on.announce(error.message);
    }
    this.#isSeeking = true;  // keeps the message until the next step or key press
    this.#write(words);
  }

  #go(place) {
    this.#hasGone = true;
    this.on.go(place.position, place.column);
    this.#showStatus();
  }

  #mark(nodes) {
    if (!this.highlight) return;
    this.#unmark();
    const finding = this.on.findingOf(this.input.value);
    if (finding.words.length === 0) return;
    for (const { cells, item } of nodes) {
      const isInside = item.absence === null ? finding.ofRow(item.cells) : null;
      if (isInside === null) continue;
      this.#specs.forEach((spec, at) => {
        if (cells[at] !== undefined && isInside(item.cells[spec.index], spec, at)) this.#markIn(cells[at].el, finding.words);
      });
    }
  }

  // Marks the words that the cell shows literally, else the whole cell (numbers with separators).
  #markIn(cell, words) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    let first = null;
    let isMarked = false;
    const next = () => /** @type {Text|null} */ (texts.nextNode());
    for (let node = next(); node !== null; node = next()) {
      first ??= node;
      for (const word of words) {
        const at = node.data.toLowerCase().indexOf(word);
        if (at < 0 || at + word.length > node.length) continue;
        this.#highlightIn(node, at, at + word.length);
        isMarked = true;
      }
    }
    if (!isMarked && first !== null) this.#highlightIn(first, 0, first.length);
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
