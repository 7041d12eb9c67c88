// pause.js: the button that holds the page as it is, and what waits meanwhile.

/** What the button says, and what it is called: `+12 waiting` while 12 rows wait. */
export function pauseTexts(isPaused, waiting, locale) {
  if (!isPaused) return { text: 'Pause', title: 'Keep the rows as they are (P)', said: '' };
  const count = waiting?.changed ?? 0;
  const text = count > 0 ? `+${count.toLocaleString(locale)} waiting` : 'Paused';
  return { text, title: 'Show what has happened, and go on (P)', said: 'Paused' };
}

/** The pause button. The session that `sessionOf()` answers says whether its table pauses and what waits. */
export class PauseButton {
  constructor(element, said, sessionOf, toggle) {
    Object.assign(this, { element, said, sessionOf });
    this.text = element.querySelector('span');
    this.shown = '';
    element.addEventListener('click', toggle);
  }

  /** Shows how it is now. */
  show() {
    const { isPaused, waiting, copy } = this.sessionOf();
    const { text, title, said } = pauseTexts(isPaused, waiting);
    this.element.disabled = copy.seq === 0;
    if (text === this.shown) return;
    this.shown = text;
    this.text.textContent = text;
    this.element.title = title;
    this.element.setAttribute('aria-pressed', String(isPaused));
    if (this.said.textContent !== said) this.said.textContent = said;  // not each count: only that it is so
  }
}
