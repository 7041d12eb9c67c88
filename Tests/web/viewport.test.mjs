import test from 'node:test';
import assert from 'node:assert/strict';
import { drawnRange, isOutside, NEAR, Place, ROW_HEIGHT, SAFE_HEIGHT, ScrollModel, ViewportSchedule } from '../../web/model/viewport.js';
import { diceFrom, seed } from './fixtures.mjs';

function listOf(total, height = 700) {
  const scroll = new ScrollModel();
  scroll.resize(height);
  scroll.setTotal(total);
  return scroll;
}

const huge = 50_000_000;

test('a list of safe height scrolls one to one', () => {
  const scroll = listOf(100_000);
  assert.equal(scroll.isMapped, false);
  assert.equal(scroll.nativeHeight, 100_000 * ROW_HEIGHT);
  scroll.scrolled(1_234_567);
  assert.equal(scroll.position, 1_234_567);
  assert.equal(scroll.base, 0);
  assert.equal(scroll.first, Math.floor(1_234_567 / ROW_HEIGHT));
});

test('a taller list keeps the element at the safe height', () => {
  const scroll = listOf(huge);
  assert.equal(scroll.nativeHeight, SAFE_HEIGHT);
  assert.equal(scroll.fullHeight, huge * ROW_HEIGHT);
});

test('a wheel moves a huge list by exactly its pixels', () => {
  const scroll = listOf(huge);
  for (let native = 0; native < 40_000; native += 100) {
    scroll.scrolled(native);
    assert.equal(scroll.position, native);
  }
  const before = scroll.position;
  scroll.scrolled(scroll.settle() - 300);
  assert.equal(scroll.position, before - 300);
});

test('no element exceeds Firefox’s limit for sticky elements', () => {
  assert.ok(SAFE_HEIGHT <= 8_947_848);
  assert.equal(listOf(Math.floor(SAFE_HEIGHT / ROW_HEIGHT)).isMapped, false);
  assert.equal(listOf(Math.floor(SAFE_HEIGHT / ROW_HEIGHT) + 1).isMapped, true);
});

test('delayed wheel steps are not a jump of the thumb', () => {
  const scroll = listOf(huge);
  scroll.scrolled(100_000, 100_000);
  assert.equal(scroll.position, 100_000);
  scroll.scrolled(104_000);
  assert.equal(scroll.position, 104_000, 'as far as a stalled page may come behind');
  scroll.scrolled(108_001);
  assert.ok(scroll.position > 1_000_000, 'without a wheel it is the thumb');
  const { position, native } = scroll;
  scroll.scrolled(native + 6_001, 2_000);
  assert.ok(scroll.position > position + 100_000, 'and when it asked for less');
});

test('every item of a huge list can be scrolled to the top', (context) => {
  context.diagnostic(`SEED=${seed}`);
  const dice = diceFrom(seed);
  const scroll = listOf(huge);
  const last = Math.floor(scroll.last / ROW_HEIGHT);
  for (const item of [0, 1, last - 1, last, ...Array.from({ length: 500 }, () => dice(last))]) {
    scroll.moveTo(item * ROW_HEIGHT);
    const native = scroll.settle();
    assert.equal(scroll.first, item);
    assert.equal(item * ROW_HEIGHT - scroll.base, native, 'it stands at the top edge');
    for (const step of [96, -96, 1, -1, 2_000]) {
      const { position } = scroll;
      const target = Math.max(0, Math.min(scroll.last, position + step));
      const moved = Math.max(0, Math.min(scroll.nativeLast, scroll.native + step));
      scroll.scrolled(moved);
      assert.equal(scroll.position, target, `a step of ${step} px at item ${item}, SEED=${seed}`);
      scroll.settle();
    }
  }
});

test('settling keeps a dragged thumb in place', () => {
  const scroll = listOf(huge);
  for (const part of [0.02, 0.3, 0.5, 0.77, 0.98]) {
    const native = Math.round(part * scroll.nativeLast);
    scroll.scrolled(native);
    assert.ok(Math.abs(scroll.settle() - native) <= 1);
  }
});

