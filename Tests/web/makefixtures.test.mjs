// Tests that make-fixtures.mjs writes the committed golden messages.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';

import { files, folder } from './make-fixtures.mjs';

test('make-fixtures.mjs writes the files in Tests/Fixtures/wire, and no others', () => {
  assert.deepEqual([...files.keys()].toSorted(), readdirSync(folder).toSorted());
});

test('make-fixtures.mjs writes the committed bytes', () => {
  for (const [name, text] of files) assert.equal(text, readFileSync(new URL(name, folder), 'utf8'), name);
});
