// query.js: filters of columns.

import test from 'node:test';
import assert from 'node:assert/strict';
import { isFittingTerm, nextTerms, operatorsFor, partsOf, patternFault, shortCollapsed, termsFault, termsFrom, termText, wireFilter, withoutPart } from '../../web/model/query.js';

const columns = ['text', 'integer', 'number', 'boolean', 'timestamp', 'image', 'series'].map((type) => ({ name: type, type }));
const fits = (term) => isFittingTerm(term, columns);

test('each type has the operators that the server supports', () => {
  const ops = Object.fromEntries(columns.map((column) => [column.type, operatorsFor(column).map(([op]) => op).join(' ')]));
  assert.deepEqual(ops, {
    text: 'oneOf contains startsWith matches noneOf isEmpty isFilled', integer: 'range oneOf noneOf isEmpty isFilled',
    number: 'range oneOf noneOf isEmpty isFilled', boolean: 'oneOf noneOf isEmpty isFilled', timestamp: 'range oneOf noneOf isEmpty isFilled',
    image: 'isEmpty isFilled', series: 'isEmpty isFilled',
  });
});

test('only terms that the server accepts are sent', () => {
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

test('patterns that the server rejects have a reason', () => {
  for (const pattern of ['', '(?=a)', '(?<=a)', '(?<name>a)', '\\bword', 'a\\1', '\\p{L}', '\\cA', '(', '[a', 'a{2', '\\\\\\b']) assert.notEqual(patternFault(pattern), '', pattern);
  for (const pattern of ['a', '^a|b$', '(?:a)', '[^a-z]', '\\d+\\.\\w*\\S', '\\\\b', 'a{2,3}?', '\\u{1f600}', '[a\\-z]']) assert.equal(patternFault(pattern), '', pattern);
});

test('terms are converted to wire format', () => {
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

test('malformed terms of a link are ignored', () => {
  for (const text of [null, '', '[', '{}', '[1,null,{"column":1,"op":"x"}]']) assert.deepEqual(termsFrom(text), []);
  assert.deepEqual(termsFrom('[{"column":"a","op":"isEmpty"},{"column":"a","op":"isFilled"}]'), [{ column: 'a', op: 'isEmpty' }]);
});

test('terms are described in words', () => {
  const show = (value) => `<${value}>`;
  assert.equal(termText({ op: 'range', from: 1 }, show), '≥ <1>');
  assert.equal(termText({ op: 'range', through: 1 }, show), '≤ <1>');
  assert.equal(termText({ op: 'range', from: 1, through: 2 }, show), '<1> – <2>');
  assert.equal(termText({ op: 'oneOf', values: [1, null, 3, 4, 5] }, show), '<1>, (empty), <3> and 2 more');
  assert.equal(termText({ op: 'noneOf', values: [1] }, show), 'not <1>');
  assert.equal(termText({ op: 'contains', value: 'x' }, show), 'contains “x”');
});

test('filters on other columns are kept', () => {
  let terms = [];
  for (let at = 0; at < 60; at += 1) terms = nextTerms(terms, `c${at}`, { column: `c${at}`, op: 'range', from: at });
  assert.deepEqual(terms.map(({ from }) => from), Array.from({ length: 60 }, (_, at) => at));
  assert.equal(termsFrom(JSON.stringify(terms)).length, 60, 'a link keeps them all');
});

test('too many terms give a reason', () => {
  const ranges = (count) => Array.from({ length: count }, (_, at) => ({ column: `c${at}`, op: 'range', from: at }));
  assert.equal(termsFault([]), '');
  assert.equal(termsFault(ranges(99)), '');
  assert.match(termsFault(ranges(100)), /more than 100 conditions/);
  const values = (count, text = '') => [{ column: 'text', op: 'oneOf', values: Array.from({ length: count }, (_, at) => `${text}${at}`) }];
  assert.equal(termsFault(values(1_000)), '');
  assert.match(termsFault(values(1_001)), /1,000 values at most, and these are 1,001/);
  assert.match(termsFault(values(900, 'é'.repeat(50))), /too long/, 'a message has 65,536 bytes');
  const spans = (count) => [{ column: 'number', op: 'noneOf', values: Array.from({ length: count }, (_, at) => [at, at + 0.5]) }];
  assert.equal(termsFault(spans(98)), '');
  assert.match(termsFault(spans(99)), /100 conditions/);
});

test('a range of values with the same text is one list entry', () => {
  assert.ok(fits({ column: 'number', op: 'oneOf', values: [[1, 1.5], 3, null] }));
  assert.ok(fits({ column: 'integer', op: 'noneOf', values: [['9223372036854775000', '9223372036854775807']] }));
  for (const values of [[[1]], [[1, 2, 3]], [[1, 'x']], [[]]]) assert.ok(!fits({ column: 'number', op: 'oneOf', values }), JSON.stringify(values));
  assert.ok(!fits({ column: 'text', op: 'oneOf', values: [['a', 'b']] }));
  assert.deepEqual(wireFilter([{ column: 'a', op: 'oneOf', values: [[1, 2]] }]), { column: 'a', op: 'range', from: 1, through: 2 });
  assert.deepEqual(wireFilter([{ column: 'a', op: 'noneOf', values: [null, [1, 2], 5] }]), { not: { any: [
    { column: 'a', op: 'oneOf', values: [5] }, { column: 'a', op: 'range', from: 1, through: 2 }, { column: 'a', op: 'isEmpty' }] } });
  assert.equal(termText({ op: 'oneOf', values: [[1, 2], 5] }, (value) => `<${value}>`), '<1>, <5>');
  assert.equal(termText({ op: 'range', from: 1.01, through: 1.04 }, (value) => value.toFixed(1)), '1.0');
});

test('ends of ranges are limited to 64 bits', () => {
  const range = (column, from) => fits({ column, op: 'range', from });
  for (const from of ['9223372036854775807', '-9223372036854775808', Number.MAX_SAFE_INTEGER]) assert.ok(range('integer', from), from);
  for (const from of ['9223372036854775808', '-9223372036854775809', 2 ** 53]) assert.ok(!range('integer', from), from);
  for (const from of [0.5, '1700000000000.123456', '9223372036854.775807', '-9223372036854.775808']) assert.ok(range('timestamp', from), from);
  for (const from of [1e14, '9223372036854.775808', '1.1234567', '1e3', '', Infinity, true]) assert.ok(!range('timestamp', from), String(from));
});

test('a term may except values', () => {
  const term = { column: 'number', op: 'range', from: 1, through: 9, except: [5, [6, 7]] };
  assert.ok(fits(term));
  assert.deepEqual(partsOf(term), [{ column: 'number', op: 'range', from: 1, through: 9 }, { column: 'number', op: 'noneOf', values: [5, [6, 7]] }]);
  assert.deepEqual(wireFilter([term]), { all: [{ all: [
    { column: 'number', op: 'range', from: 1, through: 9 },
    { not: { any: [{ column: 'number', op: 'oneOf', values: [5] }, { column: 'number', op: 'range', from: 6, through: 7 }] } },
  ] }] });
  for (const except of [[], ['a'], 'a', 5, null, [{}], Array.from({ length: 1_001 }, (_, at) => at)]) assert.ok(!fits({ ...term, except }), JSON.stringify(except).slice(0, 20));
  assert.ok(!fits({ column: 'number', op: 'noneOf', values: [1], except: [5] }));
  assert.match(termsFault([{ ...term, except: Array.from({ length: 1_001 }, (_, at) => at) }]), /1,000 values at most/);
  assert.deepEqual(withoutPart([term], 'number', 0), [{ column: 'number', op: 'noneOf', values: [5, [6, 7]] }]);
  assert.deepEqual(withoutPart([term], 'number', 1), [{ column: 'number', op: 'range', from: 1, through: 9 }]);
  assert.deepEqual(withoutPart([{ column: 'number', op: 'isEmpty' }], 'number', 0), []);
  assert.deepEqual(termsFrom(JSON.stringify([term])), [term], 'a link keeps them');
});

test('collapsed sections fit a link, the last ones first', () => {
  const paths = Array.from({ length: 1_000 }, (_, at) => [`section ${at}`]);
  const stored = shortCollapsed(paths);
  assert.deepEqual(stored, paths.slice(-stored.length));
  assert.ok(JSON.stringify(stored).length <= 12_000 && JSON.stringify(paths.slice(-stored.length - 1)).length > 12_000);
  assert.deepEqual(shortCollapsed(paths.slice(0, 9)), paths.slice(0, 9));
  assert.deepEqual(shortCollapsed([]), []);
});
