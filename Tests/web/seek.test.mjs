// seek.js: finding text in all rows of a view, including rows outside the window.

import test from 'node:test';
import assert from 'node:assert/strict';
import { findPinned, findText, nextFound, seekText } from '../../web/model/seek.js';

const specs = [0, 1].map((index) => ({ index }));

/**
 * Returns a fake view in which these places contain an `X`. `requested` records the requested
 * pieces.
 */
function view(total, places, { headers = [], requested = [] } = {}) {
  return async ({ viewport: { first, count } }, { isEnough }) => {
    requested.push([first, count]);
    const itemAt = (at) => {
      if (at < 0 || at >= total) return undefined;
      const isHeader = headers.includes(at);
      return { isHeader, absence: null, cells: isHeader ? ['x', 'x'] : [0, 1].map((column) => (places.some(([row, own]) => row === at && own === column) ? 'an X' : '-')) };
    };
    const copy = { total, itemAt };
    assert.equal(isEnough(copy), true);
    return copy;
  };
}

async function seek(total, places, place, isBackward = false, how = {}) {
  const [position, column] = place;
  const found = await seekText(view(total, places, how), {}, { finding: { ofRow: () => (cell) => cell.includes('X') }, specs, place: { position, column }, isBackward, total, progress: () => {}, isWanted: () => true, ...how });
  return found && [found.position, found.column];
}

test('finds the next and previous cell in reading order', () => {
  const found = [[3, 0], [3, 1], [5, 0]].map(([position, column]) => ({ position, column }));
  const next = (position, column, isBackward) => {
    const one = nextFound(found, { position, column }, isBackward);
    return one && [one.position, one.column];
  };
  assert.deepEqual([next(0, 0, false), next(3, 0, false), next(3, 1, false), next(4, 9, false), next(5, 0, false)], [[3, 0], [3, 1], [5, 0], [5, 0], undefined]);
  assert.deepEqual([next(9, 0, true), next(5, 0, true), next(3, 1, true), next(3, 0, true), next(3, -1, true)], [[5, 0], [3, 1], [3, 0], undefined, undefined]);
});

test('finds a cell at any distance and wraps around', async () => {
  for (const total of [10, 1_000, 1_001, 6_000]) {
    const last = total - 1;
    assert.deepEqual(await seek(total, [[last, 1]], [2, 0]), [last, 1]);
    assert.deepEqual(await seek(total, [[0, 0]], [last, 1], true), [0, 0]);
    assert.deepEqual(await seek(total, [[1, 0]], [5, 0]), [1, 0], 'round the end');
    assert.deepEqual(await seek(total, [[last, 0]], [5, 0], true), [last, 0], 'round the beginning');
    assert.equal(await seek(total, [], [5, 0]), null);
    assert.equal(await seek(total, [], [5, 0], true), null);
  }
});

test('finds the nearest of several cells', async () => {
  const places = [[10, 0], [4_000, 1], [4_000, 0], [9_000, 0], [9_500, 1]];
  assert.deepEqual(await seek(10_000, places, [10, 0]), [4_000, 0]);
  assert.deepEqual(await seek(10_000, places, [4_000, 0]), [4_000, 1]);
  assert.deepEqual(await seek(10_000, places, [9_000, 0], true), [4_000, 1]);
  assert.deepEqual(await seek(10_000, places, [9_500, 1]), [10, 0]);
  assert.deepEqual(await seek(10_000, places, [10, 0], true), [9_500, 1]);
});

test('finds the starting cell last', async () => {
  assert.deepEqual(await seek(10_000, [[5_000, 1]], [5_000, 1]), [5_000, 1]);
  assert.deepEqual(await seek(10_000, [[5_000, 1]], [5_000, 1], true), [5_000, 1]);
  assert.deepEqual(await seek(10_000, [[5_000, 0], [5_000, 1]], [5_000, 1]), [5_000, 0], 'the same row, before it');
});

test('skips headers and limits the starting position', async () => {
  assert.deepEqual(await seek(100, [[50, 0]], [0, 0], false, { headers: [3, 4] }), [50, 0]);
  assert.deepEqual(await seek(100, [[50, 0]], [400, 0], true), [50, 0]);
});

test('requests each piece once and reports progress', async () => {
  const requested = [];
  const shares = [];
  await seek(3_500, [], [1_200, 0], false, { requested, progress: (share) => shares.push(share) });
  assert.deepEqual(requested, [[1_200, 1_000], [2_200, 1_000], [3_200, 300], [0, 1_000], [1_000, 201]]);
  assert.deepEqual(shares.map((share) => Math.round(share * 3_500)), [1_000, 2_000, 2_300, 3_300, 3_500]);
  requested.length = 0;
  await seek(3_500, [], [1_200, 0], true, { requested });
  assert.deepEqual(requested, [[1_000, 201], [0, 1_000], [3_200, 300], [2_200, 1_000], [1_200, 1_000]]);
});

test('stops when the caller cancels', async () => {
  const requested = [];
  let left = 2;
  assert.equal(await seek(50_000, [[40_000, 0]], [0, 0], false, { requested, isWanted: () => (left -= 1) >= 0 }), null);
  assert.equal(requested.length, 1);
});

test('pinned rows come first in reading order', () => {
  const found = [[-3, 1], [-4, 0], [0, 0], [7, 1]].map(([position, column]) => ({ position, column }));
  const next = (position, column, isBackward) => {
    const one = nextFound(found, { position, column }, isBackward);
    return one && [one.position, one.column];
  };
  assert.deepEqual([next(-3, -1, false), next(-3, 1, false), next(-4, 0, false), next(7, 1, false)], [[-3, 1], [-4, 0], [0, 0], undefined]);
  assert.deepEqual([next(3, 0, true), next(0, 0, true), next(-4, 0, true), next(-3, 1, true)], [[0, 0], [-4, 0], [-3, 1], undefined]);
});

test('a pinned row is found once, above the others', async () => {
  const finding = { ofRow: (cells) => (cells.some((cell) => cell.includes('X')) ? (cell) => cell.includes('X') : null) };
  const pinned = [{ position: -3, row: { id: 4, cells: ['X', '-'] } }, { position: -4, row: { id: 9, cells: ['-', '-'] } }];
  assert.deepEqual(findPinned(finding, pinned, specs), [{ position: -3, column: 0 }]);
  const items = [3, 4, 5].map((id) => ({ id, isHeader: false, absence: null, cells: ['-', 'X'] }));
  assert.deepEqual(findText(finding, { start: 10, items }, specs, pinned).map(({ position }) => position), [10, 12]);
  const ask = async () => ({ total: 3, itemAt: (at) => items[at] });
  const how = { finding, specs, place: { position: 0, column: 1 }, isBackward: false, total: 3, pinned, progress: () => {}, isWanted: () => true };
  assert.deepEqual(await seekText(ask, {}, how), { position: 2, column: 1 });
});
