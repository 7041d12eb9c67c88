import assert from 'node:assert/strict';
import test from 'node:test';

import { selectionText, sumUp } from '../../web/model/sums.js';

const spec = (name, type, more = {}) => ({ column: { name, type, ...more }, format: (value) => `${value}${more.unit ?? ''}` });
const text = (specs, rows, how = {}) => selectionText({ specs, rows, missing: how.missing ?? 0 }, { now: 0, locale: 'en-US', ...how });

test('sums are exact for integers of any size and stable for fractions', () => {
  assert.deepEqual(sumUp([[1], [2], [null], [6]], [0]), { count: 3, sum: 9, mean: 3, least: 1, greatest: 6 });
  assert.equal(sumUp([['9007199254740993'], [1], ['-9007199254740993']], [0]).sum, 1);
  assert.equal(sumUp([['9223372036854775807'], ['9223372036854775807']], [0]).sum, 18_446_744_073_709_551_614n);
  assert.equal(sumUp([[1e16], [0.5], [0.5], [-1e16]], [0]).sum, 1);
  assert.equal(sumUp(Array.from({ length: 10 }, () => [0.1]), [0]).sum, 1);
  assert.equal(sumUp([[null], ['x'], [{ absence: 'pending' }], [NaN]], [0]), null);
});

test('the text has count, sum, average and both ends', () => {
  assert.equal(text([spec('n', 'integer')], [[1], [2], [6]]), 'Selected: 3 cells · sum 9 · average 3 · min 1 · max 6');
  assert.equal(text([spec('n', 'number', { unit: ' MB' })], [[1.5], [2.5]]), 'Selected: 2 cells · sum 4 MB · average 2 MB · min 1.5 MB · max 2.5 MB');
});

test('columns without a common unit are counted only', () => {
  assert.equal(text([spec('a', 'number', { unit: '%' }), spec('b', 'number', { unit: 'MB' })], [[1, 2], [3, null]]), 'Selected: 3 cells');
  assert.equal(text([spec('a', 'text'), spec('b', 'text')], [['x', 'y']]), 'Selected: 2 cells');
  assert.equal(text([spec('a', 'text'), spec('n', 'integer')], [['x', 2], ['y', 4]]), 'Selected: 4 cells · n sum 6 · average 3 · min 2 · max 4');
});

test('rows outside the window are not counted, and the text tells how many are', () => {
  assert.equal(text([spec('n', 'integer')], [[1], [3]], { missing: 998 }), 'Selected: 2 cells in the 2 rows loaded here, of 1,000 selected · sum 4 · average 2 · min 1 · max 3');
});

test('selected rows are summed up in the active column', () => {
  const specs = [spec('pid', 'integer'), spec('cpu', 'integer')];
  assert.equal(text(specs, [[1, 10], [2, 30]], { isRows: true, active: 1 }), 'Selected: 2 rows · cpu sum 40 · average 20 · min 10 · max 30');
});

test('one cell has no statistics', () => {
  assert.equal(text([spec('n', 'integer')], [[5]]), '');
});
