import assert from 'node:assert/strict';
import test from 'node:test';

import { matching } from '../../web/model/palette.js';
import { columnCommands, commandsOf, tableCommands } from '../../web/panels/commands.js';
import { emptyView } from '../../web/model/query.js';

const commands = ['Sort by CPU, descending', 'Sort by Command, ascending', 'Hide Command', 'Pause updates', 'Go to column CPU', 'Größe'].map((label) => ({ label, group: 'Columns' }));
const labels = (text) => matching(commands, text).map(({ label }) => label);

test('every word must match, in any order', () => {
  assert.deepEqual(labels('cpu sort'), ['Sort by CPU, descending']);
  assert.deepEqual(labels('hide comm'), ['Hide Command']);
  assert.deepEqual(labels('sort xyz'), []);
  assert.deepEqual(labels('').length, commands.length);
});

test('whole words come before beginnings, parts and letters in order', () => {
  const found = (text, ...names) => matching(names.map((label) => ({ label, group: '' })), text).map(({ label }) => label);
  assert.deepEqual(found('port', 'important', 'portable', 'port', 'printed report'), ['port', 'portable', 'important', 'printed report']);
  assert.deepEqual(found('cmd', 'command', 'mcd'), ['command']);
});

test('accents and case make no difference', () => {
  assert.deepEqual(labels('GROSSE'), []);
  assert.deepEqual(labels('große'), ['Größe']);
});

test('at most 50 commands are returned', () => {
  assert.equal(matching(Array.from({ length: 200 }, (_, at) => ({ label: `Sort ${at}`, group: '' })), 'sort').length, 50);
});

test('columns have commands that change the view', () => {
  const columns = [{ name: 'cpu', title: 'CPU', type: 'number' }, { name: 'name', type: 'text' }];
  const wishes = [];
  const all = columnCommands(columns, emptyView(), { change: (wish) => wishes.push(wish), goTo: (name) => wishes.push(name), filter: () => {}, lack: ({ group }) => (group === 'name' ? 'Not here.' : '') });
  const run = (label) => all.find((one) => one.label === label).run();
  run('Sort by CPU, descending');
  run('Hide CPU');
  run('Go to column CPU');
  assert.deepEqual(wishes[0], { sort: [{ column: 'cpu', descending: true }] });
  assert.deepEqual(wishes[1].columns.map(({ isHidden }) => isHidden), [true, false]);
  assert.equal(wishes[2], 'cpu');
  assert.equal(all.find(({ label }) => label === 'Group by name').why, 'Not here.');
  const hidden = columnCommands(columns, { ...emptyView(), columns: wishes[1].columns }, { change: () => {}, lack: () => '' });
  assert.ok(hidden.some(({ label }) => label === 'Show CPU'));
  assert.equal(hidden.find(({ label }) => label === 'Hide name').isDisabled, true);
});

test('menus and tables become commands', () => {
  assert.deepEqual(commandsOf([{ heading: 'x' }, null, { label: 'Save' }], 'Views'), [{ label: 'Save', group: 'Views' }]);
  assert.deepEqual(tableCommands([{ name: 'a' }, { name: 'b', title: 'Bees' }], 'a', () => {}).map(({ label }) => label), ['Open the table Bees']);
});
