// reach.js: what a reader reaches for once there are rows (later.js). It is loaded when the first rows are on the screen, or when somebody
// reaches for it before: nothing that he does is lost.

import { bring } from './bring.js';

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
