import test from 'node:test';
import assert from 'node:assert/strict';
import { Session } from '../../web/model/session.js';
import { emptyView } from '../../web/model/query.js';
import { fixtures } from './fixtures.mjs';
import { golden, patches, shown, sight, window } from './sessions.mjs';

test('sends open after hello, and ack after painting', () => {
  const said = [];
  const session = new Session((message) => said.push(message));
  session.connected();
  assert.deepEqual(said, []);
  session.receive(golden.hello, sight);
  assert.equal(said[0].type, 'open');
  assert.equal(said[0].table, 'processes');
  const event = session.receive(window, sight);
  assert.equal(event.kind, 'window');
  assert.ok(event.isAnswer);
  assert.equal(said.length, 1, 'what is not painted is not acknowledged');
  session.painted();
  session.painted();
  assert.deepEqual(said.slice(1), [{ type: 'ack', seq: 1 }]);
});

test('opens a table when it appears', () => {
  const said = [];
  const session = new Session((message) => said.push(message));
  session.view = { ...emptyView(), table: 'jobs' };
  session.connected();
  session.receive(golden.hello, sight);
  assert.equal(said.length, 0, 'there is no such table yet');
  session.receive(golden.tables, sight);
  assert.equal(said[0].table, 'jobs');
});

test('acknowledges each patch when it is painted', () => {
  const { session, said } = shown();
  for (const patch of patches) {
    assert.equal(session.receive(structuredClone(patch), sight).kind, 'patch');
    session.painted();
  }
  assert.deepEqual(said, [{ type: 'ack', seq: 2 }, { type: 'ack', seq: 3 }]);
  assert.equal(session.stats.patches, 2);
});

test('a mismatched patch is dropped, counted and followed by resync', () => {
  const { session, said } = shown();
  const event = session.receive({ ...structuredClone(patches[0]), digest: 1 }, sight);
  session.painted();
  assert.deepEqual(event, { kind: 'resync', reason: 'digest' });
  assert.deepEqual(said, [{ type: 'resync', seq: 2, reason: 'digest' }]);
  assert.equal(session.stats.resyncs, 1);
  assert.equal(session.copy.seq, 1);
  const again = session.receive({ ...structuredClone(window), seq: 3 }, sight);
  assert.equal(again.isAnswer, false, 'the reader stays where he is');
});

test('a second bad window ends the connection', () => {
  const { session } = shown();
  const wrong = { ...structuredClone(window), seq: 2, digest: 1 };
  assert.equal(session.receive(wrong, sight).kind, 'resync');
  assert.equal(session.receive({ ...wrong, seq: 3 }, sight).kind, 'broken');
});

test('during a query, old patches apply and viewports wait', () => {
  const { session, said } = shown();
  session.show({ ...session.view, search: 'x' }, sight);
  assert.equal(said[0].type, 'query');
  assert.equal(said[0].viewport.first, 0);
  assert.equal(session.receive(structuredClone(patches[0]), sight).kind, 'patch');
  session.painted();
  session.look(sight(2));
  assert.deepEqual(said.slice(1), [{ type: 'ack', seq: 2 }]);
  assert.ok(session.receive({ ...structuredClone(window), seq: 3, request: 2 }, sight).isAnswer);
  session.look(sight(3));
  assert.equal(said.at(-1).type, 'viewport');
});

test('acknowledges and drops messages of the previous table', () => {
  const { session, said } = shown();
  session.receive(structuredClone(golden.tables), sight);
  session.show({ ...emptyView(), table: 'jobs' }, sight);
  assert.equal(said[0].type, 'open');
  assert.equal(session.receive(structuredClone(patches[0]), sight).kind, 'nothing');
  assert.deepEqual(said[1], { type: 'ack', seq: 2 });
  assert.equal(session.stats.resyncs, 0);
  assert.ok(session.receive({ ...structuredClone(window), seq: 3, request: 2 }, sight).isAnswer);
});

