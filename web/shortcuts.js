// shortcuts.js: keys that mean the same wherever the reader is, unless text is being typed.

/**
 * Listens on the document.
 *
 * @param {Object<string, () => void>} actions by key; `Control+f` is one with Control, or with Command
 */
export function listenForShortcuts(document, actions) {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, select, textarea, [role=menu], [role=dialog]');
    const name = event.ctrlKey || event.metaKey ? `Control+${event.key}` : event.key;
    if (!Object.hasOwn(actions, name) || isTyping || event.altKey || event.repeat) return;
    event.preventDefault();
    actions[name]();
  });
}
