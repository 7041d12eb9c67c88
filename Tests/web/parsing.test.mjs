// Tests of parsing.js: requests to parse texts of the filter bar.

import assert from 'node:assert/strict';
import test from 'node:test';
import { parse, Parsing } from '../../web/model/parsing.js';

test('an answer goes to the request with its number', async () => {
  const sent = [];
  const parsing = new Parsing((message) => sent.push(message));
  const first = parsing.ask({ text: 'a', at: 1, zone: 60 });
  const second = parsing.ask({ text: 'ab', zone: 0 });
  assert.deepEqual(sent, [{ type: 'parse', id: 1, text: 'a', at: 1, zone: 60 }, { type: 'parse', id: 2, text: 'ab' }]);
  assert.equal(await first, null);
  const answer = { type: 'parsed', id: 2, terms: [], words: [] };
  parsing.receive({ ...answer, id: 1 });
  parsing.receive(answer);
  assert.equal(await second, answer);
});

test('a request ends without an answer when the connection is lost', async () => {
  const parsing = new Parsing(() => {});
  const requested = parsing.ask({ text: 'a', zone: 0 });
  parsing.lost();
  assert.equal(await requested, null);
});

test('nothing is asked while the table is not open', async () => {
  assert.equal(await parse({ isOpen: false, send: () => assert.fail('sent') }, 'a'), null);
});

test('an answer of the wrong shape counts as none', async () => {
  const parsed = { type: 'parsed', id: 1, terms: [{ from: 0, to: 1, cut: [0, 1] }], words: ['a'], completion: { from: 0, to: 1, items: [{ kind: 'column', text: 'a ', detail: '' }] } };
  const answerOf = (message) => {
    const parsing = new Parsing(() => {});
    const requested = parsing.ask({ text: 'a', zone: 0 });
    parsing.receive(message);
    return requested;
  };
  assert.equal(await answerOf(parsed), parsed);
  assert.notEqual(await answerOf({ type: 'parsed', id: 1, fault: { from: 0, to: 1, reason: 'x' } }), null);
  for (const wrong of [{ terms: undefined }, { words: [1] }, { terms: [{ from: 0, to: 1 }] }, { completion: { from: 0, to: 1 } }, { fault: {} }]) {
    assert.equal(await answerOf({ ...parsed, ...wrong }), null);
  }
});
