// browser.js: detection of scrolling by the user, and the wait for rows that are loading.

import assert from 'node:assert/strict';
import test, { mock } from 'node:test';
import { PATIENCE, Patience, Travel } from '../../web/grid/browser.js';
import { ScrollModel } from '../../web/model/viewport.js';

/** Returns a grid of a thousand rows, scrolled to its end, with its event listeners. */
function atEnd() {
  const listeners = {};
  const grid = { scrollTop: 0, scrollLeft: 0, addEventListener: (name, received) => { listeners[name] = received; } };
  const scroll = new ScrollModel();
  scroll.resize(500);
  scroll.setTotal(1_000);
  const travel = new Travel(grid, scroll, () => {});
  scroll.moveTo(scroll.last);
  scroll.settle();
  travel.write();
  return { travel, grid, scroll, wheel: (deltaY) => listeners.wheel({ deltaY, deltaMode: 0 }), scrolled: () => listeners.scroll() };
}

test('a wheel away from the end starts motion before any scroll', (context) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  context.after(() => mock.timers.reset());
  const { travel, wheel } = atEnd();
  wheel(100);
  assert.equal(travel.isMoving, false, 'further than to the end nobody gets: he goes on following it');
  wheel(-100);
  assert.equal(travel.isMoving, true);
});

test('only scroll events caused by the user are motion', (context) => {
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

const here = { first: 110, count: 10 };
const away = { first: 500, count: 10 };
const held = { start: 100, end: 200, total: 1_000 };

function waiter() {
  const calls = [];
  let agains = 0;
  const patience = new Patience(() => { agains += 1; }, (done, time) => calls.push({ done, time }));
  return { patience, calls, agains: () => agains };
}

test('waits briefly for rows that are loading', () => {
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

test('further jumps do not extend the wait', () => {
  const { patience } = waiter();
  patience.isLate(away, held, 0);
  assert.equal(patience.isLate({ first: 700, count: 10 }, held, PATIENCE), false);
});

test('waits again for the next jump after rows have come', () => {
  const { patience, calls } = waiter();
  patience.isLate(away, held, 0);
  calls[0].done();
  assert.equal(patience.isLate(here, held, 30), false);
  assert.equal(patience.isLate(away, held, 100), true);
  assert.equal(calls.length, 2);
});
