// Place: the scroll position while a restarted server loads its rows.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Place, REMEMBERED, ROW_HEIGHT, ScrollModel, ViewportSchedule } from '../../web/model/viewport.js';

/** Returns a scroll position at a row of a list of `total` rows, with 20 visible rows. */
function reading(total, row) {
  const scroll = new ScrollModel();
  scroll.resize(20 * ROW_HEIGHT);
  scroll.setTotal(total);
  scroll.moveTo(row * ROW_HEIGHT);
  return { scroll, place: new Place(scroll, new ViewportSchedule(), { copy: { itemAt: () => undefined } }, () => null) };
}

test('returns to its position as a restarted server loads rows', () => {
  const { scroll, place } = reading(1_000, 500);
  place.look();
  place.replace({}, 30, 0);
  place.follow({ total: 30 }, false, 0);
  assert.equal(scroll.first, 10);
  place.look();
  scroll.shift(7);  // a patch that inserts rows above
  place.follow({ total: 300 }, false, 100);
  assert.equal(scroll.first, 280);
  place.look();
  place.follow({ total: 1_000 }, false, 200);
  assert.equal(scroll.first, 500);
  place.look();
  place.follow({ total: 2_000 }, false, 300);
  assert.equal(scroll.first, 500, 'and there he stays');
});

test('scrolling meanwhile cancels the return', () => {
  const { scroll, place } = reading(1_000, 500);
  place.replace({}, 100, 0);
  place.follow({ total: 100 }, false, 0);
  scroll.moveTo(20 * ROW_HEIGHT);
  place.look();
  place.follow({ total: 1_000 }, false, 100);
  assert.equal(scroll.first, 20);
});

test('stops waiting for rows after 30 seconds', () => {
  const late = reading(1_000, 500);
  late.place.replace({}, 100, 0);
  late.place.follow({ total: 100 }, false, REMEMBERED + 1);
  late.place.look();
  late.place.follow({ total: 1_000 }, false, REMEMBERED + 2);
  assert.equal(late.scroll.position, late.scroll.last, 'he is at the end by now, and follows it');
  const inTime = reading(1_000, 500);
  inTime.place.replace({}, 100, 0);
  inTime.place.follow({ total: 100 }, false, REMEMBERED);
  inTime.place.look();
  inTime.place.follow({ total: 1_000 }, false, REMEMBERED);
  assert.equal(inTime.scroll.first, 500);
});

test('a second restart keeps the position', () => {
  const { scroll, place } = reading(1_000, 500);
  place.replace({}, 100, 0);
  place.follow({ total: 100 }, false, 0);
  place.look();
  place.replace({}, 50, 1_000);
  place.follow({ total: 50 }, false, 1_000);
  place.look();
  place.follow({ total: 1_000 }, false, 2_000);
  assert.equal(scroll.first, 500);
});

test('keeps the position in a long list, and follows the end', () => {
  const { scroll, place } = reading(1_000, 500);
  place.replace({}, 900, 0);
  place.follow({ total: 900 }, false, 0);
  assert.equal(scroll.first, 500);
  scroll.moveTo(scroll.last);
  place.look();
  place.follow({ total: 950 }, false, 10);
  assert.equal(scroll.position, scroll.last);
  place.follow({ total: 960 }, true, 20);
  assert.equal(scroll.last - scroll.position, 10 * ROW_HEIGHT, 'but not by who is on his way');
});
