// reach.js: what a reader reaches for once there are rows (later.js). It is loaded when the first rows are on the screen, or when somebody
// reaches for it before: nothing that he does is lost.

import { Backoff } from './link.js';

/** Menus, boxes and drags, here or on their way. `on` has `change(wish)`. */
export class Reach {
  constructor({ session, columns, groups }, on) {
    Object.assign(this, { session, columns, groups, on });
  }
  #hands = null;
  #loaded = null;

  /** All of it, when it is here. */
  load() {
    this.#loaded ??= bring(() => import('./later.js')).then((later) => {
      this.#hands = new later.ColumnHands({ session: this.session, columns: this.columns, change: this.on.change });
      this.#hands.listen(this.groups);
      return { ...later, hands: this.#hands };
    });
    return this.#loaded;
  }

  /** A key on a column's header; false when it means nothing there. */
  press(event, column) {
    if (this.#hands) return this.#hands.press(event, column);
    // Without these keys it is the grid's own; with them it may be a column's, and is pressed again when that can be told.
    if (!event.altKey && !event.ctrlKey && !event.shiftKey) return false;
    pressAgain(event, this.load());
    return true;
  }
}

/** Presses a key again where it was pressed, once what hears it is `loaded`. */
export function pressAgain({ type, target, key, altKey, ctrlKey, shiftKey, metaKey }, loaded) {
  const again = new KeyboardEvent(type, { key, altKey, ctrlKey, shiftKey, metaKey, bubbles: true, cancelable: true });
  loaded.then(() => target.dispatchEvent(again));
}

// Keys that mean the same wherever the reader is, unless text is being typed.

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

// Modules that are loaded when they are wanted, also when the server is away at that moment.

/** What `load`, an import, gives: tried again while its file cannot be fetched. Whoever waits for it waits as for the rows. */
export async function bring(load, wait = pauses()) {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      // What was fetched and is wrong stays wrong.
      if (!(error instanceof TypeError)) throw error;
      await wait();
    }
  }
}

function pauses(dice = Math.random) {
  const backoff = new Backoff();
  return () => new Promise((go) => { setTimeout(go, backoff.pause(0, dice())); });
}
