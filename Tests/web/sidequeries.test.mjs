// aside.js and pieces.js: queries on a separate socket.

import test from 'node:test';
import assert from 'node:assert/strict';
import { SideQueries } from '../../web/panels/sidequeries.js';
import { fetchRows } from '../../web/protocol/pieces.js';
import { digestOf } from './reference.mjs';

const question = { table: 't', query: {}, viewport: { first: 0, count: 1, ahead: 0, behind: 0 } };

/** Returns an aside on a link that records messages, with a manual clock. */
function listen() {
  const sent = [];
  const timers = [];
  const link = { send: (message) => sent.push(message), retry: () => sent.push('retry'), rest: () => sent.push('rest') };
  let receive = null;
  const open = (deliver) => {
    sent.push('open');
    receive = deliver;
    return link;
  };
  const sideQueries = new SideQueries(open, (call, wait) => {
    const timer = { call, wait };
    timers.push(timer);
    return () => timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0);
  });
  const run = (wait) => timers.splice(timers.findIndex((timer) => timer.wait === wait), 1)[0].call();
  return { sideQueries, sent, timers, run, deliver: (event) => receive(event), take: (message) => receive({ message }) };
}

const hello = { type: 'hello', version: 1, epoch: 'e', tables: [] };

function windowOf(request, seq, { start = 0, items = [[1, 1, ['a']]], total = start + items.length, rows = total } = {}) {
  const keys = items.map((item) => (Array.isArray(item) ? { id: item[0], rev: item[1] } : item));
  return { type: 'window', epoch: 'e', seq, request, start, total, rows, items, lead: [], digest: digestOf(start, total, [], keys) };
}

test('opens the socket, waits for hello, and returns its own window', async () => {
  const { sideQueries, sent, deliver, take } = listen();
  const answer = sideQueries.ask({ ...question, query: { search: 'x' } });
  assert.deepEqual(sent.splice(0), ['open']);
  deliver({ state: 'open', connection: 1 });
  take(hello);
  const [open] = sent.splice(0);
  assert.deepEqual(open, { type: 'open', table: 't', request: 1, query: { search: 'x' }, viewport: { seq: 0, first: 0, count: 1, ahead: 0, behind: 0 }, interval: 0 });
  take(windowOf(1, 1, { rows: 7 }));
  assert.deepEqual(sent, [{ type: 'ack', seq: 1 }]);
  assert.equal((await answer).rows, 7);
});

test('asks one question at a time and ignores stale answers', async () => {
  const { sideQueries, sent, take } = listen();
  const first = sideQueries.ask(question);
  const second = sideQueries.ask(question);
  take(hello);
  assert.equal(sent.filter(({ type }) => type === 'open').length, 1, 'the second waits');
  take(windowOf(1, 1, { rows: 7 }));
  assert.equal((await first).rows, 7);
  assert.equal(sent.filter(({ type }) => type === 'open').at(-1).request, 2);
  take(windowOf(1, 2, { rows: 8 }));
  assert.deepEqual(sent.at(-1), { type: 'ack', seq: 2 }, 'or nothing else would come');
  take(windowOf(2, 3, { rows: 9 }));
  assert.equal((await second).rows, 9);
});

test('waits for rows that load later', async () => {
  const { sideQueries, sent, take } = listen();
  const seen = [];
  const isEnough = (copy) => copy.items.every(({ absence }) => absence === null);
  const answer = sideQueries.ask(question, { isEnough, changed: ({ items }) => seen.push(items[0].absence) });
  take(hello);
  take(windowOf(1, 1, { items: [[9_007_194_959_773_696, 1, { pending: true }]] }));
  take({ type: 'patch', epoch: 'e', seq: 2, request: 1, base: 1, start: 0, total: 1, rows: 1, before: 1, after: 1, lead: [],
    removed: [[0, 'scrolled']], inserted: [[0, 'scrolled', [5, 1, ['a']]]], digest: digestOf(0, 1, [], [{ id: 5, rev: 1 }]) });
  assert.deepEqual((await answer).items[0].cells, ['a']);
  assert.deepEqual(seen, [{ pending: true }, null], 'every change is told');
  assert.deepEqual(sent.at(-1), { type: 'ack', seq: 2 });
});

test('follows an answer until the socket rests after five seconds', async () => {
  const { sideQueries, sent, timers, run, take } = listen();
  const rows = [];
  const answer = sideQueries.ask(question, { changed: (copy) => rows.push(copy.rows) });
  take(hello);
  take(windowOf(1, 1));
  await answer;
  take({ type: 'patch', epoch: 'e', seq: 2, request: 1, base: 1, start: 0, total: 1, rows: 4, before: 1, after: 1, lead: [], digest: digestOf(0, 1, [], [{ id: 1, rev: 1 }]) });
  assert.deepEqual(rows, [1, 4]);
  assert.deepEqual(timers.map(({ wait }) => wait), [5_000], 'the answer was there in time');
  run(5_000);
  assert.equal(sent.at(-1), 'rest');
  const again = sideQueries.ask(question);
  assert.equal(sent.at(-1), 'retry');
  take(hello);
  take(windowOf(2, 1));
  assert.equal((await again).rows, 1);
});

