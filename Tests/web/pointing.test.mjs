// pointing.js: the menus of cells and section headers, and the terms that their items set.

import test from 'node:test';
import assert from 'node:assert/strict';
import { specify } from '../../web/model/columns.js';
import { isRounded } from '../../web/model/exact.js';
import { joined, operatorsOf, termBounded, termFor, termWithout, valuesOf } from '../../web/model/narrowing.js';
import { emptyView, isFittingTerm } from '../../web/model/query.js';
import { cellItems, filterItems, labelOf, sectionItems } from '../../web/panels/cellmenu.js';
import { termTexts } from '../../web/panels/chips.js';
import { isMoved } from '../../web/input/longpress.js';

const columns = [
  { name: 'user', title: 'User', type: 'text' }, { name: 'count', title: 'Count', type: 'integer' },
  { name: 'cpu', title: 'CPU', type: 'number', unit: '%', format: 'plain.1' }, { name: 'size', title: 'Size', type: 'integer', style: 'bytes' },
  { name: 'at', title: 'At', type: 'timestamp' }, { name: 'since', title: 'Since', type: 'timestamp', style: 'age' },
  { name: 'open', title: 'Open', type: 'boolean' }, { name: 'line', title: 'Line', type: 'series' }, { name: 'face', title: 'Face', type: 'image' },
];
const specs = specify(columns, [], (text) => text.length * 8, { locale: 'en-US', now: 0 });
const specOf = (name) => specs.find(({ column }) => column.name === name);
const columnOf = (name) => specOf(name).column;
const noon = Date.UTC(2026, 10, 23, 12);

/** Returns a scene of a column, and the changes that its items make. */
function sceneOf(name, { term, lacks = {}, ...view } = {}) {
  const changes = [];
  const scene = {
    spec: specOf(name), term, view: { ...emptyView(), filters: term === undefined ? [] : [term], ...view }, now: noon,
    lack: ({ op, group }) => (group !== undefined ? lacks.group ?? '' : lacks[op] ?? ''),
    change: (change) => changes.push(change), refuse: (reason) => changes.push(reason),
  };
  return { scene, changes };
}

const labelsOf = (items) => items.map((item) => item?.label ?? item?.heading ?? null);
const find = (items, label) => items.find((item) => item?.label === label);

test('a cell of text offers its value', () => {
  const { scene, changes } = sceneOf('user');
  const items = filterItems('root', null, scene);
  assert.deepEqual(labelsOf(items), ['User', 'Filter for “root”', 'Exclude “root”', 'Group by this column']);
  for (const item of items.slice(1)) item.run();
  assert.deepEqual(changes, [
    { filters: [{ column: 'user', op: 'oneOf', values: ['root'] }] }, { filters: [{ column: 'user', op: 'noneOf', values: ['root'] }] },
    { group: ['user'], collapsed: [] },
  ]);
});

test('numbers and times offer bounds, with the exact value', () => {
  const number = sceneOf('cpu');
  const items = filterItems(12.4839, null, number.scene);
  assert.deepEqual(labelsOf(items), ['CPU: 12.4839%', 'Filter for “12.5%”', 'Exclude “12.5%”', 'At least 12.5%', 'At most 12.5%', 'Group by this column']);
  for (const item of items.slice(1, 5)) item.run();
  assert.deepEqual(number.changes.map(({ filters }) => filters[0]), [
    { column: 'cpu', op: 'oneOf', values: [12.4839] }, { column: 'cpu', op: 'noneOf', values: [12.4839] },
    { column: 'cpu', op: 'range', from: 12.4839 }, { column: 'cpu', op: 'range', through: 12.4839 },
  ]);
  const time = noon - 3_600_000;
  assert.deepEqual(labelsOf(filterItems(time, null, sceneOf('since').scene)).slice(3, 5), ['1 h or newer', '1 h or older']);
  assert.match(labelsOf(filterItems(time, null, sceneOf('since').scene))[0], /^Since: 2026-11-2\d \d\d:00:00[-+]/);
  const [title, , , after, before] = labelsOf(filterItems(time, null, sceneOf('at').scene));
  assert.equal(title, 'At', 'the cell shows all digits');
  assert.match(`${after} ${before}`, /^At or after 2026-11-2\d \d\d:00:00 At or before 2026-11-2\d \d\d:00:00$/);
});

