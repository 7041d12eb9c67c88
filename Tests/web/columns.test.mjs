// columns.js: layout of columns, and the choice of drawn columns.

import test from 'node:test';
import assert from 'node:assert/strict';
import { arrange, DrawnColumns, MARGIN, shownSpecs, specify } from '../../web/model/columns.js';
import { changePlace, findColumns, movePlace, showPlaces, stepPlace } from '../../web/model/places.js';
import { layoutFrom, layoutText } from '../../web/model/query.js';
import { columnMenu, totalItems } from '../../web/panels/columnmenu.js';
import { emptyView, hashFromView, viewFromHash } from '../../web/model/query.js';
import { diceFrom, seed } from './fixtures.mjs';

const columns = ['a', 'b', 'c', 'd'].map((name) => ({ name, title: '', type: 'number' }));
const names = (layout) => arrange(columns, layout).map(({ column, isHidden, isPinned }) => (isPinned ? '*' : '') + (isHidden ? '-' : '') + column).join(' ');

test('without a layout, columns are in the source’s order', () => {
  assert.equal(names([]), 'a b c d');
  assert.deepEqual(changePlace(columns, [], 'a', { isHidden: false }), []);
  assert.deepEqual(movePlace(columns, movePlace(columns, [], 'a', null), 'a', 'b'), [], 'back where it was');
});

test('a column can be hidden, shown, pinned and moved', () => {
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
  assert.equal(names(showPlaces(columns, layout, ['a', 'b', 'c', 'd'])), '*c d b a');
  assert.equal(names(movePlace(columns, layout, 'gone', 'a')), '*c d -b a');
  assert.equal(names(movePlace(columns, layout, 'a', 'gone')), '*c d -b a');
});

test('a step skips hidden columns', () => {
  let layout = changePlace(columns, [], 'b', { isHidden: true });
  layout = stepPlace(columns, layout, 'a', 1);
  assert.equal(names(layout), '-b c a d');
  assert.equal(names(stepPlace(columns, layout, 'd', 1)), '-b c a d');
  assert.equal(names(stepPlace(columns, layout, 'd', -1)), '-b c d a');
  assert.equal(names(stepPlace(columns, layout, 'c', -1)), '-b c a d');
});

test('at least one column is visible', () => {
  let layout = [];
  for (const { name } of columns) layout = changePlace(columns, layout, name, { isHidden: true });
  assert.equal(names(layout).split(' ').filter((name) => !name.startsWith('-')).length, 1);
});

test('column widths are limited', () => {
  const width = (change) => arrange(columns, changePlace(columns, [], 'a', { width: change }))[0].width;
  assert.deepEqual([35, 36, 2_000, 2_001, 0, 99.6].map(width), [36, 36, 2_000, 2_000, 0, 100]);
});

test('a layout survives the round trip through the URL', () => {
  const odd = ['*star', '-minus', 'a,b', 'c:5', '%', 'ö'].map((column, at) => ({ column, width: at * 40, isHidden: at % 2 === 1, isPinned: at < 2 }));
  const view = { ...emptyView(), table: 't', columns: odd };
  assert.deepEqual(viewFromHash(hashFromView(view)), view);
  assert.equal(hashFromView({ ...emptyView(), columns: changePlace(columns, [], 'b', { isPinned: true, width: 120 }) }), '#columns=*b:120,a,c,d');
});

test('malformed columns in a URL are ignored', () => {
  assert.deepEqual(layoutFrom('a:1:2,,*,-,a,a:9,b:99999', (name) => name).map(({ column, width }) => [column, width]), [['a', 0], ['b', 2_000]]);
  assert.equal(layoutText([], String), '');
});

test('a layout tolerates added and removed columns', () => {
  const layout = changePlace(columns, [], 'b', { isPinned: true });
  const later = [{ name: 'new' }, { name: 'd' }, { name: 'b' }];
  assert.deepEqual(arrange(later, layout).map(({ column }) => column), ['b', 'd', 'new']);
});

test('visible columns know their position and cell index', () => {
  const specs = columns.map((column, index) => ({ column, index, at: index }));
  const shown = shownSpecs(specs, changePlace(columns, changePlace(columns, [], 'c', { isPinned: true, width: 50 }), 'a', { isHidden: true }));
  assert.deepEqual(shown.map(({ index, at, setWidth, isPinned }) => [index, at, setWidth, isPinned]), [[2, 0, 50, true], [1, 1, 0, false], [3, 2, 0, false]]);
});

