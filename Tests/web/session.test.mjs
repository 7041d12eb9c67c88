import test from 'node:test';
import assert from 'node:assert/strict';
import { Session } from '../../web/model/session.js';
import { emptyView } from '../../web/model/query.js';
import { fixtures } from './fixtures.mjs';
import { golden, patches, shown, viewportAt, window } from './sessions.mjs';

test('sends open after hello, and ack after painting', () => {
  const sent = [];
  const session = new Session((message) => sent.push(message));
  session.connected();
  assert.deepEqual(sent, []);
  session.receive(golden.hello, viewportAt);
  assert.equal(sent[0].type, 'open');
  assert.equal(sent[0].table, 'processes');
  const event = session.receive(window, viewportAt);
  assert.equal(event.kind, 'window');
  assert.ok(event.isAnswer);
  assert.equal(sent.length, 1, 'what is not painted is not acknowledged');
  session.painted();
  session.painted();
  assert.deepEqual(sent.slice(1), [{ type: 'ack', seq: 1 }]);
});

test('opens a table when it appears', () => {
  const sent = [];
  const session = new Session((message) => sent.push(message));
  session.view = { ...emptyView(), table: 'jobs' };
  session.connected();
  session.receive(golden.hello, viewportAt);
  assert.equal(sent.length, 0, 'there is no such table yet');
  session.receive(golden.tables, viewportAt);
  assert.equal(sent[0].table, 'jobs');
});

test('acknowledges each patch when it is painted', () => {
  const { session, sent } = shown();
  for (const patch of patches) {
    assert.equal(session.receive(structuredClone(patch), viewportAt).kind, 'patch');
    session.painted();
  }
  assert.deepEqual(sent, [{ type: 'ack', seq: 2 }, { type: 'ack', seq: 3 }]);
  assert.equal(session.stats.patches, 2);
});

test('a mismatched patch is dropped, counted and followed by resync', () => {
  const { session, sent } = shown();
  const event = session.receive({ ...structuredClone(patches[0]), digest: 1 }, viewportAt);
  session.painted();
  assert.deepEqual(event, { kind: 'resync', reason: 'digest' });
  assert.deepEqual(sent, [{ type: 'resync', seq: 2, reason: 'digest' }]);
  assert.equal(session.stats.resyncs, 1);
  assert.equal(session.copy.seq, 1);
  const again = session.receive({ ...structuredClone(window), seq: 3 }, viewportAt);
  assert.equal(again.isAnswer, false, 'the reader stays where he is');
});

test('a second bad window ends the connection', () => {
  const { session } = shown();
  const wrong = { ...structuredClone(window), seq: 2, digest: 1 };
  assert.equal(session.receive(wrong, viewportAt).kind, 'resync');
  assert.equal(session.receive({ ...wrong, seq: 3 }, viewportAt).kind, 'broken');
});

test('during a query, old patches apply and viewports wait', () => {
  const { session, sent } = shown();
  session.show({ ...session.view, search: 'x' }, viewportAt);
  assert.equal(sent[0].type, 'query');
  assert.equal(sent[0].viewport.first, 0);
  assert.equal(session.receive(structuredClone(patches[0]), viewportAt).kind, 'patch');
  session.painted();
  session.look(viewportAt(2));
  assert.deepEqual(sent.slice(1), [{ type: 'ack', seq: 2 }]);
  assert.ok(session.receive({ ...structuredClone(window), seq: 3, request: 2 }, viewportAt).isAnswer);
  session.look(viewportAt(3));
  assert.equal(sent.at(-1).type, 'viewport');
});

test('acknowledges and drops messages of the previous table', () => {
  const { session, sent } = shown();
  session.receive(structuredClone(golden.tables), viewportAt);
  session.show({ ...emptyView(), table: 'jobs' }, viewportAt);
  assert.equal(sent[0].type, 'open');
  assert.equal(session.receive(structuredClone(patches[0]), viewportAt).kind, 'nothing');
  assert.deepEqual(sent[1], { type: 'ack', seq: 2 });
  assert.equal(session.stats.resyncs, 0);
  assert.ok(session.receive({ ...structuredClone(window), seq: 3, request: 2 }, viewportAt).isAnswer);
});

