// elements.js: new elements of the document, and lists of elements.

/**
 * Returns a new element. A button does not submit forms.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} kind The tag's name.
 * @param {string} name The class; empty for none.
 * @param {string} text The content.
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(kind, name = '', text = '') {
  const element = document.createElement(kind);
  if (name !== '') element.className = name;
  if (kind === 'button') element.setAttribute('type', 'button');
  element.textContent = text;
  return element;
}

/**
 * Makes these nodes the children of an element. Nodes that are in order already are not moved,
 * because the browser drops the click and the focus of a node that is moved while it is pressed.
 *
 * @param {Element} parent
 * @param {Element[]} nodes
 */
export function keepChildren(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, at) => {
    if (parent.children[at] !== node) parent.insertBefore(node, parent.children[at] ?? null);
  });
}
