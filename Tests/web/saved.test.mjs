import assert from 'node:assert/strict';
import test from 'node:test';

import { addressOf, bodyOf, listFrom, nameFault, nameFrom, stateOf, viewOfSaved } from '../../web/model/saved.js';
import { hashFromView, viewFromHash } from '../../web/model/query.js';

const table = { name: 'jobs', columns: [{ name: 'cpu', type: 'number' }, { name: 'user', type: 'text' }] };
const saved = { name: 'cpu-hogs', title: 'CPU hogs', table: 'jobs', address: '#table=jobs&sort=-cpu', role: 'viewer', version: 2, id: 'abcdefghij', mine: true, mayChange: true };

test('a name is made of a title, and is unique', () => {
  assert.equal(nameFrom('CPU hogs!'), 'cpu-hogs');
  assert.equal(nameFrom('Über 90 %'), 'uber-90');
  assert.equal(nameFrom('漢字'), 'view');
  assert.equal(nameFrom('CPU hogs', ['cpu-hogs', 'cpu-hogs-2']), 'cpu-hogs-3');
  for (const title of ['../../etc/passwd', '-a-', 'x'.repeat(200), '']) assert.equal(nameFault(nameFrom(title)), '', title);
});

test('names that the server rejects have a reason', () => {
  for (const name of ['', '-a', 'a-', 'A', 'a b', '../x', 'ä', 'a'.repeat(61)]) assert.notEqual(nameFault(name), '', name);
  for (const name of ['a', 'a-b', '9', 'a'.repeat(60)]) assert.equal(nameFault(name), '', name);
});

test('the body of a request quotes its texts', () => {
  assert.equal(bodyOf({ ...saved, title: 'a "b"\nname: c' }), 'name: "cpu-hogs"\ntitle: "a \\"b\\"\\nname: c"\ntable: "jobs"\naddress: "#table=jobs&sort=-cpu"\nrole: "viewer"\nversion: 2\n');
});

test('a saved view is open and unchanged, then changed', () => {
  const view = viewOfSaved(saved);
  assert.equal(hashFromView(view), '#view=cpu-hogs&table=jobs&sort=-cpu');
  assert.deepEqual(viewFromHash(hashFromView(view)), view);
  assert.deepEqual(stateOf(view, [saved], table), { saved, isChanged: false });
  for (const change of [{ search: 'x' }, { columns: [{ column: 'cpu', width: 90, isHidden: false, isPinned: false }] }, { where: 'cpu > 5' }]) {
    assert.equal(stateOf({ ...view, ...change }, [saved], table).isChanged, true);
  }
  assert.deepEqual(stateOf(viewFromHash('#table=jobs'), [saved], table), { saved: undefined, isChanged: false });
  assert.equal(addressOf({ ...view, search: 'x' }), '#table=jobs&sort=-cpu&search=x');
});

test('a list of views leaves out what is malformed', () => {
  assert.deepEqual(listFrom({ views: [saved, null, { ...saved, name: '../x' }, { ...saved, version: '2' }], maySave: true, reason: '' }), { views: [saved], maySave: true, reason: '' });
  for (const answer of [null, 1, {}, { views: 'x' }]) assert.deepEqual(listFrom(answer).views, []);
});
