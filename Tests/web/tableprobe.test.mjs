// tableprobe.js: row counts and states of all tables, requested in turn.

import test from 'node:test';
import assert from 'node:assert/strict';
import { TableProbe } from '../../web/panels/tableprobe.js';

function watch() {
  const sent = [];
  const timers = [];
  const reported = [];
  const tableProbe = new TableProbe((message) => sent.push(message), (call, wait) => timers.push([wait, call]), (...found) => reported.push(found));
  return { sent, timers, reported, tableProbe };
}
const live = { state: 'live' };
const hello = (...names) => ({ type: 'hello', version: 1, epoch: 'e', tables: names.map((name) => ({ name, rows: 5, source: live, columns: [] })) });

test('requests each table in turn, one row at a time', () => {
  const { sent, timers, reported, tableProbe } = watch();
  tableProbe.start();
  assert.equal(sent.pop().type, 'hello');
  tableProbe.receive(hello('a', 'b'));
  assert.deepEqual(reported.splice(0), [['a', { rows: 5, source: live }], ['b', { rows: 5, source: live }]]);
  for (const [at, name] of ['a', 'b', 'a'].entries()) {
    const open = sent.pop();
    assert.deepEqual([open.type, open.table, open.viewport.count, open.viewport.ahead, open.viewport.behind], ['open', name, 1, 0, 0]);
    tableProbe.receive({ type: 'window', seq: at + 1, request: open.request, rows: at });
    assert.deepEqual(sent.pop(), { type: 'ack', seq: at + 1 });
    assert.deepEqual(reported.pop(), [name, { rows: at }]);
    const [wait, next] = timers.pop();
    assert.equal(wait, 1_000);
    next();
  }
});

test('acknowledges a stale answer and ignores it', () => {
  const { sent, timers, reported, tableProbe } = watch();
  tableProbe.receive(hello('a'));
  const { request } = sent.pop();
  reported.length = 0;
  tableProbe.receive({ type: 'patch', seq: 9, request: request - 1, rows: 7 });
  assert.deepEqual([sent.pop(), reported.length, timers.length], [{ type: 'ack', seq: 9 }, 0, 0]);
  tableProbe.receive({ type: 'window', seq: 10, request, rows: 7 });
  tableProbe.receive({ type: 'patch', seq: 11, request, rows: 8 });
  assert.deepEqual([reported.length, timers.length], [1, 1], 'one look, one answer');
});

test('requests at most five tables per second', () => {
  const { sent, timers, tableProbe } = watch();
  tableProbe.receive(hello(...Array.from({ length: 50 }, (_, at) => `t${at}`)));
  tableProbe.receive({ type: 'window', seq: 1, request: sent.pop().request, rows: 1 });
  assert.equal(timers.pop()[0], 200);
});

test('waits for a first table and resumes when the list changes', () => {
  const { sent, reported, tableProbe } = watch();
  tableProbe.receive(hello());
  assert.equal(sent.length, 0);
  tableProbe.receive({ ...hello('a'), type: 'tables' });
  assert.equal(sent.pop().table, 'a');
  tableProbe.receive({ ...hello('a', 'b'), type: 'tables' });
  assert.equal(sent.length, 0, 'what is on its way is waited for');
  tableProbe.receive({ type: 'status', table: 'a', source: { state: 'failed' } });
  assert.deepEqual(reported.pop(), ['a', { source: { state: 'failed' } }]);
});
