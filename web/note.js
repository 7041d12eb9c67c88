// note.js: what stands in the place of rows when there are none, and over them when they are old; and why.

import { absentWords, isOld, oldWords } from './source.js';

/** A quiet note in the middle of a pane, and a line over its rows. */
export class Note {
  constructor(stage) {
    this.stage = stage;
    this.element = stage.querySelector('.note');
    [this.title, this.text] = this.element.querySelectorAll('p');
    this.old = stage.querySelector('.old');
    this.shown = null;
  }

  /** Says why there are no rows; hides when there are some. `passed`: milliseconds since the server told how the sources without a table are. */
  show(session, state, hasRows, passed) {
    const said = hasRows && session.copy.total > 0 ? null : reason(session, state, hasRows, passed);
    const key = said === null ? '' : said.join('\n');
    if (key === this.shown) return;
    this.shown = key;
    this.element.hidden = said === null;
    if (said === null) return;
    [this.title.textContent, this.text.textContent] = said;
  }

  /** Rows that may be true no more look so, and say why. `passed`: milliseconds since the server told how their source is. */
  showAge(session, { state, lostAt }, passed) {
    const hasRows = session.copy.seq > 0;
    const isDown = state === 'live' && isOld(session.table?.source);
    this.stage.classList.toggle('aged', (lostAt > 0 || isDown) && hasRows);
    const words = isDown && hasRows ? oldWords(session.table.source, passed) : '';
    if (this.old.textContent !== words) this.old.textContent = words;
  }
}

function reason({ view, tables, table, sources }, state, hasRows, passed) {
  if (hasRows) {
    return view.search === '' ? ['This table is empty', 'Rows appear here as soon as the source sends some.']
      : [`No row contains “${view.search}”`, 'Matching rows appear here as they arrive.'];
  }
  if (state === 'lost') return ['The server cannot be reached', 'Check that it is running. This page reconnects by itself.'];
  if (state === 'connecting') return ['', ''];
  const absent = table === undefined && (sources.find(({ name }) => name === view.table) ?? ((tables.length === 0 || view.table === '') && sources.length === 1 ? sources[0] : undefined));
  if (absent) return [`No data from “${absent.name}” yet`, absentWords(absent.source, passed)];
  if (tables.length === 0) return ['Waiting for the first table', 'The first table opens here when a source sends its columns.'];
  if (table === undefined) return [`No table called “${view.table}”`, 'It opens here if it appears. Press the Tables button to choose another.'];
  return table.source?.state === 'failed' ? ['Source failed', table.source.message] : ['', ''];
}