test('a column’s menu changes the view', () => {
  const view = { ...emptyView(), table: 't', sort: [{ column: 'b', descending: true }], group: ['c'], aggregates: [{ column: 'a', function: 'sum' }] };
  const changes = [];
  const items = Object.fromEntries(columnMenu(columns[0], columns, view, { change: (change) => changes.push(change), filter() {}, fit() {} })
    .filter((item) => item !== null).map((item) => [item.label, item]));
  const change = (label) => {
    items[label].run();
    return changes.pop();
  };
  assert.deepEqual(change('Sort descending'), { sort: [{ column: 'a', descending: true }] });
  assert.deepEqual(change('Add to sort'), { sort: [{ column: 'b', descending: true }, { column: 'a', descending: true }] });
  assert.deepEqual(change('Group by this column'), { group: ['c', 'a'], collapsed: [] });
  assert.deepEqual(change('Sum'), { aggregates: [] });
  assert.deepEqual(change('Average').aggregates.length, 2);
  assert.equal(names(change('Hide column').columns), '-a b c d');
  assert.equal(names(change('Move right').columns), 'b a c d');
  assert.ok(items['Move left'].isDisabled);
  assert.ok(!('Remove sort' in items));
  const own = columnMenu(columns[1], columns, view, {}).filter((item) => item !== null);
  assert.ok(own.some(({ label }) => label === 'Remove sort') && own.find(({ label }) => label === 'Sort descending').isChecked);
});

test('some columns are shown in addition, or alone', () => {
  const only = showPlaces(columns, [], ['b', 'd'], true);
  assert.equal(names(only), '-a b -c d');
  assert.equal(names(showPlaces(columns, only, ['a'])), 'a b -c d');
  assert.deepEqual(showPlaces(columns, only, ['a', 'b', 'c', 'd']), []);
  assert.equal(names(showPlaces(columns, changePlace(columns, [], 'c', { isPinned: true }), ['c'], true)), '*c -a -b -d');
});

test('columns are found by the words of their titles and names', () => {
  const all = [{ name: 'cpu_user', title: 'User time' }, { name: 'cpu', title: 'CPU' }, { name: 'name' }];
  assert.deepEqual(findColumns(all, ' '), ['cpu_user', 'cpu', 'name']);
  assert.deepEqual(findColumns(all, 'CPU'), ['cpu_user', 'cpu']);
  assert.deepEqual(findColumns(all, 'time cpu'), ['cpu_user']);
  assert.deepEqual(findColumns(all, 'x'), []);
});

test('the menu of a grouped column collapses and expands all sections', () => {
  const folds = [];
  const on = { filter() {}, fit() {}, foldAll: (isCollapsed) => folds.push(isCollapsed) };
  const labels = (view) => columnMenu(columns[0], columns, view, on).filter((item) => /all sections/.test(item?.label));
  assert.deepEqual(labels({ ...emptyView(), group: ['b'] }), []);
  const items = labels({ ...emptyView(), group: ['a'], collapsed: [['x']] });
  for (const { run } of items) run();
  assert.deepEqual(folds, [true, false]);
  assert.ok(labels({ ...emptyView(), group: ['a'] })[1].isDisabled);
});

test('the totals of a column are those that suit its type', () => {
  const view = { ...emptyView(), aggregates: [{ column: 'cpu', function: 'p95' }] };
  const changes = [];
  const on = { change: (change) => changes.push(change) };
  const items = totalItems({ name: 'cpu', type: 'number' }, view, on);
  assert.deepEqual(items.filter(({ isChecked }) => isChecked).map(({ label }) => label), ['95th percentile']);
  items.find(({ label }) => label === '95th percentile').run();
  items.find(({ label }) => label === 'Median').run();
  assert.deepEqual(changes, [{ aggregates: [] }, { aggregates: [{ column: 'cpu', function: 'p95' }, { column: 'cpu', function: 'median' }] }]);
  assert.deepEqual(totalItems({ name: 'name', type: 'text' }, view, on).map(({ label }) => label), ['Different values', 'First value', 'Last value']);
  const full = { ...view, aggregates: Array.from({ length: 16 }, (_, at) => ({ column: `c${at}`, function: 'sum' })) };
  assert.ok(totalItems({ name: 'cpu', type: 'number' }, full, on).every(({ isDisabled, why }) => isDisabled && why !== ''));
  const menu = columnMenu({ name: 'name', type: 'text' }, [{ name: 'name', type: 'text' }], view, { ...on, filter() {}, fit() {}, totals() {} });
  assert.ok(menu.some((item) => item?.label === 'Totals…'));
});

