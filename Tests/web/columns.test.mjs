// layout.js: which columns are shown, where, and how wide.

import test from 'node:test';
import assert from 'node:assert/strict';
import { arrange, changePlace, layoutFrom, layoutText, movePlace, showAll, stepPlace } from '../../web/layout.js';
import { columnMenu, columnsMenu } from '../../web/columnmenu.js';
import { shownSpecs } from '../../web/columns.js';
import { emptyView, hashFromView, viewFromHash } from '../../web/query.js';

const columns = ['a', 'b', 'c', 'd'].map((name) => ({ name, title: '', type: 'number' }));
const names = (layout) => arrange(columns, layout).map(({ column, isHidden, isPinned }) => (isPinned ? '*' : '') + (isHidden ? '-' : '') + column).join(' ');

test('without a wish all columns stand as the source has them', () => {
  assert.equal(names([]), 'a b c d');
  assert.deepEqual(changePlace(columns, [], 'a', { isHidden: false }), []);
  assert.deepEqual(movePlace(columns, movePlace(columns, [], 'a', null), 'a', 'b'), [], 'back where it was');
});

test('a column is hidden, shown, pinned and moved', () => {
  let layout = changePlace(columns, [], 'b', { isHidden: true });
  assert.equal(names(layout), 'a -b c d');
  layout = changePlace(columns, layout, 'c', { isPinned: true });
  assert.equal(names(layout), '*c a -b d', 'pinned ones come first');
  layout = movePlace(columns, layout, 'd', 'a');
  assert.equal(names(layout), '*c d a -b');
  layout = movePlace(columns, layout, 'a', 'c');
  assert.equal(names(layout), '*a *c d -b', 'what is put among pinned ones is pinned');
  layout = movePlace(columns, layout, 'a', null);
  assert.equal(names(layout), '*c d -b a', 'and what leaves them is not');
  assert.equal(names(showAll(columns, layout)), '*c d b a');
  assert.equal(names(movePlace(columns, layout, 'gone', 'a')), '*c d -b a');
  assert.equal(names(movePlace(columns, layout, 'a', 'gone')), '*c d -b a');
});

test('a step passes over what is hidden', () => {
  let layout = changePlace(columns, [], 'b', { isHidden: true });
  layout = stepPlace(columns, layout, 'a', 1);
  assert.equal(names(layout), '-b c a d');
  assert.equal(names(stepPlace(columns, layout, 'd', 1)), '-b c a d');
  assert.equal(names(stepPlace(columns, layout, 'd', -1)), '-b c d a');
  assert.equal(names(stepPlace(columns, layout, 'c', -1)), '-b c a d');
});

test('one column at least is shown', () => {
  let layout = [];
  for (const { name } of columns) layout = changePlace(columns, layout, name, { isHidden: true });
  assert.equal(names(layout).split(' ').filter((name) => !name.startsWith('-')).length, 1);
});

test('widths have bounds', () => {
  const width = (wish) => arrange(columns, changePlace(columns, [], 'a', { width: wish }))[0].width;
  assert.deepEqual([35, 36, 2_000, 2_001, 0, 99.6].map(width), [36, 36, 2_000, 2_000, 0, 100]);
});

test('a layout survives its address', () => {
  const odd = ['*star', '-minus', 'a,b', 'c:5', '%', 'ö'].map((column, at) => ({ column, width: at * 40, isHidden: at % 2 === 1, isPinned: at < 2 }));
  const view = { ...emptyView(), table: 't', columns: odd };
  assert.deepEqual(viewFromHash(hashFromView(view)), view);
  assert.equal(hashFromView({ ...emptyView(), columns: changePlace(columns, [], 'b', { isPinned: true, width: 120 }) }), '#columns=*b:120,a,c,d');
});

test('columns that an address names wrongly are passed over', () => {
  assert.deepEqual(layoutFrom('a:1:2,,*,-,a,a:9,b:99999', (name) => name).map(({ column, width }) => [column, width]), [['a', 0], ['b', 2_000]]);
  assert.equal(layoutText([], String), '');
});

test('columns that the source has since taken away or added are no harm', () => {
  const layout = changePlace(columns, [], 'b', { isPinned: true });
  const later = [{ name: 'new' }, { name: 'd' }, { name: 'b' }];
  assert.deepEqual(arrange(later, layout).map(({ column }) => column), ['b', 'd', 'new']);
});

test('drawn columns know their place and where their cells are', () => {
  const specs = columns.map((column, index) => ({ column, index, at: index }));
  const shown = shownSpecs(specs, changePlace(columns, changePlace(columns, [], 'c', { isPinned: true, width: 50 }), 'a', { isHidden: true }));
  assert.deepEqual(shown.map(({ index, at, wished, isPinned }) => [index, at, wished, isPinned]), [[2, 0, 50, true], [1, 1, 0, false], [3, 2, 0, false]]);
});

test('a column’s menu changes the view', () => {
  const view = { ...emptyView(), table: 't', sort: [{ column: 'b', descending: true }], group: ['c'], aggregates: [{ column: 'a', function: 'sum' }] };
  const wishes = [];
  const items = Object.fromEntries(columnMenu(columns[0], columns, view, { change: (wish) => wishes.push(wish), filter() {}, fit() {} })
    .filter((item) => item !== null).map((item) => [item.label, item]));
  const wish = (label) => {
    items[label].run();
    return wishes.pop();
  };
  assert.deepEqual(wish('Sort descending'), { sort: [{ column: 'a', descending: true }] });
  assert.deepEqual(wish('Then sort by this'), { sort: [{ column: 'b', descending: true }, { column: 'a', descending: false }] });
  assert.deepEqual(wish('Group by this'), { group: ['c', 'a'], collapsed: [] });
  assert.deepEqual(wish('Sum'), { aggregates: [] });
  assert.deepEqual(wish('Mean').aggregates.length, 2);
  assert.equal(names(wish('Hide').columns), '-a b c d');
  assert.equal(names(wish('Move towards the end').columns), 'b a c d');
  assert.ok(items['Move towards the start'].isDisabled);
  assert.ok(!('Do not sort by this' in items));
  const own = columnMenu(columns[1], columns, view, {}).filter((item) => item !== null);
  assert.ok(own.some(({ label }) => label === 'Do not sort by this') && own.find(({ label }) => label === 'Sort descending').isChecked);
});

test('the last column that is shown cannot be hidden', () => {
  let layout = [];
  for (const name of ['a', 'b', 'c']) layout = changePlace(columns, layout, name, { isHidden: true });
  const items = columnsMenu(columns, { ...emptyView(), columns: layout }, () => {});
  assert.deepEqual(items.filter((item) => item?.isChecked).map(({ label, isDisabled }) => [label, isDisabled]), [['d', true]]);
});
