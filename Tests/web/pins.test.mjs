// Pinned rows: their keys in views and addresses, their messages, and the keys that lead to them.

import test from 'node:test';
import assert from 'node:assert/strict';
import { MOST_PINS, nextPins, pinsFrom } from '../../web/model/display.js';
import { moveActive } from '../../web/model/keys.js';
import { emptyView, hashFromView, viewFromHash } from '../../web/model/query.js';
import { completed } from '../../web/model/defaults.js';
import { stateOf } from '../../web/model/saved.js';
import { changeText } from '../../web/model/steps.js';
import { Session } from '../../web/model/session.js';
import { parseMessage } from '../../web/protocol/wire.js';

const view = { ...emptyView(), table: 'jobs' };

test('links hold the keys of pinned rows, and malformed ones are skipped', () => {
  const pinned = { ...view, pins: [17, 'a,b', '17'] };
  assert.deepEqual(viewFromHash(hashFromView(pinned)).pins, pinned.pins);
  assert.equal(viewFromHash(hashFromView(view)).pins, undefined);
  assert.deepEqual(pinsFrom('[1,1,1.5,null,{},"a"]'), [1, 'a']);
  for (const text of [null, '', '{}', '[', '[]', '7', '[null]']) assert.equal(pinsFrom(text), undefined, text);
  assert.equal(pinsFrom(JSON.stringify(Array.from({ length: 30 }, (_, at) => at))).length, MOST_PINS);
  assert.equal(pinsFrom(JSON.stringify(['x'.repeat(257)])), undefined);
});

test('a row is pinned once, and the last one unpinned leaves nothing', () => {
  assert.deepEqual(nextPins(undefined, 5, true), [5]);
  assert.deepEqual(nextPins([5, 'a'], 5, true), ['a', 5]);
  assert.deepEqual(nextPins([5, 'a'], 5, false), ['a']);
  assert.equal(nextPins(['a'], 'a', false), undefined);
});

test('pinned rows are part of saved views and of steps', () => {
  const shown = { ...view, named: 'mine', pins: [1] };
  const saved = { name: 'mine', title: 'Mine', table: 'jobs', address: hashFromView({ ...shown, named: undefined }), version: 1 };
  assert.equal(stateOf(shown, [saved], { columns: [] }).isChanged, false);
  assert.equal(stateOf({ ...shown, pins: [2] }, [saved], { columns: [] }).isChanged, true);
  assert.equal(changeText(view, shown, []), 'pinned rows');
  assert.equal(completed(shown, { columns: [], view: {} }).isDefault, undefined);
});

test('pinned rows are requested once, and again on each connection', () => {
  const sent = [];
  const session = new Session((message) => sent.push(message));
  const viewportAt = () => ({ seq: 0, first: 0, count: 10, ahead: 0, behind: 0 });
  const hello = { type: 'hello', version: 1, epoch: 'e', tables: [{ name: 'jobs', columns: [], source: { state: 'live' } }] };
  session.view = view;
  session.connected();
  session.receive(structuredClone(hello), viewportAt);
  session.wantPins([]);
  assert.ok(!sent.some(({ type }) => type === 'pins'), 'no rows are not requested');
  session.wantPins([3, 'a']);
  session.wantPins([3, 'a']);
  assert.deepEqual(sent.filter(({ type }) => type === 'pins'), [{ type: 'pins', id: 1, keys: [3, 'a'] }]);
  const message = { type: 'pins', id: 1, rows: [[0, [7, 1, []]]] };
  assert.deepEqual(session.receive(message, viewportAt), { kind: 'keys', message });
  assert.equal(session.receive({ type: 'pins', id: 0, rows: [] }, viewportAt).kind, 'nothing', 'rows of an earlier request are ignored');
  session.connected();
  session.receive(structuredClone(hello), viewportAt);
  assert.deepEqual(sent.at(-1), { type: 'pins', id: 1, keys: [3, 'a'] });
});

test('messages with malformed pinned rows are refused', () => {
  const parse = (rows, more = {}) => () => parseMessage(JSON.stringify({ type: 'pins', id: 1, rows, ...more }));
  assert.doesNotThrow(parse([[0, [1, 2, ['a']]], [1, null]]));
  assert.doesNotThrow(parse([], { error: { code: 'remainderTooLarge', reason: 'no' } }));
  for (const rows of [7, [7], [[0]], [[0, {}]], [[0, [1, 2]]], [[-1, null]]]) assert.throws(parse(rows), /pins have no form/, JSON.stringify(rows));
  assert.throws(parse([], { error: {} }), /pins have no form/);
});

test('keys lead from the headers over the pinned rows to the first row', () => {
  const grid = { total: 100, columns: 4, page: 20, isControl: false, pins: 2 };
  const walk = (position, ...keys) => keys.map((key) => ({ position } = moveActive({ position, column: 1 }, key, grid)).position);
  assert.deepEqual(walk(-1, 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown'), [-3, -4, 0, 1]);
  assert.deepEqual(walk(1, 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp'), [0, -4, -3, -1]);
  assert.deepEqual(walk(-4, 'PageUp', 'PageDown'), [-4, 0]);
  const far = { ...grid, isControl: true };
  const jump = (position, key) => moveActive({ position, column: 1 }, key, far);
  assert.deepEqual([jump(-4, 'ArrowUp').position, jump(-4, 'ArrowDown').position, jump(-1, 'ArrowDown').position, jump(-4, 'Home').position, jump(-4, 'End')], [-1, 99, 99, 0, { position: 99, column: 3 }]);
  assert.deepEqual(moveActive({ position: -4, column: 1 }, 'ArrowRight', grid), { position: -4, column: 2 });
  assert.deepEqual(moveActive({ position: -4, column: 1 }, 'ArrowRight', { ...grid, isRightToLeft: true }), { position: -4, column: 0 });
  assert.deepEqual(moveActive({ position: -4, column: 1 }, 'Home', grid), { position: -4, column: 0 });
  assert.deepEqual(moveActive({ position: -4, column: 1 }, 'ArrowLeft', far), { position: -4, column: 0 });
  assert.equal(moveActive({ position: -3, column: 1 }, 'x', grid), null);
  assert.deepEqual(moveActive({ position: -4, column: 1 }, 'ArrowDown', { ...grid, total: 0 }), { position: -4, column: 1 }, 'no rows are left');
});
