// notices.js: short notices at the lower edge of a table, with the results of user actions.

import { make } from '../grid/elements.js';
import { phrase } from '../model/language.js';

const shownFor = 6_000;  // milliseconds until a success is hidden; errors stay until closed
const mostShown = 4;
const mostFaults = 100;

/**
 * The notices of a pane.
 *
 * `on.announce(text)` announces successes to screen readers. `on.leave()` moves the focus to the
 * table.
 */
export class Notices {
  constructor(stage, on) {
    this.on = on;
    this.list = make('div', 'acted');
    this.list.setAttribute('role', 'group');
    this.list.setAttribute('aria-label', phrase('Notifications'));
    this.list.hidden = true;
    stage.append(this.list);
  }

  /** Shows a notice and returns a function that removes it. */
  show(text, isGood = true) {
    const line = make('div', isGood ? 'acted-line' : 'acted-line failed');
    if (!isGood) line.setAttribute('role', 'alert');
    const close = make('button', '', '×');
    close.setAttribute('aria-label', phrase('Dismiss'));
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
      this.on.announce(text);
      setTimeout(leave, shownFor);
    }
    return leave;
  }

  /**
   * Shows the progress of a long operation, with a button that calls `cancel()`.
   *
   * @returns {{report: (text: string, faults: string[]) => void,
   *   end: (text: string, isGood: boolean, faults: string[]) => void}} functions that update the
   *   notice and that show the result; a button opens the list of `faults`
   */
  follow(text, cancel) {
    const line = make('div', 'acted-line running');
    const words = make('span', '', text);
    const more = button('', phrase('Show'), () => { list.hidden = !list.hidden; });
    more.hidden = true;
    const list = make('ul', 'acted-faults');
    list.hidden = true;
    const stop = button('', phrase('Cancel'), cancel);
    line.append(words, more, stop, list);
    this.list.append(line);
    this.list.hidden = false;
    this.#trim();
    const report = (now, faults) => {
      words.textContent = now;
      more.hidden = faults.length === 0;
      for (const fault of faults.slice(list.childElementCount, mostFaults)) list.append(make('li', '', fault));
    };
    return {
      report,
      end: (now, isGood, faults) => {
        if (faults.length > mostFaults) faults = [...faults.slice(0, mostFaults - 1), phrase('… and {count} more', { count: faults.length - mostFaults + 1 })];
        report(now, faults);
        line.className = isGood ? 'acted-line' : 'acted-line failed';
        const leave = () => {
          line.remove();
          this.list.hidden = this.list.childElementCount === 0;
        };
        const close = button('close', '×', () => {
          leave();
          this.on.leave();
        });
        close.setAttribute('aria-label', phrase('Close this message'));
        stop.replaceWith(close);
        this.on.announce(now);
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
  element.addEventListener('click', press);
  return element;
}
