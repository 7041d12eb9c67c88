import test from 'node:test';
import assert from 'node:assert/strict';
import { DrawnColumns, MARGIN } from '../../web/sideways.js';
import { diceFrom, seed } from './fixtures.mjs';

function specsOf(widths) {
  let left = 4;
  return widths.map((width) => {
    const spec = { left, width };
    left += width;
    return spec;
  });
}

test('of a few columns all are drawn, and decided once', () => {
  const drawn = new DrawnColumns();
  const specs = specsOf([100, 200, 300]);
  assert.equal(drawn.look(specs, 0, 1_280), true);
  assert.deepEqual(drawn.places, [0, 1, 2]);
  assert.equal(drawn.look(specs, 0, 1_280), false);
  assert.equal(drawn.look(specs, 0, 300), false);
});

test('columns within the margin are drawn, and none beyond it', () => {
  const drawn = new DrawnColumns();
  const specs = specsOf(Array(500).fill(100));
  drawn.look(specs, 20_000, 1_000);
  // Column n begins at 4 + 100 n: the first that ends after 19,600 is 195, the last that begins before 21,400 is 213.
  assert.equal(MARGIN, 400);
  assert.deepEqual(drawn.places, Array.from({ length: 19 }, (_, at) => 195 + at));
});

test('what is seen is covered wherever the reader is, and seldom decided anew', (context) => {
  context.diagnostic(`SEED=${seed}`);
  const dice = diceFrom(seed);
  const drawn = new DrawnColumns();
  const specs = specsOf(Array.from({ length: 500 }, () => 44 + dice(300)));
  const end = specs.at(-1).left + specs.at(-1).width;
  let left = 0;
  let changes = 0;
  for (let step = 0; step < 4_000; step += 1) {
    left = Math.max(0, Math.min(end - 1_000, left + (step % 500 === 0 ? dice(end) - end / 2 : dice(61) - 20)));
    changes += drawn.look(specs, left, 1_000) ? 1 : 0;
    const [first, last] = [specs[drawn.places[0]], specs[drawn.places.at(-1)]];
    assert.ok(first.left <= left || drawn.places[0] === 0, `step ${step}, SEED=${seed}`);
    assert.ok(last.left + last.width >= Math.min(end, left + 1_000), `step ${step}, SEED=${seed}`);
    assert.ok(drawn.places.every((place, at) => at === 0 || place === drawn.places[at - 1] + 1));
  }
  assert.ok(changes < 4_000 / 5, `${changes} changes`);
});

test('other widths are looked at anew', () => {
  const drawn = new DrawnColumns();
  const specs = specsOf(Array(100).fill(100));
  drawn.look(specs, 0, 1_000);
  assert.equal(drawn.places.length, 14);
  for (const spec of specs) spec.left = 4 + (spec.left - 4) / 2;
  for (const spec of specs) spec.width = 50;
  assert.equal(drawn.look(specs, 0, 1_000), false);
  drawn.forget();
  assert.equal(drawn.look(specs, 0, 1_000), true);
  assert.equal(drawn.places.length, 28);
});

test('columns that stay at the edge are drawn wherever the reader is', () => {
  const drawn = new DrawnColumns();
  const specs = specsOf(Array(500).fill(100)).map((spec, at) => ({ ...spec, isPinned: at < 2 }));
  drawn.look(specs, 20_000, 1_000);
  assert.deepEqual(drawn.places.slice(0, 4), [0, 1, 195, 196]);
  assert.equal(drawn.places.length, 21);
  drawn.look(specs, 0, 1_000);
  assert.deepEqual(drawn.places, Array.from({ length: 14 }, (_, at) => at));
});

test('no columns, nothing drawn', () => {
  const drawn = new DrawnColumns();
  assert.equal(drawn.look([], 0, 1_000), false);
  assert.deepEqual(drawn.places, []);
});
