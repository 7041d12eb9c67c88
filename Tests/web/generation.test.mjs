import assert from 'node:assert/strict';
import test from 'node:test';

import { emptyView } from '../../web/model/query.js';
import { checkMessage } from '../../web/protocol/wire.js';
import { golden, patches, shown, sight, window } from './sessions.mjs';

const [processes] = golden.hello.tables;
const columns = [{ ...processes.columns[0], name: 'another' }];

/** Returns a session that shows the first window of a sorted table. */
const sorted = () => shown({ ...emptyView(), table: 'processes', sort: [{ column: processes.columns[0].name, descending: true }] });

const tables = (...list) => ({ type: 'tables', tables: list });

test('a new generation drops the window and opens the table again', () => {
  const { session, said } = sorted();
  const event = session.receive(tables({ ...processes, columns, generation: 1 }), sight);
  assert.deepEqual(event, { kind: 'tables', isOther: true, isRecalled: false });
  assert.equal(session.copy.seq, 0);
  assert.deepEqual(said.map(({ type }) => type), ['open']);
  assert.deepEqual([said[0].table, said[0].resume, said[0].query.sort], ['processes', undefined, undefined]);
  assert.equal(said[0].viewport.first, 0, 'at its top');
  session.receive(structuredClone(patches[0]), sight);
  assert.equal(session.copy.seq, 0, 'what was on its way is not applied');
  assert.ok(session.receive({ ...structuredClone(window), seq: 2, request: said[0].request }, sight).isAnswer);
});

test('the same generation keeps the window', () => {
  const { session, said } = sorted();
  assert.equal(session.receive(tables({ ...processes, rows: 7, title: 'Other words' }), sight).isOther, false);
  assert.equal(session.receive(tables({ ...processes, generation: 0 }), sight).isOther, false);
  assert.deepEqual(said, []);
  assert.equal(session.copy.seq, 1);
});

test('a generation that changed while offline is not resumed', () => {
  const { session, said } = sorted();
  session.lost();
  session.connected();
  const event = session.receive({ ...structuredClone(golden.hello), tables: [{ ...processes, columns, generation: 2 }] }, sight);
  assert.equal(event.isOther, true);
  assert.deepEqual([said[0].type, said[0].resume], ['open', undefined]);
});

test('generations of a restarted server are not compared', () => {
  const { session, said } = sorted();
  session.receive(tables({ ...processes, generation: 1 }), sight);
  said.length = 0;
  session.receive({ ...structuredClone(window), seq: 2, request: 2 }, sight);
  session.lost();
  session.connected();
  assert.equal(session.receive({ ...structuredClone(golden.hello), epoch: 'another' }, sight).isOther, false);
  assert.ok(said[0].resume, 'the place is kept as after any restart');
});

test('a new generation ends a pause', () => {
  const { session, said } = sorted();
  session.setPaused(true, sight);
  said.length = 0;
  session.receive(tables({ ...processes, columns, generation: 1 }), sight);
  assert.deepEqual([session.isPaused, said.map(({ type }) => type)], [false, ['open']]);
});

test('a renamed default table is replaced by the first one', () => {
  const { session, said } = shown(emptyView());
  const event = session.receive(tables({ ...processes, name: 'renamed', generation: 1 }), sight);
  assert.deepEqual([event.isOther, event.isRecalled, session.view.table, said[0].table], [true, true, 'renamed', 'renamed']);
});

test('a table chosen by name is waited for', () => {
  const { session, said } = sorted();
  assert.equal(session.receive(tables({ ...processes, name: 'renamed', generation: 1 }), sight).isOther, true);
  assert.deepEqual([session.view.table, session.copy.seq, said], ['processes', 0, []]);
  session.receive(tables({ ...processes, generation: 2 }), sight);
  assert.equal(said[0].table, 'processes');
});

test('a generation is a number', () => {
  checkMessage(tables({ ...processes, generation: 3 }));
  checkMessage(tables({ ...processes, generation: null }));
  assert.throws(() => checkMessage(tables({ ...processes, generation: '3' })), /generation/);
});