test('empty, missing and unreadable cells offer what is possible', () => {
  const empty = sceneOf('user');
  const items = filterItems(null, null, empty.scene);
  assert.deepEqual(labelsOf(items).slice(1, 3), ['Filter for empty cells', 'Exclude empty cells']);
  items[1].run();
  items[2].run();
  assert.deepEqual(empty.changes.map(({ filters }) => filters[0].op), ['isEmpty', 'isFilled']);
  const [, missing] = filterItems({ pending: true }, null, sceneOf('cpu').scene);
  assert.ok(missing.isDisabled && missing.why.includes('not loaded'));
  assert.deepEqual(labelsOf(filterItems([1, 2], null, sceneOf('line').scene)), ['Line', 'Exclude empty cells']);
  assert.deepEqual(labelsOf(filterItems(null, null, sceneOf('face').scene)), ['Face', 'Filter for empty cells', 'Exclude empty cells']);
  const [, long] = filterItems('x'.repeat(1_001), null, sceneOf('user').scene);
  assert.ok(long.isDisabled && long.why.includes('1,000 characters'));
});

test('the selected values make one filter', () => {
  const { scene, changes } = sceneOf('user');
  const items = filterItems('a', { cells: ['a', 'b', null, 'a'] }, scene);
  find(items, 'Only the 3 selected values').run();
  find(items, 'Exclude the 3 selected values').run();
  assert.deepEqual(changes.map(({ filters }) => filters[0]), [
    { column: 'user', op: 'oneOf', values: ['a', 'b', null] }, { column: 'user', op: 'noneOf', values: ['a', 'b', null] }]);
  assert.equal(filterItems('a', { cells: ['a'] }, scene).length, filterItems('a', null, scene).length, 'one row is no choice');
  assert.ok(find(filterItems('a', { cells: ['a', 'a'] }, scene), 'Only the selected value') !== undefined);
  const many = filterItems('a', { cells: Array.from({ length: 1_001 }, (_, at) => String(at)) }, scene);
  assert.match(find(many, 'Only the 1,001 selected values').why, /1,000 values at most/);
});

test('values of rows that are not loaded are fetched', async () => {
  const { scene, changes } = sceneOf('user');
  const items = filterItems('a', { cells: null, fetch: async () => ['a', 'b'] }, scene);
  await find(items, 'Only the selected values').run();
  assert.deepEqual(changes, [{ filters: [{ column: 'user', op: 'oneOf', values: ['a', 'b'] }] }]);
  await find(filterItems('a', { cells: null, fetch: async () => null }, scene), 'Only the selected values').run();
  assert.equal(changes.length, 1, 'the fetch failed');
  await find(filterItems('a', { cells: null, fetch: async () => Array.from({ length: 1_001 }, (_, at) => String(at)) }, scene), 'Exclude the selected values').run();
  assert.match(changes[1], /1,000 values at most/);
  assert.equal(find(filterItems('a', { cells: null, fault: 'Too many.' }, scene), 'Only the selected values').why, 'Too many.');
});

test('items that the source or the filter rules out have a reason', () => {
  const { scene } = sceneOf('count', { lacks: { noneOf: 'No “not”.', group: 'No groups.' } });
  const items = filterItems(5, null, scene);
  assert.deepEqual(items.filter(({ isDisabled }) => isDisabled).map(({ label, why }) => [label, why]), [['Exclude “5”', 'No “not”.'], ['Group by this column', 'No groups.']]);
  const term = termFor([5], columnOf('count'));
  const again = filterItems(5, null, sceneOf('count', { term }).scene);
  assert.equal(find(again, 'Filter for “5”').why, 'The filter is set already.');
  assert.equal(find(again, 'Exclude “5”').why, 'No row would be left.');
  assert.ok(find(filterItems(5, null, sceneOf('count', { group: ['a', 'b', 'c', 'd'] }).scene), 'Group by this column').isDisabled);
  assert.ok(!find(filterItems(5, null, sceneOf('count', { group: ['count'] }).scene), 'Stop grouping by this column').isDisabled);
});

test('labels are short, in one line, and keep their direction', () => {
  assert.equal(labelOf('a\n\tb'), 'a b');
  assert.equal(labelOf('x'.repeat(50)), `${'x'.repeat(32)}…`);
  assert.equal(labelOf('a\u202eb'), 'a b');
  assert.equal(labelOf('שלום'), '\u2068שלום\u2069');
});

