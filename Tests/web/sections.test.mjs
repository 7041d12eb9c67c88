// Orders of sections: their place in the address, in the query and in menus.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { changeText } from '../../web/model/steps.js';
import { emptyView, fittingView, hashFromView, nextSections, sameQuery, viewFromHash } from '../../web/model/query.js';
import { exportAddress } from '../../web/model/exporting.js';
import { columnCommands } from '../../web/panels/commands.js';
import { columnMenu } from '../../web/panels/columnmenu.js';
import { orderItems } from '../../web/panels/sectionmenu.js';
import * as rules from '../../web/model/refusals.js';
import * as wire from '../../web/protocol/wire.js';

const columns = [{ name: 'host', title: 'Host', type: 'text' }, { name: 'user', type: 'text' }, { name: 'cpu', title: 'CPU', type: 'number' }];
const mean = { column: 'cpu', function: 'mean' };
const byCount = { column: 'host', by: 'count', descending: true };
const byMean = { column: 'user', by: mean, descending: false };
const view = { ...emptyView(), table: 'jobs', group: ['host', 'user'], aggregates: [mean], sections: [byCount, byMean] };

test('the address holds the order of sections that are grouped', () => {
  assert.equal(hashFromView(view), '#table=jobs&group=host,user&show=mean:cpu&sections=host:-count,user:mean:cpu');
  assert.deepEqual(viewFromHash(hashFromView(view)), view);
  assert.ok(!hashFromView({ ...view, group: ['user'], aggregates: [] }).includes('sections'));
  for (const text of ['host', 'host:', 'host:size', ':count', 'host:count:', 'host:sum', 'host:odd:cpu', '%', 'toString:toString:x']) {
    assert.equal(viewFromHash(`#table=jobs&group=host&sections=${encodeURIComponent(text)}`).sections, undefined, text);
  }
  assert.deepEqual(viewFromHash('#sections=a:count,a:-count').sections, [{ column: 'a', by: 'count', descending: false }]);
});

test('an order goes with its grouping and its total', () => {
  assert.deepEqual(fittingView(view, columns).sections, [byCount, byMean]);
  assert.deepEqual(fittingView({ ...view, aggregates: [] }, columns).sections, [byCount]);
  assert.deepEqual(fittingView({ ...view, group: ['user'] }, columns).sections, [byMean]);
  assert.equal(fittingView(emptyView(), columns).sections, undefined);
});

test('the default order is no order', () => {
  assert.deepEqual(nextSections(undefined, byCount), [byCount]);
  assert.deepEqual(nextSections([byCount], { ...byCount, descending: false }), [{ ...byCount, descending: false }]);
  assert.equal(nextSections([byCount], { column: 'host', by: 'value', descending: false }), undefined);
  assert.deepEqual(nextSections([byCount], { column: 'host', by: 'value', descending: true }), [{ column: 'host', by: 'value', descending: true }]);
});

test('another order is another query, and a step of the history', () => {
  const { sections, ...plain } = view;
  assert.ok(!sameQuery(plain, view) && sameQuery({ ...view, sections: [byCount, byMean] }, view));
  assert.equal(changeText(plain, view, columns), 'order of sections');
  assert.deepEqual(wire.query({ request: 1, query: view, viewport: { seq: 0, first: 0, count: 1 } }).query.sections, [byCount, byMean]);
  assert.equal(wire.query({ request: 1, query: plain, viewport: { seq: 0, first: 0, count: 1 } }).query.sections, undefined);
});

test('an export has its sections by value', () => {
  const address = exportAddress(view, { name: 'jobs', columns }, 'csv', () => ({ search: '' }));
  assert.equal(address, '/tables/jobs.csv?group=host%2Cuser');
});

test('the menu orders by value, count and totals, and marks the order that applies', () => {
  const changes = [];
  const on = { change: (change) => changes.push(change) };
  const items = orderItems(columns[0], columns, view, on);
  assert.deepEqual(items.map(({ label }) => label), [
    'By value, ascending', 'By value, descending', 'Largest first', 'Smallest first', 'By average of CPU, descending', 'By average of CPU, ascending',
  ]);
  assert.deepEqual(items.filter(({ isChecked }) => isChecked).map(({ label }) => label), ['Largest first']);
  items[0].run();
  items[4].run();
  assert.deepEqual(changes, [{ sections: [byMean] }, { sections: [byMean, { column: 'host', by: mean, descending: true }] }]);
  assert.ok(orderItems(columns[1], columns, { ...view, sections: undefined }, on)[0].isChecked);
  const refused = orderItems(columns[0], columns, view, { ...on, lack: ({ order }) => (order ? 'No.' : '') });
  assert.deepEqual(refused.map(({ isDisabled }) => isDisabled === true), [false, true, true, true, true, true]);
  const menu = (group) => columnMenu(columns[0], columns, { ...view, group }, { filter() {}, fit() {}, order() {} }).some((item) => item?.label === 'Order the sections…');
  assert.deepEqual([menu(['host']), menu(['user'])], [true, false]);
  const commands = columnCommands(columns, view, { ...on, lack: () => '' }).map(({ label }) => label);
  assert.ok(commands.includes('Sections of Host: Largest first') && commands.includes('Sections of user: By average of CPU, ascending'));
});

test('a refused order is marked, left out and can be removed', () => {
  const [mark] = rules.marksFor(view, ['query.sections[1]'], 'too many rows');
  assert.equal(mark.key, 'sections:user');
  assert.deepEqual(rules.applied(view, [mark], null).sections, [byCount]);
  assert.equal(rules.markTitle(mark, columns), 'Order of the sections of user');
  assert.deepEqual(rules.without(view, mark.key), { sections: [byCount] });
  assert.deepEqual(rules.standing([mark], view), [mark]);
  assert.deepEqual(rules.standing([mark], { ...view, sections: [byCount] }), []);
  const remote = { windowed: { rowLimit: 10, sort: [], group: [], filters: [], search: false } };
  assert.match(rules.lack(remote, 11, { order: true }), /cannot order sections/);
  assert.equal(rules.lack(remote, 10, { order: true }), '');
});
