import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PATIENCE, Patience } from '../../web/patience.js';

const here = { first: 110, count: 10 };
const away = { first: 500, count: 10 };
const held = { start: 100, end: 200, total: 1_000 };

function waiter() {
  const calls = [];
  let agains = 0;
  const patience = new Patience(() => { agains += 1; }, (done, time) => calls.push({ done, time }));
  return { patience, calls, agains: () => agains };
}

test('the screen waits for rows that are on their way, but not for long', () => {
  const { patience, calls, agains } = waiter();
  assert.equal(patience.isLate(here, held, 0), false);
  assert.equal(patience.isLate(away, held, 1_000), true);
  assert.equal(patience.isLate(away, held, 1_000 + PATIENCE - 1), true);
  assert.deepEqual(calls.map(({ time }) => time), [PATIENCE], 'it asks to be asked again once');
  calls[0].done();
  assert.equal(agains(), 1);
  assert.equal(patience.isLate(away, held, 1_000 + PATIENCE), false);
  assert.equal(patience.isLate(away, held, 2_000), false, 'nor again before any of them has come');
});

test('a reader who goes on jumping before anything has come is not kept waiting anew', () => {
  const { patience } = waiter();
  patience.isLate(away, held, 0);
  assert.equal(patience.isLate({ first: 700, count: 10 }, held, PATIENCE), false);
});

test('the next jump is waited for anew, when rows were there in between', () => {
  const { patience, calls } = waiter();
  patience.isLate(away, held, 0);
  calls[0].done();
  assert.equal(patience.isLate(here, held, 30), false);
  assert.equal(patience.isLate(away, held, 100), true);
  assert.equal(calls.length, 2);
});
