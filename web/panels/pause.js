// pause.js: the button that pauses updates and shows the number of waiting changes.

import { phrase, plural } from '../model/language.js';

/** Returns the button's texts, such as `Resume (12 changes)` while 12 changed rows wait. */
export function pauseTexts(isPaused, waiting, locale) {
  if (!isPaused) return { text: phrase('Pause'), title: phrase('Pause updates (P)'), status: '' };
  const count = waiting?.changed ?? 0;
  const text = count > 0 ? plural(count, 'Resume ({count} change)', 'Resume ({count} changes)', {}, locale) : phrase('Resume');
  return { text, title: phrase('Resume updates (P)'), status: phrase('Paused') };
}

/** The pause button. It shows the state of the session that `sessionOf()` returns. */
export class PauseButton {
  constructor(element, status, sessionOf, toggle) {
    this.element = element;
    this.status = status;
    this.sessionOf = sessionOf;
    this.text = element.querySelector('span');
    this.shown = '';
    element.addEventListener('click', toggle);
  }

  /** Updates the button. */
  show() {
    const { isPaused, waiting, copy } = this.sessionOf();
    const { text, title, status } = pauseTexts(isPaused, waiting);
    this.element.disabled = copy.seq === 0;
    if (text === this.shown) return;
    this.shown = text;
    this.text.textContent = text;
    this.element.title = title;
    this.element.setAttribute('aria-pressed', String(isPaused));
    // The live region has no count, to be announced only once per pause.
    if (this.status.textContent !== status) this.status.textContent = status;
  }
}
