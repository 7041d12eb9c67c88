// address.js: the views in the page's address, and what the browser keeps: each table's last one, the theme, the density.
//# allFunctionsCalledOnLoad

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

// What the browser keeps for the reader: each table's view, the theme, the density. A browser that keeps nothing is no fault.

const prefix = 'rowcast.';
const mostViews = 200;
const longestView = 20_000;

/** Heights of a row, in pixels. */
export const DENSITIES = Object.freeze({ compact: 24, normal: 28, roomy: 36 });

/** A table's view as it was last seen, as text; empty when nothing is kept. */
export function keptView(table) {
  return read(`view.${table}`);
}

/** Keeps a table's view, and that this table was the last one. */
export function keepView(table, text) {
  if (text.length > longestView) return;
  const names = read('views').split('\n').filter((name) => name !== '' && name !== encodeURIComponent(table));
  names.push(encodeURIComponent(table));
  while (names.length > mostViews) write(`view.${decodeURIComponent(names.shift())}`, '');
  write('views', names.join('\n'));
  write(`view.${table}`, text);
}

/** The table that was looked at last. */
export function lastTable() {
  const last = read('views').split('\n').at(-1);
  try {
    return decodeURIComponent(last);
  } catch {
    return '';
  }
}

/** `dark`, `light`, or empty for the system's. */
export function theme() {
  const kept = read('theme');
  return kept === 'dark' || kept === 'light' ? kept : '';
}

/** @param {string} name as {@link theme} answers it */
export function setTheme(name) {
  write('theme', name);
  if (name === '') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

/** The name of a density. */
export function density() {
  const kept = read('density');
  return Object.hasOwn(DENSITIES, kept) ? kept : 'normal';
}

/** Keeps a density, and lets the style sheet know of it; rows are drawn by the caller. */
export function setDensity(name) {
  write('density', name === 'normal' ? '' : name);
  document.documentElement.style.setProperty('--row', `${DENSITIES[name]}px`);
}

function read(name) {
  try {
    return localStorage.getItem(prefix + name) ?? '';
  } catch {
    return '';
  }
}

function write(name, text) {
  try {
    if (text === '') localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, text);
  } catch { /* it is full, or not allowed: then nothing is kept */ }
}
