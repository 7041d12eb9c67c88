// query.js: terms of columns.

import test from 'node:test';
import assert from 'node:assert/strict';
import { amountFrom, isFittingTerm, nextTerms, operatorsFor, patternFault, termsFrom, termText, wireFilter } from '../../web/query.js';

const columns = ['text', 'integer', 'number', 'boolean', 'timestamp', 'image', 'series'].map((type) => ({ name: type, type }));
const fits = (term) => isFittingTerm(term, columns);

test('each type has the operators that the server knows for it', () => {
  const ops = Object.fromEntries(columns.map((column) => [column.type, operatorsFor(column).map(([op]) => op).join(' ')]));
  assert.deepEqual(ops, {
    text: 'oneOf contains startsWith matches noneOf isEmpty isFilled', integer: 'range oneOf noneOf isEmpty isFilled',
    number: 'range oneOf noneOf isEmpty isFilled', boolean: 'oneOf isEmpty isFilled', timestamp: 'range isEmpty isFilled',
    image: 'isEmpty isFilled', series: 'isEmpty isFilled',
  });
});

test('only terms that the server would take are asked for', () => {
  const good = [
    { column: 'text', op: 'contains', value: 'x' }, { column: 'text', op: 'oneOf', values: ['a', null] }, { column: 'text', op: 'contains', value: 'x'.repeat(1_000) },
    { column: 'integer', op: 'range', from: 0 }, { column: 'integer', op: 'range', from: '9223372036854775807' }, { column: 'integer', op: 'oneOf', values: [1] },
    { column: 'number', op: 'range', from: 0.5, through: 1 }, { column: 'boolean', op: 'oneOf', values: [true] }, { column: 'timestamp', op: 'range', through: 0 },
    { column: 'image', op: 'isEmpty' }, { column: 'series', op: 'isFilled' }, { column: 'text', op: 'matches', value: '^a(?:b|c)\\d$' },
    { column: 'text', op: 'oneOf', values: Array.from({ length: 1_000 }, String) },
  ];
  const bad = [
    { column: 'gone', op: 'isEmpty' }, { column: 'text', op: 'contains', value: '' }, { column: 'text', op: 'contains', value: 'x'.repeat(1_001) },
    { column: 'text', op: 'contains', value: 5 }, { column: 'text', op: 'range', from: 'a' }, { column: 'text', op: 'oneOf', values: [] },
    { column: 'text', op: 'oneOf', values: Array.from({ length: 1_001 }, String) }, { column: 'text', op: 'oneOf', values: [1] }, { column: 'text', op: 'oneOf' },
    { column: 'integer', op: 'range' }, { column: 'integer', op: 'range', from: 0.5 }, { column: 'integer', op: 'range', from: '9223372036854775808' },
    { column: 'integer', op: 'range', from: '1e3' }, { column: 'number', op: 'range', from: NaN }, { column: 'number', op: 'range', from: null },
    { column: 'boolean', op: 'oneOf', values: [1] }, { column: 'image', op: 'oneOf', values: ['a'] }, { column: 'text', op: 'matches', value: '(?=a)' },
    { column: 'text', op: 'toString' }, { column: 'text', op: 'not' },
  ];
  for (const term of good) assert.ok(fits(term), JSON.stringify(term).slice(0, 90));
  for (const term of bad) assert.ok(!fits(term), JSON.stringify(term).slice(0, 90));
});

test('patterns that the server refuses are refused with a reason', () => {
  for (const pattern of ['', '(?=a)', '(?<=a)', '(?<name>a)', '\\bword', 'a\\1', '\\p{L}', '\\cA', '(', '[a', 'a{2', '\\\\\\b']) assert.notEqual(patternFault(pattern), '', pattern);
  for (const pattern of ['a', '^a|b$', '(?:a)', '[^a-z]', '\\d+\\.\\w*\\S', '\\\\b', 'a{2,3}?', '\\u{1f600}', '[a\\-z]']) assert.equal(patternFault(pattern), '', pattern);
});

