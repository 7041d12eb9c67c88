import assert from 'node:assert/strict';
import { test } from 'node:test';

import { completed, isPlain, severityOf, suggested, termsOf } from '../../web/model/defaults.js';
import { emptyView, hashFromView, viewFromHash } from '../../web/model/query.js';

const table = {
  name: 'jobs',
  columns: ['id', 'state', 'age', 'note'].map((name) => ({ name, title: name, type: 'text' })),
  view: {
    sort: [{ column: 'age', descending: true }], filter: { column: 'state', op: 'oneOf', values: ['failed'] },
    order: ['age', 'gone'], hidden: ['note'], pinned: ['id'],
  },
};

test('a plain view shows what its source suggests, and its address names only the table', () => {
  const view = completed(viewFromHash('#table=jobs'), table);
  assert.deepEqual(view.sort, [{ column: 'age', descending: true }]);
  assert.deepEqual(view.filters, [{ column: 'state', op: 'oneOf', values: ['failed'] }]);
  assert.deepEqual(view.columns.map(({ column, isHidden, isPinned }) => [column, isHidden, isPinned]), [
    ['age', false, false], ['id', false, true], ['state', false, false], ['note', true, false],
  ]);
  assert.equal(view.isDefault, true);
  assert.equal(hashFromView(view), '#table=jobs');
});

test('a view with anything of its own is not changed', () => {
  for (const hash of ['#table=jobs&search=x', '#table=jobs&sort=id', '#table=jobs&columns=-id', '#table=jobs&sort=']) {
    const view = viewFromHash(hash);
    assert.equal(completed(view, table), view, hash);
    assert.equal(hashFromView(view), hash);
  }
});

test('an empty view that the user chose stays empty after a reload of the page', () => {
  const { isDefault, ...shown } = completed(viewFromHash('#table=jobs'), table);
  const next = { ...shown, isOwn: true, sort: [], filters: [], columns: [] };
  assert.equal(hashFromView(next), '#table=jobs&sort=');
  assert.equal(isPlain(viewFromHash('#table=jobs&sort=')), false);
  assert.equal(isDefault, true);
});

test('the view follows a table that suggests another one later', () => {
  const view = completed(viewFromHash('#table=jobs'), table);
  const later = completed(view, { ...table, view: { sort: [{ column: 'id' }] } });
  assert.deepEqual([later.sort, later.filters, later.columns], [[{ column: 'id', descending: false }], [], []]);
  const { view: _, ...plain } = table;
  assert.deepEqual(completed(later, plain), { ...emptyView(), table: 'jobs' });
});

test('a table without suggestions leaves a plain view plain', () => {
  const view = { ...emptyView(), table: 'x' };
  assert.deepEqual(completed(view, { name: 'x', columns: [] }), view);
  assert.deepEqual(suggested(undefined), { sort: [], filters: [], where: '', group: [], aggregates: [], columns: [] });
});

test('a suggested text of the filter bar is shown until the user removes it', () => {
  const suggestsText = { ...table, view: { sort: [], where: 'age > 5' } };
  const view = completed(viewFromHash('#table=jobs'), suggestsText);
  assert.equal(view.where, 'age > 5');
  assert.equal(hashFromView(view), '#table=jobs');
  const { isDefault, ...shown } = view;
  assert.equal(hashFromView({ ...shown, isOwn: true, where: '' }), '#table=jobs&sort=');
  assert.equal(completed(viewFromHash('#table=jobs&where=age+%3C+5'), suggestsText).where, 'age < 5');
});

test('filters become terms, or none if the page could not show them', () => {
  assert.deepEqual(termsOf({ all: [
    { column: 'a', op: '>=', value: 1 }, { not: { column: 'b', op: 'oneOf', values: ['x'] } }, { not: { column: 'c', op: 'isEmpty' } },
    { column: 'd', op: '=', value: true }, { column: 'e', op: 'matches', value: 'x', ignoreCase: true },
  ] }), [
    { column: 'a', op: 'range', from: 1 }, { column: 'b', op: 'noneOf', values: ['x'] }, { column: 'c', op: 'isFilled' },
    { column: 'd', op: 'oneOf', values: [true] }, { column: 'e', op: 'matches', value: 'x' },
  ]);
  for (const filter of [
    { any: [] }, { column: 'a', op: '!=', value: 1 }, { column: 'a', op: 'matches', value: 'x' }, { not: { column: 'a', op: '=', value: 1 } },
    { all: [{ column: 'a', op: '>=', value: 1 }, { column: 'a', op: '<=', value: 3 }] },
  ]) assert.equal(termsOf(filter), null, JSON.stringify(filter));
});

test('severity follows thresholds in the worse direction, and values', () => {
  assert.equal(severityOf({}), null);
  const up = severityOf({ warn: 80, critical: 95 });
  assert.deepEqual([79.9, 80, 94, 95, 1e9, null, 'x'].map(up), ['', 'warn', 'warn', 'critical', 'critical', '', '']);
  const down = severityOf({ warn: 20, critical: 5, better: 'higher' });
  assert.deepEqual([21, 20, 5, -1].map(down), ['', 'warn', 'critical', 'critical']);
  const words = severityOf({ warn: ['late'], critical: ['failed', false] });
  assert.deepEqual(['late', 'failed', false, 'done', null].map(words), ['warn', 'critical', 'critical', '', '']);
});

test('a suggested view divides columns of its grouping into ranges', () => {
  const table = { name: 'jobs', columns: [{ name: 'cpu', type: 'number' }], view: { sort: [], group: ['cpu'], ranges: [{ column: 'cpu', width: 10 }] } };
  const view = completed(viewFromHash('#table=jobs'), table);
  assert.deepEqual([view.group, view.ranges, view.isDefault], [['cpu'], [{ column: 'cpu', width: 10 }], true]);
  assert.equal(hashFromView(view), '#table=jobs');
});
