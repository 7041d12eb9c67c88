// The user's highlights of values: their rules, scales, addresses and menus.

import test from 'node:test';
import assert from 'node:assert/strict';
import { fittingHighlights, heatOf, HEATS, heatScale, looksOf, matcher, nextHighlights, rulesFor } from '../../web/model/highlights.js';
import { emptyView, hashFromView, viewFromHash } from '../../web/model/query.js';
import { completed } from '../../web/model/defaults.js';
import { stateOf } from '../../web/model/saved.js';
import { changeText } from '../../web/model/steps.js';
import { specify } from '../../web/model/columns.js';
import { highlightMenu } from '../../web/panels/highlightmenu.js';

const columns = [
  { name: 'cpu', type: 'number', style: 'plain', title: 'CPU', unit: '%', width: 0, align: 'end' },
  { name: 'name', type: 'text', style: 'plain', title: 'Name', unit: '', width: 0, align: 'start' },
  { name: 'began', type: 'timestamp', style: 'plain', title: 'Began', unit: '', width: 0, align: 'start' },
  { name: 'load', type: 'number', style: 'bar', title: 'Load', unit: '%', width: 0, align: 'end' },
];
const view = { ...emptyView(), table: 'jobs' };
const hot = { column: 'cpu', op: 'range', from: 80 };
const warm = { column: 'cpu', op: 'range', from: 50 };
const all = [{ column: 'cpu', look: 'red', term: hot }, { column: 'cpu', look: 'amber', term: warm }, { column: 'cpu', look: 'heat' }, { column: 'name', look: 'bold', term: { column: 'name', op: 'contains', value: 'SSH' } }];

test('the first rule of a column that matches decides on the look', () => {
  const { lookOf, hasHeat, hasBar } = looksOf(all, columns).get('cpu');
  assert.deepEqual([90, 80, 60, 10, null].map(lookOf), ['red', 'red', 'amber', '', '']);
  assert.deepEqual([hasHeat, hasBar], [true, false]);
  assert.deepEqual(['sshd', 'bash', null].map(looksOf(all, columns).get('name').lookOf), ['bold', '', '']);
  assert.equal(looksOf([{ column: 'cpu', look: 'bar' }], columns).get('cpu').lookOf, null);
});

test('rules match as the filters of the server do', () => {
  const cpu = columns[0];
  const match = (term, column, values) => values.map(matcher({ column: column.name, ...term }, column));
  assert.deepEqual(match({ op: 'range', from: 1, through: 5 }, cpu, [1, 5, 5.1, null]), [true, true, false, false]);
  assert.deepEqual(match({ op: 'range', from: 1, except: [3] }, cpu, [2, 3, null]), [true, false, false]);
  assert.deepEqual(match({ op: 'oneOf', values: [1, null, [3, 4]] }, cpu, [1, 2, 3.5, null]), [true, false, true, true]);
  assert.deepEqual(match({ op: 'noneOf', values: [1] }, cpu, [1, 2, null]), [false, true, true]);
  const name = columns[1];
  assert.deepEqual(match({ op: 'startsWith', value: 'Ab' }, name, ['abc', 'cab']), [true, false]);
  assert.deepEqual(match({ op: 'isEmpty' }, name, ['', null]), [false, true]);
  assert.deepEqual(match({ op: 'isFilled' }, name, ['', null]), [true, false]);
  // Whole numbers beyond the exact range of doubles arrive as texts.
  assert.deepEqual(match({ op: 'range', from: '9007199254740993' }, { name: 'id', type: 'integer' }, ['9007199254740993', 5, '9007199254740995']), [true, false, true]);
  assert.deepEqual(match({ op: 'range', from: 1_000 }, columns[2], [999, 1_000]), [false, true]);
});

