import assert from 'node:assert/strict';
import test from 'node:test';

import { firstTable } from '../../web/grid/reader.js';

const tables = (...names) => names.map((name) => ({ name }));
const beside = { table: 'log' };

test('where the address names no first table it is the first of all', () => {
  assert.equal(firstTable(tables('jobs', 'log'), [], undefined), 'jobs');
  assert.equal(firstTable(tables('log', 'jobs'), [], undefined), 'log');
  assert.equal(firstTable([], [], undefined), '');
});

test('but for the one that is shown beside, in whatever order they come', () => {
  assert.equal(firstTable(tables('jobs', 'log'), [], beside), 'jobs');
  assert.equal(firstTable(tables('log', 'jobs'), [], beside), 'jobs');
});

test('as long as there is only that one, a source that has no table yet is waited for', () => {
  assert.equal(firstTable(tables('log'), tables('jobs'), beside), '');
  assert.equal(firstTable([], tables('jobs', 'log'), beside), '');
});

test('when nothing else can come it is shown twice', () => {
  assert.equal(firstTable(tables('log'), [], beside), 'log');
  assert.equal(firstTable(tables('log'), tables('log'), beside), 'log', 'a source whose table has its name already');
});
