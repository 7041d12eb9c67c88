import test from 'node:test';
import assert from 'node:assert/strict';
import { Session } from '../../web/model/session.js';
import { emptyView } from '../../web/model/query.js';
import { fixtures } from './fixtures.mjs';
import { golden, patches, shown, sight, window } from './sessions.mjs';

test('open, window, ack: hello was said by the worker', () => {
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

test('a table is opened when it appears', () => {
  const said = [];
  const session = new Session((message) => said.push(message));
  session.view = { ...emptyView(), table: 'jobs' };
  session.connected();
  session.receive(golden.hello, sight);
  assert.equal(said.length, 0, 'there is no such table yet');
  session.receive(golden.tables, sight);
  assert.equal(said[0].table, 'jobs');
});

test('each patch is acknowledged when it is painted', () => {
  const { session, said } = shown();
  for (const patch of patches) {
    assert.equal(session.receive(structuredClone(patch), sight).kind, 'patch');
    session.painted();
  }
  assert.deepEqual(said, [{ type: 'ack', seq: 2 }, { type: 'ack', seq: 3 }]);
  assert.equal(session.stats.patches, 2);
});

test('a patch that does not fit is not applied, counted, and the window asked for anew', () => {
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

test('a window that is wrong twice ends the connection instead of going round', () => {
  const { session } = shown();
  const wrong = { ...structuredClone(window), seq: 2, digest: 1 };
  assert.equal(session.receive(wrong, sight).kind, 'resync');
  assert.equal(session.receive({ ...wrong, seq: 3 }, sight).kind, 'broken');
});

test('after a query, patches of the old one still apply, and viewports wait for the answer', () => {
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

test('what is still on its way for a table that was left is acknowledged and dropped', () => {
  const { session, said } = shown();
  session.receive(structuredClone(golden.tables), sight);
  session.show({ ...emptyView(), table: 'jobs' }, sight);
  assert.equal(said[0].type, 'open');
  assert.equal(session.receive(structuredClone(patches[0]), sight).kind, 'nothing');
  assert.deepEqual(said[1], { type: 'ack', seq: 2 });
  assert.equal(session.stats.resyncs, 0);
  assert.ok(session.receive({ ...structuredClone(window), seq: 3, request: 2 }, sight).isAnswer);
});

test('rows of a table that was left never stand under the name of one that is not there yet', () => {
  const { session, said } = shown();
  session.show({ ...emptyView(), table: 'nowhere' }, sight);
  assert.equal(said.length, 0, 'nobody could answer');
  assert.equal(session.receive(structuredClone(patches[0]), sight).kind, 'nothing');
  assert.deepEqual(said, [{ type: 'ack', seq: 2 }]);
  assert.equal(session.copy.seq, 0);
  assert.equal(session.stats.resyncs, 0);
});

test('after a lost connection the page says what it holds, and where the reader is', () => {
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

test('so it does when a server that has started anew hears of the table only after it was greeted', () => {
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

test('a query wished for without a connection is asked after it, from the top', () => {
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

test('a section is collapsed by its number, and by its values after a lost connection', () => {
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

test('columns that the table does not have are not asked for', () => {
  const said = [];
  const session = new Session((message) => said.push(message));
  session.view = { table: 'processes', sort: [{ column: 'nope', descending: false }], search: '', filters: [{ column: 'nope', op: 'isEmpty' }], group: ['nope'], aggregates: [], collapsed: [], columns: [] };
  session.connected();
  session.receive(golden.hello, sight);
  assert.deepEqual(said[0].query, {});
});

test('a pause is said once, and what waits is kept until it ends', () => {
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

test('another query ends a pause on both sides, and so does a section that is collapsed', () => {
  const { session, said } = shown();
  session.setPaused(true, sight);
  session.show({ ...session.view, search: 'x' }, sight);
  assert.equal(session.isPaused, false);
  assert.deepEqual(said.map(({ type }) => type), ['pause', 'query']);
  session.setPaused(true, sight);
  assert.equal(session.isPaused, false, 'there is nothing to keep yet');
});

test('a connection that is lost during a pause leaves the rows as they are until it ends', () => {
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

test('a connection that is resumed goes on with a patch, and is asked what it wants like any other', () => {
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

test('what the worker has asked for already is not asked for again, and its window is the answer', () => {
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

test('whoever wants something else asks for it, and the answer to the worker is passed over', () => {
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

test('what a connection before this one was offered means nothing', () => {
  const { session, said } = shown();
  session.lost();
  session.receive(structuredClone(golden.hello), sight);
  assert.equal(said.filter(({ type }) => type === 'open').length, 1);
});

test('stats are asked for on every connection as long as somebody looks', () => {
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

test('stats are asked for once, however many look, until nobody does', () => {
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

test('what became of loads is kept until another table is opened', () => {
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

test('sources that have no table are known from hello on, and as they are told', () => {
  const session = new Session(() => {});
  session.connected();
  session.receive(structuredClone(golden['hello with sources']), sight);
  assert.deepEqual(session.sources.map(({ name }) => name), ['jobs']);
  assert.deepEqual(session.receive(structuredClone(golden['sources without a table']), sight), { kind: 'sources' });
  assert.deepEqual(session.sources.map(({ name, source }) => [name, source.state]), [['jobs', 'backingOff'], ['late', 'starting']]);
  // Another connection, on which nothing is said of them: there are none.
  session.lost();
  session.connected();
  session.receive(structuredClone(golden.hello), sight);
  assert.deepEqual(session.sources, []);
});

test('what a search means beyond texts is asked when it is known, once', () => {
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
  assert.deepEqual(session.narrowed({ search: 'x', filters: [] }), { search: 'x', filter: undefined });
});