test('a rule by another column reads the cells of the row', () => {
  const rules = [{ column: 'name', look: 'red', term: warm }, { column: 'name', look: 'bold', term: { column: 'name', op: 'contains', value: 'ssh' } }];
  const { lookOf, readsRow, isRanked } = looksOf(rules, columns).get('name');
  assert.deepEqual([readsRow, isRanked], [true, false]);
  assert.deepEqual([[50, 'a'], [49, 'sshd'], [49, 'a'], [null, 'a'], [{ pending: true }, 'a']].map((cells) => lookOf(cells[1], cells)), ['red', 'bold', '', '', '']);
  assert.equal(lookOf('sshd'), 'bold', 'without the cells of the row, only its own column counts');
  const isEmpty = looksOf([{ column: 'name', look: 'red', term: { column: 'cpu', op: 'isEmpty' } }], columns).get('name').lookOf;
  assert.deepEqual([[null, 'a'], [{ pending: true }, 'a']].map((cells) => isEmpty('a', cells)), ['red', ''], 'a cell that is not loaded is not empty');
});

test('a rule by percentile compares with the value of all rows', () => {
  const known = new Map();
  const boundOf = (column, kind) => known.get(`${kind} ${column}`);
  const rules = [{ column: 'cpu', look: 'red', term: { column: 'cpu', op: 'top', percent: 5 } }, { column: 'cpu', look: 'blue', term: { column: 'cpu', op: 'bottom', percent: 10 } }];
  assert.deepEqual(fittingHighlights(rules, columns), rules);
  const { lookOf, isRanked, readsRow } = looksOf(rules, columns, boundOf).get('cpu');
  assert.deepEqual([isRanked, readsRow], [true, false]);
  assert.deepEqual([100, 1].map((value) => lookOf(value)), ['', ''], 'nothing is marked before the percentile is known');
  known.set('p95 cpu', 90).set('p10 cpu', 10);
  assert.deepEqual([91, 90, 50, 10, 9, null].map((value) => lookOf(value)), ['red', '', '', '', 'blue', '']);
  known.set('p95 cpu', 95);
  assert.equal(lookOf(91), '');
  assert.deepEqual(rulesFor(columns[0]).slice(-2).map(([op]) => op), ['top', 'bottom']);
  assert.ok(!rulesFor(columns[1]).some(([op]) => op === 'top'));
});

test('a scale over all rows does not follow the values in the window', () => {
  const scale = heatScale(null, [3, 4], { least: 0, most: 100 });
  assert.deepEqual(scale, { least: 0, most: 100 });
  assert.equal(heatScale(scale, [3, 4], { least: 5, most: 90 }), scale);
  assert.deepEqual(heatScale(scale, [3, 4], { least: 0, most: 60 }), { least: 0, most: 60 });
});

test('highlights that do not fit the columns are left out', () => {
  const odd = [
    { column: 'gone', look: 'bar' }, { column: 'name', look: 'heat' }, { column: 'cpu', look: 'pink', term: hot }, { column: 'cpu', look: 'red' },
    { column: 'cpu', look: 'red', term: { column: 'gone', op: 'isEmpty' } }, { column: 'name', look: 'red', term: { column: 'name', op: 'matches', value: '^a' } },
    { column: 'cpu', look: 'red', term: { column: 'name', op: 'top', percent: 5 } }, { column: 'cpu', look: 'red', term: { column: 'cpu', op: 'top', percent: 7 } },
    { column: 'cpu', look: 'red', term: { column: 'cpu', op: 'toString', percent: 5 } },
  ];
  assert.deepEqual(fittingHighlights(odd, columns), []);
  assert.deepEqual(fittingHighlights(all, columns), all);
});

