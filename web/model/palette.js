// palette.js: the search for commands by words. No DOM.

/**
 * A command of the page. `hint` is its keyboard shortcut, and `why` the reason why it is disabled.
 *
 * @typedef {{label: string, group: string, run?: () => void, hint?: string, isChecked?: boolean,
 *   isDisabled?: boolean, why?: string}} Command
 */

const mostShown = 50;

/**
 * Returns the commands that match a text, the best first.
 *
 * Each word must match one in the label: as its beginning, inside it, or by letters in the same
 * order. Without a text, the commands are in their own order.
 *
 * @param {Command[]} commands
 */
export function matching(commands, text) {
  const words = split(text);
  if (words.length === 0) return commands.slice(0, mostShown);
  return commands.map((command, at) => ({ command, at, score: scoreOf(split(`${command.label} ${command.group}`), words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.command.label.length - other.command.label.length || one.at - other.at)
    .slice(0, mostShown).map(({ command }) => command);
}

function split(text) {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

// The sum over the words; 0 if one of them matches nothing.
function scoreOf(parts, words) {
  let sum = 0;
  for (const word of words) {
    const best = parts.reduce((most, part, at) => Math.max(most, scoreOfWord(part, word) - (at === 0 ? 0 : 1)), 0);
    if (best === 0) return 0;
    sum += best;
  }
  return sum;
}

function scoreOfWord(part, word) {
  if (part === word) return 40;
  if (part.startsWith(word)) return 30;
  if (word.length > 1 && part.includes(word)) return 20;
  return word.length > 2 && isInOrder(part, word) ? 10 : 0;
}

// Whether a word's letters are in a part in their order, with the same first letter.
function isInOrder(part, word) {
  let from = 0;
  return part[0] === word[0] && [...word].every((letter) => {
    const at = part.indexOf(letter, from);
    from = at + 1;
    return at >= 0;
  });
}
