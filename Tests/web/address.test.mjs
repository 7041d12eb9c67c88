import assert from 'node:assert/strict';
import test from 'node:test';

import { firstTable } from '../../web/grid/browser.js';

const tables = (...names) => names.map((name) => ({ name }));
const beside = { table: 'log' };

test('the first table is the default', () => {
  assert.equal(firstTable(tables('jobs', 'log'), [], undefined), 'jobs');
  assert.equal(firstTable(tables('log', 'jobs'), [], undefined), 'log');
  assert.equal(firstTable([], [], undefined), '');
});

test('the default is not the table in the other pane', () => {
  assert.equal(firstTable(tables('jobs', 'log'), [], beside), 'jobs');
  assert.equal(firstTable(tables('log', 'jobs'), [], beside), 'jobs');
});

test('waits for a source while no other table exists', () => {
  assert.equal(firstTable(tables('log'), tables('jobs'), beside), '');
  assert.equal(firstTable([], tables('jobs', 'log'), beside), '');
});

test('shows a table in both panes if there is no other', () => {
  assert.equal(firstTable(tables('log'), [], beside), 'log');
  assert.equal(firstTable(tables('log'), tables('log'), beside), 'log', 'a source whose table has its name already');
});
