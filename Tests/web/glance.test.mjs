// glance.js: row counts and states of all tables, requested in turn.

import test from 'node:test';
import assert from 'node:assert/strict';
import { Glance } from '../../web/panels/glance.js';

function watch() {
  const said = [];
  const timers = [];
  const told = [];
  const glance = new Glance((message) => said.push(message), (call, wait) => timers.push([wait, call]), (...found) => told.push(found));
  return { said, timers, told, glance };
}
const live = { state: 'live' };
const hello = (...names) => ({ type: 'hello', version: 1, epoch: 'e', tables: names.map((name) => ({ name, rows: 5, source: live, columns: [] })) });

test('requests each table in turn, one row at a time', () => {
  const { said, timers, told, glance } = watch();
  glance.start();
  assert.equal(said.pop().type, 'hello');
  glance.receive(hello('a', 'b'));
  assert.deepEqual(told.splice(0), [['a', { rows: 5, source: live }], ['b', { rows: 5, source: live }]]);
  for (const [at, name] of ['a', 'b', 'a'].entries()) {
    const open = said.pop();
    assert.deepEqual([open.type, open.table, open.viewport.count, open.viewport.ahead, open.viewport.behind], ['open', name, 1, 0, 0]);
    glance.receive({ type: 'window', seq: at + 1, request: open.request, rows: at });
    assert.deepEqual(said.pop(), { type: 'ack', seq: at + 1 });
    assert.deepEqual(told.pop(), [name, { rows: at }]);
    const [wait, next] = timers.pop();
    assert.equal(wait, 1_000);
    next();
  }
});

test('acknowledges a stale answer and ignores it', () => {
  const { said, timers, told, glance } = watch();
  glance.receive(hello('a'));
  const { request } = said.pop();
  told.length = 0;
  glance.receive({ type: 'patch', seq: 9, request: request - 1, rows: 7 });
  assert.deepEqual([said.pop(), told.length, timers.length], [{ type: 'ack', seq: 9 }, 0, 0]);
  glance.receive({ type: 'window', seq: 10, request, rows: 7 });
  glance.receive({ type: 'patch', seq: 11, request, rows: 8 });
  assert.deepEqual([told.length, timers.length], [1, 1], 'one look, one answer');
});

test('requests at most five tables per second', () => {
  const { said, timers, glance } = watch();
  glance.receive(hello(...Array.from({ length: 50 }, (_, at) => `t${at}`)));
  glance.receive({ type: 'window', seq: 1, request: said.pop().request, rows: 1 });
  assert.equal(timers.pop()[0], 200);
});

test('waits for a first table and resumes when the list changes', () => {
  const { said, told, glance } = watch();
  glance.receive(hello());
  assert.equal(said.length, 0);
  glance.receive({ ...hello('a'), type: 'tables' });
  assert.equal(said.pop().table, 'a');
  glance.receive({ ...hello('a', 'b'), type: 'tables' });
  assert.equal(said.length, 0, 'what is on its way is waited for');
  glance.receive({ type: 'status', table: 'a', source: { state: 'failed' } });
  assert.deepEqual(told.pop(), ['a', { source: { state: 'failed' } }]);
});