test('drops rows of the previous table while the next is missing', () => {
  const { session, said } = shown();
  session.show({ ...emptyView(), table: 'nowhere' }, sight);
  assert.equal(said.length, 0, 'nobody could answer');
  assert.equal(session.receive(structuredClone(patches[0]), sight).kind, 'nothing');
  assert.deepEqual(said, [{ type: 'ack', seq: 2 }]);
  assert.equal(session.copy.seq, 0);
  assert.equal(session.stats.resyncs, 0);
});

test('a new connection sends the window’s seq and the viewport', () => {
  const { session, said } = shown();
  session.lost();
  assert.equal(session.copy.items.length, 3, 'the rows stay');
  session.connected();
  session.receive({ ...golden.hello, epoch: 'another' }, sight);
  const open = said.at(-1);
  assert.deepEqual(open.resume, { epoch: window.epoch, seq: 1, session: golden.hello.session });
  assert.equal(open.viewport.first, 5);
  const event = session.receive({ ...structuredClone(window), epoch: 'another', request: open.request }, sight);
  assert.ok(event.isAnswer && event.isReopening && !event.isSameEpoch);
});

test('resumes when a restarted server lists the table late', () => {
  const { session, said } = shown();
  session.lost();
  session.connected();
  session.receive({ ...golden.hello, epoch: 'another', tables: [] }, sight);
  assert.deepEqual(said, []);
  session.receive({ type: 'tables', tables: golden.hello.tables }, sight);
  const open = said.at(-1);
  assert.equal(open.viewport.first, 5);
  assert.equal(open.resume.epoch, window.epoch);
  assert.ok(session.receive({ ...structuredClone(window), epoch: 'another', request: open.request }, sight).isReopening);
});

test('a query made while offline is sent later, from the top', () => {
  const { session, said } = shown();
  session.lost();
  session.show({ ...session.view, search: 'x' }, sight);
  assert.equal(said.length, 0);
  session.connected();
  session.receive(golden.hello, sight);
  const open = said.at(-1);
  assert.equal(open.query.search, 'x');
  assert.equal(open.viewport.first, 0);
  assert.equal(open.resume, undefined);
});

test('collapses by section number, and by values when reopening', () => {
  const { session, said } = shown();
  const [{ window: nested }] = fixtures('sequence-nested-sections');
  session.view = { ...session.view, group: ['user'] };
  session.receive({ ...structuredClone(nested), seq: 9 }, sight);
  said.length = 0;
  const [outer, inner] = session.copy.items;
  assert.ok(session.collapse(inner));
  assert.ok(session.collapse(outer));
  assert.deepEqual(said, [{ type: 'collapse', section: 2, collapsed: true }, { type: 'collapse', section: 1, collapsed: true }]);
  assert.deepEqual(session.view.collapsed, [['root', 'R'], ['root']]);
  session.connected();
  session.receive(structuredClone(golden.hello), sight);
  assert.deepEqual(said.at(-1).query.collapsed, [['root', 'R'], ['root']]);
  assert.ok(!session.collapse(inner), 'between a query and its window a number means nothing');
});

test('columns that the table lacks are not sent', () => {
  const said = [];
  const session = new Session((message) => said.push(message));
  session.view = { table: 'processes', sort: [{ column: 'nope', descending: false }], search: '', where: '', filters: [{ column: 'nope', op: 'isEmpty' }], group: ['nope'], aggregates: [], collapsed: [], columns: [] };
  session.connected();
  session.receive(golden.hello, sight);
  assert.deepEqual(said[0].query, {});
});

test('sends a pause once and keeps the waiting count until it ends', () => {
  const { session, said } = shown();
  session.setPaused(true, sight);
  session.setPaused(true, sight);
  assert.deepEqual(said, [{ type: 'pause', paused: true }]);
  assert.equal(session.receive(structuredClone(golden.waiting), sight).kind, 'waiting');
  assert.equal(session.waiting.changed, 12);
  session.setPaused(false, sight);
  assert.deepEqual(said.slice(1), [{ type: 'pause', paused: false }]);
  assert.equal(session.waiting, null);
  session.receive(structuredClone(golden.waiting), sight);
  assert.equal(session.waiting, null, 'a count that comes too late says nothing');
});

