import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Silence } from '../../web/protocol/silence.js';
import { shown, viewportAt } from './sessions.mjs';

/** Returns a watched link whose timer the test runs. */
function watched() {
  const received = [];
  let timer = null;
  const page = { isHidden: false, abandoned: 0 };
  const timers = {
    setInterval: (run) => { timer = run; return 1; },
    clearInterval: () => { timer = null; },
  };
  const silence = new Silence((event) => received.push(event), () => { page.abandoned += 1; }, () => page.isHidden, timers);
  return {
    page, silence, kinds: () => received.splice(0).map(({ state, message }) => state ?? (message.type === 'silence' ? `silent ${message.isSilent}` : message.type)),
    look: (times) => { for (let at = 0; at < times; at += 1) timer?.(); },
    isWatching: () => timer !== null,
  };
}

const hello = { message: { type: 'hello', alive: 1_000 } };

test('2.5 s without a message are a silence, and the next message ends it', () => {
  const { silence, look, kinds } = watched();
  silence.pass(hello);
  look(9);
  assert.deepEqual(kinds(), ['hello']);
  look(1);
  assert.deepEqual(kinds(), ['silent true']);
  look(50);
  assert.deepEqual(kinds(), []);
  silence.pass({ message: { type: 'patch' } });
  assert.deepEqual(kinds(), ['silent false', 'patch']);
});

test('a connection is abandoned after 10 s without a message', () => {
  const { page, silence, look } = watched();
  silence.pass(hello);
  look(39);
  silence.pass({ message: { type: 'alive' } });
  look(39);
  assert.equal(page.abandoned, 0);
  look(1);
  assert.equal(page.abandoned, 1);
});

test('a heartbeat is a message, and the page does not see it', () => {
  const { silence, look, kinds } = watched();
  silence.pass(hello);
  for (let second = 0; second < 20; second += 1) {
    look(4);
    silence.pass({ message: { type: 'alive' } });
  }
  assert.deepEqual(kinds(), ['hello']);
});

test('a server without heartbeats is not watched', () => {
  const { silence, look, kinds, isWatching } = watched();
  silence.pass({ message: { type: 'hello' } });
  assert.equal(isWatching(), false);
  look(100);
  assert.deepEqual(kinds(), ['hello']);
});

test('a connection that ends is not watched any more', () => {
  const { silence, kinds, isWatching } = watched();
  silence.pass(hello);
  silence.pass({ state: 'closed', pause: 100 });
  assert.equal(isWatching(), false);
  assert.deepEqual(kinds(), ['hello', 'closed']);
});

test('a hidden page does not wait for heartbeats', () => {
  const { page, silence, look, kinds } = watched();
  silence.pass(hello);
  page.isHidden = true;
  look(100);
  page.isHidden = false;
  look(9);
  assert.deepEqual(kinds(), ['hello']);
  look(1);
  assert.deepEqual(kinds(), ['silent true']);
});

test('live sources are shown as stale during a silence, and then as before', () => {
  const { session } = shown();
  const { source } = session.table;
  assert.equal(source.state, 'live');
  assert.equal(session.receive({ type: 'silence', isSilent: true }, viewportAt).kind, 'status');
  assert.equal(session.table.source.state, 'stale');
  session.receive({ type: 'silence', isSilent: false }, viewportAt);
  assert.equal(session.table.source, source);
});

test('a source that is down keeps its own state during a silence', () => {
  const { session } = shown();
  const down = { state: 'failed', message: 'no such file', age: 5 };
  session.receive({ type: 'status', table: session.table.name, source: down }, viewportAt);
  session.receive({ type: 'silence', isSilent: true }, viewportAt);
  assert.equal(session.table.source, down);
  session.receive({ type: 'silence', isSilent: false }, viewportAt);
  assert.equal(session.table.source, down);
});