test('drops rows of the previous table while the next is missing', () => {
  const { session, sent } = shown();
  session.show({ ...emptyView(), table: 'nowhere' }, viewportAt);
  assert.equal(sent.length, 0, 'nobody could answer');
  assert.equal(session.receive(structuredClone(patches[0]), viewportAt).kind, 'nothing');
  assert.deepEqual(sent, [{ type: 'ack', seq: 2 }]);
  assert.equal(session.copy.seq, 0);
  assert.equal(session.stats.resyncs, 0);
});

test('a new connection sends the window’s seq and the viewport', () => {
  const { session, sent } = shown();
  session.lost();
  assert.equal(session.copy.items.length, 3, 'the rows stay');
  session.connected();
  session.receive({ ...golden.hello, epoch: 'another' }, viewportAt);
  const open = sent.at(-1);
  assert.deepEqual(open.resume, { epoch: window.epoch, seq: 1, session: golden.hello.session });
  assert.equal(open.viewport.first, 5);
  const event = session.receive({ ...structuredClone(window), epoch: 'another', request: open.request }, viewportAt);
  assert.ok(event.isAnswer && event.isReopening && !event.isSameEpoch);
});

test('resumes when a restarted server lists the table late', () => {
  const { session, sent } = shown();
  session.lost();
  session.connected();
  session.receive({ ...golden.hello, epoch: 'another', tables: [] }, viewportAt);
  assert.deepEqual(sent, []);
  session.receive({ type: 'tables', tables: golden.hello.tables }, viewportAt);
  const open = sent.at(-1);
  assert.equal(open.viewport.first, 5);
  assert.equal(open.resume.epoch, window.epoch);
  assert.ok(session.receive({ ...structuredClone(window), epoch: 'another', request: open.request }, viewportAt).isReopening);
});

test('a query made while offline is sent later, from the top', () => {
  const { session, sent } = shown();
  session.lost();
  session.show({ ...session.view, search: 'x' }, viewportAt);
  assert.equal(sent.length, 0);
  session.connected();
  session.receive(golden.hello, viewportAt);
  const open = sent.at(-1);
  assert.equal(open.query.search, 'x');
  assert.equal(open.viewport.first, 0);
  assert.equal(open.resume, undefined);
});

test('collapses by section number, and by values when reopening', () => {
  const { session, sent } = shown();
  const [{ window: nested }] = fixtures('sequence-nested-sections');
  session.view = { ...session.view, group: ['user'] };
  session.receive({ ...structuredClone(nested), seq: 9 }, viewportAt);
  sent.length = 0;
  const [outer, inner] = session.copy.items;
  assert.ok(session.collapse(inner));
  assert.ok(session.collapse(outer));
  assert.deepEqual(sent, [{ type: 'collapse', section: 2, collapsed: true }, { type: 'collapse', section: 1, collapsed: true }]);
  assert.deepEqual(session.view.collapsed, [['root', 'R'], ['root']]);
  session.connected();
  session.receive(structuredClone(golden.hello), viewportAt);
  assert.deepEqual(sent.at(-1).query.collapsed, [['root', 'R'], ['root']]);
  assert.ok(!session.collapse(inner), 'between a query and its window a number means nothing');
});

test('columns that the table lacks are not sent', () => {
  const sent = [];
  const session = new Session((message) => sent.push(message));
  session.view = { table: 'processes', sort: [{ column: 'nope', descending: false }], search: '', where: '', filters: [{ column: 'nope', op: 'isEmpty' }], group: ['nope'], aggregates: [], collapsed: [], columns: [] };
  session.connected();
  session.receive(golden.hello, viewportAt);
  assert.deepEqual(sent[0].query, {});
});

test('sends a pause once and keeps the waiting count until it ends', () => {
  const { session, sent } = shown();
  session.setPaused(true, viewportAt);
  session.setPaused(true, viewportAt);
  assert.deepEqual(sent, [{ type: 'pause', paused: true }]);
  assert.equal(session.receive(structuredClone(golden.waiting), viewportAt).kind, 'waiting');
  assert.equal(session.waiting.changed, 12);
  session.setPaused(false, viewportAt);
  assert.deepEqual(sent.slice(1), [{ type: 'pause', paused: false }]);
  assert.equal(session.waiting, null);
  session.receive(structuredClone(golden.waiting), viewportAt);
  assert.equal(session.waiting, null, 'a count that comes too late says nothing');
});

