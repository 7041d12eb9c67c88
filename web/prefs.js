// prefs.js: what the browser keeps for the reader: each table's view, the theme, the density. A browser that keeps nothing is no fault.
//# allFunctionsCalledOnLoad

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
