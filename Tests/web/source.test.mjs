import assert from 'node:assert/strict';
import { test } from 'node:test';
import { absentWords, isOld, oldWords, stateName } from '../../web/model/source.js';

test('an unavailable source shows its reason and next try', () => {
  const source = { state: 'backingOff', message: 'exited with code 1', age: 2_000, retry: 4_500 };
  assert.equal(oldWords(source, 0), 'Source down: exited with code 1 · rows 2\u202fs old · retrying in 5\u202fs');
  assert.equal(oldWords(source, 3_600), 'Source down: exited with code 1 · rows 5\u202fs old · retrying in 1\u202fs');
  assert.equal(oldWords(source, 4_500), 'Source down: exited with code 1 · rows 6\u202fs old · retrying now');
  assert.equal(oldWords({ state: 'disabled', message: '', age: 0 }, 0), 'Source disabled');
  assert.equal(oldWords({ state: 'live', message: 'fine', age: 9 }, 0), '');
});

test('rows are old unless the source is live or starting', () => {
  for (const state of ['stale', 'backingOff', 'disabled', 'failed']) assert.ok(isOld({ state }), state);
  for (const state of ['live', 'starting', 'unheard of', 'toString']) assert.ok(!isOld({ state }), state);
  assert.ok(!isOld(undefined));
});

test('an unknown state is shown as it is', () => {
  assert.deepEqual(['live', 'backingOff', 'disabled', 'resting', 'toString'].map(stateName), ['live', 'down', 'off', 'resting', 'toString']);
});

test('a source without a table shows its reason and next try', () => {
  const down = { state: 'backingOff', message: 'exited with code 127', age: 9_000, retry: 4_500 };
  assert.equal(absentWords(down, 1_000), 'Source down: exited with code 127 · retrying in 4\u202fs');
  assert.equal(absentWords(down, 4_500), 'Source down: exited with code 127 · retrying now');
  assert.equal(absentWords({ state: 'starting', message: '', age: 9_000 }, 2_000), 'The source has sent nothing for 11\u202fs.');
  assert.equal(absentWords({ state: 'starting', message: 'line 1: it is not JSON', age: 9_000 }, 0), 'The source has no table yet: line 1: it is not JSON');
  assert.equal(absentWords({ state: 'live', message: '', age: 9_000 }, 0), 'The source is running, but has sent no columns for 9\u202fs.');
  assert.equal(absentWords({ state: 'failed', message: 'its table is refused', age: 0 }, 0), 'Source failed: its table is refused');
});
