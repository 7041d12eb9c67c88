// translating.js: sets a language other than English and translates the texts of index.html.

import { phrase, setLanguage } from '../model/language.js';

const attributes = ['aria-label', 'title', 'placeholder'];

/**
 * Sets the language and translates the document, before the page draws anything.
 *
 * @param {Promise<{default: import('../model/language.js').Language}|null>} file null if it could
 *   not be loaded; the page is English then
 * @param {string|undefined} locale
 */
export async function translate(file, locale) {
  const language = (await file)?.default;
  if (language === undefined) return;
  setLanguage(language, locale);
  const root = document.documentElement;
  root.lang = locale ?? navigator.language;
  root.dir = language.direction;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const next = () => /** @type {Text|null} */ (texts.nextNode());
  for (let node = next(); node !== null; node = next()) {
    const text = node.data.trim();
    if (text !== '') node.data = node.data.replace(text, () => phrase(text));
  }
  for (const name of attributes) {
    for (const element of document.body.querySelectorAll(`[${name}]`)) element.setAttribute(name, phrase(element.getAttribute(name)));
  }
}
