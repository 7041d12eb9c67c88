// typeahead.js: the item of a menu that typed letters mean. No DOM.

const pause = 700;  // milliseconds until typed letters begin a new text

/**
 * Typed letters as the beginning of a label (type-ahead of the ARIA menu pattern).
 *
 * One letter, also several times, means the next label that begins with it. Letters in quick
 * succession mean the first label from the current one on that begins with all of them.
 */
export class Typeahead {
  #text = '';
  #last = -Infinity;

  /** Whether a key continues a text, so that a space is a part of it. */
  isTyping(now) {
    return this.#text !== '' && now - this.#last < pause;
  }

  /** Returns the index of the label that a letter means, or -1. `at` is the current one, or -1. */
  take(letter, labels, at, now) {
    this.#text = (this.isTyping(now) ? this.#text : '') + letter.toLowerCase();
    this.#last = now;
    const found = this.#find(this.#text, labels, this.#text.length === 1 ? at + 1 : Math.max(at, 0));
    const isRepeated = [...this.#text].every((other) => other === this.#text[0]);
    return found < 0 && isRepeated ? this.#find(this.#text[0], labels, at + 1) : found;
  }

  #find(text, labels, from) {
    for (let step = 0; step < labels.length; step += 1) {
      const index = (from + step) % labels.length;
      if (labels[index].toLowerCase().startsWith(text)) return index;
    }
    return -1;
  }
}