test('settle skips changes the thumb cannot show, except near ends', () => {
  const scroll = listOf(huge);
  // One pixel of the thumb, in pixels of the element.
  const pixel = Math.floor(scroll.nativeHeight / scroll.height);
  const lead = (native) => scroll.moveTo((native / scroll.nativeLast) * scroll.last);
  const start = Math.round(scroll.nativeLast / 2);
  for (const [by, isWritten] of [[0, false], [1, false], [pixel, false], [-pixel, false], [pixel + 1, true], [-pixel - 1, true]]) {
    lead(0);
    scroll.settle();
    lead(start);
    assert.equal(scroll.settle(), start);
    lead(start + by);
    const { position } = scroll;
    assert.equal(scroll.settle(), isWritten ? start + by : start, `by ${by} of ${pixel}`);
    assert.equal(scroll.position, position, 'the reader stays where he is');
  }
  const room = scroll.height * 4;
  for (const edge of [0, 1, room]) {
    scroll.moveTo(room + 900);
    scroll.settle();
    scroll.moveTo(edge);
    assert.equal(scroll.settle(), edge, `${edge} from the top`);
    scroll.moveTo(scroll.last - room - 900);
    scroll.settle();
    scroll.moveTo(scroll.last - edge);
    assert.equal(scroll.nativeLast - scroll.settle(), edge, `${edge} from the end`);
  }
});

test('scrolls past the element’s edge if the list continues', () => {
  const scroll = listOf(10_000);
  scroll.scrolled(280);
  scroll.setTotal(10_050);
  scroll.shift(50);            // while scrolling, scrollTop stays
  scroll.scrolled(100);
  assert.equal(scroll.isCornered, false);
  scroll.scrolled(0);
  assert.equal(scroll.position, 50 * ROW_HEIGHT);
  assert.equal(scroll.isCornered, true);
  assert.equal(scroll.settle(), 50 * ROW_HEIGHT);
  assert.equal(scroll.isCornered, false);
});

test('the thumb reaches every part of a huge list', () => {
  const scroll = listOf(huge);
  scroll.scrolled(scroll.nativeLast);
  assert.equal(scroll.position, scroll.last);
  scroll.scrolled(scroll.nativeLast / 2);
  assert.ok(Math.abs(scroll.position - scroll.last / 2) < 2);
  scroll.scrolled(0);
  assert.equal(scroll.position, 0);
});

test('a wheel near the element’s edge reaches every row', () => {
  const scroll = listOf(huge);
  scroll.moveTo(200_000);   // far from the top of the list, but close to that of the element
  scroll.settle();
  let { native } = scroll;
  for (let step = 0; step < 2_100 && scroll.position > 0; step += 1) {
    native = Math.max(0, native - 100);
    scroll.scrolled(native);
    if (scroll.isCornered) native = scroll.settle();
  }
  assert.equal(scroll.position, 0);
});

test('rows are placed where 32-bit floats are exact', () => {
  const scroll = listOf(huge);
  for (const position of [0, 1, 1e6, 7e8, scroll.last - 1, scroll.last]) {
    scroll.moveTo(position);
    scroll.settle();
    const y = scroll.first * ROW_HEIGHT - scroll.base;
    assert.ok(Number.isInteger(y) && Math.abs(y) < 2 ** 24, `${position} is drawn at ${y}`);
    assert.ok(y <= scroll.native && y > scroll.native - ROW_HEIGHT);
  }
});

test('a shift keeps the rows in place, even while scrolling', () => {
  const scroll = listOf(10_000);
  scroll.scrolled(2_810);
  const inset = scroll.position - 100 * ROW_HEIGHT;
  scroll.setTotal(10_003);
  scroll.shift(3);
  assert.equal(scroll.native, 2_810, 'a wheel in motion is not disturbed');
  assert.equal(scroll.position - 103 * ROW_HEIGHT, inset);
  scroll.scrolled(2_820);
  assert.equal(scroll.position - 103 * ROW_HEIGHT, inset + 10);
  assert.equal(scroll.settle(), 2_820 + 3 * ROW_HEIGHT);
  assert.equal(scroll.base, 0);
});

test('a shrunken list shows its end', () => {
  const scroll = listOf(10_000);
  scroll.scrolled(scroll.nativeLast);
  scroll.setTotal(100);
  assert.equal(scroll.position, 100 * ROW_HEIGHT - 700);
  scroll.setTotal(3);
  assert.equal(scroll.position, 0);
  assert.equal(scroll.atEnd, false);
});

test('revealing an item scrolls as little as possible', () => {
  const scroll = listOf(1_000);
  scroll.scrolled(280);
  assert.equal(scroll.reveal(12), 280);
  assert.equal(scroll.reveal(9), 9 * ROW_HEIGHT);
  assert.equal(scroll.reveal(9, ROW_HEIGHT), 8 * ROW_HEIGHT);
  assert.equal(scroll.reveal(40), 41 * ROW_HEIGHT - 700);
});

