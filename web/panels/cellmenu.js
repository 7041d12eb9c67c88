// cellmenu.js: the items of the menus of cells and section headers. Labels name the value as shown,
// and filters use the exact one. No DOM, no clock.

import { missingOf, titleOf } from '../model/columns.js';
import { exactMoment, exactText, isRounded } from '../model/exact.js';
import { operatorsOf, termBounded, termFor, termForRange, termWithout, termWithoutRange, valuesOf } from '../model/narrowing.js';
import { isFittingTerm, nextTerms, termsFault } from '../model/query.js';
import { sectionText } from '../model/ranges.js';
import { isRead } from '../model/spans.js';
import { foldItems, lacks } from './columnmenu.js';
import { keyText, phrase, plural } from '../model/language.js';

const longestLabel = 32;

/** Shortens a value for a label. Isolates text that is read from right to left. */
export function labelOf(text) {
  const plain = text.replace(/[\p{Cc}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]+/gu, ' ').replace(/\s+/g, ' ').trim();
  const letters = [...plain];
  const short = letters.length > longestLabel ? `${letters.slice(0, longestLabel).join('')}…` : plain;
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(short) ? `\u2068${short}\u2069` : short;
}

/**
 * The state that decides about the items of one column.
 *
 * - `term` is the column's applied term, and `filters` are all terms of the view.
 * - `lack(what)` returns why the source does not support a command, see refusals.js.
 * - `change(changes)` changes the view, and `refuse(reason)` shows why it was not changed.
 * - `save(filters)` exports the rows that these terms match.
 *
 * @typedef {{spec: import('../model/columns.js').Spec,
 *   term: import('../model/query.js').Term|undefined,
 *   view: import('../model/query.js').View, lack: (what: object) => string,
 *   change: (changes: object) => void, refuse: (reason: string) => void,
 *   save?: (filters: import('../model/query.js').Term[]) => void, now: number}} Scene
 */

/**
 * Returns the items that filter a column by the cell of a row, under the column's title.
 *
 * @param {*} cell
 * @param {{cells: any[]|null, fetch?: () => Promise<any[]|null>, fault?: string}|null} selected the
 *   cells of the column in the selected rows; null without a selection. `cells` is null if some are
 *   not loaded; `fetch` then returns them, or null if that failed
 * @param {Scene} scene
 * @returns {import('./menu.js').MenuItem[]}
 */
export function filterItems(cell, selected, scene) {
  const { spec: { column }, term } = scene;
  /** @type {import('./menu.js').MenuItem[]} */
  const items = [{ heading: headingOf(cell, scene) }];
  if (missingOf(cell) !== null) items.push({ label: phrase('Filter for this value'), isDisabled: true, why: phrase('The value of this cell is not loaded.') });
  else if (cell === null) {
    items.push(
      filterItem(phrase('Filter for empty cells'), () => termFor([null], column), scene),
      filterItem(phrase('Exclude empty cells'), () => termWithout(term, [null], column), scene),
    );
  } else if (column.type === 'image' || column.type === 'series') {
    items.push(filterItem(phrase('Exclude empty cells'), () => termWithout(term, [null], column), scene));
  } else {
    const text = textOf(cell, scene);
    items.push(
      filterItem(phrase('Filter for “{text}”', { text }), () => termFor([cell], column), scene),
      filterItem(phrase('Exclude “{text}”', { text }), () => termWithout(term, [cell], column), scene),
    );
    if (isRead(column)) {
      const [least, most] = boundsText(column, text);
      items.push(
        filterItem(least, () => termBounded(term, cell, column, 'from'), scene),
        filterItem(most, () => termBounded(term, cell, column, 'through'), scene),
      );
    }
  }
  if (scene.save !== undefined && cell !== null && missingOf(cell) === null && (column.type === 'text' || column.type === 'boolean')) items.push(saveItem(cell, scene));
  if (selected !== null && column.type !== 'image' && column.type !== 'series') items.push(...selectedItems(selected, scene));
  items.push(groupItem(scene));
  return items.filter((item) => item !== undefined);
}

// The column's title, and the exact value if the cell shows a rounded or abbreviated one.
function headingOf(cell, { spec, now }) {
  const exact = exactOf(cell, spec, now);
  return exact === '' ? titleOf(spec.column) : `${titleOf(spec.column)}: ${exact}`;
}