test('terms are said as the wire has them', () => {
  assert.equal(wireFilter([]), undefined);
  assert.deepEqual(wireFilter([{ column: 'a', op: 'range', from: 1, through: 2, odd: 3 }]), { column: 'a', op: 'range', from: 1, through: 2 });
  assert.deepEqual(wireFilter([{ column: 'a', op: 'range', through: 2 }]), { column: 'a', op: 'range', through: 2 });
  assert.deepEqual(wireFilter([{ column: 'a', op: 'matches', value: 'x' }]), { column: 'a', op: 'matches', value: 'x', ignoreCase: true });
  assert.deepEqual(wireFilter([{ column: 'a', op: 'isFilled' }, { column: 'b', op: 'contains', value: 'x' }]),
    { all: [{ not: { column: 'a', op: 'isEmpty' } }, { column: 'b', op: 'contains', value: 'x' }] });
  assert.deepEqual(wireFilter([{ column: 'a', op: 'oneOf', values: [1, null] }]), { any: [{ column: 'a', op: 'oneOf', values: [1] }, { column: 'a', op: 'isEmpty' }] });
  assert.deepEqual(wireFilter([{ column: 'a', op: 'oneOf', values: [null] }]), { column: 'a', op: 'isEmpty' });
  assert.deepEqual(wireFilter([{ column: 'a', op: 'noneOf', values: [1] }]), { not: { column: 'a', op: 'oneOf', values: [1] } });
});

test('a column has one term', () => {
  const first = nextTerms([], 'a', { column: 'a', op: 'isEmpty' });
  const both = nextTerms(first, 'b', { column: 'b', op: 'isEmpty' });
  assert.deepEqual(nextTerms(both, 'a', { column: 'a', op: 'isFilled' }), [{ column: 'a', op: 'isFilled' }, { column: 'b', op: 'isEmpty' }]);
  assert.deepEqual(nextTerms(both, 'a', null), [{ column: 'b', op: 'isEmpty' }]);
  assert.equal(nextTerms(both, 'c', null), both);
});

test('terms of a link that make no sense are passed over', () => {
  for (const text of [null, '', '[', '{}', '[1,null,{"column":1,"op":"x"}]']) assert.deepEqual(termsFrom(text), []);
  assert.deepEqual(termsFrom('[{"column":"a","op":"isEmpty"},{"column":"a","op":"isFilled"}]'), [{ column: 'a', op: 'isEmpty' }]);
});

test('terms read as people would say them', () => {
  const show = (value) => `<${value}>`;
  assert.equal(termText({ op: 'range', from: 1 }, show), '≥ <1>');
  assert.equal(termText({ op: 'range', through: 1 }, show), '≤ <1>');
  assert.equal(termText({ op: 'range', from: 1, through: 2 }, show), '<1> – <2>');
  assert.equal(termText({ op: 'oneOf', values: [1, null, 3, 4, 5] }, show), '<1>, (empty), <3> and 2 more');
  assert.equal(termText({ op: 'noneOf', values: [1] }, show), 'not <1>');
  assert.equal(termText({ op: 'contains', value: 'x' }, show), 'contains “x”');
});

test('amounts are read as people type them', () => {
  const number = { type: 'number' };
  const read = (text, column = number) => amountFrom(text, column);
  assert.equal(read(''), undefined);
  assert.equal(read('1,500.5'), 1_500.5);
  assert.equal(read(' −3e4 '), -30_000);
  assert.equal(read('20 %', { type: 'number', unit: '%' }), 20);
  assert.equal(read('2k'), 2_000);
  assert.equal(read('.5'), 0.5);
  assert.equal(read('1.6', { type: 'integer' }), 2);
  assert.equal(read('9223372036854775807', { type: 'integer' }), '9223372036854775807');
  const bytes = { type: 'integer', style: 'bytes' };
  assert.deepEqual(['10', '10 B', '1.5 KiB', '2M', '1 gb'].map((text) => read(text, bytes)), [10, 10, 1_536, 2_097_152, 1_073_741_824]);
  for (const text of ['x', '1 2', '1,5', '5 parsecs', '1e999', '--1', 'toString']) assert.equal(read(text), null, text);
  assert.equal(read('5 constructor', bytes), null);
});
