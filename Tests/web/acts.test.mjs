import test from 'node:test';
import assert from 'node:assert/strict';
import { actionsOf, Acts, trialOf, valueOf } from '../../web/model/acts.js';

/** Returns connected actions with the messages they sent and the states they reported. */
function connected(secret = 'one') {
  const sent = [];
  const reported = [];
  const acts = new Acts((message) => sent.push(message), (entry) => reported.push([entry.id, entry.state, entry.text, entry.isUnclear]));
  if (secret !== null) acts.helloReceived(secret);
  return { acts, sent, reported, run: (row = 7) => acts.run({ table: 'jobs', action: { name: 'stop' }, row, values: {} }) };
}

test('sends an action once, without a session, and takes one answer', () => {
  const { acts, sent, reported, run } = connected();
  run();
  assert.deepEqual(sent, [{ type: 'act', id: 1, table: 'jobs', action: 'stop', row: 7 }]);
  assert.ok(acts.isActing(7));
  acts.receive({ id: 1, result: 'stopped' });
  acts.receive({ id: 1, result: 'stopped' });
  assert.deepEqual(reported, [[1, 'sent', '', false], [1, 'done', 'stopped', false]]);
  assert.ok(!acts.isActing(7));
});

test('sends arguments, and no row for an action on the whole table', () => {
  const { acts, sent } = connected();
  acts.run({ table: 'jobs', action: { name: 'sweep' }, row: undefined, values: { depth: 2 } });
  assert.deepEqual(sent, [{ type: 'act', id: 1, table: 'jobs', action: 'sweep', arguments: { depth: 2 } }]);
});

test('resends unanswered requests with their id and first session', () => {
  const { acts, sent, run } = connected('one');
  run();
  run();
  acts.receive({ id: 1, result: '' });
  sent.length = 0;
  acts.lost();
  acts.helloReceived('two');
  acts.lost();
  acts.helloReceived('three');
  const again = { type: 'act', id: 2, table: 'jobs', action: 'stop', row: 7, session: 'one' };
  assert.deepEqual(sent, [again, again]);
});

test('stops resending a request after four connections', () => {
  const { acts, sent, reported, run } = connected('0');
  run();
  for (let at = 1; at < 10; at += 1) {
    acts.lost();
    acts.helloReceived(String(at));
  }
  assert.equal(sent.length, 4);
  assert.deepEqual(reported.at(-1), [1, 'failed', 'The server did not answer in time.', true]);
});

test('fails an action at once while disconnected, and forgets it', () => {
  const { acts, sent, reported, run } = connected(null);
  run();
  assert.equal(reported[0][1], 'failed');
  acts.helloReceived('one');
  assert.deepEqual(sent, []);
});

