// note.js: the note in place of missing rows, and the line over outdated rows.

import { termTexts } from './chips.js';
import { fittingView } from '../model/query.js';
import { absentWords, isOld, oldWords } from '../model/source.js';
import { phrase } from '../model/language.js';

/** The note of a pane and the line over its rows. `clear()` removes the search and all filters. */
export class Note {
  constructor(stage, clear) {
    this.stage = stage;
    this.element = stage.querySelector('.note');
    const lines = this.element.querySelectorAll('p');
    this.title = lines[0];
    this.text = lines[1];
    this.old = stage.querySelector('.old');
    this.shown = null;
    this.clear = document.createElement('button');
    this.clear.type = 'button';
    this.clear.className = 'note-clear';
    this.clear.hidden = true;
    this.clear.textContent = phrase('Clear filters');
    this.clear.addEventListener('click', clear);
    this.element.append(this.clear);
  }

  /**
   * Shows why there are no rows, or hides the note if there are rows.
   *
   * `specs` are the table's columns. `passed` is the time in milliseconds since the last status of
   * sources without tables.
   */
  show(session, connection, specs, passed) {
    const hasRows = specs.length > 0 && session.copy.seq > 0;
    const texts = hasRows && session.copy.total > 0 ? null : reason(session, connection, hasRows, specs, passed);
    const key = texts === null ? '' : texts.join('\n');
    if (key === this.shown) return;
    this.shown = key;
    this.element.hidden = texts === null;
    if (texts === null) return;
    [this.title.textContent, this.text.textContent] = texts;
    this.clear.hidden = texts.length < 3;
  }

  /**
   * Marks the rows as outdated if their source or the connection is down, and shows why.
   *
   * `passed` is the time in milliseconds since the last status of the table's source.
   */
  showAge(session, { state, lostAt }, passed) {
    const hasRows = session.copy.seq > 0;
    const isDown = state === 'live' && isOld(session.table?.source);
    this.stage.classList.toggle('aged', (lostAt > 0 || isDown) && hasRows);
    const isMixed = session.isPaused && session.copy.newer.length > 0;
    const words = isDown && hasRows ? oldWords(session.table.source, passed) : isMixed ? phrase('Paused: marked rows are newer than the pause') : '';
    if (this.old.textContent !== words) this.old.textContent = words;
  }
}

function reason(session, { state, full }, hasRows, specs, passed) {
  const { view, tables, table, sources } = session;
  if (hasRows) return emptyWords(fittingView(view, table.columns), specs);
  if (state === 'lost' && full) return [phrase('The server accepts no more clients'), `${sentence(full)} ${phrase('This page tries again by itself.')}`];
  if (state === 'lost') return [phrase('The server cannot be reached'), phrase('Check that it is running. This page reconnects by itself.')];
  // The sign-in form explains the state.
  if (state === 'connecting' || state === 'signedOut') return ['', ''];
  const absent = table === undefined && (sources.find(({ name }) => name === view.table) ?? ((tables.length === 0 || view.table === '') && sources.length === 1 ? sources[0] : undefined));
  if (absent) return [phrase('No data from “{name}” yet', absent), absentWords(absent.source, passed)];
  if (tables.length === 0) return [phrase('Waiting for the first table'), phrase('The first table opens here when a source sends its columns.')];
  if (table === undefined) return [phrase('No table called “{table}”', view), phrase('It opens here if it appears. Press the Tables button to choose another.')];
  return table.source?.state === 'failed' ? [phrase('Source failed'), table.source.message] : ['', ''];
}

// Returns the server's text as a sentence.
function sentence(words) {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
}

// Returns the title and text for a view without rows. A third element labels the button that clears
// the filters.
function emptyWords({ search, where, filters }, specs) {
  const terms = termTexts(filters, specs).map(([, title, text]) => `${title}: ${text}`);
  if (where !== '') terms.unshift(phrase('Filter: {text}', { text: where }));
  if (search !== '') terms.unshift(phrase('Search: {text}', { text: search }));
  if (terms.length === 0) return [phrase('This table is empty'), phrase('Rows appear here as soon as the source sends some.')];
  return [phrase('No rows match'), `${terms.join(' · ')}. ${phrase('Matching rows appear here as they arrive.')}`, phrase('Clear filters')];
}
