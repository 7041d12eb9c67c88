import assert from 'node:assert/strict';
import test from 'node:test';

import { matching } from '../../web/model/palette.js';
import { allCommands, columnCommands, commandsOf, tableCommands } from '../../web/panels/commands.js';
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
  const changes = [];
  const all = columnCommands(columns, emptyView(), { change: (change) => changes.push(change), goTo: (name) => changes.push(name), filter: () => {}, lack: ({ group }) => (group === 'name' ? 'Not here.' : '') });
  const run = (label) => all.find((one) => one.label === label).run();
  run('Sort by CPU, descending');
  run('Hide CPU');
  run('Go to column CPU');
  assert.deepEqual(changes[0], { sort: [{ column: 'cpu', descending: true }] });
  assert.deepEqual(changes[1].columns.map(({ isHidden }) => isHidden), [true, false]);
  assert.equal(changes[2], 'cpu');
  assert.equal(all.find(({ label }) => label === 'Group by name').why, 'Not here.');
  const hidden = columnCommands(columns, { ...emptyView(), columns: changes[1].columns }, { change: () => {}, lack: () => '' });
  assert.ok(hidden.some(({ label }) => label === 'Show CPU'));
  assert.equal(hidden.find(({ label }) => label === 'Hide name').isDisabled, true);
});

test('menus and tables become commands', () => {
  assert.deepEqual(commandsOf([{ heading: 'x' }, null, { label: 'Save' }], 'Views'), [{ label: 'Save', group: 'Views' }]);
  assert.deepEqual(tableCommands([{ name: 'a' }, { name: 'b', title: 'Bees' }], 'a', () => {}).map(({ label }) => label), ['Open the table Bees']);
});

test('the list begins with the page, and ends with the columns of the table', () => {
  const done = [];
  const note = (name) => (...given) => done.push([name, ...given]);
  const grid = { focus: note('focus') };
  const page = (more, isPaused = false) => ({
    pane: {
      session: { tables: [{ name: 'jobs' }, { name: 'users' }], table: { columns: [{ name: 'cpu', type: 'number' }] }, isPaused, view: { ...emptyView(), table: 'jobs' } },
      view: emptyView(), columns: { shown: [{ column: { name: 'cpu' } }] }, heads: { cells: [] }, grid,
      change: note('change'), lack: () => '', pause: note('pause'),
    },
    controller: { find: { open: note('find') }, acting: { items: () => [{ label: 'Clear' }] }, goTo: note('go to'), focus: {}, pinning: { count: 0 } },
    columnController: { filterBy: note('filter') }, bar: { focusFilter: note('search') },
    views: { state: { views: [{ name: 'slow', title: 'Slow' }] }, items: [{ label: 'Save view' }], open: note('view') },
    exports: [{ label: 'Export CSV' }], canReset: false,
    on: { step: note('step'), open: note('table'), press: note('press') },
    ...more,
  });
  const list = allCommands(page(), note('help'));
  const groups = list.map(({ group }) => group).filter((group, at, all) => group !== all[at - 1]);
  assert.deepEqual(groups, ['Page', 'Export', 'Views', 'Tables', 'Actions', 'Summary', 'Columns']);
  for (const label of ['Undo a change of the view', 'Pause updates', 'Keyboard shortcuts', 'Open the view Slow', 'Go to column cpu', 'Filter by cpu…']) {
    list.find((one) => one.label === label).run();
  }
  assert.deepEqual(done, [['step', true], ['pause'], ['help'], ['view', 'slow'], ['go to', 0, 0], ['focus', { preventScroll: true }], ['filter', 'cpu', grid]]);
  assert.ok(!list.some(({ label }) => label.startsWith('Reset')));
  const other = allCommands(page({ canReset: true }, true), note('help')).map(({ label }) => label);
  assert.ok(other.includes('Resume updates') && other.some((label) => label.startsWith('Reset')) && !other.includes('Pause updates'));
});
