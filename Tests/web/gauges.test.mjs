import test from 'node:test';
import assert from 'node:assert/strict';
import { Gauges } from '../../web/panels/gauges.js';
import { isOld, oldWords, stateName, skippedLists, skippedText } from '../../web/model/source.js';

test('a rate is the mean of the last whole seconds', () => {
  const gauges = new Gauges(10_000);
  assert.equal(gauges.rate('patches', 10_999), 0, 'no second has passed');
  gauges.add('patches', 3, 10_500);
  gauges.add('patches', 100, 11_000);
  assert.equal(gauges.rate('patches', 11_999), 3);
  assert.equal(gauges.rate('patches', 12_000), 103 / 2);
  assert.equal(gauges.rate('patches', 15_000), 103 / 5);
  assert.equal(gauges.rate('patches', 16_000), 100 / 5, 'the first is too long ago');
  assert.equal(gauges.rate('patches', 17_000), 0);
  assert.equal(gauges.rate('bytes', 17_000), 0);
});

test('the history covers one minute', () => {
  const gauges = new Gauges(0);
  for (let second = 0; second < 100; second += 1) gauges.add('patches', second, second * 1_000);
  assert.deepEqual(gauges.history('patches', 100_000), Array.from({ length: 59 }, (_, at) => 41 + at));
  assert.deepEqual(gauges.history('patches', 500_000), Array(59).fill(0));
  assert.deepEqual(new Gauges(0).history('patches', 2_000), [0, 0]);
});

test('quantiles cover the last six hundred times', () => {
  const gauges = new Gauges(0);
  assert.equal(gauges.quantile(0.5), null);
  for (let time = 1; time <= 700; time += 1) gauges.took(time);
  assert.equal(gauges.quantile(0), 101);
  assert.equal(gauges.quantile(0.5), 401);
  assert.equal(gauges.quantile(0.99), 695);
  assert.equal(gauges.quantile(1), 700);
});

test('an unavailable source shows its reason and next try', () => {
  const source = (state, more = {}) => ({ state, message: '', rejected: 0, lastRejection: '', age: 0, ...more });
  for (const state of ['starting', 'live', 'something new']) {
    assert.equal(isOld(source(state)), false);
    assert.equal(oldWords(source(state), 0), '');
  }
  assert.equal(isOld(undefined), false);
  assert.equal(oldWords(source('stale'), 0), 'Source not responding');
  assert.deepEqual(['live', 'backingOff', 'disabled', 'failed'].map(stateName), ['live', 'down', 'off', 'failed']);
  const down = source('backingOff', { message: 'it ended with 1', age: 4_000, retry: 8_000 });
  assert.equal(oldWords(down, 0), 'Source down: it ended with 1 · rows 4\u202fs old · retrying in 8\u202fs');
  assert.equal(oldWords(down, 7_001), 'Source down: it ended with 1 · rows 11\u202fs old · retrying in 1\u202fs');
  assert.equal(oldWords(down, 8_000), 'Source down: it ended with 1 · rows 12\u202fs old · retrying now');
});

test('counts skipped rows and wrong answers, most frequent first', () => {
  const source = (more) => ({ state: 'live', message: '', rejected: 0, lastRejection: '', age: 0, ...more });
  assert.equal(skippedText(undefined, 'en'), '');
  assert.equal(skippedText(source({}), 'en'), '');
  assert.deepEqual(skippedLists(source({})), []);
  assert.equal(skippedText(source({ rejected: 1 }), 'en'), '1 row skipped, show why');
  assert.equal(skippedText(source({ rejected: 1_200 }), 'en'), '1,200 rows skipped, show why');
  assert.equal(skippedText(source({ contradictions: 1 }), 'en'), '1 wrong answer, show why');
  assert.equal(skippedText(source({ rejected: 2, contradictions: 3 }), 'en'), '2 rows skipped, 3 wrong answers, show why');
  const rejections = [{ reason: 'a', count: 1, example: 'row 1: a' }, { reason: 'b', count: 9, example: 'row 2: b' }];
  const contradicted = [{ reason: 'c', count: 3, example: 'row 3: c' }];
  assert.deepEqual(skippedLists(source({ rejected: 10, rejections })),
    [{ title: 'Rows that were skipped', reasons: [rejections[1], rejections[0]] }]);
  assert.deepEqual(skippedLists(source({ contradictions: 3, contradicted })), [{ title: 'Answers that contradict the query', reasons: contradicted }]);
  assert.deepEqual(skippedLists(source({ rejected: 2, lastRejection: 'row 7: no' }))[0].reasons, [{ reason: 'row 7: no', count: 2, example: '' }]);
});