function exactOf(cell, spec, now) {
  const { column } = spec;
  if (column.type === 'timestamp' && typeof cell === 'number') {
    const exact = exactMoment(cell, column.zone);
    const shown = spec.format(cell, now);
    return exact.startsWith(shown) && /^(?:[-+]\d\d:\d\d)?$/.test(exact.slice(shown.length)) ? '' : exact;
  }
  return isRounded(cell, spec, now) ? exactText(cell, column) : '';
}

function textOf(cell, { spec, now }) {
  return labelOf(spec.format(cell, now) || exactText(cell, spec.column));
}

// An older time is a greater age.
function boundsText({ type, style }, text) {
  if (type !== 'timestamp') return [phrase('At least {value}', { value: text }), phrase('At most {value}', { value: text })];
  return style === 'age' ? [phrase('{time} or newer', { time: text }), phrase('{time} or older', { time: text })]
    : [phrase('At or after {time}', { time: text }), phrase('At or before {time}', { time: text })];
}

function selectedItems({ cells, fetch = undefined, fault = '' }, scene) {
  const { spec: { column }, term } = scene;
  const only = (all) => termFor(all, column);
  const without = (all) => termWithout(term, all, column);
  if (cells === null) {
    const later = (label, make) => ({
      label, ...lacks(fault || lackOf({ column: column.name, op: make === only ? 'oneOf' : 'noneOf' }, scene)),
      run: async () => {
        const all = await fetch();
        if (all !== null) apply(make(all), scene);
      },
    });
    return [later(phrase('Only the selected values'), only), later(phrase('Exclude the selected values'), without)];
  }
  const loaded = cells.filter((one) => missingOf(one) === null);
  const count = valuesOf(loaded, column).length;
  if (count === 0 || loaded.length < 2) return [];
  return [
    filterItem(plural(count, 'Only the selected value', 'Only the {count} selected values'), () => only(loaded), scene),
    filterItem(plural(count, 'Exclude the selected value', 'Exclude the {count} selected values'), () => without(loaded), scene),
  ];
}

/**
 * Returns an item that sets a column's term.
 *
 * @param {string} label
 * @param {() => import('../model/query.js').Term|null} make null if no row could match
 * @param {Scene} scene
 */
function filterItem(label, make, scene) {
  const term = make();
  return { label, ...lacks(faultOf(term, scene)), run: () => apply(term, scene) };
}

// Returns the item that exports the rows with a value, of those that are shown.
function saveItem(cell, scene) {
  const { spec: { column }, view: { filters }, save } = scene;
  const term = termFor([cell], column);
  const fault = faultOf(term, { ...scene, term: undefined });
  return { label: phrase('Save rows with “{text}” as CSV', { text: textOf(cell, scene) }), ...lacks(fault), run: () => save(nextTerms(filters, column.name, term)) };
}

function apply(term, scene) {
  const fault = faultOf(term, scene);
  if (fault !== '') scene.refuse(fault);
  else scene.change({ filters: nextTerms(scene.view.filters, term.column, term) });
}

// Returns the reason why a term is not available, or an empty string.
function faultOf(term, scene) {
  const { spec: { column }, view: { filters } } = scene;
  if (term === null) return phrase('No row would be left.');
  if (JSON.stringify(term) === JSON.stringify(scene.term)) return phrase('The filter is set already.');
  if (term.values?.some((value) => typeof value === 'string' && value.length > 1_000)) return phrase('This text is too long: a filter takes {most} characters at most.', { most: 1_000 });
  const fault = termsFault(nextTerms(filters, column.name, term));
  if (fault !== '') return fault;
  return isFittingTerm(term, [column]) ? lackOf(term, scene) : phrase('A filter cannot have this value.');
}

function lackOf(term, { lack }) {
  return operatorsOf(term).map((op) => lack({ filter: term.column, op })).find((reason) => reason !== '') ?? '';
}

function groupItem({ spec: { column: { name, type } }, view: { group }, lack, change }) {
  if (type === 'series' || type === 'image') return undefined;
  if (group.includes(name)) return { label: phrase('Stop grouping by this column'), run: () => change({ group: group.filter((other) => other !== name), collapsed: [] }) };
  const why = group.length >= 4 ? phrase('A table has four levels of sections at most.') : lack({ group: name });
  return { label: phrase('Group by this column'), ...lacks(why), run: () => change({ group: [...group, name], collapsed: [] }) };
}

/**
 * Returns the items that depend on no column. Each callback is the command of an item; `text`
 * describes the selection, `rowLink` and `select` are null outside rows, and `follow` in a cell
 * without a link.
 *
 * @param {{copy?: () => void, link: () => void, rowLink?: (() => void)|null,
 *   select?: (() => void)|null, isSelected?: boolean, detail?: () => void, isOpen?: boolean,
 *   text?: string, follow?: (() => void)|null, pins?: import('./menu.js').MenuItem[]}} on `pins`
 *   are the items that pin the row
 * @returns {import('./menu.js').MenuItem[]}
 */
