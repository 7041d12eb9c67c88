import test from 'node:test';
import assert from 'node:assert/strict';
import { exportAddress as addressOf, fieldsOf } from '../../web/model/exporting.js';
import { wireFilter } from '../../web/model/query.js';
import { emptyView } from '../../web/model/query.js';

const table = { name: 'my jobs/ü', columns: [{ name: 'cpu', type: 'number' }, { name: 'a,b', type: 'text' }, { name: 'user', type: 'text' }] };
const view = { ...emptyView(), table: table.name };

const exportAddress = (requested, of, format, layout) => addressOf(requested, of, format, ({ search, filters }) => ({ search, filter: wireFilter(filters) }), layout);

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
  const sent = new URL(address, 'http://x').searchParams;
  assert.deepEqual([...sent.keys()].toSorted(), ['filter', 'group', 'search', 'sort']);
  assert.equal(sent.get('sort'), '-cpu,a%2Cb');
  assert.equal(sent.get('search'), 'x & y');
  assert.equal(sent.get('group'), 'user');
  assert.deepEqual(JSON.parse(sent.get('filter')), { all: [{ column: 'cpu', op: 'range', from: 5 },
    { not: { any: [{ column: 'user', op: 'oneOf', values: ['root'] }, { column: 'user', op: 'isEmpty' }] } }] });
});

test('the URL has no parts that only affect the display', () => {
  const shown = { ...view, named: 'hot', highlights: [{ column: 'cpu', look: 'bar' }], tiles: [{ function: 'count' }], times: [{ as: 'utc' }], lines: 3, isOwn: true };
  assert.equal(exportAddress(shown, table, 'csv'), '/tables/my%20jobs%2F%C3%BC.csv');
});

test('the URL has the separator, and the visible columns in their order', () => {
  const place = (column, more = {}) => ({ column, width: 0, isHidden: false, isPinned: false, ...more });
  const fields = fieldsOf({ ...view, columns: [place('cpu', { isHidden: true }), place('a,b'), place('user', { isPinned: true })] }, table.columns);
  assert.deepEqual(fields, ['user', 'a,b']);
  const sent = new URL(exportAddress(view, table, 'csv', { separator: 'semicolon', fields }), 'http://x').searchParams;
  assert.deepEqual([...sent], [['fields', 'user,a%2Cb'], ['separator', 'semicolon']]);
  assert.equal(exportAddress(view, table, 'csv', { separator: 'comma', fields: fieldsOf(view, table.columns) }), '/tables/my%20jobs%2F%C3%BC.csv');
});

test('columns that the table lacks are left out', () => {
  assert.equal(exportAddress({ ...view, sort: [{ column: 'gone', descending: false }], filters: [{ column: 'gone', op: 'isEmpty' }] }, table, 'csv'), '/tables/my%20jobs%2F%C3%BC.csv');
});

test('filters too long for a URL give an empty one', () => {
  const filters = (count) => [{ column: 'user', op: 'oneOf', values: Array.from({ length: count }, (_, at) => `somebody ${at}`) }];
  assert.notEqual(exportAddress({ ...view, filters: filters(20) }, table, 'csv'), '');
  assert.equal(exportAddress({ ...view, filters: filters(400) }, table, 'csv'), '');
});
