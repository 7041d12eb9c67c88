// address.js: the view in the page's address, and each table's last one in the browser's keeping.

import { keepView, keptView, lastTable } from './prefs.js';
import { hashFromView, viewFromHash } from './query.js';

/** Writes a view into the address, as a step in the history (`pushState`) or in the place of the last one. */
export function tellAddress(view, how = 'replaceState') {
  const hash = hashFromView(view);
  history[how](null, '', hash || location.pathname);
  if (view.table !== '') keepView(view.table, hash);
}

/** A table as the reader left it. */
export function viewOf(name) {
  return { ...viewFromHash(keptView(name)), table: name };
}

/** What to show when the address names no table: the one that was looked at last, unless the address says something else. */
export function recall(view, tables) {
  const { name } = tables.find((one) => one.name === lastTable()) ?? tables[0];
  return location.hash.length > 1 ? { ...view, table: tables[0].name } : viewOf(name);
}

/** Tells when somebody has changed the address, or gone back in the history. */
export function listenForAddress(session, show) {
  for (const name of ['hashchange', 'popstate']) {
    addEventListener(name, () => {
      const view = viewFromHash(location.hash);
      if (view.table === '') view.table = session.tables[0]?.name ?? '';
      show(view);
    });
  }
}
