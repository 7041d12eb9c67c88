// selection.js: selected text survives what changes under it.

/**
 * A new value in a text that is selected in part would throw the selection's end to the text's beginning. It is put back where it was, in
 * the same frame.
 */
export class TextSelection {
  constructor(body) {
    this.body = body;
    this.#selection = null;
    document.addEventListener('selectionchange', () => {
      const selection = document.getSelection();
      const isOurs = selection !== null && !selection.isCollapsed && (body.contains(selection.anchorNode) || body.contains(selection.focusNode));
      this.#selection = isOurs ? selection : null;
    });
  }
  #selection;
  #ends = null;

  /** Whether one of its ends lies in this element: then the element must not be given to another row. */
  touches(element) {
    const selection = this.#selection;
    return selection !== null && (element.contains(selection.anchorNode) || element.contains(selection.focusNode));
  }

  /** Before texts change. */
  hold() {
    const selection = this.#selection;
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
