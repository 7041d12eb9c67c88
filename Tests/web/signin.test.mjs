// Parsing of addresses and pasted texts for the sign-in form.

import test from 'node:test';
import assert from 'node:assert/strict';
import { codeOf, otherAddress, signInCommand } from '../../web/panels/signin.js';

test('reads a code from a link, a log line, or alone', () => {
  for (const text of [
    'abc-_.~9', ' abc-_.~9\n', 'http://127.0.0.1:7777/?code=abc-_.~9', 'listening on http://127.0.0.1:7777/?code=abc-_.~9#table=x',
    'https://rows.example.org/?a=1&code=abc-_.~9&b=2',
  ]) assert.equal(codeOf(text), 'abc-_.~9', text);
  for (const text of ['', '  ', 'http://127.0.0.1:7777/', 'two words', 'a/b', 'x'.repeat(201)]) assert.equal(codeOf(text), '', text);
});

test('the command has the port of the URL', () => {
  assert.equal(signInCommand({ port: '7777' }), 'rowcast url --port 7777');
  assert.equal(signInCommand({ port: '' }), 'rowcast url');
});

test('offers the other local host name, with port and view', () => {
  const at = (hostname, port = '7777') => otherAddress({ protocol: 'http:', hostname, port, hash: '#table=x' });
  assert.equal(at('localhost'), 'http://127.0.0.1:7777/#table=x');
  assert.equal(at('127.0.0.1'), 'http://localhost:7777/#table=x');
  assert.equal(at('[::1]', ''), 'http://localhost/#table=x');
  assert.equal(at('rows.example.org'), null);
});
