// furnish.js: what a pane gets once its first rows are on the screen: actions, copying, a search beyond what it holds.

import { Aside } from './aside.js';
import { Copying } from './copying.js';
import { openLink } from './link.js';
import { Notices } from './notices.js';
import { RowActions } from './rowactions.js';

// One for all panes: what is asked beside them is asked one after the other.
const aside = new Aside(openLink, (call, wait) => {
  const timer = setTimeout(call, wait);
  return () => clearTimeout(timer);
});

/** Gives a pane all of it. */
export function furnish(pane) {
  const notices = new Notices(pane.stage, { say: (text) => pane.on.say(text), leave: () => pane.grid.focus({ preventScroll: true }) });
  new Copying(pane, aside, notices);
  pane.find.askAll = (word, told) => countAll(pane, word, told);
  pane.acting = new RowActions(pane, notices);
  if (pane.connection.state === 'live') pane.acting.acts.greeted(pane.session.secret);
}

// How many rows of the whole view have a text in them; null where the search box has its word already, or the source cannot say.
function countAll({ session }, word, told) {
  const { wireQuery: query, view: { table, search } } = session;
  if (search !== '') return told(null);
  const wanted = { filter: query.filter, search: word };  // in the order of the source: which costs least
  const changed = ({ rows, accuracy }) => told(accuracy === 'exact' ? rows : null);
  return aside.ask({ table, query: wanted, viewport: { first: 0, count: 1, ahead: 0, behind: 0 } }, { changed }).catch(() => told(null));
}
