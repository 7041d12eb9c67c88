// pause.js: the button that holds the page as it is, and what waits meanwhile.

/** What the button says, and its name: `Resume (12 changes)` while 12 changed rows wait. */
export function pauseTexts(isPaused, waiting, locale) {
  if (!isPaused) return { text: 'Pause', title: 'Pause updates (P)', said: '' };
  const count = waiting?.changed ?? 0;
  const text = count > 0 ? `Resume (${count.toLocaleString(locale)} ${count === 1 ? 'change' : 'changes'})` : 'Resume';
  return { text, title: 'Resume updates (P)', said: 'Paused' };
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
