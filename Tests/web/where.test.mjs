// Tests of where.js: the texts of the filter bar that the page makes itself.

import assert from 'node:assert/strict';
import test from 'node:test';
import { barText, completed, isWord, quoted, valueText, changesOfText, withoutTerm, wordsOf } from '../../web/model/where.js';

test('a single word is the search of the view, and any other text its filter', () => {
  for (const word of ['ssh', 'a.b', '1,234.5', 'größe', "don't", 'x@y', '90%', '1,5 MiB', '10:30', '2026-11-23 14:05:09', '2026-11-23 14:05:09Z']) assert.deepEqual(changesOfText(` ${word} `), { search: word, where: '' });
  for (const text of ['a b', '10 20', '5 me', '-a', '"a"', 'a:b', 'cpu>5', 'and', 'NOT', '(a)', 'a(b)', '']) assert.deepEqual(changesOfText(text), { search: '', where: text });
});

test('texts are quoted unless they are words', () => {
  assert.equal(quoted('ssh'), 'ssh');
  assert.equal(quoted('or'), '"or"');
  assert.equal(quoted('a "b" \\'), '"a \\"b\\" \\\\"');
  assert.equal(valueText('a b'), '"a b"');
  assert.equal(valueText(5), '5');
});

test('the bar shows the search and the filter of a view', () => {
  assert.equal(barText({ search: '', where: 'a b' }), 'a b');
  assert.equal(barText({ search: 'a b', where: '' }), '"a b"');
  assert.equal(barText({ search: 'a', where: 'b c' }), 'a b c');
  assert.ok(!isWord(barText({ search: 'a b' })));
});

test('a term is removed with the word that joins it', () => {
  const text = 'cpu > 5 and ssh -x';
  assert.equal(withoutTerm(text, { cut: [0, 12] }), 'ssh -x');
  assert.equal(withoutTerm(text, { cut: [7, 15] }), 'cpu > 5 -x');
  assert.equal(withoutTerm('ssh', { cut: [0, 3] }), '');
  assert.equal(withoutTerm('x (a)y', { cut: [1, 5] }), 'x y');
});

test('a chosen item replaces what was typed, with one space after it', () => {
  assert.deepEqual(completed('us = x', { from: 0, to: 2 }, 'user '), { text: 'user = x', caret: 5 });
  assert.deepEqual(completed('a us', { from: 2, to: 4 }, 'user '), { text: 'a user ', caret: 7 });
  assert.deepEqual(completed('user ', { from: 5, to: 5 }, 'in ('), { text: 'user in (', caret: 9 });
});

test('words are marked only if they belong to the text of the view', () => {
  const parsed = { text: 'Foo -bar', words: ['Foo', 'foo'], terms: [] };
  assert.deepEqual(wordsOf({ search: '', where: 'Foo -bar' }, parsed), ['foo']);
  assert.deepEqual(wordsOf({ search: '', where: 'other' }, parsed), []);
  assert.deepEqual(wordsOf({ search: 'SSH', where: '' }, null), ['ssh']);
});
