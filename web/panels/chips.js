// chips.js: the strip of active filters, each with a button that removes it.

import { make } from '../grid/elements.js';
import { partsOf, termText } from '../model/query.js';
import { formatter, titleOf } from '../model/columns.js';
import { exactText, isRounded, shownEnds } from '../model/exact.js';
import { phrase } from '../model/language.js';

/**
 * The strip of filter chips.
 *
 * A term with exceptions has a chip for each of its parts, 0 and 1 (see query.js).
 * The terms of the filter bar have chips too, if there are several. `on.cut(term)` removes one,
 * and `on.select(term)` selects it in the bar.
 *
 * `on.edit(name, element, part)` opens a column's filter, `on.clear(name, part)` removes it and
 * `on.clearAll()` removes all. `on.unmark(key)` removes a part of the query that was not applied.
 * `on.leave()` returns the focus.
 */
export class Chips {
  constructor(strip, on) {
    this.strip = strip;
    this.shown = '';
    /** The terms of the filter bar that have chips. */
    this.written = [];
    strip.addEventListener('click', ({ target }) => {
      const { name, action, part } = target.closest('button')?.dataset ?? {};
      if (action === 'select') on.select(this.written[Number(name)]);
      else if (action === 'cut') on.cut(this.written[Number(name)]);
      else if (action === 'edit') on.edit(name, target.closest('.chip'), Number(part));
      else if (action === 'clear') on.clear(name, Number(part));
      else if (action === 'all') on.clearAll();
      else if (action === 'unmark') on.unmark(name);
      if (action === 'clear' || action === 'cut' || action === 'all' || action === 'unmark') strip.querySelector('button')?.focus() ?? on.leave();
    });
  }

  /**
   * Shows a view's filter terms.
   *
   * `specs` are all columns of its table. `parsed` is the server's reading of the filter bar, as
   * `{text, terms}`, or null. `marks` are the parts of the query that were not applied, each
   * `{key, title, reason}`.
   */
  show(terms, specs, marks = [], parsed = null) {
    const texts = termTexts(terms, specs);
    const written = (parsed?.terms.length ?? 0) > 1 ? parsed.terms : [];
    const key = JSON.stringify([texts, marks, written, parsed?.text]);
    if (key === this.shown) return;
    this.shown = key;
    this.written = written;
    this.strip.hidden = texts.length + marks.length + written.length === 0;
    const others = marks.filter((mark) => !texts.some(([name]) => mark.key === `filter:${name}`));
    const chips = texts.map(([name, title, text, part]) => {
      const chip = make('span', 'chip');
      const edit = button('edit', name, '');
      edit.append(make('b', '', title), ` ${text}`);
      edit.title = `${title} ${text}`;
      const mark = marks.find((one) => one.key === `filter:${name}`);
      const clear = button('clear', name, '');
      clear.setAttribute('aria-label', part === 0 ? phrase('Remove the filter of {column}', { column: title }) : phrase('Remove the exception of {column}', { column: title }));
      for (const one of [edit, clear]) one.dataset.part = part;
      chip.append(edit, ...(mark ? [why(mark)] : []), clear);
      chip.classList.toggle('refused', mark !== undefined);
      return chip;
    });
    for (const mark of others) {
      const chip = make('span', 'chip refused');
      const clear = button('unmark', mark.key, '');
      clear.classList.add('chip-clear');
      clear.setAttribute('aria-label', phrase('Remove: {title}', mark));
      chip.append(make('b', 'chip-what', mark.title), why(mark), clear);
      chips.push(chip);
    }
    written.forEach(({ from, to }, at) => {
      const text = parsed.text.slice(from, to);
      const chip = make('span', 'chip written');
      const select = button('select', String(at), text);
      select.classList.add('chip-edit');
      select.title = phrase('Select in the filter bar');
      const cut = button('cut', String(at), '');
      cut.classList.add('chip-clear');
      cut.setAttribute('aria-label', phrase('Remove {title}', { title: text }));
      chip.append(select, cut);
      chips.push(chip);
    });
    if (texts.length + written.length > 1) chips.push(button('all', '', phrase('Clear all')));
    this.strip.replaceChildren(...chips);
  }
}

/**
 * Describes terms as `[name, title, text, part]`, without those of columns the table does not have.
 */
export function termTexts(terms, specs) {
  return terms.flatMap((term) => {
    const spec = specs.find(({ column }) => column.name === term.column);
    return spec === undefined ? [] : partsOf(term).map((one, part) => [term.column, titleOf(spec.column), termText(one, shownBy(spec), (span) => shownEnds(span, spec.column)), part]);
  });
}

// The bounds of a time range may be text. A filter on ages compares times and is shown as times.
// A single number whose text stands for others, too, is shown with all its digits.
function shownBy(spec) {
  const { column, format, locale } = spec;
  if (column.type !== 'timestamp') return (value, isExact) => (isExact && isRounded(value, spec, Date.now()) ? exactText(value, column) : format(value, Date.now()));
  const isDated = /^date/.test(column.format ?? '') && column.style !== 'age';
  const times = isDated ? format : formatter({ ...column, style: 'plain', format: 'datetime.3' }, { locale });
  return (value) => times(Number(value), Date.now());
}

function why({ reason }) {
  return make('span', 'chip-why', phrase('Not applied. {reason}', { reason }));
}

function button(action, name, text) {
  const element = make('button', `chip-${action}`, text);
  Object.assign(element.dataset, { action, name });
  return element;
}