test('a term is narrowed to what an item adds', () => {
  const count = columnOf('count');
  const without = (term, ...cells) => termWithout(term && { column: 'count', ...term }, cells, count);
  const own = (term) => ({ column: 'count', ...term });
  assert.deepEqual(without({ op: 'noneOf', values: [1] }, 2, 1), own({ op: 'noneOf', values: [1, 2] }));
  assert.deepEqual(without({ op: 'oneOf', values: [1, 2] }, 2), own({ op: 'oneOf', values: [1] }));
  assert.equal(without({ op: 'oneOf', values: [1] }, 1), null);
  assert.deepEqual(without({ op: 'oneOf', values: [[1, 5], 9] }, 3), own({ op: 'oneOf', values: [[1, 5], 9], except: [3] }));
  assert.deepEqual(without({ op: 'range', from: 1 }, 3, null), own({ op: 'range', from: 1, except: [3] }));
  assert.deepEqual(without({ op: 'range', from: 1, except: [3] }, 4), own({ op: 'range', from: 1, except: [3, 4] }));
  assert.deepEqual(without({ op: 'isFilled' }, 3), own({ op: 'noneOf', values: [null, 3] }));
  assert.equal(without({ op: 'isEmpty' }, null), null);
  const bounded = (term, cell, end) => termBounded(term && own(term), cell, count, end);
  assert.deepEqual(bounded(undefined, 3, 'from'), own({ op: 'range', from: 3 }));
  assert.deepEqual(bounded({ op: 'range', from: 1, through: 9, except: [4] }, 3, 'from'), own({ op: 'range', from: 3, through: 9, except: [4] }));
  assert.deepEqual(bounded({ op: 'range', from: 1, through: 2 }, 3, 'from'), own({ op: 'range', from: 3 }), 'the cell was not in the range');
  assert.deepEqual(bounded({ op: 'noneOf', values: [null, 4] }, 3, 'through'), own({ op: 'range', through: 3, except: [4] }));
  assert.deepEqual(bounded({ op: 'oneOf', values: [1, null, 3, [2, 8], [4, 6]] }, 3, 'from'), own({ op: 'oneOf', values: [3, [3, 8], [4, 6]] }));
  assert.deepEqual(bounded({ op: 'oneOf', values: [1, 3, [2, 8]] }, 3, 'through'), own({ op: 'oneOf', values: [1, 3, [2, 3]] }));
  assert.deepEqual(bounded({ op: 'isFilled' }, 3, 'from'), own({ op: 'range', from: 3 }));
});

test('every term that an item sets is one that the server accepts', () => {
  const cells = { user: ['a', ''], count: [1, '9223372036854775807'], cpu: [0.1, 1e300], at: [noon, noon + 0.1234], open: [true, false] };
  for (const [name, values] of Object.entries(cells)) {
    const column = columnOf(name);
    const terms = [undefined, termFor(values, column), termWithout(undefined, [values[0]], column), { column: name, op: 'isFilled' }];
    if (name !== 'user' && name !== 'open') terms.push(termBounded(undefined, values[0], column, 'from'));
    for (const term of terms) {
      for (const next of [termFor([values[1]], column), termWithout(term, [values[1]], column)]) if (next !== null) assert.ok(isFittingTerm(next, columns), JSON.stringify(next));
      if (name === 'user' || name === 'open') continue;
      for (const end of ['from', 'through']) assert.ok(isFittingTerm(termBounded(term, values[1], column, end), columns));
    }
  }
});

test('a time stands for all that the page receives as the same number', () => {
  const cell = 1795442709000.1235;
  const [[low, high]] = valuesOf([cell], columnOf('at'));
  assert.equal(Number(low), cell);
  assert.equal(Number(high), cell);
  assert.ok(BigInt(high.replace('.', '')) - BigInt(low.replace('.', '')) > 100n, `${low} to ${high}`);
  assert.deepEqual(termFor([cell], columnOf('at')), { column: 'at', op: 'range', from: low, through: high });
  assert.deepEqual(termBounded(undefined, cell, columnOf('at'), 'through'), { column: 'at', op: 'range', through: high });
});

test('the two parts of a term are edited one by one', () => {
  const range = { column: 'count', op: 'range', from: 1 };
  const except = { column: 'count', op: 'noneOf', values: [3] };
  assert.deepEqual(joined(range, undefined), range);
  assert.deepEqual(joined(range, except), { ...range, except: [3] });
  assert.deepEqual(joined(except, range), { ...range, except: [3] });
  assert.deepEqual(joined(null, range), range);
  assert.deepEqual(joined(null, except), except);
  assert.equal(joined(null, undefined), null);
  assert.deepEqual(joined({ column: 'count', op: 'isFilled' }, except), { column: 'count', op: 'noneOf', values: [null, 3] });
  assert.deepEqual(joined({ column: 'count', op: 'isEmpty' }, except), { column: 'count', op: 'isEmpty' });
  assert.deepEqual(joined({ column: 'count', op: 'noneOf', values: [4] }, except), { column: 'count', op: 'noneOf', values: [4, 3] });
  assert.deepEqual(joined({ column: 'count', op: 'range', from: 2 }, range), { column: 'count', op: 'range', from: 2 });
});

