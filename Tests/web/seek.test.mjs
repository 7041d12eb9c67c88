// seek.js: a text in all rows of a view, also those that the page does not hold.

import test from 'node:test';
import assert from 'node:assert/strict';
import { nextFound, seekText } from '../../web/seek.js';

const specs = [0, 1].map((index) => ({ index, format: (cell) => String(cell) }));

/** A view in which these places show `x`; `asked` hears from where each piece was asked for. */
function view(total, places, { headers = [], asked = [] } = {}) {
  return async ({ viewport: { first, count, ahead } }, { isEnough }) => {
    asked.push(first);
    const start = Math.max(0, Math.min(first, total - count));
    const items = Array.from({ length: Math.min(total, first + count + ahead) - start }, (_, at) => {
      const isHeader = headers.includes(start + at);
      return { isHeader, absence: null, cells: isHeader ? ['x', 'x'] : [0, 1].map((column) => (places.some(([row, own]) => row === start + at && own === column) ? 'an X' : '-')) };
    });
    const copy = { start, items, itemAt: (position) => items[position - start] };
    assert.equal(isEnough(copy), true);
    return copy;
  };
}

async function seek(total, places, place, isBackward = false, how = {}) {
  const [position, column] = place;
  const found = await seekText(view(total, places, how), {}, { text: 'x', specs, place: { position, column }, isBackward, total, now: 0, told: () => {}, isWanted: () => true, ...how });
  return found && [found.position, found.column];
}

test('the next one is after the place, in reading order, and the one before is before it', () => {
  const found = [[3, 0], [3, 1], [5, 0]].map(([position, column]) => ({ position, column }));
  const next = (position, column, isBackward) => {
    const one = nextFound(found, { position, column }, isBackward);
    return one && [one.position, one.column];
  };
  assert.deepEqual([next(0, 0, false), next(3, 0, false), next(3, 1, false), next(4, 9, false), next(5, 0, false)], [[3, 0], [3, 1], [5, 0], [5, 0], undefined]);
  assert.deepEqual([next(9, 0, true), next(5, 0, true), next(3, 1, true), next(3, 0, true), next(3, -1, true)], [[5, 0], [3, 1], [3, 0], undefined, undefined]);
});

test('it is found however far away it is, on either side, and round the end', async () => {
  for (const total of [10, 3_000, 3_001, 20_000]) {
    const last = total - 1;
    assert.deepEqual(await seek(total, [[last, 1]], [2, 0]), [last, 1]);
    assert.deepEqual(await seek(total, [[0, 0]], [last, 1], true), [0, 0]);
    assert.deepEqual(await seek(total, [[1, 0]], [5, 0]), [1, 0], 'round the end');
    assert.deepEqual(await seek(total, [[last, 0]], [5, 0], true), [last, 0], 'round the beginning');
    assert.equal(await seek(total, [], [5, 0]), null);
    assert.equal(await seek(total, [], [5, 0], true), null);
  }
});

test('of several the nearest one is taken', async () => {
  const places = [[10, 0], [4_000, 1], [4_000, 0], [9_000, 0], [9_500, 1]];
  assert.deepEqual(await seek(10_000, places, [10, 0]), [4_000, 0]);
  assert.deepEqual(await seek(10_000, places, [4_000, 0]), [4_000, 1]);
  assert.deepEqual(await seek(10_000, places, [9_000, 0], true), [4_000, 1]);
  assert.deepEqual(await seek(10_000, places, [9_500, 1]), [10, 0]);
  assert.deepEqual(await seek(10_000, places, [10, 0], true), [9_500, 1]);
});

test('the place itself is found last of all', async () => {
  assert.deepEqual(await seek(10_000, [[5_000, 1]], [5_000, 1]), [5_000, 1]);
  assert.deepEqual(await seek(10_000, [[5_000, 1]], [5_000, 1], true), [5_000, 1]);
  assert.deepEqual(await seek(10_000, [[5_000, 0], [5_000, 1]], [5_000, 1]), [5_000, 0], 'the same row, before it');
});

test('headers are passed over, and a place beyond the end counts as the end', async () => {
  assert.deepEqual(await seek(100, [[50, 0]], [0, 0], false, { headers: [3, 4] }), [50, 0]);
  assert.deepEqual(await seek(100, [[50, 0]], [400, 0], true), [50, 0]);
});

test('each piece is asked for once, and it is told how far it went', async () => {
  const asked = [];
  const shares = [];
  await seek(9_000, [], [4_000, 0], false, { asked, told: (share) => shares.push(share) });
  assert.deepEqual(asked, [4_000, 7_000, 0, 3_000]);
  assert.deepEqual(shares.map((share) => Math.round(share * 9)), [3, 5, 8, 9]);
  asked.length = 0;
  await seek(9_000, [], [4_000, 0], true, { asked });
  assert.deepEqual(asked, [3_000, 0, 7_000, 4_000]);
});

test('what nobody wants any more is not looked for', async () => {
  const asked = [];
  let left = 2;
  assert.equal(await seek(50_000, [[40_000, 0]], [0, 0], false, { asked, isWanted: () => (left -= 1) >= 0 }), null);
  assert.equal(asked.length, 1);
});

test('rows that are on their way are waited for', async () => {
  const copy = { start: 0, items: [{ isHeader: false, absence: { pending: true }, cells: [] }], itemAt: () => copy.items[0] };
  let judge;
  const how = { text: 'x', specs, place: { position: 0, column: -1 }, isBackward: false, total: 1, now: 0, told: () => {}, isWanted: () => true };
  await seekText(async (_, { isEnough }) => { judge = isEnough; return copy; }, {}, how);
  assert.equal(judge(copy), false);
  copy.items[0].absence = { failed: 'gone' };
  assert.equal(judge(copy), true);
});