function specsOf(widths) {
  let left = 4;
  return widths.map((width) => {
    const spec = { left, width };
    left += width;
    return spec;
  });
}

test('draws all of a few columns and decides once', () => {
  const drawn = new DrawnColumns();
  const specs = specsOf([100, 200, 300]);
  assert.equal(drawn.look(specs, 0, 1_280), true);
  assert.deepEqual(drawn.places, [0, 1, 2]);
  assert.equal(drawn.look(specs, 0, 1_280), false);
  assert.equal(drawn.look(specs, 0, 300), false);
});

test('draws columns within the margin, and none beyond it', () => {
  const drawn = new DrawnColumns();
  const specs = specsOf(Array(500).fill(100));
  drawn.look(specs, 20_000, 1_000);
  // Column n begins at 4 + 100 n. Column 195 is the first that ends after 19,600, and 213 the last
  // that begins before 21,400.
  assert.equal(MARGIN, 400);
  assert.deepEqual(drawn.places, Array.from({ length: 19 }, (_, at) => 195 + at));
});

test('drawn columns cover the viewport and change rarely', (context) => {
  context.diagnostic(`SEED=${seed}`);
  const dice = diceFrom(seed);
  const drawn = new DrawnColumns();
  const specs = specsOf(Array.from({ length: 500 }, () => 44 + dice(300)));
  const end = specs.at(-1).left + specs.at(-1).width;
  let left = 0;
  let changes = 0;
  for (let step = 0; step < 4_000; step += 1) {
    left = Math.max(0, Math.min(end - 1_000, left + (step % 500 === 0 ? dice(end) - end / 2 : dice(61) - 20)));
    changes += drawn.look(specs, left, 1_000) ? 1 : 0;
    const [first, last] = [specs[drawn.places[0]], specs[drawn.places.at(-1)]];
    assert.ok(first.left <= left || drawn.places[0] === 0, `step ${step}, SEED=${seed}`);
    assert.ok(last.left + last.width >= Math.min(end, left + 1_000), `step ${step}, SEED=${seed}`);
    assert.ok(drawn.places.every((place, at) => at === 0 || place === drawn.places[at - 1] + 1));
  }
  assert.ok(changes < 4_000 / 5, `${changes} changes`);
});

test('forget recomputes the drawn columns after a change of widths', () => {
  const drawn = new DrawnColumns();
  const specs = specsOf(Array(100).fill(100));
  drawn.look(specs, 0, 1_000);
  assert.equal(drawn.places.length, 14);
  for (const spec of specs) spec.left = 4 + (spec.left - 4) / 2;
  for (const spec of specs) spec.width = 50;
  assert.equal(drawn.look(specs, 0, 1_000), false);
  drawn.forget();
  assert.equal(drawn.look(specs, 0, 1_000), true);
  assert.equal(drawn.places.length, 28);
});

test('pinned columns are always drawn', () => {
  const drawn = new DrawnColumns();
  const specs = specsOf(Array(500).fill(100)).map((spec, at) => ({ ...spec, isPinned: at < 2 }));
  drawn.look(specs, 20_000, 1_000);
  assert.deepEqual(drawn.places.slice(0, 4), [0, 1, 195, 196]);
  assert.equal(drawn.places.length, 21);
  drawn.look(specs, 0, 1_000);
  assert.deepEqual(drawn.places, Array.from({ length: 14 }, (_, at) => at));
});

test('draws nothing without columns', () => {
  const drawn = new DrawnColumns();
  assert.equal(drawn.look([], 0, 1_000), false);
  assert.deepEqual(drawn.places, []);
});

test('texts that differ only in digits are measured once', () => {
  const measured = [];
  const measure = (text) => {
    measured.push(text);
    return text.length;
  };
  const columns = [{ name: 'price', title: '', type: 'number', style: 'plain', unit: '', width: 0, align: '' }];
  specify(columns, [[1.25], [9.75], [8.75], [12.25]], measure, { locale: 'en', now: 0 });
  assert.deepEqual(measured.filter((text) => text.includes('.')), ['0.00', '00.00']);
});
