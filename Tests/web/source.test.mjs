import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOld, noteRetry, sourceWords } from '../../web/source.js';

test('a source that is down says why, and when it is tried again', () => {
  const source = { state: 'backingOff', message: 'it has ended with code 1', retry: 4_500 };
  noteRetry(source, 10_000);
  assert.deepEqual(sourceWords(source, 10_000), { state: 'backingOff', name: 'down', message: 'it has ended with code 1 · next try in 5\u202fs' });
  assert.equal(sourceWords(source, 13_600).message, 'it has ended with code 1 · next try in 1\u202fs');
  assert.equal(sourceWords(source, 14_499).message, 'it has ended with code 1 · next try in 1\u202fs');
  assert.equal(sourceWords(source, 14_500).message, 'it has ended with code 1 · trying again');
});

test('when the next try is counts from the message that said so', () => {
  const source = { state: 'backingOff', message: '', retry: 1_000 };
  noteRetry(source, 5_000);
  noteRetry(source, 9_000);
  assert.equal(source.retryAt, 6_000);
  noteRetry(undefined, 0);
  const other = { state: 'live' };
  noteRetry(other, 0);
  assert.equal(other.retryAt, undefined);
});

test('every state has a name, and an unknown one is its own', () => {
  for (const [state, name] of [['live', 'live'], ['stale', 'stale'], ['disabled', 'switched off'], ['failed', 'failed'], ['resting', 'resting'], ['toString', 'toString']]) {
    assert.equal(sourceWords({ state, message: 'why' }, 0).name, name);
    assert.equal(sourceWords({ state, message: 'why' }, 0).message, 'why');
  }
  assert.deepEqual(sourceWords(undefined, 0), { state: '', name: '', message: '' });
});

test('rows of a source that is not live are old, those of one that starts are not', () => {
  for (const state of ['stale', 'backingOff', 'disabled', 'failed']) assert.ok(isOld({ state }), state);
  for (const state of ['live', 'starting', 'unheard of']) assert.ok(!isOld({ state }), state);
  assert.ok(!isOld(undefined));
});