test('a heat scale keeps its ends while they fit', () => {
  const scale = heatScale(null, [0, null, 100, { pending: true }]);
  assert.deepEqual(scale, { least: 0, most: 100 });
  assert.equal(heatScale(scale, [10, 90]), scale);
  assert.deepEqual(heatScale(scale, [10, 40]), { least: 10, most: 40 });
  assert.deepEqual(heatScale(scale, [0, 101]), { least: 0, most: 101 });
  assert.equal(heatScale(scale, [null]), scale);
  assert.deepEqual([0, 50, 100, 200, null].map((value) => heatOf(value, scale)), [1, 5, HEATS, HEATS, 0]);
  assert.equal(heatOf(5, { least: 5, most: 5 }), 0);
  assert.equal(heatOf(5, null), 0);
  assert.equal(heatOf(Number.MAX_VALUE, { least: -Number.MAX_VALUE, most: Number.MAX_VALUE }), HEATS);
});

test('bars are drawn in columns of numbers that the source shows plainly', () => {
  const stylings = looksOf([{ column: 'cpu', look: 'bar' }], columns);
  const specs = specify(columns, [], (text) => text.length * 7, { now: 0, stylings });
  assert.deepEqual(specs.map(({ kind }) => kind), ['bar', 'text', 'text', 'bar']);
  assert.equal(specs[1].styling, null);
});

test('links hold the highlights, and malformed ones are skipped', () => {
  assert.deepEqual(viewFromHash(hashFromView({ ...view, highlights: all })).highlights, all);
  assert.equal(viewFromHash(hashFromView(view)).highlights, undefined);
  // A malformed one takes no other with it.
  const mixed = encodeURIComponent(JSON.stringify([null, ...all]));
  assert.deepEqual(viewFromHash(`#highlight=${mixed}`).highlights, all);
  for (const text of ['%7B', '{}', '[1]', '[null]', '[{"column":1,"look":"red"}]', '']) assert.equal(viewFromHash(`#highlight=${text}`).highlights, undefined, text);
  assert.equal(completed({ ...view, highlights: all }, { columns, view: {} }).isDefault, undefined);
});

test('highlights are part of saved views and of steps', () => {
  const shown = { ...view, named: 'hot', highlights: [all[0]] };
  const saved = { name: 'hot', title: 'Hot', table: 'jobs', address: hashFromView({ ...shown, named: undefined }), version: 1 };
  assert.equal(stateOf(shown, [saved], { columns }).isChanged, false);
  assert.equal(stateOf({ ...shown, highlights: undefined }, [saved], { columns }).isChanged, true);
  assert.equal(changeText(view, shown, columns), 'highlights');
});

test('a look of a column is set once, and the last one leaves nothing', () => {
  const one = nextHighlights([], 'cpu', 'red', all[0]);
  assert.deepEqual(one, [all[0]]);
  assert.deepEqual(nextHighlights(one, 'cpu', 'red', { ...all[0], term: warm }), [{ ...all[0], term: warm }]);
  assert.equal(nextHighlights(one, 'cpu', 'red', null), undefined);
  assert.equal(nextHighlights([], 'cpu', 'red', null), undefined);
});

test('the menu offers what suits the column and shows its rules', () => {
  const changes = [];
  const on = { change: (change) => changes.push(change), edit: (look) => changes.push(look), text: () => '≥ 80' };
  const labels = (items) => items.map((item) => item?.heading ?? item?.label ?? '-');
  assert.deepEqual(labels(highlightMenu(columns[1], view, on)), ['Values that match', 'Red ◆…', 'Amber ▲…', 'Green ●…', 'Blue ■…', 'Bold…']);
  const items = highlightMenu(columns[0], { ...view, highlights: [all[0], all[3]] }, on);
  assert.deepEqual(labels(items).slice(0, 5), ['All values', 'Bars', 'Heat scale', 'Values that match', 'Red ◆: ≥ 80']);
  items[1].run();
  items[4].run();
  items.at(-1).run();
  assert.deepEqual(changes, [{ highlights: [all[0], all[3], { column: 'cpu', look: 'bar' }] }, 'red', { highlights: [all[3]] }]);
  const [, bars] = highlightMenu(columns[3], view, on);
  assert.deepEqual([bars.isChecked, bars.isDisabled], [true, true]);
});
