// notices.js: short words over the lower end of a table: what became of something that the reader wanted.

const shownFor = 6_000;  // milliseconds that a good one stays; a bad one stays until it is closed
const mostShown = 4;

/** The notices of a pane; `on.say(text)` speaks the good ones, `on.leave()` gives the focus back. */
export class Notices {
  constructor(stage, on) {
    this.on = on;
    this.list = make('div', 'acted');
    this.list.setAttribute('role', 'group');
    this.list.setAttribute('aria-label', 'Notifications');
    this.list.hidden = true;
    stage.append(this.list);
  }

  /** Shows one. Answers how to take it away. */
  show(text, isGood = true) {
    const line = make('div', isGood ? 'acted-line' : 'acted-line failed');
    if (!isGood) line.setAttribute('role', 'alert');
    const close = make('button', '', '×');
    close.type = 'button';
    close.setAttribute('aria-label', 'Dismiss');
    const leave = () => {
      line.remove();
      this.list.hidden = this.list.childElementCount === 0;
    };
    close.addEventListener('click', () => {
      leave();
      this.on.leave();
    });
    line.append(make('span', '', text), close);
    this.list.append(line);
    this.list.hidden = false;
    while (this.list.childElementCount > mostShown) this.list.firstElementChild.remove();
    if (isGood) {
      this.on.say(text);
      setTimeout(leave, shownFor);
    }
    return leave;
  }
}

function make(kind, name = '', text = '') {
  const element = document.createElement(kind);
  if (name !== '') element.className = name;
  element.textContent = text;
  return element;
}
