// address.js: the views in the page's address, and each table's last one in the browser's keeping.
//# allFunctionsCalledOnLoad

import { keepView, keptView, lastTable } from './prefs.js';
import { hashFromView, hashFromViews, viewFromHash, viewsFromHash } from './query.js';

/** Writes what is shown, one view or two, into the address: as a step in the history (`pushState`) or in the place of the last one. */
export function tellAddress(views, how = 'replaceState') {
  history[how](null, '', hashFromViews(views) || location.pathname);
  for (const view of views.toReversed()) if (view.table !== '') keepView(view.table, hashFromView(view));
}

/** What the address says is to be shown: one view, or two. */
export function viewsFromAddress() {
  return viewsFromHash(location.hash);
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
export function listenForAddress(show) {
  for (const name of ['hashchange', 'popstate']) addEventListener(name, () => show(viewsFromAddress()));
}