test('another query ends a pause, and no pause starts during it', () => {
  const { session, said } = shown();
  session.setPaused(true, sight);
  session.show({ ...session.view, search: 'x' }, sight);
  assert.equal(session.isPaused, false);
  assert.deepEqual(said.map(({ type }) => type), ['pause', 'query']);
  session.setPaused(true, sight);
  assert.equal(session.isPaused, false, 'there is nothing to keep yet');
});

test('a connection lost during a pause resumes when it ends', () => {
  const { session, said } = shown();
  session.setPaused(true, sight);
  session.lost();
  session.connected();
  session.receive(golden.hello, sight);
  assert.deepEqual(said.map(({ type }) => type), ['pause']);
  assert.ok(session.isPaused);
  session.setPaused(false, sight);
  assert.equal(said.at(-1).type, 'open');
  assert.equal(said.at(-1).resume.seq, 1);
});

test('a resumed connection continues with a patch', () => {
  const { session, said } = shown();
  session.lost();
  session.connected();
  const anchored = (seq, isTop) => ({ ...sight(seq, isTop), first: 0, anchor: session.copy.items[1]?.id ?? null });
  session.receive({ ...golden.hello, session: 'the second' }, anchored);
  const { resume, request } = said.at(-1);
  assert.deepEqual(resume, { epoch: window.epoch, seq: 1, session: golden.hello.session, anchorOffset: 1 });
  assert.ok(session.isAsking);
  assert.equal(session.receive({ ...structuredClone(patches[0]), request }, anchored).kind, 'patch');
  assert.equal(session.isAsking, false);
  session.painted();
  assert.deepEqual(said.at(-1), { type: 'ack', seq: 2 });
  session.lost();
  session.connected();
  session.receive({ ...golden.hello, session: 'the third' }, anchored);
  assert.equal(said.at(-1).resume.session, 'the second');
  assert.equal(said.at(-1).resume.seq, 2);
});

test('uses the table that the worker has opened', () => {
  const said = [];
  const session = new Session((message) => said.push(structuredClone(message)));
  session.connected();
  session.receive(structuredClone(golden.hello), sight, { table: 'processes', request: 1 });
  assert.deepEqual(said, []);
  assert.ok(session.isOpen && session.isAsking);
  const event = session.receive(structuredClone(window), sight);
  assert.equal(event.kind, 'window');
  assert.ok(event.isAnswer && !event.isReopening);
  session.painted();
  assert.deepEqual(said, [{ type: 'ack', seq: 1 }]);
  session.show({ ...session.view, search: 'x' }, sight);
  assert.equal(said.at(-1).request, 2);
});

test('replaces the worker’s table if another view is wanted', () => {
  for (const wish of [{ table: 'jobs' }, { table: 'processes', search: 'x' }, { table: 'processes', sort: [{ column: 'cpu', descending: true }] }]) {
    const said = [];
    const session = new Session((message) => said.push(structuredClone(message)));
    session.view = { ...emptyView(), ...wish };
    session.connected();
    session.receive(structuredClone(golden.hello), sight, { table: wish.table === 'jobs' ? 'processes' : wish.table, request: 1 });
    if (wish.table === 'jobs') {
      session.receive(structuredClone(golden.tables), sight);
    }
    const open = said.find(({ type }) => type === 'open');
    assert.equal(open.table, wish.table);
    if (wish.table !== 'jobs') assert.equal(open.request, 2);
    said.length = 0;
    if (open.request === 2) {
      assert.equal(session.receive(structuredClone({ ...window, request: 1 }), sight).kind, 'nothing');
      assert.deepEqual(said, [{ type: 'ack', seq: 1 }], 'or the server would wait for ever');
    }
  }
});

