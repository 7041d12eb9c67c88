import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FirstLink } from '../../web/protocol/link.js';
import { WorkerLink } from '../../web/protocol/link.js';

const status = '{"type":"status","table":"t","rows":1,"source":{"state":"live"}}';
const turn = () => new Promise((go) => { setImmediate(go); });

/** Returns a page's first link, over a socket and a worker that only record their messages. */
async function page(...early) {
  const sent = [];
  const received = [];
  const socket = { readyState: 1, send: (text) => sent.push(`socket ${text}`), close: () => sent.push('socket close') };
  const reader = {};
  for (const name of ['send', 'retry', 'close', 'abandon', 'rest', 'read', 'lost']) reader[name] = (...values) => sent.push(['reader', name, ...values.map((value) => JSON.stringify(value))].join(' '));
  const first = { socket, early, notify: null };
  let starts = 0;
  let deliver;
  let ready;
  const link = new FirstLink(first, (event) => received.push(event), (receive, whenReady) => {
    starts += 1;
    [deliver, ready] = [receive, whenReady];
    return reader;
  }, () => 500);
  await turn();
  return { link, sent, received, notify: first.notify, starts: () => starts, deliver: (event) => deliver(event), ready: () => ready() };
}

const kinds = (received) => received.map(({ state, message, refused }) => state ?? message?.type ?? `refused ${refused !== undefined}`);

test('replays the events that came before the modules, in order', async () => {
  const hello = '{"type":"hello","version":1,"server":"s","epoch":"e","role":"operator","session":"x","tables":[]}';
  const { received, starts } = await page({ kind: 'open' }, { kind: 'message', data: hello, at: 7, opened: { table: 't', request: 1 } });
  assert.deepEqual(kinds(received), ['open', 'hello']);
  assert.deepEqual([received[1].bytes, received[1].at, received[1].opened], [hello.length, 7, { table: 't', request: 1 }]);
  assert.equal(starts(), 0, 'the first rows wait for no worker');
});

test('a worker parses long messages after the first rows', async () => {
  const { link, sent, received, notify, deliver, ready, starts } = await page({ kind: 'open' });
  const long = status.padEnd(16_385);
  const fitting = status.padEnd(16_384);
  const reads = () => sent.filter((line) => line.startsWith('reader read')).length;
  link.settle();
  link.settle();
  assert.equal(starts(), 1);
  notify({ kind: 'message', data: long, at: 1 });
  assert.deepEqual(kinds(received), ['open', 'status'], 'before it is ready nothing waits for it');
  ready();
  notify({ kind: 'message', data: fitting, at: 2 });
  assert.deepEqual([received.length, reads()], [3, 0]);
  notify({ kind: 'message', data: long, at: 3 });
  notify({ kind: 'message', data: status, at: 4 });
  assert.deepEqual([received.length, reads()], [3, 2], 'none overtakes another');
  deliver({ message: { type: 'status' } });
  notify({ kind: 'message', data: status, at: 5 });
  assert.deepEqual([received.length, reads()], [4, 3]);
  deliver({ message: { type: 'status' } });
  deliver({ message: { type: 'status' } });
  notify({ kind: 'message', data: status, at: 6 });
  assert.deepEqual([received.length, reads()], [7, 3]);
  assert.equal(sent[0], `reader read ${JSON.stringify(long)} 3`);
});

test('sends over the page’s socket, then over the worker’s', async () => {
  const { link, sent, notify, ready } = await page({ kind: 'open' });
  link.settle();
  ready();
  link.send({ type: 'ack', seq: 1 });
  link.retry();
  notify({ kind: 'closed' });
  link.send({ type: 'ack', seq: 2 });
  link.retry();
  link.close();
  assert.deepEqual(sent, ['socket {"type":"ack","seq":1}', 'reader lost 500',
    'reader send {"type":"ack","seq":2}', 'reader retry', 'reader close']);
});

