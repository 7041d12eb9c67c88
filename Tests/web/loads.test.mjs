// loads.js: detection of late loads, and prefetch statistics.

import test from 'node:test';
import assert from 'node:assert/strict';
import { isLoading, loadsText, LoadWatch } from '../../web/model/loads.js';
import { itemFrom } from '../../web/protocol/wire.js';

const header = { section: 1, rev: 1, slot: 0, level: 0, parent: null, column: 'a', value: 'x', count: 1 };
const itemsOf = (...items) => items.map(itemFrom);
const copyOf = (...items) => ({ items: itemsOf(...items) });

test('pending and failed cells and rows count as loading', () => {
  assert.equal(isLoading(itemsOf()), false);
  assert.equal(isLoading(itemsOf(header, [1, 1, ['a', null, 5, [1, 2]]])), false);
  assert.equal(isLoading(itemsOf([1, 1, ['a', 1]], [2, 1, ['b', { pending: true }]])), true);
  assert.equal(isLoading(itemsOf([1, 1, ['a', { failed: 'gone' }]])), true);
  assert.equal(isLoading(itemsOf([1, 1, { pending: true }])), true);
  assert.equal(isLoading(itemsOf([1, 1, { failed: 'gone' }])), true);
});

const counts = { loads: 9, hits: 0, late: 0, cancelled: 0, wasted: 0, failed: 0 };

test('shows nothing before anything was viewed', () => {
  for (const prefetch of [null, counts, { ...counts, cancelled: 3, wasted: 2, failed: 1 }]) assert.deepEqual(loadsText(prefetch), { text: '', title: '' });
});

test('shows the share loaded ahead, with details in the tooltip', () => {
  assert.deepEqual(loadsText({ ...counts, hits: 1_204, late: 46, cancelled: 3, wasted: 0, failed: 1 }, 'en'), {
    text: '96% loaded ahead', title: '1,204 of 1,250 were loaded before they came into view, 3 cancelled, 1 failed',
  });
  assert.equal(loadsText({ ...counts, hits: 999, late: 1 }).text, '99% loaded ahead', 'not all of them');
  assert.equal(loadsText({ ...counts, hits: 1 }).text, '100% loaded ahead');
  assert.equal(loadsText({ ...counts, late: 1 }).text, '0% loaded ahead');
});

test('requests statistics for tables that have loaded something late', () => {
  const wanted = [];
  const late = copyOf([1, 1, [{ pending: true }]]);
  const whole = copyOf([1, 1, ['a']]);
  const session = { copy: whole, view: { table: 'a' }, wantStats: (isWanted, who) => wanted.push([isWanted, who]) };
  const watch = new LoadWatch(session);
  for (const [table, copy, isWanted] of [['a', whole, false], ['a', late, true], ['a', whole, true], ['b', whole, false], ['a', whole, true]]) {
    Object.assign(session, { copy, view: { table } });
    watch.look();
    assert.deepEqual(wanted.pop(), [isWanted, watch]);
  }
});

test('a patch with loading items requests statistics too', () => {
  const header = { section: 1, rev: 2, slot: 0, level: 0, parent: null, column: 'a', value: 'x', count: 1 };
  for (const [patch, isWanted] of [
    [{}, false], [{ updated: [[0, 2, 1, 5], [1, header]], inserted: [[0, 'new', [1, 1, ['a']]], [1, 'new', header]] }, false],
    [{ updated: [[0, 2, 1, 5, 3, { pending: true }]] }, true], [{ updated: [[0, 2, 1, { failed: 'gone' }]] }, true],
    [{ inserted: [[0, 'scrolled', [1, 1, ['a', { pending: true }]]]] }, true], [{ inserted: [[0, 'scrolled', [1, 1, { pending: true }]]] }, true],
  ]) {
    const wanted = [];
    const watch = new LoadWatch({ copy: copyOf(), view: { table: 'a' }, wantStats: (is) => wanted.push(is) });
    watch.patched(patch);
    assert.deepEqual(wanted, isWanted ? [true] : [], JSON.stringify(patch));
  }
});