test('uses the view that the worker has asked for, unless the page leaves a part of it out', () => {
  const sort = [{ column: 'cpu', descending: true }];
  for (const [filter, isUsed] of [
    [undefined, true], [{ column: 'user', op: 'oneOf', values: ['root'] }, true], [{ any: [{ column: 'user', op: 'oneOf', values: ['root'] }] }, false],
  ]) {
    const said = [];
    const session = new Session((message) => said.push(structuredClone(message)));
    session.connected();
    const hello = structuredClone(golden.hello);
    hello.tables[0].view = { sort, filter };
    session.receive(hello, sight, { table: 'processes', request: 1 });
    assert.deepEqual(session.view.sort, sort);
    assert.equal(said.length, isUsed ? 0 : 1, JSON.stringify(filter));
    if (!isUsed) assert.deepEqual([said[0].request, said[0].query.filter, said[0].query.sort], [2, undefined, sort]);
  }
});

test('ignores the table that an earlier worker opened', () => {
  const { session, said } = shown();
  session.lost();
  session.receive(structuredClone(golden.hello), sight);
  assert.equal(said.filter(({ type }) => type === 'open').length, 1);
});

test('subscribes to statistics on every connection', () => {
  const { session, said } = shown();
  session.wantStats(true, 'panel');
  assert.deepEqual(said, [{ type: 'stats', wanted: true }]);
  session.lost();
  said.length = 0;
  session.receive(structuredClone(golden.hello), sight);
  assert.deepEqual(said.map(({ type }) => type), ['open', 'stats']);
  session.lost();
  session.wantStats(false, 'panel');
  said.length = 0;
  session.receive(structuredClone(golden.hello), sight);
  assert.deepEqual(said.map(({ type }) => type), ['open']);
});

test('subscribes to statistics once for several subscribers', () => {
  const { session, said } = shown();
  session.wantStats(false, 'foot');
  session.wantStats(true, 'panel');
  session.wantStats(true, 'foot');
  session.wantStats(true, 'foot');
  session.wantStats(false, 'panel');
  assert.deepEqual(said, [{ type: 'stats', wanted: true }]);
  session.wantStats(false, 'foot');
  assert.deepEqual(said.at(-1), { type: 'stats', wanted: false });
});

test('keeps prefetch statistics until another table is opened', () => {
  const { session } = shown();
  const prefetch = { hits: 3, late: 1 };
  assert.equal(session.prefetch, null);
  session.receive({ type: 'stats', prefetch, headers: {}, sources: [], delay: null }, sight);
  assert.equal(session.prefetch, prefetch);
  session.show({ ...session.view, search: 'x' }, sight);
  assert.equal(session.prefetch, prefetch, 'it is told of the table, not of the query');
  session.lost();
  session.receive(structuredClone(golden.hello), sight);
  assert.equal(session.prefetch, null);
});

test('lists sources without tables from hello and sources', () => {
  const session = new Session(() => {});
  session.connected();
  session.receive(structuredClone(golden['hello with sources']), sight);
  assert.deepEqual(session.sources.map(({ name }) => name), ['jobs']);
  assert.deepEqual(session.receive(structuredClone(golden['sources without a table']), sight), { kind: 'sources' });
  assert.deepEqual(session.sources.map(({ name, source }) => [name, source.state]), [['jobs', 'backingOff'], ['late', 'starting']]);
  // The next connection lists no sources, so there are none.
  session.lost();
  session.connected();
  session.receive(structuredClone(golden.hello), sight);
  assert.deepEqual(session.sources, []);
});

test('sends a refined search once, when search.js is loaded', () => {
  const { session, said } = shown();
  session.show({ ...session.view, search: '12' }, sight);
  assert.equal(said.at(-1).query.search, '12');
  const filter = { any: [{ column: 'pid', op: 'range', from: 12, through: 12 }] };
  session.searching = () => ({ filter: () => filter });
  session.refine(sight);
  assert.deepEqual([said.at(-1).query.search, said.at(-1).query.filter], [undefined, filter]);
  const count = said.length;
  session.refine(sight);
  session.show({ ...session.view, search: '' }, sight);
  session.refine(sight);
  assert.equal(said.length, count + 1);
  session.searching = () => null;
  assert.deepEqual(session.narrowed({ search: 'x', where: '', filters: [] }), { search: 'x', filter: undefined });
});
