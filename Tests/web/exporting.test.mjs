import test from 'node:test';
import assert from 'node:assert/strict';
import { exportAddress as addressOf } from '../../web/model/exporting.js';
import { wireFilter } from '../../web/model/query.js';
import { emptyView } from '../../web/model/query.js';

const table = { name: 'my jobs/ü', columns: [{ name: 'cpu', type: 'number' }, { name: 'a,b', type: 'text' }, { name: 'user', type: 'text' }] };
const view = { ...emptyView(), table: table.name };

const exportAddress = (asked, of, format) => addressOf(asked, of, format, ({ search, filters }) => ({ search, filter: wireFilter(filters) }));

test('the URL of a plain view has only the table and format', () => {
  assert.equal(exportAddress(view, table, 'csv'), '/tables/my%20jobs%2F%C3%BC.csv');
  assert.equal(exportAddress({ ...view, collapsed: [['root']], columns: [{ column: 'cpu', width: 0, isHidden: true, isPinned: false }], aggregates: [{ column: 'cpu', function: 'sum' }] }, table, 'ndjson'),
    '/tables/my%20jobs%2F%C3%BC.ndjson');
});

test('the URL has sort, search, groups and filters, encoded', () => {
  const address = exportAddress({
    ...view, sort: [{ column: 'cpu', descending: true }, { column: 'a,b', descending: false }], search: 'x & y', group: ['user'],
    filters: [{ column: 'cpu', op: 'range', from: 5 }, { column: 'user', op: 'noneOf', values: ['root', null] }],
  }, table, 'csv');
  const said = new URL(address, 'http://x').searchParams;
  assert.deepEqual([...said.keys()].toSorted(), ['filter', 'group', 'search', 'sort']);
  assert.equal(said.get('sort'), '-cpu,a%2Cb');
  assert.equal(said.get('search'), 'x & y');
  assert.equal(said.get('group'), 'user');
  assert.deepEqual(JSON.parse(said.get('filter')), { all: [{ column: 'cpu', op: 'range', from: 5 },
    { not: { any: [{ column: 'user', op: 'oneOf', values: ['root'] }, { column: 'user', op: 'isEmpty' }] } }] });
});

test('columns that the table lacks are left out', () => {
  assert.equal(exportAddress({ ...view, sort: [{ column: 'gone', descending: false }], filters: [{ column: 'gone', op: 'isEmpty' }] }, table, 'csv'), '/tables/my%20jobs%2F%C3%BC.csv');
});

test('filters too long for a URL give an empty one', () => {
  const filters = (count) => [{ column: 'user', op: 'oneOf', values: Array.from({ length: count }, (_, at) => `somebody ${at}`) }];
  assert.notEqual(exportAddress({ ...view, filters: filters(20) }, table, 'csv'), '');
  assert.equal(exportAddress({ ...view, filters: filters(400) }, table, 'csv'), '');
});
