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

/** What to show when the address names no table: the one that was looked at last; when it says something else, {@link firstTable}. */
export function recall(view, tables, sources) {
  if (location.hash.length <= 1) return viewOf((tables.find(({ name }) => name === lastTable()) ?? tables[0]).name);
  return { ...view, table: firstTable(tables, sources, viewsFromAddress()[1]) };
}

/** The name of the first table but for the one that is shown beside; empty as long as there is only that, and a source that may have another one. */
export function firstTable(tables, sources, beside) {
  const other = tables.find(({ name }) => name !== beside?.table);
  if (other !== undefined || sources.some((source) => tables.every(({ name }) => name !== source.name))) return other?.name ?? '';
  return tables[0]?.name ?? '';
}

/** Tells when somebody has changed the address, or gone back in the history. */
export function listenForAddress(show) {
  for (const name of ['hashchange', 'popstate']) addEventListener(name, () => show(viewsFromAddress()));
}
