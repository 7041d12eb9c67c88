// matches.js: marks what the filter bar searches for in the drawn cells.

/** Marks in the drawn cells of a pane. */
export class Matches {
  constructor() {
    // Shared by all panes. Without browser support, words are not marked.
    this.highlight = globalThis.Highlight ? CSS.highlights.get('match') ?? new Highlight() : null;
    if (this.highlight) CSS.highlights.set('match', this.highlight);
  }
  #marked = [];

  /**
   * Marks words in cells after a frame is drawn.
   * @param {{cells: {el: Element}[]}[]} nodes the drawn rows
   * @param {string[]} words in lower case
   */
  drawn(nodes, words) {
    if (!this.highlight || (words.length === 0 && this.#marked.length === 0)) return;
    for (const range of this.#marked) this.highlight.delete(range);
    this.#marked.length = 0;
    if (words.length === 0) return;
    for (const { cells } of nodes) {
      for (const cell of Object.values(cells)) if (cell !== undefined) this.#markIn(cell.el, words);
    }
  }

  #markIn(element, words) {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const next = () => /** @type {Text|null} */ (texts.nextNode());
    for (let node = next(); node !== null; node = next()) {
      const text = node.data.toLowerCase();
      // A few letters change their length in lower case: their places would not be the same.
      if (text.length !== node.length) continue;
      for (const word of words) {
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          const range = new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: at + word.length });
          this.highlight.add(range);
          this.#marked.push(range);
        }
      }
    }
  }
}
