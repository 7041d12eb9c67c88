// bar.js: the bars around the table: filter bar, grouping, and state of connection and source.

import { age } from '../model/times.js';
import { countText, titleOf } from '../model/columns.js';
import { loadsText } from '../model/loads.js';
import { nextGroup } from '../model/query.js';
import { levelTitle } from '../model/ranges.js';
import { barText, changesOfText } from '../model/where.js';
import { bring } from '../grid/browser.js';
import { FilterBar } from './filterbar.js';
import { liveState, liveText, skippedText, stateText } from '../model/source.js';
import { phrase, plural } from '../model/language.js';

/**
 * The bars above and below the table.
 *
 * `on` has `apply(changes)` with the change of the view's search, `parse(text, caret)`,
 * `parsed(reading)`, `values(column, take)`, `group(names)`, `foldAll(isCollapsed)`, `retry()`,
 * `leave()` and `announce(text)`.
 */
export class Bar {
  constructor(root, on, locale) {
    const find = (id) => root.getElementById(id);
    this.locale = locale;
    this.filter = find('filter');
    this.groups = find('groups');
    this.groupings = [...this.groups.querySelectorAll('select')];
    this.group = [];
    this.folds = [find('fold'), find('unfold')];
    this.state = find('state');
    this.parts = Object.fromEntries(
      ['state-text', 'state-detail', 'rows', 'source', 'source-message', 'rejected', 'loads', 'traffic'].map((id) => [id, find(id)]));
    this.texts = new Map();
    this.announced = '';
    this.lackOfSearch = '';
    this.on = on;
    this.filterBar = new FilterBar(this.filter.closest('.filter'), {
      apply: (text, target) => on.apply(changesOfText(text), target),
      target: on.target, parse: on.parse, parsed: on.parsed, values: on.values, leave: on.leave,
    });
    this.#listen(on);
  }

