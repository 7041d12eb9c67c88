// elements.js: new elements of the document.

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
