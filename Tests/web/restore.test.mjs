// restore.js: restoring anchor, active cell and selection after a restart, by the rows' keys.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Selection, Spot } from '../../web/model/selection.js';
import { Restore, MOST, SOUGHT } from '../../web/input/restore.js';
import { Row, WindowCopy } from '../../web/protocol/wire.js';
import { ROW_HEIGHT, ScrollModel } from '../../web/model/viewport.js';

/** Returns a window of rows with these ids from `start` on. */
function copyOf(ids, start, total = 1_000, epoch = 'old') {
  return Object.assign(new WindowCopy(), { seq: 1, epoch, start, total, items: ids.map((id) => new Row(id, 1, [`row ${id}`])) });
}
const range = (from, count) => Array.from({ length: count }, (_, at) => from + at);

/**
 * Returns the state of a page on a list of 1,000 rows, where row n has the id n. The first visible
 * row is `first`, a third of it hidden.
 */
function reader(first = 100) {
  const scroll = new ScrollModel();
  scroll.resize(20 * ROW_HEIGHT);
  scroll.setTotal(1_000);
  scroll.moveTo(first * ROW_HEIGHT + 9);
  const sent = [];
  const session = { copy: copyOf(range(first - 20, 60), first - 20), canLook: true, isPaused: false, send: (message) => sent.push(message) };
  const focus = { item: null, find(position, item) { this.found = [position, item?.id]; } };
  const controller = { focus, selection: new Selection() };
  const stored = new Restore(session, scroll, controller);
  stored.stay();
  const take = () => sent.splice(0);
  /** Answers the requests for keys: row n has the key `n!`. */
  const name = () => {
    for (const { id, rows } of take()) stored.named({ id, rows: rows.map((row) => [row, `${row}!`]) });
  };
  /** Simulates a restart of the server, with its first window. */
  const restart = (copy, now = 0) => {
    stored.lost();
    stored.look();
    stored.renew(session.copy, now);
    session.copy = copy;
    scroll.setTotal(copy.total);
    stored.follow(copy);
    controller.selection.clear();
    stored.seek();
  };
  return { ...controller, controller, stored, scroll, session, take, name, restart };
}

test('requests the anchor’s key once and finds the row again', () => {
  const { stored, scroll, take, name, restart, session } = reader();
  stored.tick(101, 0);
  const [question] = take();
  assert.deepEqual(question, { type: 'name', id: 1, rows: [101] });
  stored.tick(101, 1_000);
  assert.deepEqual(take(), [], 'one question at a time');
  stored.named({ id: 1, rows: [[101, 'the row']] });
  stored.tick(103, 2_000);
  assert.deepEqual(take(), [], 'what is read goes by one row as long as it is held');
  name();
  restart(copyOf(range(7_000, 60), 80, 1_000, 'new'));
  const [where] = take();
  assert.deepEqual(where.keys, ['the row']);
  const target = stored.located({ id: where.id, rows: [['the row', 7_777, 640]] });
  assert.equal(target, 639 * ROW_HEIGHT + 9, 'it stands where it stood, to the pixel');
  // The list changes once more before the window arrives.
  scroll.moveTo(target);
  stored.stay();
  stored.look();
  session.copy = copyOf([...range(9_000, 20), 7_777, ...range(9_100, 20)], 622, 1_000, 'new');
  stored.follow(session.copy);
  assert.equal(scroll.position, 641 * ROW_HEIGHT + 9);
});

test('looks again for a row that moved before its window came', () => {
  const { stored, scroll, session, take, name, restart } = reader();
  stored.tick(101, 0);
  name();
  restart(copyOf(range(7_000, 60), 80, 1_000, 'new'));
  stored.located({ id: take()[0].id, rows: [['101!', 7_777, 640]] });
  scroll.moveTo(639 * ROW_HEIGHT + 9);
  stored.stay();
  session.copy = copyOf(range(9_000, 40), 620, 1_000, 'new');
  stored.look();
  stored.follow(session.copy);
  stored.tick(null, 1_000);
  const [again] = take();
  assert.deepEqual(again.keys, ['101!']);
  assert.equal(stored.located({ id: again.id, rows: [['101!', 7_777, 300]] }), 299 * ROW_HEIGHT + 9);
  session.copy = copyOf([7_777, ...range(9_000, 40)], 300, 1_000, 'new');
  stored.follow(session.copy);
  stored.tick(null, 2_000);
  assert.deepEqual(take().filter(({ type }) => type === 'locate'), [], 'it is found');
});