test('a socket that is abandoned is replaced at once, and not heard any more', async () => {
  const { link, sent, received, notify, ready } = await page({ kind: 'open' });
  link.settle();
  ready();
  link.abandon();
  assert.deepEqual(sent, ['socket close', 'reader lost 500']);
  notify({ kind: 'message', data: status, at: 1 });
  notify({ kind: 'closed' });
  assert.deepEqual(kinds(received), ['open']);
  link.abandon();
  assert.deepEqual(sent.slice(2), ['reader abandon']);
});

test('replaces a socket lost early by the worker’s', async () => {
  const { sent, received, starts, ready } = await page({ kind: 'closed' });
  assert.deepEqual(received, [{ state: 'closed', pause: 1_000 }]);
  assert.equal(starts(), 1);
  ready();
  assert.deepEqual(sent, ['reader retry']);
});

test('an invalid message closes the connection', async () => {
  for (const isRead of [false, true]) {
    const { link, sent, received, notify, deliver, ready } = await page({ kind: 'open' });
    link.settle();
    if (isRead) {
      ready();
      deliver({ refused: 'it is no message' });
    } else notify({ kind: 'message', data: '{', at: 1 });
    assert.deepEqual(kinds(received), ['open', 'refused true']);
    assert.deepEqual(sent, ['socket close']);
  }
});

test('a resting link reconnects only on retry', async () => {
  const { link, sent, notify, ready } = await page({ kind: 'open' });
  link.rest();
  notify({ kind: 'closed' });
  ready();
  assert.deepEqual(sent, ['reader rest', 'socket close']);
  link.retry();
  assert.equal(sent.at(-1), 'reader retry');
});

function workers() {
  const made = [];
  const start = () => {
    made.push({ orders: [], postMessage(order) { this.orders.push(order); } });
    return made.at(-1);
  };
  return { made, start };
}

test('a worker link connects at once and uses the latest connection', () => {
  const { made, start } = workers();
  const received = [];
  const link = new WorkerLink((event) => received.push(event), start);
  made[0].onmessage({ data: { ready: true } });
  made[0].onmessage({ data: { state: 'open', connection: 3 } });
  link.send({ type: 'ack', seq: 1 });
  assert.deepEqual(made[0].orders, [{ retry: true }, { connection: 3, message: { type: 'ack', seq: 1 } }]);
  assert.deepEqual(received, [{ state: 'open', connection: 3 }]);
});

test('restarts a worker whose files could not be fetched', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { made, start } = workers();
  let readies = 0;
  const link = new WorkerLink(() => {}, start, () => { readies += 1; }, () => 0.5);
  made[0].onerror();
  t.mock.timers.tick(749);
  assert.equal(made.length, 1);
  t.mock.timers.tick(1);
  assert.equal(made.length, 2, 'half of a second and a half');
  assert.deepEqual([...made[0].orders, ...made[1].orders], []);
  made[1].onmessage({ data: { ready: true } });
  assert.equal(readies, 1);
  assert.equal(made[1].onerror, null, 'what fails in it later is no reason for a second one');
  link.read('{}', 4);
  link.lost(9);
  assert.deepEqual(made[1].orders, [{ read: '{}', at: 4 }, { lost: 9 }]);
});

test('worker restarts are delayed at random, with longer pauses', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { made, start } = workers();
  const dice = [0.1, 0.9, 0.5, 0.999, 0.999, 0.999, 0.999];
  new WorkerLink(() => {}, start, null, () => dice[made.length - 1]);
  for (const pause of [150, 2_700, 3_000, 11_988, 23_976, 29_970, 29_970]) {
    const before = made.length;
    made.at(-1).onerror();
    t.mock.timers.tick(pause - 1);
    assert.equal(made.length, before, `${pause} ms have not passed`);
    t.mock.timers.tick(1);
    assert.equal(made.length, before + 1, `${pause} ms have passed`);
  }
});

test('a retry skips the pause and starts only one worker', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { made, start } = workers();
  const link = new WorkerLink(() => {}, start, null, () => 1);
  made[0].onerror();
  link.retry();
  assert.equal(made.length, 2);
  t.mock.timers.tick(60_000);
  assert.equal(made.length, 2);
  assert.deepEqual(made[1].orders, [{ retry: true }]);
  link.retry();
  assert.deepEqual(made[1].orders, [{ retry: true }, { retry: true }], 'what is there is only told');
});
