// The bounds of columns over all rows: those that bars, heat scales and rules by percentile need.

import test from 'node:test';
import assert from 'node:assert/strict';
import { Bounds, MOST_BOUNDS, wantedBounds } from '../../web/model/bounds.js';
import { emptyView } from '../../web/model/query.js';

const column = (name, more = {}) => ({ name, type: 'number', style: 'plain', title: '', unit: '', ...more });
const shown = [{ kind: 'text', column: column('cpu') }, { kind: 'bar', column: column('memory') }, { kind: 'bar', column: column('share', { unit: '%' }) }];
const table = { name: 'jobs', generation: 1, columns: shown.map((spec) => spec.column) };
const view = { ...emptyView(), table: 'jobs', filters: [{ column: 'cpu', op: 'range', from: 5 }] };
const narrowed = ({ filters, search }) => ({ search, filter: filters[0] });

test('percentiles come first, then heat scales, then bars', () => {
  const highlights = [
    { column: 'cpu', look: 'heat' }, { column: 'cpu', look: 'red', term: { column: 'memory', op: 'top', percent: 1 } },
    { column: 'cpu', look: 'blue', term: { column: 'memory', op: 'top', percent: 1 } }, { column: 'gone', look: 'heat' },
  ];
  assert.deepEqual(wantedBounds(highlights, shown), [
    { function: 'p99', column: 'memory' }, { function: 'min', column: 'cpu' }, { function: 'max', column: 'cpu' }, { function: 'max', column: 'memory' },
  ]);
  assert.deepEqual(wantedBounds([], [shown[0], shown[2]]), [], 'a bar of percentages needs none');
  assert.deepEqual(wantedBounds([], shown, true), [], 'bars of a source have none in a large table');
  assert.deepEqual(wantedBounds([{ column: 'memory', look: 'bar' }], shown, true), [{ function: 'max', column: 'memory' }]);
  const many = Array.from({ length: 30 }, (_, at) => ({ kind: 'bar', column: column(`c${at}`) }));
  assert.equal(wantedBounds([], many).length, MOST_BOUNDS);
});

test('bounds are those of the rows that the filters let through', () => {
  const sent = [];
  const bounds = new Bounds((tiles) => sent.push(tiles), narrowed);
  const wanted = [{ function: 'max', column: 'cpu' }];
  bounds.want(view, table, wanted);
  bounds.want({ ...view, sort: [{ column: 'cpu', descending: true }] }, table, wanted);
  assert.deepEqual(sent, [[{ function: 'max', column: 'cpu', filter: view.filters[0] }]]);
  bounds.want({ ...view, filters: [] }, table, wanted);
  assert.deepEqual(sent.at(-1), [{ function: 'max', column: 'cpu' }]);
});

test('values are kept until those of other rows are known', () => {
  const bounds = new Bounds(() => {}, narrowed);
  bounds.want(view, table, [{ function: 'min', column: 'cpu' }, { function: 'max', column: 'cpu' }]);
  assert.equal(bounds.rangeOf('cpu'), null);
  assert.equal(bounds.take([{ value: 2 }, { value: 8 }]), true);
  assert.equal(bounds.take([{ value: 2 }, { value: 8 }]), false);
  assert.deepEqual([bounds.rangeOf('cpu'), bounds.mostOf('cpu'), bounds.seq], [{ least: 2, most: 8 }, 8, 1]);
  bounds.want({ ...view, filters: [] }, table, [{ function: 'min', column: 'cpu' }, { function: 'max', column: 'cpu' }]);
  assert.equal(bounds.take([{ pending: true }, { value: 9 }]), true);
  assert.deepEqual(bounds.rangeOf('cpu'), { least: 2, most: 9 });
  assert.equal(bounds.take([{ error: { code: 'tooManyViews', reason: '' } }, { value: null }]), true);
  assert.deepEqual([bounds.rangeOf('cpu'), bounds.mostOf('cpu')], [null, undefined]);
  assert.equal(bounds.take([{ value: 1 }]), false, 'an answer to another request is ignored');
});

test('values of another table are forgotten, and a windowed table has none', () => {
  const sent = [];
  const bounds = new Bounds((tiles) => sent.push(tiles), narrowed);
  bounds.want(view, table, [{ function: 'max', column: 'cpu' }]);
  bounds.take([{ value: 8 }]);
  bounds.want({ ...view, table: 'other' }, { ...table, name: 'other', windowed: {} }, [{ function: 'max', column: 'cpu' }]);
  assert.deepEqual([bounds.mostOf('cpu'), sent.at(-1)], [undefined, []]);
});