test('a source needs every operator of a term', () => {
  assert.deepEqual(operatorsOf({ column: 'a', op: 'oneOf', values: [1, null, [2, 3]] }), ['oneOf', 'range', 'isEmpty']);
  assert.deepEqual(operatorsOf({ column: 'a', op: 'range', from: 1, except: [2] }), ['range', 'noneOf']);
});

test('each part has a chip, which tells rounded values apart', () => {
  const texts = (term) => termTexts([term], specs).map(([, title, text, part]) => [title, text, part]);
  assert.deepEqual(texts({ column: 'count', op: 'range', from: 1, except: [3] }), [['Count', '≥ 1', 0], ['Count', 'not 3', 1]]);
  assert.deepEqual(texts({ column: 'cpu', op: 'noneOf', values: [12.4839, 5] })[0][1], 'not 12.4839%, 5%');
  assert.deepEqual(texts({ column: 'size', op: 'oneOf', values: [[1_572_000, 1_573_000], 512] })[0][1], '1.5\u202fMiB, 512\u202fB');
  assert.ok(!isRounded('9007199254740993', specOf('count'), 0) && !isRounded(0.1, { column: { type: 'number' }, format: String }, 0));
});

test('a section header offers its value and its state', () => {
  const { scene, changes } = sceneOf('user');
  const folds = [];
  const on = { toggle() {}, view: { collapsed: [] }, foldAll: (isCollapsed) => folds.push(isCollapsed) };
  const items = sectionItems({ isCollapsed: false }, [{ scene, value: 'root' }], on);
  assert.deepEqual(labelsOf(items), ['User', 'Filter for “root”', 'Exclude “root”', 'Group by this column', null, 'Collapse this section', 'Collapse all sections', 'Expand all sections', 'Order the sections…']);
  assert.ok(find(items, 'Expand all sections').isDisabled);
  find(items, 'Filter for “root”').run();
  assert.deepEqual(changes.pop(), { filters: [{ column: 'user', op: 'oneOf', values: ['root'] }] });
  const nested = sectionItems({ isCollapsed: true }, [{ scene, value: 'root' }, { scene: sceneOf('count').scene, value: null }], { ...on, view: { collapsed: [['me']] } });
  for (const label of ['Collapse all sections', 'Expand all sections']) find(nested, label).run();
  assert.deepEqual(folds, [true, false]);
  assert.ok(find(nested, 'Expand this section') && find(nested, 'Exclude empty cells everywhere') && !find(nested, 'Expand all sections').isDisabled);
  find(nested, 'Filter for this section').run();
  assert.deepEqual(changes.pop(), { filters: [{ column: 'user', op: 'oneOf', values: ['root'] }, { column: 'count', op: 'isEmpty' }] });
  assert.deepEqual(labelsOf(sectionItems({ isCollapsed: false }, [], on)), ['Collapse this section', 'Collapse all sections', 'Expand all sections', 'Order the sections…']);
});

test('copying and details do not depend on the column', () => {
  assert.deepEqual(labelsOf(cellItems({ link() {} })), ['Copy a link to this view']);
  assert.deepEqual(labelsOf(cellItems({ link() {}, copy() {}, detail() {}, follow() {} })), ['Open the link', 'Copy', 'Copy a link to this view', 'Show details']);
  assert.deepEqual(labelsOf(cellItems({ link() {}, copy() {}, detail() {}, text: '3 rows selected', isOpen: true })), ['Copy the selection', 'Copy a link to this view', 'Hide details']);
  assert.deepEqual(labelsOf(cellItems({ link() {}, copy() {}, select() {} })), ['Copy', 'Select the row', 'Copy a link to this view']);
  assert.deepEqual(labelsOf(cellItems({ link() {}, copy() {}, select() {}, isSelected: true })), ['Copy', 'Deselect the row', 'Copy a link to this view']);
});

test('a finger may tremble during a long press', () => {
  assert.ok(!isMoved({ x: 5, y: 5 }, { clientX: 11, clientY: 13 }));
  assert.ok(isMoved({ x: 5, y: 5 }, { clientX: 5, clientY: 16 }));
});