  #listen(on) {
    this.groupings.forEach((select, level) => {
      select.addEventListener('change', () => on.group(nextGroup(this.group, level, select.value)));
    });
    this.folds.forEach((button, at) => button.addEventListener('click', () => on.foldAll(at === 0)));
    this.state.addEventListener('click', () => on.retry());
    this.parts.rejected.addEventListener('click', async () => {
      const { openSkipped } = await bring(() => import('./skipped.js'));
      openSkipped(this.source, this.locale);
    });
  }

  /** Moves the focus to the filter bar and selects its text. */
  focusFilter() {
    this.filterBar.focus();
  }

  /** Sets the columns offered for grouping. */
  setColumns(columns) {
    const option = (value, text) => {
      const element = document.createElement('option');
      element.value = value;
      element.textContent = text;
      return element;
    };
    const fitting = columns.filter(({ type }) => type !== 'series' && type !== 'image');
    this.#most = fitting.length;
    this.#columns = new Map(fitting.map((column) => [column.name, column]));
    this.#options = () => [option('', phrase('None')), ...fitting.map((column) => option(column.name, titleOf(column)))];
    for (const select of this.groupings) select.replaceChildren();
  }
  #options = () => [];
  #most = 0;  // number of columns offered for grouping
  #columns = new Map();

  /** Shows a view's search, filter and grouping. A filter bar with the focus keeps its text. */
  setView({ search, where, group, ranges }, marks = []) {
    const mark = (kind) => marks.find(({ key }) => key === kind || key.startsWith(`${kind}:`))?.reason ?? '';
    this.filterBar.show(barText({ search, where }), mark('where') || mark('search'));
    this.group = group;
    this.groups.hidden = this.#most === 0;
    for (const button of this.folds) button.hidden = group.length === 0;
    this.groupings.forEach((select, level) => {
      setFault(select, marks.find(({ key }) => key === `group:${group[level]}`)?.reason ?? '');
      select.hidden = level > group.length || level >= this.#most;
      if (select.hidden) return;
      // The options are filled in when the list is first visible.
      if (select.options.length === 0) select.replaceChildren(...this.#options());
      select.value = group[level] ?? '';
      for (const option of select.options) {
        option.disabled = group.slice(0, level).includes(option.value);
        const column = this.#columns.get(option.value);
        if (column === undefined) continue;
        // Two levels of a column differ in their ranges.
        const title = levelTitle(column, { group, ranges }, option.selected ? level : undefined);
        if (option.textContent !== title) option.textContent = title;
      }
    });
  }

  /**
   * Disables what the table's source does not support.
   *
   * `lack(what)` returns the reason, or an empty string (see refusals.js). A null `lack` disables
   * nothing.
   */
  setLack(lack) {
    const why = lack === null ? '' : lack({ search: true });
    if (why !== this.lackOfSearch) {
      this.lackOfSearch = why;
      this.filter.title = why;
    }
    for (const select of this.groupings) {
      for (const option of lack === null ? [] : select.options) {
        const reason = option.value === '' || option.selected ? '' : lack({ group: option.value });
        if (option.title === reason) continue;
        option.title = reason;
        option.disabled = reason !== '' || this.group.slice(0, this.groupings.indexOf(select)).includes(option.value);
      }
    }
  }

  /**
   * Shows the connection's state (`live`, `connecting` or `lost`) and whether the rows are live.
   * They are not while the table is paused or its source is down.
   *
   * @param {{state: string, lostAt: number, retryAt: number, now: number, hasRows: boolean,
   *   isPaused: boolean, source: object|undefined, needsSignIn?: boolean}} link times in
   *   milliseconds
   */
  setLink({ state, lostAt, retryAt, now, hasRows, isPaused, source, needsSignIn = false }) {
    const shown = liveState(state, isPaused, source);
    this.state.dataset.state = shown;
    const text = state === 'lost' && needsSignIn ? phrase('Sign-in needed') : liveText(shown, source);
    this.#write('state-text', text);
    // A state is announced once per change, not every second.
    if (this.announced !== text) this.on.announce(this.announced = text);
    const old = hasRows && lostAt > 0 ? phrase('rows {time} old', { time: age(Math.max(1, (now - lostAt) / 1_000)) }) : '';
    const again = state === 'lost' && !needsSignIn && retryAt > now ? phrase('retry in {time}', { time: age((retryAt - now) / 1_000 + 1) }) : '';
    this.#write('state-detail', state === 'live' ? '' : [old, again].filter(Boolean).join(' · '));
    this.state.disabled = state === 'live';
  }

  /** Shows the number of rows, the source's state and the prefetch hit rate. */
  setStatus({ rows, accuracy, totals, source, stats, prefetch, isFiltered, isLive, error, full = '' }) {
    const shown = { number: countText(rows, accuracy, this.locale) };
    const count = isFiltered ? plural(rows, '{number} row matches', '{number} rows match', shown) : plural(rows, '{number} row', '{number} rows', shown);
    this.#write('rows', [count, ...totals].join(' · '));
    // The source's state is unknown while disconnected.
    const state = error || full ? 'failed' : isLive ? source?.state ?? '' : '';
    this.parts.source.dataset.state = state;
    this.#write('source', error ? phrase('Not applied:') : full ? phrase('Not connected:') : isLive ? stateText(source) : '');
    this.#write('source-message', error || full || (isLive && source?.message) || '');
    this.source = source;
    this.#write('rejected', skippedText(source, this.locale));
    const loads = loadsText(isLive ? prefetch : null, this.locale);
    this.#write('loads', loads.text);
    if (this.parts.loads.title !== loads.title) this.parts.loads.title = loads.title;
    const patches = plural(stats.patches, '{count} patch', '{count} patches', {}, this.locale);
    this.#write('traffic', `${patches} · ${plural(stats.resyncs, '{count} resync', '{count} resyncs', {}, this.locale)}`);
  }

  #write(id, text) {
    if (this.texts.get(id) === text) return;
    this.texts.set(id, text);
    this.parts[id].textContent = text;
  }
}

function setFault(field, reason) {
  if (reason === '') {
    if (field.getAttribute('aria-invalid') === 'true') field.title = '';
    field.removeAttribute('aria-invalid');
    return;
  }
  field.setAttribute('aria-invalid', 'true');
  field.title = phrase('Not applied. {reason}', { reason });
}
