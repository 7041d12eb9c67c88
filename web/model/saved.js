// saved.js: views that the server keeps by name: their names, texts and state. No DOM, no socket.

import { emptyView, hashFromView, sameQuery, viewFromHash } from './query.js';
import { completed } from './defaults.js';
import { phrase } from './language.js';

/**
 * A view that the server keeps. `address` is the fragment of the page's address.
 *
 * @typedef {{name: string, title: string, table: string, address: string, role: string,
 *   version: number, id: string, mine: boolean, mayChange: boolean}} Saved
 */

/** The greatest lengths of a name and a title, in characters. */
export const LONGEST = Object.freeze({ name: 60, title: 100 });

const rule = /^[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$/;

/** Returns why the server rejects a name; empty if it does not. */
export function nameFault(name) {
  return rule.test(name) ? '' : phrase('The name has lower-case letters, digits and hyphens, at most 60, and no hyphen at its ends.');
}

/** Returns a valid name for a title that none of `taken` has. */
export function nameFrom(title, taken = []) {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const name = plain.slice(0, 50).replace(/^-+|-+$/g, '') || 'view';
  for (let number = 1; ; number += 1) {
    const next = number === 1 ? name : `${name}-${number}`;
    if (!taken.includes(next)) return next;
  }
}

/** Returns the body of a request to save a view. Its texts are quoted as in JSON. */
export function bodyOf({ name, title, table, address, role = 'viewer', version = undefined }) {
  const lines = Object.entries({ name, title, table, address, role }).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `${[...lines, ...(version === undefined ? [] : [`version: ${version}`])].join('\n')}\n`;
}

/** Returns the address to save of a view, without the view's name. */
export function addressOf(view) {
  const { named, ...rest } = view;
  // A table's own view is saved as it is now, so that the source's next version does not change it.
  return hashFromView({ ...rest, isDefault: false }) || '#';
}

/**
 * Returns the view of a saved one.
 * @param {Saved} saved
 */
export function viewOfSaved({ name, table, address }) {
  return { ...viewFromHash(address), table, named: name };
}

/** Parses the answer to a request for views; malformed ones are left out. */
export function listFrom(answer) {
  const texts = ['name', 'title', 'table', 'address', 'role', 'id'];
  const isSaved = (one) => typeof one === 'object' && one !== null && texts.every((member) => typeof one[member] === 'string')
    && rule.test(one.name) && Number.isSafeInteger(one.version);
  const { views = [], maySave = false, reason = '' } = typeof answer === 'object' && answer !== null ? answer : {};
  return { views: Array.isArray(views) ? views.filter(isSaved) : [], maySave: maySave === true, reason: String(reason) };
}

/**
 * Returns the saved view that is open, and whether the shown view differs from it.
 *
 * @param {import('./query.js').View} view
 * @param {Saved[]} views those of the table
 * @returns {{saved: Saved|undefined, isChanged: boolean}}
 */
export function stateOf(view, views, table) {
  const saved = views.find(({ name }) => name === view.named);
  if (saved === undefined) return { saved, isChanged: false };
  const own = completed(viewOfSaved(saved), table);
  const isSame = sameQuery(own, view) && ['columns', 'highlights', 'facets', 'tiles', 'times', 'lines', 'pins'].every((member) => JSON.stringify(own[member] ?? null) === JSON.stringify(view[member] ?? null));
  return { saved, isChanged: !isSame };
}

/** Returns the view that the table's source suggests, or all rows. */
export function standardView(table) {
  return { ...emptyView(), table, isOwn: false };
}
