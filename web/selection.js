// selection.js: selected text survives what changes under it.

/**
 * A new value in a text that is selected in part would throw the selection's end to the text's beginning. It is put back where it was, in
 * the same frame.
 */
export class TextSelection {
  constructor(body) {
    this.body = body;
    this.#selection = null;
    document.addEventListener('selectionchange', () => this.#look());
  }
  #selection;
  #ends = null;

  /** Whether one of its ends lies in this element: then the element must not be given to another row. */
  touches(element) {
    const selection = this.#selection;
    return selection !== null && (element.contains(selection.anchorNode) || element.contains(selection.focusNode));
  }

  // The browser tells of a selection a moment after it was made: whoever is about to write must look for himself.
  #look() {
    const selection = document.getSelection();
    const isEmpty = selection === null || selection.rangeCount === 0
      || (selection.anchorNode === selection.focusNode && selection.anchorOffset === selection.focusOffset);
    const isOurs = !isEmpty && (this.body.contains(selection.anchorNode) || this.body.contains(selection.focusNode));
    this.#selection = isOurs ? selection : null;
    return this.#selection;
  }

  /** Before texts change. */
  hold() {
    const selection = this.#look();
    this.#ends = selection === null ? null
      : [selection.anchorNode, selection.anchorOffset, selection.focusNode, selection.focusOffset];
  }

  /** After they have changed. */
  restore() {
    if (this.#ends === null) return;
    const selection = this.#selection;
    const [anchor, anchorOffset, focus, focusOffset] = this.#ends;
    this.#ends = null;
    const isSame = selection.anchorNode === anchor && selection.anchorOffset === anchorOffset
      && selection.focusNode === focus && selection.focusOffset === focusOffset;
    if (isSame || !anchor.isConnected || !focus.isConnected) return;
    selection.setBaseAndExtent(anchor, Math.min(anchorOffset, sizeOf(anchor)), focus, Math.min(focusOffset, sizeOf(focus)));
  }
}

function sizeOf(node) {
  return node.nodeType === Node.TEXT_NODE ? node.length : node.childNodes.length;
}
