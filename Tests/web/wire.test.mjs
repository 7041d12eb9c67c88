import test from 'node:test';
import assert from 'node:assert/strict';
import * as wire from '../../web/protocol/wire.js';
import { fixtures } from './fixtures.mjs';

const client = Object.fromEntries(fixtures('client').map(({ name, message }) => [name.slice(7), message]));

for (const { name, message } of fixtures('server')) {
  test(`parses ${name}`, () => {
    assert.deepEqual(wire.parseMessage(JSON.stringify(message)), message);
    wire.parseMessage(JSON.stringify({ ...message, futureMember: { of: ['any', 'kind'] } }));
  });
}

test('the page’s messages equal the golden messages', () => {
  assert.deepEqual(wire.hello('rowcast page'), client['hello with heartbeats']);
  assert.deepEqual(wire.ack(7), client.ack);
  assert.deepEqual(wire.resync(7, 'digest'), client.resync);
  assert.deepEqual(wire.visibility(true), client.visibility);
  assert.deepEqual(wire.pause(true), client.pause);
  assert.deepEqual(wire.hold(true), client.hold);
  assert.deepEqual(wire.stats(true), client.stats);
  assert.deepEqual(wire.viewport({ seq: 7, first: 1_200, count: 40, ahead: 60, behind: 20, anchor: 731 }), client.viewport);
  assert.deepEqual(wire.viewport({ seq: 7, first: 99_960, count: 40, ahead: 0, behind: 80, anchor: null, stick: 'end' }), client['viewport at the end']);
  assert.deepEqual(wire.collapse(4, true), client['collapse by number']);
  const { query } = client['query with collapsed sections'];
  assert.deepEqual(wire.query({ request: 5, query, viewport: { seq: 0, first: 0, count: 1 } }).query, query);
  assert.deepEqual(wire.open({
    table: 'processes', request: 1, query: {}, viewport: { seq: 0, first: 0, count: 26, ahead: 80, behind: 0, stick: 'top' }, resume: null,
  }), client.open);
  const { interval, ...again } = client['open again'];
  assert.equal(interval, 100);
  assert.deepEqual(wire.open({
    table: 'processes', request: 2, resume: { epoch: '5f0c7a31', seq: 12, session: '9d41c0de', anchorOffset: 3 },
    query: { sort: [{ column: 'cpu', descending: true }, { column: 'user', descending: false }], search: 'ssh', group: ['user'] },
    viewport: { seq: 0, first: 1_200, count: 40, ahead: 60, behind: 20, anchor: 731 },
  }), again);
});

test('a viewport stays within the limits of the protocol', () => {
  const { count, ahead, behind } = wire.viewport({ seq: 1, first: 0, count: 5_000, ahead: 1e9, behind: -3 });
  assert.deepEqual({ count, ahead, behind }, { count: 1_000, ahead: 2_000, behind: 0 });
});

const sound = Object.fromEntries(fixtures('server').map(({ message }) => [message.type, message]));
const refusals = {
  'invalid JSON': '{"type":',
  'an array': '[1]',
  'null': 'null',
  'an unknown type': '{"type":"surprise"}',
  'a type from the prototype': '{"type":"constructor"}',
  'another version': JSON.stringify({ ...sound.hello, version: 2 }),
  'hello without an epoch': JSON.stringify({ ...sound.hello, epoch: 3 }),
  'tables without columns': JSON.stringify({ type: 'tables', tables: [{ name: 'x' }] }),
  'an item of a wrong kind': JSON.stringify({ ...sound.window, items: [7] }),
  'a row without cells': JSON.stringify({ ...sound.window, items: [[1, 1]] }),
  'an id beyond 2^53': JSON.stringify({ ...sound.window, items: [[2 ** 53, 1, []]] }),
  'a window beyond the view': JSON.stringify({ ...sound.window, total: 1 }),
  'a patch without a base': JSON.stringify({ ...sound.patch, base: undefined }),
  'a negative index': JSON.stringify({ ...sound.patch, removed: [[-1, 'gone']] }),
  'a fraction as an index': JSON.stringify({ ...sound.patch, moved: [[0.5, 1]] }),
  'half a cell': JSON.stringify({ ...sound.patch, updated: [[0, 2, 1]] }),
  'a negative count': JSON.stringify({ ...sound.waiting, changed: -1 }),
  'rows that are text': JSON.stringify({ ...sound.waiting, rows: '317' }),
  'held without a number': JSON.stringify({ ...sound.patch, held: { gone: [1] } }),
  'gone with a negative index': JSON.stringify({ ...sound.patch, held: { moves: 1, gone: [-1] } }),
  'stats without sources': JSON.stringify({ ...sound.stats, sources: undefined }),
  'stats with a malformed delay': JSON.stringify({ ...sound.stats, delay: 3 }),
  'an insertion without an item': JSON.stringify({ ...sound.patch, inserted: [[0, 'new']] }),
  'sources that are an object': JSON.stringify({ type: 'sources', sources: {} }),
  'a source without a name': JSON.stringify({ type: 'sources', sources: [{ source: { state: 'starting' } }] }),
  'hello with a source without a state': JSON.stringify({ ...sound.hello, sources: [{ name: 'jobs' }] }),
  'a source without a state': JSON.stringify({ type: 'status', table: 'x', source: {} }),
};

for (const [name, text] of Object.entries(refusals)) {
  test(`rejects ${name} with a reason`, () => {
    assert.throws(() => wire.parseMessage(text), (error) => error instanceof wire.WireError && error.message.length > 5);
  });
}