test('another query ends a pause, and no pause starts during it', () => {
  const { session, sent } = shown();
  session.setPaused(true, viewportAt);
  session.show({ ...session.view, search: 'x' }, viewportAt);
  assert.equal(session.isPaused, false);
  assert.deepEqual(sent.map(({ type }) => type), ['pause', 'query']);
  session.setPaused(true, viewportAt);
  assert.equal(session.isPaused, false, 'there is nothing to keep yet');
});

test('a connection lost during a pause resumes when it ends', () => {
  const { session, sent } = shown();
  session.setPaused(true, viewportAt);
  session.lost();
  session.connected();
  session.receive(golden.hello, viewportAt);
  assert.deepEqual(sent.map(({ type }) => type), ['pause']);
  assert.ok(session.isPaused);
  session.setPaused(false, viewportAt);
  assert.equal(sent.at(-1).type, 'open');
  assert.equal(sent.at(-1).resume.seq, 1);
});

test('a resumed connection continues with a patch', () => {
  const { session, sent } = shown();
  session.lost();
  session.connected();
  const anchored = (seq, isTop) => ({ ...viewportAt(seq, isTop), first: 0, anchor: session.copy.items[1]?.id ?? null });
  session.receive({ ...golden.hello, session: 'the second' }, anchored);
  const { resume, request } = sent.at(-1);
  const { window: held, ...rest } = resume;
  assert.deepEqual(rest, { epoch: window.epoch, seq: 1, session: golden.hello.session, anchorOffset: 1 });
  // Another node needs the rows to continue with a patch.
  const rows = session.copy.items.flatMap(({ id, rev }) => [id, rev]);
  assert.deepEqual(held, { generation: 0, start: window.start, total: window.total, rows });
  assert.ok(session.isPending);
  assert.equal(session.receive({ ...structuredClone(patches[0]), request }, anchored).kind, 'patch');
  assert.equal(session.isPending, false);
  session.painted();
  assert.deepEqual(sent.at(-1), { type: 'ack', seq: 2 });
  session.lost();
  session.connected();
  session.receive({ ...golden.hello, session: 'the third' }, anchored);
  assert.equal(sent.at(-1).resume.session, 'the second');
  assert.equal(sent.at(-1).resume.seq, 2);
});

test('uses the table that the worker has opened', () => {
  const sent = [];
  const session = new Session((message) => sent.push(structuredClone(message)));
  session.connected();
  session.receive(structuredClone(golden.hello), viewportAt, { table: 'processes', request: 1 });
  assert.deepEqual(sent, []);
  assert.ok(session.isOpen && session.isPending);
  const event = session.receive(structuredClone(window), viewportAt);
  assert.equal(event.kind, 'window');
  assert.ok(event.isAnswer && !event.isReopening);
  session.painted();
  assert.deepEqual(sent, [{ type: 'ack', seq: 1 }]);
  session.show({ ...session.view, search: 'x' }, viewportAt);
  assert.equal(sent.at(-1).request, 2);
});

test('replaces the worker’s table if another view is wanted', () => {
  for (const change of [{ table: 'jobs' }, { table: 'processes', search: 'x' }, { table: 'processes', sort: [{ column: 'cpu', descending: true }] }]) {
    const sent = [];
    const session = new Session((message) => sent.push(structuredClone(message)));
    session.view = { ...emptyView(), ...change };
    session.connected();
    session.receive(structuredClone(golden.hello), viewportAt, { table: change.table === 'jobs' ? 'processes' : change.table, request: 1 });
    if (change.table === 'jobs') {
      session.receive(structuredClone(golden.tables), viewportAt);
    }
    const open = sent.find(({ type }) => type === 'open');
    assert.equal(open.table, change.table);
    if (change.table !== 'jobs') assert.equal(open.request, 2);
    sent.length = 0;
    if (open.request === 2) {
      assert.equal(session.receive(structuredClone({ ...window, request: 1 }), viewportAt).kind, 'nothing');
      assert.deepEqual(sent, [{ type: 'ack', seq: 1 }], 'or the server would wait for ever');
    }
  }
});