test('restores the active row, or else the previous anchor', () => {
  for (const [found, position, below] of [['105!', 400, 5 * ROW_HEIGHT - 9], ['101!', 400, ROW_HEIGHT - 9]]) {
    const { stored, focus, session, take, name, restart } = reader();
    stored.tick(101, 0);
    name();
    focus.item = session.copy.itemAt(105);
    stored.tick(105, 1_000);
    name();
    restart(copyOf(range(7_000, 60), 80, 1_000, 'new'));
    const [where] = take();
    assert.deepEqual(where.keys, ['105!', '101!']);
    assert.equal(stored.located({ id: where.id, rows: [[found, 7_777, position]] }), position * ROW_HEIGHT - below);
  }
});

test('an active row outside the viewport is not the anchor', () => {
  const { stored, focus, session, take, name, restart } = reader();
  focus.item = session.copy.itemAt(130);
  stored.tick(101, 0);
  name();
  restart(copyOf(range(7_000, 60), 80, 1_000, 'new'));
  const [where] = take();
  assert.equal(stored.located({ id: where.id, rows: [['130!', 8_000, 500], ['101!', 7_777, 400]] }), 399 * ROW_HEIGHT + 9);
});

test('there is no anchor at the top and at the end', () => {
  for (const place of [0, 1_000]) {
    const { stored, scroll, take } = reader();
    scroll.moveTo(place * ROW_HEIGHT);
    stored.tick(100, 0);
    assert.deepEqual(take(), []);
  }
});

test('scrolling before the answer cancels the restore', () => {
  const { stored, scroll, take, name, restart } = reader();
  stored.tick(101, 0);
  name();
  restart(copyOf(range(7_000, 60), 80, 1_000, 'new'));
  const [where] = take();
  scroll.moveTo(300 * ROW_HEIGHT);
  stored.look();
  assert.equal(stored.located({ id: where.id, rows: [['101!', 7_777, 640]] }), null);
});

test('restores selected rows and the active cell', () => {
  const { stored, session, selection, focus, take, name, restart } = reader();
  for (const id of [95, 110]) selection.toggleRow(session.copy.itemAt(id));
  focus.item = session.copy.itemAt(97);
  stored.tick(101, 0);
  name();
  restart(copyOf(range(5_000, 60), 80, 1_000, 'new'));
  assert.ok(selection.isEmpty, 'ids of the old server name nothing');
  const [where] = take();
  assert.deepEqual([...where.keys].sort(), ['101!', '110!', '95!', '97!']);
  stored.located({ id: where.id, rows: [['95!', 5_003, 83], ['110!', 8_000, null], ['97!', 5_010, 90]] });
  assert.deepEqual([...selection.rows.keys()], [5_003, 8_000]);
  assert.equal(selection.rows.get(5_003), session.copy.itemAt(83));
  assert.deepEqual(selection.rows.get(8_000).cells, ['row 110'], 'one out of reach is known as it was');
  assert.deepEqual(focus.found, [90, 5_010]);
});

test('restores a rectangle once both corners are found', () => {
  const { stored, session, selection, take, name, restart } = reader();
  selection.extend(new Spot(95, session.copy.itemAt(95)), 1, new Spot(99, session.copy.itemAt(99)), 3);
  stored.tick(null, 0);
  name();
  restart(copyOf(range(5_000, 60), 80, 1_000, 'new'));
  const [first] = take();
  stored.located({ id: first.id, rows: [['99!', 5_001, 81]] });
  assert.equal(selection.range, null);
  stored.tick(null, 1_000);
  const [second] = take();
  assert.deepEqual([...second.keys].sort(), ['95!', '99!']);
  stored.located({ id: second.id, rows: [['95!', 5_005, 85], ['99!', 5_001, 81]] });
  assert.deepEqual(selection.bounds, { top: 81, bottom: 85, first: 1, last: 3 });
  assert.equal(selection.range.from.position, 85);
});

test('looks for missing rows every second for 30 seconds', () => {
  const { stored, selection, session, take, name, restart } = reader();
  selection.toggleRow(session.copy.itemAt(95));
  stored.tick(101, 0);
  name();
  restart(copyOf([], 0, 0, 'new'), 5_000);
  const [where] = take();
  stored.located({ id: where.id, rows: [] });
  assert.deepEqual(take(), []);
  stored.tick(null, 5_000 + SOUGHT);
  const [again] = take();
  assert.equal(again.type, 'locate');
  stored.located({ id: again.id, rows: [] });
  stored.tick(null, 5_001 + SOUGHT);
  assert.deepEqual(take().filter(({ type }) => type === 'locate'), []);
});

test('a new selection replaces the one to restore', () => {
  const { stored, selection, session, take, name, restart } = reader();
  selection.toggleRow(session.copy.itemAt(95));
  stored.tick(null, 0);
  name();
  restart(copyOf(range(5_000, 60), 80, 1_000, 'new'));
  const [where] = take();
  selection.toggleRow(session.copy.itemAt(85));
  stored.located({ id: where.id, rows: [['95!', 5_001, 81]] });
  assert.deepEqual([...selection.rows.keys()], [5_005]);
});

