// travel.js: how the reader moves, as the browser tells of it.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { Travel } from '../../web/travel.js';
import { ScrollModel } from '../../web/viewport.js';

/** A grid of a thousand rows, at its end, and what it hears. */
function atEnd() {
  const listeners = {};
  const grid = { scrollTop: 0, scrollLeft: 0, addEventListener: (name, heard) => { listeners[name] = heard; } };
  const scroll = new ScrollModel();
  scroll.resize(500);
  scroll.setTotal(1_000);
  const travel = new Travel(grid, scroll, () => {});
  scroll.moveTo(scroll.last);
  scroll.settle();
  travel.write();
  return { travel, grid, scroll, wheel: (deltaY) => listeners.wheel({ deltaY, deltaMode: 0 }), scrolled: () => listeners.scroll() };
}

test('whoever turns the wheel back is on his way before the browser has moved him', (context) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  context.after(() => mock.timers.reset());
  const { travel, wheel } = atEnd();
  wheel(100);
  assert.equal(travel.isMoving, false, 'further than to the end nobody gets: he goes on following it');
  wheel(-100);
  assert.equal(travel.isMoving, true);
});

test('what the page has written itself is no motion, what the browser says is one', (context) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  context.after(() => mock.timers.reset());
  const { travel, grid, scroll, scrolled } = atEnd();
  scrolled();
  assert.equal(travel.isMoving, false);
  grid.scrollTop -= 100;
  scrolled();
  assert.equal(travel.isMoving, true);
  assert.equal(scroll.position, scroll.last - 100);
  travel.stop();
  assert.equal(travel.isMoving, false);
});