test('a failed connection rejects every waiting question, and the next question reconnects', async () => {
  const ends = [
    [({ deliver }) => deliver({ state: 'closed', pause: 100 }), /Not connected/],
    [({ deliver }) => deliver({ refused: 'Sign-in needed' }), /Sign-in needed/],
    [({ take }) => take({ type: 'error', code: 'remainderTooLarge', reason: 'the source cannot search' }), /cannot search/],
    [({ run }) => run(10_000), /did not answer/],
    [({ take }) => take({ ...windowOf(1, 1), digest: 1 }), /was damaged/],
  ];
  for (const [end, reason] of ends) {
    const all = listen();
    const [first, second] = [all.sideQueries.ask(question), all.sideQueries.ask(question)];
    all.take(hello);
    end(all);
    await assert.rejects(first, reason);
    await assert.rejects(second, reason);
    assert.equal(all.sent.at(-1), 'rest');
    assert.deepEqual(all.timers, [], 'nothing is left to run');
    all.deliver({ state: 'closed', pause: 100 });  // reported only once
    const third = all.sideQueries.ask(question);
    assert.equal(all.sent.at(-1), 'retry');
    all.take(hello);
    all.take(windowOf(2, 1));
    await third;
  }
});

test('at most a hundred questions may wait', async () => {
  const { sideQueries } = listen();
  for (let count = 0; count < 100; count += 1) sideQueries.ask(question).catch(() => {});
  await assert.rejects(sideQueries.ask(question), /Too many/);
});

/** Returns a fake `ask` on a view of `total` items, with headers at the given positions. */
function view(total, { headers = [], wanted = [] } = {}) {
  return async ({ viewport: { first, count } }, { isEnough }) => {
    wanted.push([first, count]);
    const start = Math.max(0, Math.min(first, total - count));
    const all = Array.from({ length: Math.min(total, start + count) - start }, (_, at) => (headers.includes(start + at) ? { isHeader: true }
      : { isHeader: false, id: start + at, absence: null, cells: [start + at] }));
    const copy = { total, itemAt: (position) => all[position - start] };
    assert.equal(isEnough(copy), true);
    return copy;
  };
}
const positions = (rows) => rows.map(({ id }) => id);
const range = (from, through) => Array.from({ length: through - from + 1 }, (_, at) => from + at);

test('fetches rows in pieces of a thousand, each once, in order', async () => {
  for (const [from, through, pieces] of [[0, 0, 1], [5, 1_004, 1], [5, 1_005, 2], [100, 3_099, 3]]) {
    const wanted = [];
    const progress = [];
    const rows = await fetchRows(view(20_000, { wanted }), {}, { from, through, progress: (count) => progress.push(count) });
    assert.deepEqual(positions(rows), range(from, through));
    assert.equal(wanted.length, pieces);
    assert.equal(progress.at(-1), through - from + 1);
  }
});

test('skips headers, and a row that moves into a second piece', async () => {
  assert.deepEqual(positions(await fetchRows(view(10, { headers: [0, 4] }), {}, { from: 0, through: 6 })), [1, 2, 3, 5, 6]);
  let turn = 0;
  const ask = async ({ viewport: { first } }) => {
    turn += 1;
    const own = turn;
    return { total: 2_000, itemAt: (at) => ({ isHeader: false, id: at - (own === 2 ? 1 : 0), absence: null, cells: [own] }), first };
  };
  const rows = await fetchRows(ask, {}, { from: 0, through: 1_001 });
  assert.deepEqual(rows.map(({ id, cells }) => [id, ...cells]).slice(-3), [[998, 1], [999, 2], [1_000, 2]]);
});

test('stops at the end of a list that became shorter', async () => {
  assert.deepEqual(positions(await fetchRows(view(50), {}, { from: 40, through: 99 })), range(40, 49));
  assert.deepEqual(await fetchRows(view(0), {}, { from: 40, through: 99 }), []);
  assert.deepEqual(await fetchRows(view(30), {}, { from: 40, through: 99 }), []);
});

test('waits for pending rows and omits failed ones', async () => {
  const states = [null, { pending: true }, { failed: 'gone' }];
  const copy = { total: 3, itemAt: (at) => ({ isHeader: false, id: at, absence: states[at], cells: [] }) };
  let judge;
  const rows = await fetchRows(async (_, { isEnough }) => { judge = isEnough; return copy; }, {}, { from: 0, through: 2 });
  assert.equal(judge(copy), false);
  states[1] = null;
  assert.equal(judge(copy), true);
  assert.deepEqual(positions(rows), [0]);
});

test('an incomplete window is not an answer', async () => {
  let judge;
  const ask = async (_, { isEnough }) => {
    judge = isEnough;
    return { total: 30, itemAt: (at) => ({ isHeader: false, id: at, absence: null, cells: [] }) };
  };
  await fetchRows(ask, {}, { from: 10, through: 19 });
  const held = (from, through, total = 30) => ({ total, itemAt: (at) => (at >= from && at <= through ? { isHeader: false, absence: null } : undefined) });
  assert.deepEqual([judge(held(10, 19)), judge(held(0, 29)), judge(held(11, 19)), judge(held(10, 18))], [true, true, false, false]);
  assert.equal(judge(held(10, 14, 15)), true, 'there are no more');
});

test('stops fetching when the caller cancels', async () => {
  const wanted = [];
  let isWanted = true;
  const rows = await fetchRows(view(20_000, { wanted }), {}, { from: 0, through: 9_999, progress: () => { isWanted = false; }, isWanted: () => isWanted });
  assert.equal(wanted.length, 1);
  assert.equal(rows.length, 1_000);
});
