// targets.js: the rows that an action runs on, and their names.

import test from 'node:test';
import assert from 'node:assert/strict';
import { Batch, rowName, rowsBetween, shortName, targetText } from '../../web/model/targets.js';
import { Header, Row, WindowCopy } from '../../web/protocol/wire.js';

const text = (value) => value ?? '';
const spec = (index, name, type, title = '') => ({ index, kind: 'text', column: { name, type, title }, format: text });
const specs = [spec(0, 'user', 'text'), spec(1, 'name', 'text', 'Name'), spec(2, 'pid', 'integer', 'PID')];
const row = (id, ...cells) => new Row(id, 1, cells);
const fox = row(7, 'root', 'firefox-esr', 28_320);

test('a row’s name has its label and its identifier', () => {
  assert.equal(rowName(fox, specs, 'name'), 'firefox-esr (PID 28320)');
  assert.equal(rowName(fox, specs, undefined), 'root (PID 28320)', 'without a label its first text');
  assert.equal(rowName(fox, specs, 'gone'), 'root (PID 28320)', 'a label that is no column');
});

test('a column with the key precedes one named like an identifier', () => {
  const more = [...specs, spec(3, 'serial', 'text', 'Serial')];
  assert.equal(rowName(row(7, 'root', 'firefox', 1, 'a-7'), more, 'name', 'a-7'), 'firefox (Serial a-7)');
});

test('without such a column, the key is the identifier', () => {
  const plain = [spec(0, 'name', 'text')];
  assert.equal(rowName(row(7, 'job 5'), plain, 'name', 90_210), 'job 5 (90210)');
  assert.equal(rowName(row(7, 'job 5'), plain, 'name', 'job 5'), 'job 5');
  assert.equal(rowName(row(7, 'job 5'), plain, 'name', undefined), 'job 5');
  assert.equal(rowName(row(7, null), plain, 'name', 9), '9');
  assert.equal(rowName(row(7, null), plain, 'name', undefined), 'Row');
});

test('the short name has no identifier', () => {
  assert.equal(shortName(fox, specs, 'name', 7), 'firefox-esr');
  assert.equal(shortName(row(7, null), [spec(0, 'name', 'text')], 'name', 9), '9');
});

test('several rows are counted, with the first names', () => {
  const table = { name: 'p', title: 'Processes' };
  assert.equal(targetText(['a'], 1, table), 'a');
  assert.equal(targetText(['a', 'b', 'c'], 3, table), '3 processes: a, b, c');
  assert.equal(targetText(['a', 'b', 'c', 'd'], 4, table), '4 processes: a, b, c, d');
  assert.equal(targetText(['a', 'b', 'c', 'd'], 8, table), '8 processes: a, b, c and 5 more');
  assert.equal(targetText(['a', 'b', 'c', 'd'], 1_200, { name: 'x', title: 'Market data' }, 'en'), '1,200 rows: a, b, c and 1,197 more');
});

function copyOf(ids, start, total) {
  return Object.assign(new WindowCopy(), { start, total, items: ids.map((id) => row(id)) });
}

test('fetches the rows outside the window', async () => {
  const requested = [];
  const fetch = async (first, last) => {
    requested.push([first, last]);
    return { items: Array.from({ length: last - first + 1 }, (_, at) => row(first + at)) };
  };
  const copy = copyOf([10, 11, 12], 10, 100);
  const ids = async (top, bottom) => (await rowsBetween({ top, bottom }, copy, fetch)).map(({ id }) => id);
  assert.deepEqual(await ids(10, 12), [10, 11, 12]);
  assert.deepEqual(requested, []);
  assert.deepEqual(await ids(8, 14), [8, 9, 10, 11, 12, 13, 14]);
  assert.deepEqual(requested.splice(0), [[8, 9], [13, 14]]);
  assert.deepEqual(await ids(20, 21), [20, 21]);
  assert.deepEqual(requested.splice(0), [[20, 21]]);
  assert.deepEqual(await ids(2, 3), [2, 3]);
  assert.deepEqual(requested, [[2, 3]]);
});

test('rejects if any row is missing', async () => {
  const copy = copyOf([10, 11, 12], 10, 100);
  const given = (...items) => rowsBetween({ top: 10, bottom: 13 }, copy, async () => ({ items }));
  await assert.rejects(given(), /shorter/);
  await assert.rejects(given(row(11)), /moved/);
  await assert.rejects(given(Object.assign(row(13), { absence: { failed: 'no' } })), /not loaded/);
  const header = Object.create(Header.prototype);
  assert.equal((await given(header)).length, 3);
});

test('a batch counts done, failed, missing and cancelled rows', () => {
  const batch = new Batch('Stop', 5, 'en');
  batch.settle({ state: 'done' }, 'a');
  assert.equal(batch.text, 'Stop: 1 of 5 done');
  batch.settle({ state: 'failed', code: 'failed', text: 'No.', isUnclear: false }, 'b');
  batch.settle({ state: 'failed', code: 'rowGone', text: 'gone', isUnclear: false }, 'c');
  batch.settle({ state: 'failed', code: 'unanswered', text: 'Late.', isUnclear: true }, 'd');
  assert.ok(!batch.isOver);
  batch.settle({ state: 'cancelled' }, 'e');
  assert.ok(batch.isOver && !batch.isGood);
  assert.equal(batch.text, 'Stop: 1 of 5 done, 2 failed, 1 gone, 1 cancelled');
  assert.deepEqual(batch.faults, ['b: No.', 'c: it is gone', 'd: Late. The action may still have run.']);
});