test('requests a hundred keys at a time, up to the limit', () => {
  const { stored, selection, take, restart } = reader();
  for (const id of range(10_000, MOST + 50)) selection.rows.set(id, new Row(id, 1, [`row ${id}`]));
  let named = 0;
  for (let second = 0; second < 40; second += 1) {
    stored.tick(null, second * 1_000);
    for (const { id, rows } of take()) {
      assert.ok(rows.length <= 100);
      named += rows.length;
      stored.named({ id, rows: rows.map((row) => [row, row]) });
    }
  }
  assert.equal(named, MOST);
  restart(copyOf(range(5_000, 60), 80, 1_000, 'new'));
  for (let question; ([question] = take()) && question;) {
    assert.ok(question.keys.length <= 100);
    stored.located({ id: question.id, rows: question.keys.map((key) => [key, key + 1, null]) });
  }
  assert.equal(selection.rows.size, MOST);
  assert.ok(selection.rows.has(10_001) && !selection.rows.has(10_000));
});

test('missing rows do not keep later ones from being found', () => {
  const { stored, selection, take, restart } = reader();
  for (const id of range(10_000, 250)) selection.rows.set(id, new Row(id, 1, [`row ${id}`]));
  for (let second = 0; second < 4; second += 1) {
    stored.tick(null, second * 1_000);
    for (const { id, rows } of take()) stored.named({ id, rows: rows.map((row) => [row, row]) });
  }
  restart(copyOf(range(5_000, 60), 80, 1_000, 'new'), 5_000);
  // The first 200 rows are missing.
  for (let second = 6; second < 12; second += 1) {
    for (const { id, keys } of take()) stored.located({ id, rows: keys.filter((key) => key >= 10_200).map((key) => [key, key + 1, null]) });
    stored.tick(null, second * 1_000);
  }
  assert.equal(selection.rows.size, 50);
});

test('a selection of whole columns stays', () => {
  const { selection, session, restart } = reader();
  selection.selectColumns(1, 3, session.copy);
  restart(copyOf(range(5_000, 60), 80, 700, 'new'));
  assert.deepEqual(selection.bounds, { top: 0, bottom: 699, first: 1, last: 3 });
  assert.ok(selection.range.isWhole);
});

test('a row without a key is not requested again', () => {
  const { stored, take, restart } = reader();
  stored.tick(101, 0);
  const [question] = take();
  stored.named({ id: question.id, rows: [] });
  stored.tick(101, 1_000);
  assert.deepEqual(take(), []);
  restart(copyOf(range(7_000, 60), 80, 1_000, 'new'));
  assert.deepEqual(take(), []);
});

test('a second restart during the restore loses nothing', () => {
  const { stored, selection, session, take, name, restart } = reader();
  for (const id of [95, 110]) selection.toggleRow(session.copy.itemAt(id));
  stored.tick(101, 0);
  name();
  restart(copyOf(range(5_000, 60), 80, 1_000, 'new'));
  let [where] = take();
  stored.located({ id: where.id, rows: [['95!', 5_003, 83]] });
  restart(copyOf(range(6_000, 60), 80, 1_000, 'newer'), 1_000);
  [where] = take();
  assert.deepEqual([...where.keys].sort(), ['101!', '110!', '95!']);
  stored.located({ id: where.id, rows: [['95!', 6_003, 83], ['110!', 6_004, 84]] });
  assert.deepEqual([...selection.rows.keys()], [6_003, 6_004]);
});

test('ignores answers to old requests and after a lost connection', () => {
  const { stored, take, name } = reader();
  stored.tick(101, 0);
  const [question] = take();
  stored.lost();
  stored.named({ id: question.id, rows: [[101, 'late']] });
  stored.clear();
  stored.tick(102, 1_000);
  assert.deepEqual(take().map(({ rows }) => rows), [[102]]);
  name();
});

test('waits for the key of a row, and not past a lost connection', async () => {
  const { stored, session, take } = reader();
  session.isOpen = true;
  const waiting = [stored.keyFor(7), stored.keyFor(8)];
  const [, { id, rows }] = take();
  assert.deepEqual(rows, [8, 7], 'the later request repeats the pending one');
  stored.named({ id: 1, rows: [[7, 'late']] });
  stored.named({ id, rows: [[7, 'seven']] });
  assert.deepEqual(await Promise.all(waiting), ['seven', undefined]);
  assert.equal(await stored.keyFor(7), 'seven');
  assert.deepEqual(take(), [], 'a known key is not requested');
  const lost = stored.keyFor(9);
  stored.lost();
  assert.equal(await lost, undefined);
  session.isOpen = false;
  assert.equal(await stored.keyFor(10), undefined);
});
