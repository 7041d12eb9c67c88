// finding.js: words, phrases and negated words in the find strip.

import assert from 'node:assert/strict';
import test from 'node:test';
import { formatter } from '../../web/model/columns.js';
import { alternativesOf, barTextOf, Finding, findingOf } from '../../web/model/finding.js';

const specs = [{ name: 'name', type: 'text' }, { name: 'user', type: 'text' }, { name: 'pid', type: 'integer' }].map((column, index) => {
  const whole = { style: 'plain', unit: '', format: 'grouped.0', ...column };
  return { index, column: whole, locale: 'en', format: formatter(whole, { locale: 'en', decimals: 0 }) };
});
const how = { isTextOnly: false, now: 0 };
const rows = [['sshd', 'root', 1_234], ['ssh-agent', 'eva', 7], ['bash', 'root', 8], ['telnet root', 'max', 1_234]];

/** Returns the rows that a text finds, with the indices of the cells to step through. */
function found(text, options = how) {
  const finding = new Finding(text, specs, options);
  return rows.flatMap((cells) => {
    const isInside = finding.ofRow(cells);
    return isInside === null ? [] : [[cells[0], specs.flatMap((spec, at) => (isInside(cells[at], spec, at) ? [at] : []))]];
  });
}

const words = (text) => alternativesOf(text).map((terms) => terms.map(({ word, isNegated }) => (isNegated ? `-${word}` : word)));

test('a text is split into words, phrases and negated words', () => {
  assert.deepEqual(words(''), []);
  assert.deepEqual(words('  '), []);
  assert.deepEqual(words('ssh'), [['ssh']]);
  assert.deepEqual(words(' ssh  root '), [['ssh', 'root']]);
  assert.deepEqual(words('"ssh root" x'), [['ssh root', 'x']]);
  assert.deepEqual(words('ssh -agent -"a b"'), [['ssh', '-agent', '-a b']]);
  assert.deepEqual(words('ssh and not agent'), [['ssh', '-agent']]);
  assert.deepEqual(words('not -agent'), [['agent']]);
  assert.deepEqual(words('ssh or telnet root'), [['ssh'], ['telnet', 'root']]);
  assert.deepEqual(words('or'), []);
});

test('quotes hold any characters, and the end of the text closes them', () => {
  assert.deepEqual(words('"and" "-x" "a \\"b\\" \\\\c"'), [['and', '-x', 'a "b" \\c']]);
  assert.deepEqual(words('"a b'), [['a b']]);
  assert.deepEqual(words('"a\\'), [['a\\']]);
  assert.deepEqual(words('"" -"" x'), [['x']]);
  assert.deepEqual(words('cpu > 50'), [['cpu', '>', '50']]);
  assert.deepEqual(words('- x'), [['-', 'x']]);
});

test('a number or time as a cell shows it is one word', () => {
  assert.deepEqual(words('1.5 MiB'), [['1.5 MiB']]);
  assert.deepEqual(words('2026-11-23 14:05'), [['2026-11-23 14:05']]);
});

test('the filter bar gets the same words, without operators', () => {
  const text = (typed) => barTextOf(alternativesOf(typed));
  assert.equal(text('ssh root'), 'ssh root');
  assert.equal(text('"ssh root" -agent'), '"ssh root" -agent');
  assert.equal(text('cpu > 50'), 'cpu ">" 50');
  assert.equal(text('a or "or"'), 'a or "or"');
  assert.equal(text('1.5 MiB'), '1.5 MiB');
  assert.equal(text('a:b -"c (d"'), '"a:b" -"c (d"');
});

test('a row matches if it has all words, in any column, and none of the negated ones', () => {
  assert.deepEqual(found('ROOT'), [['sshd', [1]], ['bash', [1]], ['telnet root', [0]]]);
  assert.deepEqual(found('ssh root'), [['sshd', [0, 1]]]);
  assert.deepEqual(found('ssh -agent'), [['sshd', [0]]]);
  assert.deepEqual(found('"telnet root"'), [['telnet root', [0]]]);
  assert.deepEqual(found('root 1,234'), [['sshd', [1, 2]], ['telnet root', [0, 2]]]);
  assert.deepEqual(found('agent or bash'), [['ssh-agent', [0]], ['bash', [0]]]);
  assert.deepEqual(found('ssh nowhere'), []);
});

test('a row that only lacks words is found at its first cell', () => {
  assert.deepEqual(found('-root'), [['ssh-agent', [0]]]);
});

test('remote tables are searched in text columns only', () => {
  assert.deepEqual(found('root 1234', { ...how, isTextOnly: true }), []);
});

test('words to mark are in lower case and not negated', () => {
  assert.deepEqual(new Finding('SSH -Agent ssh "Foo Bar"', specs, how).words, ['ssh', 'foo bar']);
});

test('the last finding is cached', () => {
  assert.equal(findingOf('a b', specs, how), findingOf('a b', specs, how));
  assert.notEqual(findingOf('a b', specs, how), findingOf('a c', specs, how));
});