test('uses the view that the worker has asked for, unless the page leaves a part of it out', () => {
  const sort = [{ column: 'cpu', descending: true }];
  for (const [filter, isUsed] of [
    [undefined, true], [{ column: 'user', op: 'oneOf', values: ['root'] }, true], [{ any: [{ column: 'user', op: 'oneOf', values: ['root'] }] }, false],
  ]) {
    const sent = [];
    const session = new Session((message) => sent.push(structuredClone(message)));
    session.connected();
    const hello = structuredClone(golden.hello);
    hello.tables[0].view = { sort, filter };
    session.receive(hello, viewportAt, { table: 'processes', request: 1 });
    assert.deepEqual(session.view.sort, sort);
    assert.equal(sent.length, isUsed ? 0 : 1, JSON.stringify(filter));
    if (!isUsed) assert.deepEqual([sent[0].request, sent[0].query.filter, sent[0].query.sort], [2, undefined, sort]);
  }
});

test('ignores the table that an earlier worker opened', () => {
  const { session, sent } = shown();
  session.lost();
  session.receive(structuredClone(golden.hello), viewportAt);
  assert.equal(sent.filter(({ type }) => type === 'open').length, 1);
});

test('subscribes to statistics on every connection', () => {
  const { session, sent } = shown();
  session.wantStats(true, 'panel');
  assert.deepEqual(sent, [{ type: 'stats', wanted: true }]);
  session.lost();
  sent.length = 0;
  session.receive(structuredClone(golden.hello), viewportAt);
  assert.deepEqual(sent.map(({ type }) => type), ['open', 'stats']);
  session.lost();
  session.wantStats(false, 'panel');
  sent.length = 0;
  session.receive(structuredClone(golden.hello), viewportAt);
  assert.deepEqual(sent.map(({ type }) => type), ['open']);
});

test('subscribes to statistics once for several subscribers', () => {
  const { session, sent } = shown();
  session.wantStats(false, 'foot');
  session.wantStats(true, 'panel');
  session.wantStats(true, 'foot');
  session.wantStats(true, 'foot');
  session.wantStats(false, 'panel');
  assert.deepEqual(sent, [{ type: 'stats', wanted: true }]);
  session.wantStats(false, 'foot');
  assert.deepEqual(sent.at(-1), { type: 'stats', wanted: false });
});

test('keeps prefetch statistics until another table is opened', () => {
  const { session } = shown();
  const prefetch = { hits: 3, late: 1 };
  assert.equal(session.prefetch, null);
  session.receive({ type: 'stats', prefetch, headers: {}, sources: [], delay: null }, viewportAt);
  assert.equal(session.prefetch, prefetch);
  session.show({ ...session.view, search: 'x' }, viewportAt);
  assert.equal(session.prefetch, prefetch, 'it is told of the table, not of the query');
  session.lost();
  session.receive(structuredClone(golden.hello), viewportAt);
  assert.equal(session.prefetch, null);
});

test('lists sources without tables from hello and sources', () => {
  const session = new Session(() => {});
  session.connected();
  session.receive(structuredClone(golden['hello with sources']), viewportAt);
  assert.deepEqual(session.sources.map(({ name }) => name), ['jobs']);
  assert.deepEqual(session.receive(structuredClone(golden['sources without a table']), viewportAt), { kind: 'sources' });
  assert.deepEqual(session.sources.map(({ name, source }) => [name, source.state]), [['jobs', 'backingOff'], ['late', 'starting']]);
  // The next connection lists no sources, so there are none.
  session.lost();
  session.connected();
  session.receive(structuredClone(golden.hello), viewportAt);
  assert.deepEqual(session.sources, []);
});

test('sends a refined search once, when search.js is loaded', () => {
  const { session, sent } = shown();
  session.show({ ...session.view, search: '12' }, viewportAt);
  assert.equal(sent.at(-1).query.search, '12');
  const filter = { any: [{ column: 'pid', op: 'range', from: 12, through: 12 }] };
  session.searching = () => ({ filter: () => filter });
  session.refine(viewportAt);
  assert.deepEqual([sent.at(-1).query.search, sent.at(-1).query.filter], [undefined, filter]);
  const count = sent.length;
  session.refine(viewportAt);
  session.show({ ...session.view, search: '' }, viewportAt);
  session.refine(viewportAt);
  assert.equal(sent.length, count + 1);
  session.searching = () => null;
  assert.deepEqual(session.narrowed({ search: 'x', where: '', filters: [] }), { search: 'x', filter: undefined });
});