test('sends at most 12 unanswered requests, the others one by one', () => {
  const { acts, sent, run } = connected();
  for (let at = 0; at < 20; at += 1) run(at);
  assert.equal(sent.length, 12);
  acts.receive({ id: 5, result: '' });
  assert.deepEqual(sent.map(({ id }) => id), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
});

test('rejects an action when 1,200 are pending', () => {
  const { acts, reported, run } = connected();
  for (let at = 0; at < 1_201; at += 1) run(at);
  assert.equal(acts.open.size, 1_200);
  assert.deepEqual(reported.at(-1), [1_201, 'failed', 'Too many actions are waiting. Try again when some are done.', false]);
});

test('reports whether a failed action may have run', () => {
  for (const [code, isUnclear] of [['rowGone', false], ['badArgument', false], ['busy', false], ['sourceDown', false], ['failed', false], ['unanswered', true], ['forgotten', true]]) {
    const { acts, reported, run } = connected();
    run();
    acts.receive({ id: 1, error: { code, reason: '' } });
    assert.deepEqual(reported.at(-1), [1, 'failed', code, isUnclear]);
  }
});

test('fails the last request if the server refuses it', () => {
  const { acts, sent, reported, run } = connected('one');
  run(1);
  run(2);
  acts.refused('unknownColumn', 'no such column');
  assert.equal(acts.open.size, 2);
  acts.refused('notAllowed', 'you may only look');
  assert.deepEqual(reported.at(-1), [2, 'failed', 'you may only look', false]);
  sent.length = 0;
  acts.helloReceived('two');
  assert.deepEqual(sent.map(({ id }) => id), [1]);
});

test('offers no actions to viewers, else those of rows or tables', () => {
  const table = { actions: [{ name: 'stop', rows: true }, { name: 'sweep', rows: false }, { name: 'odd' }] };
  assert.deepEqual(actionsOf(table, 'operator', true).map(({ name }) => name), ['stop']);
  assert.deepEqual(actionsOf(table, 'operator', false).map(({ name }) => name), ['sweep', 'odd']);
  assert.deepEqual(actionsOf(table, 'viewer', true), []);
  assert.deepEqual(actionsOf(undefined, 'operator', true), []);
  assert.deepEqual(actionsOf({}, 'operator', true), []);
  const tried = { actions: [{ name: 'set', trial: 'test' }, { name: 'test' }, { name: 'go', trial: 'gone' }] };
  assert.deepEqual(actionsOf(tried, 'operator', false).map(({ name }) => name), ['set', 'go']);
  assert.equal(trialOf(tried.actions[0], tried)?.name, 'test');
  assert.equal(trialOf(tried.actions[1], tried), undefined);
  assert.equal(trialOf(tried.actions[2], tried), undefined);
});

test('parses arguments, applies defaults and enforces bounds', () => {
  const share = { name: 'share', label: 'Share', type: 'integer', minimum: 1, maximum: 90 };
  assert.deepEqual(valueOf(share, '1'), { value: 1 });
  assert.deepEqual(valueOf(share, ' 90 '), { value: 90 });
  for (const wrong of ['0', '91', '1.5', 'x', '', '1e400', '9007199254740993']) assert.ok(valueOf(share, wrong).fault?.startsWith('Share must'), wrong);
  assert.deepEqual(valueOf({ ...share, default: 10 }, ''), {});
  assert.deepEqual(valueOf({ name: 'n', type: 'number' }, '-1.5'), { value: -1.5 });
  assert.deepEqual(valueOf({ name: 't', type: 'text' }, ''), { value: '' });
  assert.deepEqual(valueOf({ name: 't', type: 'text', default: 'x' }, ''), {});
  assert.deepEqual(valueOf({ name: 't', type: 'text' }, 'a'.repeat(1_000)), { value: 'a'.repeat(1_000) });
  assert.ok(valueOf({ name: 't', type: 'text' }, 'a'.repeat(1_001)).fault);
  assert.deepEqual(valueOf({ name: 'b', type: 'boolean' }, true), { value: true });
  assert.deepEqual(valueOf({ name: 'b', type: 'boolean' }, false), { value: false });
  const chosen = { name: 'c', type: 'integer', choices: [0, 5] };
  assert.deepEqual(valueOf(chosen, '1'), { value: 5 });
  assert.deepEqual(valueOf(chosen, '0'), { value: 0 });
  assert.ok(valueOf(chosen, '').fault);
  assert.ok(valueOf(chosen, '2').fault);
  assert.deepEqual(valueOf({ ...chosen, default: 0 }, ''), {});
});

/** Returns actions with a manual clock. */
function paced(fault) {
  const sent = [];
  const reported = [];
  const waiting = [];
  const acts = new Acts((message) => sent.push(message.id), (entry) => reported.push([entry.id, entry.state]), { fault, later: (call) => waiting.push(call) });
  acts.helloReceived('one', 'first');
  return { acts, sent, reported, turn: () => waiting.splice(0).forEach((call) => call()), run: (row, epoch) => acts.run({ table: 'jobs', action: { name: 'stop' }, row, values: {}, epoch }) };
}

test('limits its rate, however fast the source answers', () => {
  const { acts, sent, turn, run } = paced();
  for (let at = 0; at < 200; at += 1) run(at);
  // Also answers those sent meanwhile.
  const answer = () => { for (const id of sent) acts.receive({ id, result: '' }); };
  answer();
  assert.equal(sent.length, 40);
  turn();
  answer();
  assert.equal(sent.length, 50);
  for (let step = 0; step < 20; step += 1) {
    turn();
    answer();
  }
  assert.deepEqual(sent, Array.from({ length: 200 }, (_, at) => at + 1), 'each once, in order');
  assert.equal(acts.open.size, 0);
});

test('cancels a waiting request, but not one that was sent', () => {
  const { acts, sent, reported } = paced();
  const entries = Array.from({ length: 14 }, (_, at) => acts.prepare({ table: 'jobs', action: { name: 'stop' }, row: at, values: {} }));
  for (const entry of entries) acts.begin(entry);
  assert.equal(sent.length, 12);
  for (const entry of entries) acts.cancel(entry);
  assert.deepEqual(reported.filter(([, state]) => state === 'cancelled'), [[13, 'cancelled'], [14, 'cancelled']]);
  for (const id of [...sent]) acts.receive({ id, result: '' });
  assert.equal(sent.length, 12);
  acts.cancel(entries[0]);
  assert.equal(reported.filter(([id]) => id === 1).at(-1)[1], 'done');
});

test('checks a waiting request again before sending it', () => {
  let epoch = 'first';
  const { acts, sent, reported } = paced((entry) => (entry.epoch === epoch ? null : 'The server was restarted.'));
  for (let at = 0; at < 20; at += 1) acts.run({ table: 'jobs', action: { name: 'stop' }, row: at, values: {}, epoch: 'first' });
  acts.lost();
  epoch = 'second';
  sent.length = 0;
  acts.helloReceived('two');
  assert.deepEqual(sent, Array.from({ length: 12 }, (_, at) => at + 1), 'only those that were sent before');
  for (let id = 1; id <= 12; id += 1) acts.receive({ id, error: { code: 'forgotten', reason: 'gone' } });
  assert.equal(sent.length, 12);
  assert.equal(reported.filter(([, state]) => state === 'failed').length, 20);
});
