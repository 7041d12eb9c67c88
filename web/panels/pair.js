// pair.js: two tables side by side: the second pane, the captions of both, and the active pane.
// Loaded when the user opens a second table.

import { countText, rowsText } from '../model/columns.js';
import { openLink } from '../protocol/link.js';
import { heldText } from '../grid/hold.js';
import { stateName } from '../model/source.js';
import { viewOf } from '../grid/browser.js';
import { phrase, plural } from '../model/language.js';

/**
 * The controller of two panes. `make(stage)` creates the second.
 *
 * `on` has these callbacks:
 * - `shown(panes)`: a pane was opened or closed
 * - `active(pane)`: another pane became active
 * - `viewChanged(isStep)`: the address must be updated, with a new entry of the history if `isStep`
 * - `announce(text)`: announces a text to screen readers
 */
export class Pair {
  constructor(stages, first, make, on) {
    this.stages = stages;
    this.first = first;
    this.make = make;
    this.on = on;
    this.second = null;
    this.active = first;
    this.#captions = new Map([[first, this.#caption(first)]]);
  }
  #captions;
  #isOpen = false;

  /**
   * Shows a view in the second pane.
   *
   * Null opens the table after that of the first pane, with its stored view, and moves the focus to
   * the second pane.
   */
  open(view) {
    const opened = view ?? this.#nextView();
    if (this.#isOpen) return void (view !== null && this.second.show(view));
    this.#isOpen = true;
    const isNew = this.second === null;
    if (isNew) {
      const stage = copyOf(this.first.stage, '-2');
      this.stages.append(stage);
      this.second = this.make(stage);
      this.#captions.set(this.second, this.#caption(this.second));
    }
    this.second.stage.hidden = false;
    this.stages.classList.add('split');
    this.on.shown([this.first, this.second]);
    if (isNew) this.second.start(opened, openLink, { width: innerWidth / 2, height: innerHeight });
    else {
      this.second.show(opened);
      this.second.link.retry();
    }
    for (const pane of [this.first, this.second]) this.update(pane);
    if (view !== null) return;
    this.on.viewChanged(true);
    this.#activate(this.second);
    this.second.grid.focus({ preventScroll: true });
    this.on.announce(phrase('Two tables side by side; F6 goes to the other one'));
  }

  /**
   * Closes the second pane and shows the view of `pane` in the first. `isReported` leaves the
   * address unchanged.
   */
  closeOther(pane, isReported = false) {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { view } = pane.session;
    const isStep = pane === this.second;
    this.second.link.rest();
    this.second.stage.hidden = true;
    this.stages.classList.remove('split');
    this.on.shown([this.first]);
    if (isStep) this.first.show(view);  // the remaining view moves to the first pane
    this.#activate(this.first);
    if (isReported) return;
    this.first.grid.focus({ preventScroll: true });
    this.on.viewChanged(true);
  }

  /** Moves the focus from `pane` to the other pane. */
  next(pane) {
    if (!this.#isOpen) return;
    const other = pane === this.first ? this.second : this.first;
    this.#activate(other);
    other.grid.focus({ preventScroll: true });
    other.schedule();
    const { table, copy } = other.session;
    this.on.announce(phrase('{title}, {count} rows', { title: table?.title || table?.name || phrase('No table'), count: countText(copy.rows, copy.accuracy) }));
  }

  /** Updates the caption of a pane. */
  update(pane) {
    const caption = this.#captions.get(pane);
    if (caption === undefined || !this.#isOpen) return;
    const { session, connection, controller, error } = pane;
    const { table, copy, isPaused, waiting } = session;
    const waits = !isPaused ? heldText(copy.held) : waiting?.changed > 0 ? plural(waiting.changed, 'paused, {count} change', 'paused, {count} changes') : phrase('paused');
    const state = error ? phrase('refused') : connection.state === 'live' ? stateName(table?.source?.state ?? '') : connection.state === 'lost' ? phrase('disconnected') : phrase('connecting');
    write(caption.title, table?.title || table?.name || session.view.table || phrase('No table'));
    write(caption.status, [copy.seq > 0 ? rowsText(copy) : '', state, waits].filter(Boolean).join(' · '));
    pane.stage.setAttribute('aria-label', caption.title.textContent);
    if (controller) controller.holder.heldText = heldText(copy.held);
  }

  #activate(pane) {
    if (this.active === pane) return;
    this.active = pane;
    for (const other of [this.first, this.second]) other?.stage.classList.toggle('active-stage', other === pane);
    this.on.active(pane);
  }

  #caption(pane) {
    const { stage } = pane;
    stage.setAttribute('role', 'group');
    stage.setAttribute('aria-label', phrase('Table'));
    const head = make('div', 'stage-head');
    const title = make('h2', 'stage-title');
    const status = make('span', 'stage-status');
    const close = make('button', 'stage-close');
    close.type = 'button';
    close.textContent = '×';
    close.setAttribute('aria-label', phrase('Close this pane'));
    close.addEventListener('click', () => this.closeOther(pane === this.first ? this.second : this.first));
    head.append(title, status, close);
    stage.prepend(head);
    for (const name of ['focusin', 'pointerdown']) stage.addEventListener(name, ({ target }) => this.#isOpen && !close.contains(target) && this.#activate(pane));
    if (pane === this.first) stage.classList.add('active-stage');
    return { title, status };
  }

  #nextView() {
    const { tables, view } = this.first.session;
    const at = tables.findIndex(({ name }) => name === view.table);
    const next = tables[(at + 1) % Math.max(1, tables.length)]?.name ?? view.table;
    return next === view.table ? { ...view } : viewOf(next);
  }
}

// Returns an empty copy of the first stage with unique ids.
function copyOf(stage, suffix) {
  const copy = stage.cloneNode(true);
  for (const el of copy.querySelectorAll('.stage-head, .row, .section, .head, .panel, .acted, .probe, .note-clear, .facets')) el.remove();
  for (const el of copy.querySelectorAll('.detail-list, .detail-actions, .old, .note p')) el.replaceChildren();
  for (const el of [copy, ...copy.querySelectorAll('[id]')]) el.id += suffix;
  for (const el of copy.querySelectorAll('.find, .detail')) el.hidden = true;
  copy.classList.remove('with-detail', 'with-facets', 'aged', 'active-stage');
  const grid = copy.querySelector('.grid');
  grid.classList.add('empty');
  grid.setAttribute('aria-rowcount', '-1');
  grid.tabIndex = 0;
  for (const el of copy.querySelectorAll('.body, .canvas, .clip, .sheet, .ghost')) el.removeAttribute('style');
  return copy;
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function make(kind, name) {
  const element = document.createElement(kind);
  element.className = name;
  return element;
}