export function cellItems({ copy, link, rowLink = null, select = null, isSelected = false, detail, isOpen = false, text = '', follow = null, pins = [] }) {
  return [
    ...(follow === null ? [] : [{ label: phrase('Open the link'), hint: keyText('Ctrl+Enter'), run: follow }]),
    ...(copy === undefined ? [] : [{ label: text === '' ? phrase('Copy') : phrase('Copy the selection'), hint: keyText('Ctrl+C'), run: copy }]),
    ...(select === null ? [] : [{ label: isSelected ? phrase('Deselect the row') : phrase('Select the row'), hint: keyText('Space'), run: select }]),
    ...pins,
    { label: phrase('Copy a link to this view'), run: link },
    ...(rowLink === null ? [] : [{ label: phrase('Copy a link to this row'), run: rowLink }]),
    ...(detail === undefined ? [] : [{ label: isOpen ? phrase('Hide details') : phrase('Show details'), hint: keyText('Enter'), run: detail }]),
  ];
}

/**
 * Returns the items of a section header: filters by its value, and what orders and collapses
 * sections.
 *
 * @param {import('../protocol/wire.js').Header} header
 * @param {{scene: Scene, value: *, end?: *, title?: string, isRange?: boolean}[]} path the levels
 *   from the outermost section to this one, with their titles; empty if some are not loaded
 * @param {{toggle: () => void, view: import('../model/query.js').View,
 *   order: () => void, foldAll: (isCollapsed: boolean) => void}} on
 * @returns {import('./menu.js').MenuItem[]}
 */
export function sectionItems(header, path, on) {
  const items = [];
  const own = path.at(-1);
  if (own !== undefined) {
    const { scene, value, end, title = titleOf(scene.spec.column), isRange } = own;
    const { spec, term, now } = scene;
    const text = value === null ? '' : isRange ? labelOf(sectionText(own, spec, now, spec.locale)) : textOf(value, scene);
    const without = () => (isRange ? termWithoutRange(term, value, end, spec.column) : termWithout(term, [value], spec.column));
    items.push(
      { heading: isRange ? title : headingOf(value, scene) },
      sectionFilter(path.length > 1 ? phrase('Filter for this section') : value === null ? phrase('Filter for empty cells') : phrase('Filter for “{text}”', { text }), path),
      filterItem(excludeText(value, text, path.length > 1), without, scene),
      groupItem(scene),
      null,
    );
  }
  items.push(
    { label: header.isCollapsed ? phrase('Expand this section') : phrase('Collapse this section'), hint: keyText('Enter'), run: on.toggle },
    ...foldItems(on.view, on.foldAll),
    { label: phrase('Order the sections…'), run: on.order },
  );
  return items;
}

function excludeText(value, text, isInner) {
  if (value === null) return isInner ? phrase('Exclude empty cells everywhere') : phrase('Exclude empty cells');
  return isInner ? phrase('Exclude “{text}” everywhere', { text }) : phrase('Exclude “{text}”', { text });
}

// Returns the levels with one for each column: the values that all its levels have in common.
function narrowest(levels) {
  const found = [];
  for (const level of levels) {
    const at = found.findIndex(({ scene }) => scene.spec.column.name === level.scene.spec.column.name);
    if (at < 0) found.push(level);
    else if (!level.isRange) found[at] = level;
    else if (found[at].isRange) {
      const { value, end } = found[at];
      found[at] = { ...level, value: Number(value) > Number(level.value) ? value : level.value, end: end === undefined || Number(end) > Number(level.end) ? level.end : end };
    }
  }
  return found;
}

// A section within others has the rows that match a term of each level.
function sectionFilter(label, levels) {
  const path = narrowest(levels);
  const terms = path.map(({ scene: { spec: { column } }, value, end, isRange }) => (isRange ? termForRange(value, end, column) : termFor([value], column)));
  const { view, change } = path[0].scene;
  const isSet = terms.every((term, at) => JSON.stringify(term) === JSON.stringify(path[at].scene.term));
  const faults = isSet ? [phrase('The filter is set already.')] : terms.map((term, at) => faultOf(term, { ...path[at].scene, term: undefined }));
  return {
    label, ...lacks(faults.find((fault) => fault !== '')),
    run: () => change({ filters: terms.reduce((filters, term) => nextTerms(filters, term.column, term), view.filters) }),
  };
}
