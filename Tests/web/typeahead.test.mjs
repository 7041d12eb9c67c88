import assert from 'node:assert/strict';
import test from 'node:test';
import { Typeahead } from '../../web/model/typeahead.js';

const labels = ['Select the row', 'Show details', 'Stop the job', 'Touch', 'Sweep all jobs'];

// Types letters with `gap` milliseconds between them, and returns the labels that have the focus.
function type(text, gap, at = -1) {
  const typeahead = new Typeahead();
  let now = 5_000;
  return [...text].map((letter) => {
    now += gap;
    at = typeahead.take(letter, labels, at, now);
    return labels[at];
  });
}

test('a letter means the next label that begins with it', () => {
  assert.deepEqual(type('s', 0), ['Select the row']);
  assert.deepEqual(type('s', 0, 0), ['Show details']);
  assert.deepEqual(type('t', 0, 3), ['Touch']);
  assert.deepEqual(type('x', 0), [undefined]);
});

test('the same letter several times goes through the labels, quickly or slowly', () => {
  const all = ['Select the row', 'Show details', 'Stop the job', 'Sweep all jobs', 'Select the row'];
  assert.deepEqual(type('sssss', 10), all);
  assert.deepEqual(type('sssss', 2_000), all);
});

test('letters in quick succession are the beginning of a label', () => {
  assert.deepEqual(type('STO', 100).at(-1), 'Stop the job');
  assert.deepEqual(type('sw', 100).at(-1), 'Sweep all jobs');
  assert.deepEqual(type('se', 100, 1).at(-1), 'Select the row');
  assert.deepEqual(type('st', 100, 4), ['Select the row', 'Stop the job']);
});

test('letters after a pause begin anew', () => {
  assert.deepEqual(type('st', 700), ['Select the row', 'Touch']);
});

test('a space belongs to a text that is being typed', () => {
  const typeahead = new Typeahead();
  assert.equal(typeahead.isTyping(0), false);
  typeahead.take('s', labels, -1, 100);
  assert.equal(typeahead.isTyping(799), true);
  assert.equal(typeahead.isTyping(800), false);
});
