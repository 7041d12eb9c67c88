// elements.js: new elements of the document.

/**
 * Returns a new element. A button does not submit forms.
 *
 * @param {string} kind The tag's name.
 * @param {string} name The class; empty for none.
 * @param {string} text The content.
 * @returns {HTMLElement}
 */
export function make(kind, name = '', text = '') {
  const element = document.createElement(kind);
  if (name !== '') element.className = name;
  if (kind === 'button') element.type = 'button';
  element.textContent = text;
  return element;
}