test('random actions keep the position within its limits', (context) => {
  context.diagnostic(`SEED=${seed}`);
  const dice = diceFrom(seed);
  const scroll = listOf(1_000);
  const actions = [
    () => scroll.setTotal(dice(2) ? dice(300) : dice(100_000_000)),
    () => scroll.resize(dice(2_000)),
    () => scroll.scrolled(Math.min(scroll.nativeLast, Math.max(0, scroll.native + dice(800) - 400))),
    () => scroll.scrolled(dice(scroll.nativeLast + 1)),
    () => scroll.shift(dice(100) - 50),
    () => scroll.moveTo(dice(Math.max(1, scroll.last)) - 10),
    () => scroll.settle(),
  ];
  for (let step = 0; step < 5_000; step += 1) {
    actions[dice(actions.length)]();
    assert.ok(scroll.position >= 0 && scroll.position <= scroll.last, `step ${step} of SEED=${seed}`);
    const { position } = scroll;
    const native = scroll.settle();
    assert.ok(native >= 0 && native <= scroll.nativeLast, `step ${step} of SEED=${seed}: ${native} of ${scroll.nativeLast}`);
    assert.equal(scroll.position, position);
  }
});

test('draws the visible rows, always the same number', () => {
  for (const [first, from] of [[0, 0], [3, 3], [500, 500], [974, 974], [975, 974], [999, 974]]) {
    assert.deepEqual(drawnRange(first, 26, 1_000), { from, to: from + 26 }, `from ${first}`);
  }
  assert.deepEqual(drawnRange(0, 26, 5), { from: 0, to: 5 });
  assert.deepEqual(drawnRange(0, 26, 0), { from: 0, to: 0 });
});

test('detects that no visible row is in the window', () => {
  const held = { start: 100, end: 200, total: 1_000 };
  for (const [first, is] of [[73, true], [74, true], [75, false], [150, false], [199, false], [200, true], [999, true]]) {
    assert.equal(isOutside(first, 26, held), is, `at ${first}`);
  }
  assert.equal(isOutside(1_000, 26, held), false, 'there is nothing to wait for');
  assert.equal(isOutside(0, 26, { start: 0, end: 0, total: 1_000 }), false, 'nothing is held at all');
});

test('a jump requests the visible rows first, then the rest', () => {
  const scroll = listOf(100_000);
  const viewportSchedule = new ViewportSchedule();
  let held = serve({ first: 0, count: 26, ahead: 80, behind: 0 }, scroll.total, 1);
  viewportSchedule.next(scroll, held, 1, true);
  scroll.moveTo(50_000 * ROW_HEIGHT);
  viewportSchedule.observe(scroll.position, ROW_HEIGHT, 1_000);
  const near = viewportSchedule.next(scroll, held, null, false);
  assert.deepEqual([near.first, near.ahead, near.behind], [50_000, NEAR, NEAR]);
  assert.equal(viewportSchedule.next(scroll, held, null, false), null, 'once');
  assert.equal(viewportSchedule.next(scroll, held, null, true), null, 'also at rest');
  held = serve(near, scroll.total, 2);
  assert.equal(viewportSchedule.next(scroll, held, null, false), null, 'who pulls the thumb is elsewhere in the next frame');
  const rest = viewportSchedule.next(scroll, held, null, true);
  assert.deepEqual([rest.first, rest.ahead, rest.behind], [50_000, 80, 40]);
});

test('after a jump, scrolling on requests the rest at once', () => {
  for (const isUpward of [false, true]) {
    const scroll = listOf(100_000);
    const viewportSchedule = new ViewportSchedule();
    const jumpTo = (item, at) => {
      scroll.moveTo(item * ROW_HEIGHT);
      viewportSchedule.observe(scroll.position, ROW_HEIGHT, at);
    };
    jumpTo(isUpward ? 90_000 : 10_000, 1_000);
    let held = serve(viewportSchedule.next(scroll, serve({ first: 0, count: 26, ahead: 0, behind: 0 }, scroll.total, 1), null, false), scroll.total, 2);
    jumpTo(50_000, 1_016);
    held = serve(viewportSchedule.next(scroll, held, null, false), scroll.total, 3);
    const sent = { ...viewportSchedule.sent };
    assert.deepEqual([sent.ahead, sent.behind], [NEAR, NEAR]);
    assert.notEqual(viewportSchedule.next(scroll, held, null, true), null, 'at rest');
    viewportSchedule.sent = sent;
    jumpTo(50_001, 1_032);
    const rest = viewportSchedule.next(scroll, held, null, false);
    assert.ok(rest.ahead >= 80 && rest.behind >= 40, `${rest.ahead} ahead, ${rest.behind} behind`);
  }
});

test('a jump does not count as speed', () => {
  for (const [items, isSpeed] of [[400, true], [401, false], [-401, false], [500_000, false]]) {
    const viewportSchedule = new ViewportSchedule();
    viewportSchedule.observe(10_000_000, ROW_HEIGHT, 1_000);
    viewportSchedule.rest();
    viewportSchedule.observe(10_000_000 + items * ROW_HEIGHT, ROW_HEIGHT, 1_016);
    assert.equal(viewportSchedule.speed !== 0, isSpeed, `${items} items`);
  }
});

