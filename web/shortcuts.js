// shortcuts.js: keys that mean the same wherever the reader is, unless text is being typed.

/**
 * Listens on the document.
 *
 * @param {Object<string, () => void>} actions by key
 */
export function listenForShortcuts(document, actions) {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, select, textarea, [role=menu], [role=dialog]');
    if (!Object.hasOwn(actions, event.key) || isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    event.preventDefault();
    actions[event.key]();
  });
}
