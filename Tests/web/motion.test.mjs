import test from 'node:test';
import assert from 'node:assert/strict';
import { directionOf, glideFrom, MotionSense, MOTION_TIME } from '../../web/model/viewport.js';

test('a change is better or worse only if the column says so', () => {
  assert.equal(directionOf(1, 2, 'higher'), 'better');
  assert.equal(directionOf(-1, -1.5, 'higher'), 'worse');
  assert.equal(directionOf(1, 2, 'lower'), 'worse');
  assert.equal(directionOf(-1, -1.5, 'lower'), 'better');
  for (const better of [undefined, null, '', 'up', 'newer']) assert.equal(directionOf(1, 2, better), 'other', `better: ${better}`);
  assert.equal(directionOf(0, -0, 'higher'), 'other');
  for (const [before, after] of [['a', 'b'], [null, 1], [1, null], [true, false], [[1], [2]], [1, '2'], [1, NaN]]) {
    assert.equal(directionOf(before, after, 'higher'), 'other', `${before} to ${after}`);
  }
});

const moves = (left, came, moved) => ({
  left: new Set(Array.from({ length: left }, (_, at) => at)), came: new Set(Array.from({ length: came }, (_, at) => 100 + at)), moved,
});

test('animates up to a screenful of items', () => {
  assert.equal(new MotionSense().allows(moves(10, 9, 6), 25, false, 0), true);
  assert.equal(new MotionSense().allows(moves(10, 9, 7), 25, false, 0), false);
  assert.equal(new MotionSense().allows(moves(0, 0, 1), 25, false, 0), true);
  assert.equal(new MotionSense().allows(null, 25, false, 0), false);
  assert.equal(new MotionSense().allows(moves(0, 0, 0), 25, false, 0), false);
});

test('animates nothing while the user scrolls', () => {
  assert.equal(new MotionSense().allows(moves(1, 0, 0), 25, true, 0), false);
});

test('animations do not overlap, and skipped ones do not delay', () => {
  const sense = new MotionSense();
  assert.ok(MOTION_TIME <= 200);
  assert.equal(sense.allows(moves(1, 0, 0), 25, false, 1_000), true);
  assert.equal(sense.allows(moves(1, 0, 0), 25, false, 1_000 + MOTION_TIME - 1), false);
  assert.equal(sense.allows(moves(1, 0, 0), 25, false, 1_000 + MOTION_TIME), true);
});

test('a row glides at most the height of the viewport', () => {
  assert.equal(glideFrom(28, 56, 700), -28);
  assert.equal(glideFrom(56, 56, 700), 0);
  assert.equal(glideFrom(-5_000, 100, 700), -700);
  assert.equal(glideFrom(100, 9_000, 700), -700);
  assert.equal(glideFrom(5_000, 6_000, 700), 0, 'nobody sees either place');
});

test('a new row follows the rows above it, or slides from above', async () => {
  const { Moves } = await import('../../web/model/viewport.js');
  const moves = new Moves();
  const started = (act) => {
    let from = null;
    act({ y: 728, el: { animate: (keyframes) => { from = keyframes[0].translate; return { cancel: () => {} }; } } });
    return from;
  };
  moves.begin(0, 56, 700);
  assert.equal(started((node) => moves.glide(node, 728)), '0 56px', 'the list is longer by two');
  assert.equal(started((node) => moves.slideIn(node, 740)), '0 56px');
  assert.equal(started((node) => moves.slideIn(node, 750)), '0 56px', 'and the one behind it');
  moves.begin(0, 0, 700);
  assert.equal(started((node) => moves.slideIn(node, 28)), '0 -12px', 'of the motion before nothing is left');
  assert.equal(started((node) => moves.glide(node, 756)), '0 -28px');
  assert.equal(started((node) => moves.slideIn(node, 28)), '0 -12px');
});
