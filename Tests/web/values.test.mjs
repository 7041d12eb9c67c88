// values.js: the walk over section headers, on the simplest server that the protocol allows.

import test from 'node:test';
import assert from 'node:assert/strict';
import { digestOf } from './reference.mjs';
import { questionFor, ValueWalk } from '../../web/model/values.js';
import { emptyView } from '../../web/model/query.js';
import { shown } from './sessions.mjs';

/**
 * Runs a walk on a fake server of one grouped view. `sections` is a list of [value, count] and may
 * change between messages.
 */
function serve(sections, walkFor) {
  let seq = 0;
  let inFlight = false;
  let viewportAt = null;
  const requested = [];
  const queue = [];
  const items = () => {
    let id = 1;
    return sections.flatMap(([value, count], section) => [
      { section, rev: 1, slot: section, level: 0, parent: null, column: 'user', value, count },
      ...Array.from({ length: count }, () => ({ id: id++, rev: 1, cells: [value] })),
    ]);
  };
  const answer = () => {
    if (inFlight || viewportAt === null) return;
    const all = items();
    const start = Math.min(viewportAt.first, all.length);
    const held = all.slice(start, start + viewportAt.count);
    seq += 1;
    inFlight = true;
    viewportAt = null;
    const lead = [];
    queue.push({
      type: 'window', epoch: 'e', seq, request: 1, interval: 0, start, total: all.length, rows: sections.reduce((sum, [, count]) => sum + count, 0),
      items: held.map((item) => (item.section !== undefined ? item : [item.id, item.rev, item.cells])), lead, digest: digestOf(start, all.length, lead, held),
    });
  };
  const reported = [];
  const walk = walkFor((message) => {
    requested.push(message);
    if (message.type === 'hello') queue.push({ type: 'hello', version: 1, epoch: 'e', tables: [] });
    else if (message.type === 'ack') inFlight = false;
    else if (message.viewport !== undefined) viewportAt = message.viewport;
    else if (message.type === 'viewport') viewportAt = message;
    answer();
  }, (found) => reported.push(found));
  walk.start();
  let steps = 0;
  while (queue.length > 0 && steps < 200) {
    steps += 1;
    walk.receive(queue.shift());
    answer();
  }
  return { reported, requested, steps };
}

const walkOf = (most = 1_000, query = {}) => (send, report) => new ValueWalk({ table: 't', column: 'user', query, most }, send, report);

test('finds all values with counts, the most frequent first', () => {
  const { reported, requested } = serve([['adm', 3], ['me', 700], ['root', 41], [null, 5]], walkOf());
  assert.deepEqual(reported.at(-1), { values: [['me', 700], ['root', 41], [null, 5], ['adm', 3]], isDone: true, isAll: true });
  assert.deepEqual(reported.filter(({ isDone }) => isDone).length, 1);
  const { query } = requested.find(({ type }) => type === 'open');
  assert.deepEqual(query, { group: ['user'] });
});

test('applies the view’s search and filter', () => {
  const filter = { column: 'cpu', op: '>', value: 1 };
  const { requested } = serve([['a', 1]], walkOf(10, { search: 'x', filter }));
  assert.deepEqual(requested.find(({ type }) => type === 'open').query, { search: 'x', filter, group: ['user'] });
});

test('stops at the limit and reports whether there are more', () => {
  const sections = Array.from({ length: 50 }, (_, at) => [`v${at}`, 1_000]);
  const few = serve(sections, walkOf(10));
  assert.equal(few.reported.at(-1).values.length, 10);
  assert.equal(few.reported.at(-1).isAll, false);
  assert.ok(few.steps < 20, `${few.steps} steps`);
  assert.equal(serve(sections, walkOf(50)).reported.at(-1).isAll, true);
  assert.equal(serve(sections, walkOf(49)).reported.at(-1).isAll, false);
});

test('requests many small sections at a time', () => {
  const { reported, steps } = serve(Array.from({ length: 900 }, (_, at) => [at, 1 + (at % 3)]), walkOf());
  assert.equal(reported.at(-1).values.length, 900);
  assert.ok(reported.at(-1).isAll);
  assert.ok(steps < 20, `${steps} steps`);
});

test('an empty view has no values', () => {
  assert.deepEqual(serve([], walkOf()).reported.at(-1), { values: [], isDone: true, isAll: true });
});

test('repeats a walk if the view changes, a few times', () => {
  const sections = [['a', 100], ['b', 100], ['c', 100]];
  let viewports = 0;
  const { reported } = serve(sections, (send, report) => new ValueWalk({ table: 't', column: 'user', query: {}, most: 10 }, (message) => {
    // The first header has been read already.
    if (message.type === 'viewport' && (viewports += 1) === 1) sections[0][1] = 90;
    send(message);
  }, report));
  assert.deepEqual(reported.at(-1), { values: [['b', 100], ['c', 100], ['a', 90]], isDone: true, isAll: true });
  const restless = [['a', 100], ['b', 100]];
  const ended = serve(restless, (send, report) => new ValueWalk({ table: 't', column: 'user', query: {}, most: 10 }, (message) => {
    if (message.type === 'viewport') restless[0][1] += 7;
    send(message);
  }, report));
  assert.ok(ended.reported.at(-1).isDone);
  assert.ok(ended.steps < 40);
});

test('an error ends the walk', () => {
  const reported = [];
  const walk = new ValueWalk({ table: 't', column: 'user', query: {}, most: 10 }, () => {}, (found) => reported.push(found));
  walk.receive({ type: 'error', code: 'unknownTable', reason: '' });
  assert.deepEqual(reported, [{ values: [], isDone: true, isAll: false }]);
  walk.receive({ type: 'error', code: 'unknownTable', reason: '' });
  assert.equal(reported.length, 1);
});

test('a filter counts the values of the rows that the filter bar and the other filters leave', () => {
  const filters = [{ column: 'user', op: 'contains', value: 'root' }, { column: 'cpu', op: 'range', from: 2 }];
  const { session } = shown({ ...emptyView(), table: 'processes', where: 'load is not empty', filters });
  session.zone = 60;
  assert.deepEqual(questionFor(session, 'user'), {
    table: 'processes', column: 'user', query: { search: '', where: 'load is not empty', zone: 60, filter: { column: 'cpu', op: 'range', from: 2 } },
  });
});
