// notices.js: short words over the lower end of a table: what became of something that the reader wanted.

const shownFor = 6_000;  // milliseconds that a good one stays; a bad one stays until it is closed
const mostShown = 4;
const mostFaults = 100;

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
    this.#trim();
    if (isGood) {
      this.on.say(text);
      setTimeout(leave, shownFor);
    }
    return leave;
  }

  /**
   * Shows how something goes on that takes its time. `cancel()` is called when the user wants no more of it.
   * @returns {{tell: (text: string, faults: string[]) => void, end: (text: string, isGood: boolean, faults: string[]) => void}} `faults` are listed
   *   behind a button
   */
  follow(text, cancel) {
    const line = make('div', 'acted-line running');
    const words = make('span', '', text);
    const more = button('', 'Show', () => { list.hidden = !list.hidden; });
    more.hidden = true;
    const list = make('ul', 'acted-faults');
    list.hidden = true;
    const stop = button('', 'Cancel', cancel);
    line.append(words, more, stop, list);
    this.list.append(line);
    this.list.hidden = false;
    this.#trim();
    const tell = (now, faults) => {
      words.textContent = now;
      more.hidden = faults.length === 0;
      for (const fault of faults.slice(list.childElementCount, mostFaults)) list.append(make('li', '', fault));
    };
    return {
      tell,
      end: (now, isGood, faults) => {
        if (faults.length > mostFaults) faults = [...faults.slice(0, mostFaults - 1), `… and ${(faults.length - mostFaults + 1).toLocaleString()} more`];
        tell(now, faults);
        line.className = isGood ? 'acted-line' : 'acted-line failed';
        const leave = () => {
          line.remove();
          this.list.hidden = this.list.childElementCount === 0;
        };
        const close = button('close', '×', () => {
          leave();
          this.on.leave();
        });
        close.setAttribute('aria-label', 'Close this message');
        stop.replaceWith(close);
        this.on.say(now);
        if (isGood) setTimeout(leave, shownFor);
      },
    };
  }

  #trim() {
    while (this.list.childElementCount > mostShown) {
      const oldest = this.list.querySelector('.acted-line:not(.running)');
      if (oldest === null) return;
      oldest.remove();
    }
  }
}

function button(name, text, press) {
  const element = make('button', name, text);
  element.type = 'button';
  element.addEventListener('click', press);
  return element;
}

function make(kind, name = '', text = '') {
  const element = document.createElement(kind);
  if (name !== '') element.className = name;
  element.textContent = text;
  return element;
}
