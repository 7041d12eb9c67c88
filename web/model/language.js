// language.js: the page's texts and numbers in the user's language. No DOM, no clock.

/**
 * A language, as a file of web/languages exports it.
 *
 * `texts` has the translations by English text. A text that counts something has a translation for
 * each plural form of the language, by its name in `Intl.PluralRules`. `keys` has the names of keys
 * and gestures, such as `Ctrl`.
 * @typedef {{direction: 'ltr'|'rtl', texts: Object<string, string|Object<string, string>>,
 *   keys: Object<string, string>}} Language
 */

/** @type {Map<string, string|Object<string, string>>} */
let texts = new Map();
/** @type {Map<string, string>} */
let keys = new Map();
let tag;           // the locale of numbers and dates; undefined for the browser's
let rules = null;  // of plural forms; null for English
let isMirrored = false;

/**
 * Sets the language of all later texts; null for English.
 *
 * @param {Language|null} language
 * @param {string|undefined} locale of numbers and dates; undefined for the browser's
 */
export function setLanguage(language, locale) {
  texts = new Map(Object.entries(language?.texts ?? {}));
  keys = new Map(Object.entries(language?.keys ?? {}));
  tag = locale;
  isMirrored = language?.direction === 'rtl';
  rules = language === null ? null : new Intl.PluralRules(locale);
}

/** Returns the locale of numbers and dates; undefined for the browser's. */
export function locale() {
  return tag;
}

/** Whether the texts are English. */
export function isEnglish() {
  return rules === null;
}

/** Whether the language is written from right to left, so that the first column is at the right. */
export function isRightToLeft() {
  return isMirrored;
}

/** Formats a number. `own` is used instead of the user's locale. */
export function number(value, options = undefined, own = tag) {
  return value.toLocaleString(own, options);
}

/**
 * Returns an English text in the user's language, or as it is if it has no translation.
 *
 * `{name}` in the text stands for the value of that name. Numbers are formatted.
 *
 * @param {string} english a literal, so that a test finds it
 * @param {Object<string, string|number|bigint>} [values]
 * @param {string} [own] formats numbers instead of the user's locale
 */
export function phrase(english, values = undefined, own = tag) {
  const found = texts.get(english) ?? english;
  return values === undefined ? found : filled(found, values, own);
}

/**
 * Returns the form of a text for a number, which `{count}` stands for.
 *
 * @param {number} count
 * @param {string} one the English text for 1
 * @param {string} other the English text for other numbers, by which translations are found
 */
export function plural(count, one, other, values = {}, own = tag) {
  const found = texts.get(other);
  const form = found === undefined ? (count === 1 ? one : other) : typeof found === 'string' ? found : found[rules.select(count)] ?? found.other;
  return filled(form, { count, ...values }, own);
}

/** Returns keys and gestures in the user's language: `Strg+K` for `Ctrl+K`. */
export function keyText(english) {
  return keys.size === 0 ? english : english.split(/(\+|, )/).map((part) => keys.get(part) ?? part).join('');
}

/** Returns an English text as it is. Marks a literal that is passed to {@link phrase} later. */
export function phraseKey(english) {
  return english;
}

function filled(text, values, own) {
  return text.replace(/\{(\w+)\}/g, (all, name) => {
    const value = values[name];
    return typeof value === 'number' || typeof value === 'bigint' ? value.toLocaleString(own) : value ?? all;
  });
}