// Returns the window that the server sends for a viewport.
function serve({ first, count, ahead, behind }, total, seq) {
  return { start: Math.max(0, first - behind), end: Math.min(total, first + count + ahead), total, seq };
}

for (const speed of [500, 4_000, 20_000]) {
  test(`at ${speed} px/s every frame has rows, with few messages`, () => {
    const scroll = listOf(100_000);
    const viewportSchedule = new ViewportSchedule();
    let held = serve({ first: 0, count: 26, ahead: 80, behind: 0 }, scroll.total, 1);
    const answers = [];  // each arrives four frames later
    let messages = 0;
    for (let frame = 0; frame < 400; frame += 1) {
      const isDown = frame < 250;
      scroll.scrolled(Math.max(0, scroll.native + Math.round((isDown ? 1 : -1) * speed / 60)));
      viewportSchedule.observe(scroll.position, ROW_HEIGHT, 1_000 + frame * 16.7);
      if (answers.length > 0 && answers[0].frame <= frame) held = answers.shift().held;
      assert.ok(scroll.first >= held.start && Math.min(scroll.total, scroll.first + 26) <= held.end, `frame ${frame}`);
      const requested = viewportSchedule.next(scroll, held, 1, false);
      if (requested === null) continue;
      messages += 1;
      answers.push({ frame: frame + 4, held: serve(requested, scroll.total, held.seq + 1) });
    }
    assert.ok(messages < 140, `${messages} messages`);
  });
}

test('sends nothing twice at rest, and reports an edge', () => {
  const scroll = listOf(1_000);
  const viewportSchedule = new ViewportSchedule();
  const held = serve({ first: 0, count: 26, ahead: 80, behind: 0 }, 1_000, 1);
  assert.equal(viewportSchedule.next(scroll, held, 5, true).stick, 'top');
  assert.equal(viewportSchedule.next(scroll, held, 6, true), null, 'who sticks to the top has no anchor');
  scroll.scrolled(10);
  const requested = viewportSchedule.next(scroll, held, 6, false);
  assert.equal(requested.stick, undefined);
  assert.equal(requested.anchor, 6);
  assert.equal(viewportSchedule.next(scroll, held, 6, true), null);
  scroll.scrolled(scroll.nativeLast);
  assert.equal(viewportSchedule.next(scroll, held, 6, false).stick, 'end');
});

test('at the end, the viewport ends with the list', () => {
  const scroll = new ScrollModel();
  scroll.setTotal(5_000);
  for (const height of [600, 616, 620]) {
    scroll.resize(height);
    scroll.moveTo(scroll.last);
    const { first, count, stick } = new ViewportSchedule().describe(scroll, 1, null);
    assert.deepEqual([first + count, stick], [5_000, 'end'], `${height} pixels`);
  }
  scroll.moveTo(0);
  assert.equal(new ViewportSchedule().describe(scroll, 1, null).first, 0);
});

test('the end of a list shorter than the viewport is followed as the list grows', () => {
  const scroll = new ScrollModel();
  scroll.resize(600);
  scroll.setTotal(3);
  assert.equal(new ViewportSchedule().describe(scroll, 1, null).stick, 'top');
  scroll.moveToEnd();
  assert.equal(new ViewportSchedule().describe(scroll, 1, null).stick, 'end');
  const place = new Place(scroll, new ViewportSchedule(), null, () => undefined);
  place.follow({ total: 500 }, false, 0);
  assert.equal(scroll.position, scroll.last);
  assert.ok(scroll.isHeld);
  scroll.scrolled(scroll.native - 40);
  place.follow({ total: 900 }, false, 0);
  assert.equal(scroll.atEnd, false);
  // Another query begins at the top.
  scroll.moveToEnd();
  scroll.setTotal(2);
  scroll.moveTo(0);
  assert.equal(new ViewportSchedule().describe(scroll, 1, null).stick, 'top');
});

test('distinguishes fully visible items', () => {
  const scroll = new ScrollModel();
  scroll.resize(10 * ROW_HEIGHT);
  scroll.setTotal(1_000);
  scroll.moveTo(100 * ROW_HEIGHT);
  assert.deepEqual([99, 100, 109, 110].map((position) => scroll.shows(position)), [false, true, true, false]);
  scroll.moveTo(100 * ROW_HEIGHT + 1);
  assert.deepEqual([100, 101, 109, 110].map((position) => scroll.shows(position)), [false, true, true, false]);
  assert.equal(scroll.shows(-1), false);
});
