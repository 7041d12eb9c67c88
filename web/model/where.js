// where.js: the text of the filter bar and the view it stands for. The server parses the text
// (docs/filtering.md); here are only the texts that the page itself makes. No DOM, no clock.

// A word without characters that the language could read as something else.
const plainWord = /^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.,/@#%+*&;'’?]*$/u;

// A number or time as a cell shows it, such as `1,5 MiB` or `2026-11-23 14:05:09`.
const shownNumber = /^\d[\d.,:]*(?:\s?(?:[KMGTPE]i?B|B|ns|µs|ms|s|min|h|d|%))?$/u;
const shownTime = /^\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d(?:\.\d+)?)?)?Z?$/;

/**
 * Returns whether a text is a single word, or a number or time as a cell shows it, that is searched
 * for in all columns. The page knows how its columns format values in the user's language, so such
 * a text is the view's `search`.
 */
export function isWord(text) {
  return (plainWord.test(text) && !/^(and|or|not)$/i.test(text)) || shownNumber.test(text) || shownTime.test(text);
}

/** Returns a text in quotes, if the language would otherwise read it as something else. */
export function quoted(text) {
  return isWord(text) ? text : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Returns the text of the filter bar for a view. */
export function barText({ search, where }) {
  return [search === '' ? '' : quoted(search), where].filter(Boolean).join(' ');
}

/** Returns the change of a view for a text of the filter bar. */
export function changesOfText(text) {
  const tidy = text.trim();
  return isWord(tidy) ? { search: tidy, where: '' } : { search: '', where: tidy };
}

/**
 * Returns a text without one of its terms.
 * @param {string} text
 * @param {{cut: [number, number]}} term as the server sends it
 */
export function withoutTerm(text, { cut: [from, to] }) {
  // A blank keeps terms apart that stand close together, as in `a(b)`.
  return `${text.slice(0, from).trimEnd()} ${text.slice(to).trimStart()}`.trim();
}

/**
 * Returns a text after an item of a completion was chosen, and the caret's new place.
 * @param {string} text
 * @param {{from: number, to: number}} completion
 * @param {string} item the text to insert
 */
export function completed(text, { from, to }, item) {
  const rest = text.slice(to);
  const isSpaced = item.endsWith(' ') && rest.startsWith(' ');
  return { text: text.slice(0, from) + item + (isSpaced ? rest.slice(1) : rest), caret: from + item.length };
}

/** Returns a cell's value as the language writes it. */
export function valueText(value) {
  return typeof value === 'string' ? quoted(value) : String(value);
}

/**
 * Returns the words that rows of a view contain, in lower case, to mark them.
 * @param {{search: string, where: string}} view
 * @param {{text: string, words: string[]}|null} parsed the server's reading of the filter bar
 */
export function wordsOf({ search, where }, parsed) {
  const words = search === '' ? [] : [search];
  if (where !== '' && parsed?.text === barText({ search, where })) words.push(...parsed.words);
  return [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => word !== '');
}
