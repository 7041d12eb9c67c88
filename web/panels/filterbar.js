// filterbar.js: the line of text above the table that filters it: completion, errors in place.

import { make } from '../grid/elements.js';
import { completed, isWord, valueText, withoutTerm } from '../model/where.js';
import { phrase, plural } from '../model/language.js';

const typingPause = 120;  // milliseconds without a key press before a text is parsed
const mostValues = 50;
// Matches where the style sheet lets the field with the focus cover the buttons next to it.
const covering = globalThis.matchMedia?.('(max-width: 540px)') ?? { matches: false };

/**
 * The filter bar.
 *
 * `on` has these functions:
 * - `target()` returns what the bar is about: the active pane.
 * - `parse(text, caret, target)` resolves to the server's `parsed` message, or to null if there is
 *   none.
 * - `apply(text, target)` filters the target's table by a text.
 * - `parsed(reading)` reports the terms of the text that is applied, as `{text, terms, words}`, or
 *   null if they are not known.
 * - `values(column, take)` requests a column's values; returns a function that cancels.
 * - `leave()` returns the focus to the table, `announce(text)` announces a text.
 */
export class FilterBar {
  /** @param {HTMLElement} field the element around the input */
  constructor(field, on) {
    this.field = field;
    this.on = on;
    this.input = field.querySelector('input');
    this.list = make('ul', 'completions');
    this.list.id = 'completions';
    this.list.setAttribute('role', 'listbox');
    this.list.setAttribute('aria-label', phrase('Suggestions'));
    this.list.hidden = true;
    this.fault = make('p', 'filter-fault');
    this.fault.id = 'filter-fault';
    this.fault.hidden = true;
    // Within a landmark, where screen readers and axe look for content.
    (field.closest('header') ?? document.body).append(this.list, this.fault);
    this.input.addEventListener('input', () => this.#typed());
    this.input.addEventListener('keydown', (event) => this.#pressed(event));
    this.input.addEventListener('click', () => { if (this.input.value !== '' || !this.list.hidden) this.#ask(false); });
    this.input.addEventListener('blur', () => this.#close());
    // A press on the list must not take the focus from the input.
    this.list.addEventListener('pointerdown', (event) => event.preventDefault());
    this.list.addEventListener('click', (/** @type {On<MouseEvent>} */ { target }) => {
      const at = [...this.list.children].indexOf(target.closest('li'));
      if (at >= 0) this.#choose(at);
    });
    addEventListener('resize', () => this.#close());
    if (this.input.value !== '') this.#ask(true);  // typed before this module was loaded
  }
  #timer = 0;
  #turn = 0;
  #items = [];
  #completion = null;
  #active = -1;
  #cancelValues = () => {};
  #applied = '';      // the text that the table is filtered by
  #isAnswered = true; // whether its terms are known
  #refused = '';      // why the server did not apply the text, or empty

  /** Moves the focus to the input and selects its text, or a range of it. */
  focus(from = 0, to = this.input.value.length) {
    this.input.focus();
    this.input.setSelectionRange(from, to);
  }

  /** Removes a term from the text. */
  cut(term) {
    this.input.value = withoutTerm(this.#applied, term);
    this.#ask(true).then(() => this.#close());
  }

  /**
   * Shows the text of a view, and why the server did not apply it, or an empty reason. An input
   * with the focus keeps its text.
   */
  show(text, reason) {
    if (document.activeElement !== this.input && this.input.value !== text && (text !== this.#applied || !this.#isFaulty)) this.input.value = text;
    if (reason !== this.#refused) {
      this.#refused = reason;
      this.#showFault(reason === '' ? null : { reason, from: 0, to: this.input.value.length });
    }
    if (text === this.#applied && this.#isAnswered) return;
    this.#applied = text;
    this.#isAnswered = text === '' || isWord(text);
    this.on.parsed(null);
    if (!this.#isAnswered) this.#learn(text);
  }

  // Asks for the terms of a text that came with a link.
  async #learn(text) {
    const target = this.on.target();
    const parsed = await this.on.parse(text, undefined, target);
    if (parsed === null || text !== this.#applied || target !== this.on.target()) return;
    this.#isAnswered = true;
    this.on.parsed(readingOf(text, parsed));
  }

  get #isFaulty() {
    return !this.fault.hidden && this.#refused === '';
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#showFault(null);
    const typed = this.#typedText;
    this.#timer = setTimeout(() => this.#ask(true, typed), typingPause);
  }

  // The text, the caret's place in it, and the target that both are about.
  get #typedText() {
    const { value, selectionStart } = this.input;
    return { text: value, caret: selectionStart ?? value.length, target: this.on.target() };
  }

  // Parses the text and shows what fits at the caret. With `isApplied`, a text without a fault is
  // applied, to the target that it was typed for.
  async #ask(isApplied, { text, caret, target } = this.#typedText) {
    clearTimeout(this.#timer);
    this.#turn += 1;
    const turn = this.#turn;
    // A word needs no answer, and neither does an empty text.
    const isSimple = text.trim() === '' || isWord(text.trim());
    if (isApplied && isSimple) this.#apply(text, null, target);
    const parsed = await this.on.parse(text, caret, target);
    if (turn !== this.#turn) return;
    if (isApplied && !isSimple && parsed?.fault === undefined) this.#apply(text, parsed, target);
    if (parsed === null || target !== this.on.target()) return;
    this.#showFault(parsed.fault ?? null);
    this.#suggest(parsed.completion ?? null, text);
  }

  #apply(text, parsed, target) {
    if (target !== this.on.target()) return void this.on.apply(text, target);
    this.#refused = '';
    this.#applied = text.trim();
    this.#isAnswered = parsed !== null || this.#applied === '' || isWord(this.#applied);
    this.on.apply(text, target);
    // The places of terms count in the text as typed.
    this.on.parsed(readingOf(this.#applied, parsed, text.length - text.trimStart().length));
  }

  // Errors.

  #showFault(fault) {
    const { input } = this;
    this.fault.hidden = fault === null;
    if (fault === null) {
      input.removeAttribute('aria-invalid');
      input.removeAttribute('aria-describedby');
      return;
    }
    input.setAttribute('aria-invalid', 'true');
    input.setAttribute('aria-describedby', this.fault.id);
    const at = make('code', '', input.value.slice(fault.from, fault.to));
    this.fault.replaceChildren(...(fault.to > fault.from && fault.to - fault.from < input.value.length ? [at, ' '] : []), sentence(fault.reason));
    this.#place(this.fault);
  }

  // Completion.

  #suggest(completion, text) {
    this.#cancelValues();
    this.#cancelValues = () => {};
    this.#completion = completion;
    if (completion === null || document.activeElement !== this.input) return this.#close();
    this.#show(completion.items);
    if (completion.column === undefined || completion.items.length > 0) return undefined;
    const typed = text.slice(completion.from, completion.to).replace(/^"|"$/g, '').toLowerCase();
    this.#cancelValues = this.on.values(completion.column, ({ values }) => {
      if (completion !== this.#completion) return;
      const fitting = values.filter(([value]) => value !== null && String(value).toLowerCase().includes(typed)).slice(0, mostValues);
      this.#show(fitting.map(([value, count]) => ({ kind: 'value', text: `${valueText(value)} `, detail: plural(count, '{count} row', '{count} rows') })));
    });
    return undefined;
  }

  #show(items) {
    this.#items = items;
    this.#activate(-1);
    const isOpen = items.length > 0;
    this.list.hidden = !isOpen;
    this.input.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) return;
    this.list.replaceChildren(...items.map((item, at) => {
      const option = make('li', `completion ${item.kind}`);
      option.id = `completion-${at}`;
      option.setAttribute('role', 'option');
      option.setAttribute('aria-selected', 'false');
      option.append(make('span', 'completion-text', item.text.trim()), make('span', 'completion-detail', item.detail));
      return option;
    }));
    this.#place(this.list);
    if (!this.fault.hidden) this.#place(this.fault);
  }

  #place(element) {
    const { left, bottom, width } = this.input.getBoundingClientRect();
    const below = element === this.fault && !this.list.hidden ? this.list.getBoundingClientRect().bottom : bottom;
    element.style.insetBlockStart = `${below + 4}px`;
    const room = document.documentElement.clientWidth - 16;
    const wide = Math.min(room, Math.max(width, 300));
    element.style.left = `${Math.max(8, Math.min(left, room + 8 - wide))}px`;
    element.style.width = `${wide}px`;
  }

  #activate(at) {
    this.list.children[this.#active]?.setAttribute('aria-selected', 'false');
    this.#active = at;
    const option = this.list.children[at];
    if (at < 0 || option === undefined) return this.input.removeAttribute('aria-activedescendant');
    option.setAttribute('aria-selected', 'true');
    option.scrollIntoView({ block: 'nearest' });
    return this.input.setAttribute('aria-activedescendant', option.id);
  }

  #choose(at) {
    const { text, caret } = completed(this.input.value, this.#completion, this.#items[at].text);
    this.input.value = text;
    this.input.setSelectionRange(caret, caret);
    this.#ask(true);
  }

  #close() {
    this.#cancelValues();
    this.#completion = null;
    this.list.hidden = true;
    this.#items = [];
    this.#activate(-1);
    this.input.setAttribute('aria-expanded', 'false');
    if (!this.fault.hidden) this.#place(this.fault);
  }

  #pressed(event) {
    const isOpen = !this.list.hidden;
    switch (event.key) {
      case 'ArrowDown': case 'ArrowUp':
        if (isOpen) {
          const count = this.#items.length + 1;  // one more place: the input itself
          this.#activate((this.#active + 1 + (event.key === 'ArrowDown' ? 1 : count - 1)) % count - 1);
        } else if (event.key === 'ArrowDown' && event.altKey) this.#ask(false);
        else if (event.key === 'ArrowDown') this.#leave();
        else return;
        break;
      case 'Tab':
        if (!isOpen || event.shiftKey || this.#active < 0) return;
        this.#choose(this.#active);
        break;
      case 'Enter':
        if (isOpen && this.#active >= 0) this.#choose(this.#active);
        else {
          this.#close();
          this.#ask(true).then(() => {
            this.#close();
            if (covering.matches && !this.#isFaulty) this.on.leave();
          });
        }
        break;
      case ' ':
        if (!event.ctrlKey) return;
        this.#ask(false);
        break;
      case 'Escape':
        if (isOpen) {
          this.#turn += 1;
          this.#close();
        } else this.#leave();
        break;
      default: return;
    }
    event.preventDefault();  // Escape would also clear the input
    event.stopPropagation();
  }

  #leave() {
    this.#ask(true);
    this.on.leave();
  }
}

// Returns the terms of a text; null for an unknown or faulty one. Places count from `by` on.
function readingOf(text, parsed, by = 0) {
  if (parsed === null || parsed.fault !== undefined) return null;
  const back = (place) => Math.max(0, place - by);
  return { text, words: parsed.words, terms: parsed.terms.map(({ from, to, cut }) => ({ from: back(from), to: back(to), cut: cut.map(back) })) };
}

function sentence(reason) {
  const text = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
