// Filters in wire format as text of the filter bar.

import test from 'node:test';
import assert from 'node:assert/strict';
import { filterText } from '../../web/model/filtertext.js';

const columns = [
  { name: 'cpu', type: 'number' }, { name: 'state', type: 'text' }, { name: 'kernel', type: 'boolean' }, { name: 'began', type: 'timestamp' },
  { name: 'Resident memory', type: 'integer' }, { name: 'not', type: 'text' }, { name: 'a`b', type: 'text' },
];
const text = (filter) => filterText(filter, columns);
const cpu = { column: 'cpu', op: '>=', value: 80 };
const state = { column: 'state', op: 'oneOf', values: ['failed', 'gone'] };

test('comparisons are written with the operators of the language', () => {
  for (const [filter, wanted] of [
    [cpu, 'cpu >= 80'], [state, 'state in ("failed", "gone")'], [{ column: 'state', op: '=', value: 'a "b"\\c' }, 'state = "a \\"b\\"\\\\c"'],
    [{ column: 'kernel', op: 'oneOf', values: [false] }, 'kernel = false'], [{ column: 'state', op: 'isEmpty' }, 'state is empty'],
    [{ column: 'state', op: 'contains', value: 'x' }, 'state: "x"'], [{ column: 'state', op: 'startsWith', value: 'x' }, 'state ^= "x"'],
    [{ column: 'state', op: 'matches', value: '^x', ignoreCase: true }, 'state ~ "^x"'],
    [{ column: 'Resident memory', op: 'range', from: 1, through: 5 }, '`Resident memory` >= 1 and `Resident memory` <= 5'],
    [{ column: 'not', op: '=', value: 'x' }, '`not` = "x"'],
  ]) assert.equal(text(filter), wanted);
});

test('numbers are compared exactly, not as shown', () => {
  assert.equal(text({ column: 'cpu', op: '=', value: 5 }), '(cpu >= 5 and cpu <= 5)');
  assert.equal(text({ not: { column: 'cpu', op: 'oneOf', values: [1, 2] } }), 'not ((cpu >= 1 and cpu <= 1) or (cpu >= 2 and cpu <= 2))');
});

test('parentheses keep the meaning of nested filters', () => {
  assert.equal(text({ any: [cpu, state] }), 'cpu >= 80 or state in ("failed", "gone")');
  assert.equal(text({ all: [{ any: [cpu, state] }, { not: { all: [cpu, state] } }] }),
    '(cpu >= 80 or state in ("failed", "gone")) and not (cpu >= 80 and state in ("failed", "gone"))');
  assert.equal(text({ not: { column: 'cpu', op: 'range', from: 1, through: 5 } }), 'not (cpu >= 1 and cpu <= 5)');
  assert.equal(text({ any: [{ all: [cpu] }] }), 'cpu >= 80');
});

test('a filter that the language lacks has no text', () => {
  for (const filter of [
    { any: [] }, { column: 'began', op: '>=', value: 5 }, { column: 'cpu', op: '!=', value: 5 }, { column: 'state', op: 'matches', value: 'x' },
    { column: 'a`b', op: 'isEmpty' }, { column: 'missing', op: 'isEmpty' }, { column: 'state', op: 'oneOf', values: [] },
    { any: [cpu, { column: 'began', op: 'isEmpty', value: 5 }, { column: 'began', op: '<', value: 5 }] },
    { column: 'state', op: 'contains', value: 'x'.repeat(5_000) },
  ]) assert.equal(text(filter), null, JSON.stringify(filter));
});
