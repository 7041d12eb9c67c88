import assert from 'node:assert/strict';
import test from 'node:test';

import { emptyView } from '../../web/model/query.js';
import { checkMessage } from '../../web/protocol/wire.js';
import { golden, patches, shown, viewportAt, window } from './sessions.mjs';

const [processes] = golden.hello.tables;
const columns = [{ ...processes.columns[0], name: 'another' }];

/** Returns a session that shows the first window of a sorted table. */
const sorted = () => shown({ ...emptyView(), table: 'processes', sort: [{ column: processes.columns[0].name, descending: true }] });

const tables = (...list) => ({ type: 'tables', tables: list });

test('a new generation drops the window and opens the table again', () => {
  const { session, sent } = sorted();
  const event = session.receive(tables({ ...processes, columns, generation: 1 }), viewportAt);
  assert.deepEqual(event, { kind: 'tables', isOther: true, isRecalled: false });
  assert.equal(session.copy.seq, 0);
  assert.deepEqual(sent.map(({ type }) => type), ['open']);
  assert.deepEqual([sent[0].table, sent[0].resume, sent[0].query.sort], ['processes', undefined, undefined]);
  assert.equal(sent[0].viewport.first, 0, 'at its top');
  session.receive(structuredClone(patches[0]), viewportAt);
  assert.equal(session.copy.seq, 0, 'what was on its way is not applied');
  assert.ok(session.receive({ ...structuredClone(window), seq: 2, request: sent[0].request }, viewportAt).isAnswer);
});

test('the same generation keeps the window', () => {
  const { session, sent } = sorted();
  assert.equal(session.receive(tables({ ...processes, rows: 7, title: 'Other words' }), viewportAt).isOther, false);
  assert.equal(session.receive(tables({ ...processes, generation: 0 }), viewportAt).isOther, false);
  assert.deepEqual(sent, []);
  assert.equal(session.copy.seq, 1);
});

test('a generation that changed while offline is not resumed', () => {
  const { session, sent } = sorted();
  session.lost();
  session.connected();
  const event = session.receive({ ...structuredClone(golden.hello), tables: [{ ...processes, columns, generation: 2 }] }, viewportAt);
  assert.equal(event.isOther, true);
  assert.deepEqual([sent[0].type, sent[0].resume], ['open', undefined]);
});

test('generations of a restarted server are not compared', () => {
  const { session, sent } = sorted();
  session.receive(tables({ ...processes, generation: 1 }), viewportAt);
  sent.length = 0;
  session.receive({ ...structuredClone(window), seq: 2, request: 2 }, viewportAt);
  session.lost();
  session.connected();
  assert.equal(session.receive({ ...structuredClone(golden.hello), epoch: 'another' }, viewportAt).isOther, false);
  assert.ok(sent[0].resume, 'the place is kept as after any restart');
});

test('a new generation ends a pause', () => {
  const { session, sent } = sorted();
  session.setPaused(true, viewportAt);
  sent.length = 0;
  session.receive(tables({ ...processes, columns, generation: 1 }), viewportAt);
  assert.deepEqual([session.isPaused, sent.map(({ type }) => type)], [false, ['open']]);
});

test('a renamed default table is replaced by the first one', () => {
  const { session, sent } = shown(emptyView());
  const event = session.receive(tables({ ...processes, name: 'renamed', generation: 1 }), viewportAt);
  assert.deepEqual([event.isOther, event.isRecalled, session.view.table, sent[0].table], [true, true, 'renamed', 'renamed']);
});

test('a table chosen by name is waited for', () => {
  const { session, sent } = sorted();
  assert.equal(session.receive(tables({ ...processes, name: 'renamed', generation: 1 }), viewportAt).isOther, true);
  assert.deepEqual([session.view.table, session.copy.seq, sent], ['processes', 0, []]);
  session.receive(tables({ ...processes, generation: 2 }), viewportAt);
  assert.equal(sent[0].table, 'processes');
});

test('a generation is a number', () => {
  checkMessage(tables({ ...processes, generation: 3 }));
  checkMessage(tables({ ...processes, generation: null }));
  assert.throws(() => checkMessage(tables({ ...processes, generation: '3' })), /generation/);
});
