// directmenu.js: sums by group, a column pinned next to the label, and tiles as commands.

import test from 'node:test';
import assert from 'node:assert/strict';
import { groupsOf, labelColumn, pinItem, sumCommands, sumItems, tileCommands } from '../../web/panels/directmenu.js';
import { columnMenu } from '../../web/panels/columnmenu.js';
import { arrange } from '../../web/model/columns.js';
import { emptyView, fittingView } from '../../web/model/query.js';

const columns = [
  { name: 'pid', type: 'integer' }, { name: 'name', type: 'text', title: 'Name' }, { name: 'user', type: 'text', title: 'User' },
  { name: 'rss', type: 'integer', title: 'Memory' }, { name: 'idle', type: 'boolean' },
];
const [, , , rss] = columns;

test('sums by a group show its sections with the largest sum first', () => {
  const done = [];
  const items = sumItems(rss, columns, { groupBy: (changes) => done.push(changes) });
  assert.deepEqual(items.map(({ label }) => label), ['Name', 'User', 'idle']);
  items[1].run();
  const view = fittingView({ ...emptyView(), group: ['name'], ...done[0] }, columns);
  assert.deepEqual([view.group, view.aggregates, view.sections], [
    ['user'], [{ column: 'rss', function: 'sum' }], [{ column: 'user', by: { column: 'rss', function: 'sum' }, descending: true }],
  ]);
});

test('sums by a group are commands, and disabled with a reason', () => {
  const commands = sumCommands(columns, { groupBy() {}, lack: ({ group }) => (group === 'user' ? 'not by user' : '') });
  assert.equal(commands.length, 6);
  const own = commands.find(({ label }) => label === 'Sum Memory by User');
  assert.deepEqual([own.isDisabled, own.why], [true, 'not by user']);
  assert.ok(commands.find(({ label }) => label === 'Sum Memory by Name').isDisabled === undefined);
  const many = Array.from({ length: 50 }, (_, at) => [{ name: `n${at}`, type: 'number' }, { name: `t${at}`, type: 'text' }]).flat();
  assert.equal(sumCommands(many, {}).length, 200);
  assert.deepEqual(groupsOf([rss], 'rss'), []);
});

test('a column is pinned with the one that names the rows', () => {
  const done = [];
  const item = pinItem(rss, columns, emptyView(), 'name', (changes) => done.push(changes));
  assert.deepEqual([item.label, item.command], ['Pin left with Name', 'Pin Memory left with Name']);
  item.run();
  assert.deepEqual(arrange(columns, done[0].columns).filter(({ isPinned }) => isPinned).map(({ column }) => column), ['name', 'rss']);
  assert.equal(pinItem(rss, columns, { ...emptyView(), columns: done[0].columns }, 'name'), undefined, 'it is pinned already');
  assert.equal(pinItem(columns[1], columns, emptyView(), 'name'), undefined, 'not with itself');
  assert.equal(labelColumn(columns, undefined).name, 'name');
  assert.equal(pinItem(rss, [rss], emptyView(), undefined), undefined, 'no column names the rows');
  const labels = columnMenu(rss, columns, emptyView(), { change() {}, filter() {}, fit() {}, pin: item, sums() {} }).map((one) => one?.label);
  assert.ok(labels.includes('Pin left with Name') && labels.includes('Sum by group…'));
});

test('tiles of columns are commands', () => {
  const done = [];
  const table = { columns };
  const commands = tileCommands(columns, { view: emptyView(), table, change: (changes) => done.push(changes) });
  commands.find(({ label }) => label === 'Summary: Sum of Memory').run();
  assert.deepEqual(done, [{ tiles: [{ function: 'sum', column: 'rss' }] }]);
  assert.ok(commands.every(({ heading }) => heading === undefined));
});
