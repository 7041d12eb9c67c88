// The tiles of the summary strip: their choice, messages, texts and addresses.

import test from 'node:test';
import assert from 'node:assert/strict';
import { changeText, filterOf, functionsFor, isApplied, levelTiles, renamedTiles, sameTile, tilesOf, tileTitle, valueText, viewOfTile, wireTile } from '../../web/model/tiles.js';
import { emptyView, hashFromView, viewFromHash } from '../../web/model/query.js';
import { completed, hasStrip } from '../../web/model/defaults.js';
import { columnTiles, tileMenu } from '../../web/panels/tilemenu.js';
import { specify } from '../../web/model/columns.js';
import { stateOf } from '../../web/model/saved.js';
import { changeText as stepChange } from '../../web/model/steps.js';
import { Session } from '../../web/model/session.js';

const columns = [
  { name: 'pid', type: 'integer', style: 'plain', title: 'PID', unit: '', width: 0, align: 'end' },
  { name: 'cpu', type: 'number', style: 'bar', title: 'CPU', unit: '%', width: 0, align: 'end', warn: 50, critical: 80 },
  { name: 'state', type: 'text', style: 'badge', title: 'State', unit: '', width: 0, align: 'start', warn: ['late', 'gone'], critical: ['gone'] },
];
const table = { name: 'jobs', columns, view: { tiles: [{ function: 'count' }, { function: 'sum', column: 'cpu', title: 'All CPUs' },
  { function: 'count', filter: { column: 'state', op: 'oneOf', values: ['gone'] } }, { function: 'count', filter: { any: [] } },
  { function: 'count', filter: { any: [{ column: 'state', op: 'isEmpty' }, { column: 'pid', op: '>', value: 9 }] } }] } };
const specs = specify(columns, [], (text) => text.length * 7, { now: 0 });
const view = { ...emptyView(), table: 'jobs' };
const narrowed = (part) => new Session(() => {}).narrowed(part);
const gone = { column: 'state', op: 'oneOf', values: ['gone'] };

test("a view has the source's tiles until the user chooses others", () => {
  assert.deepEqual(tilesOf(view, table), [
    { function: 'count', terms: [] }, { function: 'sum', column: 'cpu', title: 'All CPUs', terms: [] }, { function: 'count', terms: [gone] },
    { function: 'count', filter: { any: [] } }, { function: 'count', where: 'state is empty or pid > 9' },
  ]);
  assert.deepEqual(tilesOf({ ...view, tiles: [] }, table), []);
  assert.deepEqual(tilesOf({ ...view, tiles: [{ function: 'sum', column: 'state' }, { function: 'max', column: 'x' }, { function: 'max', column: 'pid' }] }, table),
    [{ function: 'max', column: 'pid' }]);
});

test('a strip is shown for tiles or for the severity of rows', () => {
  assert.equal(hasStrip(view, table), true);
  assert.equal(hasStrip({ ...view, tiles: [] }, table), false);
  assert.equal(hasStrip(view, { ...table, view: undefined }), false);
  assert.equal(hasStrip(view, { ...table, view: undefined, severity: 'state' }), true);
  assert.equal(hasStrip(view, { ...table, view: undefined, severity: 'state', windowed: {} }), false);
  assert.equal(hasStrip(view, undefined), false);
});

test('tiles are kept in the address, with their filters', () => {
  const tiles = [
    { function: 'count', terms: [gone] }, { function: 'mean', column: 'cpu', search: 'ssh' }, { function: 'count', title: 'Odd', filter: { any: [] } },
    { function: 'count', terms: [gone], where: 'cpu > 5' },
  ];
  assert.deepEqual(viewFromHash(hashFromView({ ...view, tiles })).tiles, tiles);
  assert.equal(JSON.stringify(viewFromHash(hashFromView({ ...view, tiles })).tiles), JSON.stringify(tiles));
  assert.deepEqual(viewFromHash(hashFromView({ ...view, tiles: [] })).tiles, []);
  assert.equal(viewFromHash(hashFromView(view)).tiles, undefined);
  for (const text of ['%7B', '{}', '[1]', '[null]', '[{"function":1}]', '[{"function":"count","where":7}]', '']) {
    assert.deepEqual(viewFromHash(`#tiles=${text}`).tiles, [], text);
  }
  // A view with tiles of its own is not replaced by the suggested one.
  assert.equal(completed({ ...view, tiles: [] }, table).isDefault, undefined);
});

test('tiles are part of saved views and of steps', () => {
  const saved = { name: 'load', title: 'Load', table: 'jobs', address: '#table=jobs&tiles=[{"function":"max","column":"cpu"}]', version: 1 };
  const shown = { ...view, named: 'load', tiles: [{ function: 'max', column: 'cpu' }] };
  assert.equal(stateOf(shown, [saved], table).isChanged, false);
  assert.equal(stateOf({ ...shown, tiles: [] }, [saved], table).isChanged, true);
  assert.equal(stepChange(view, shown, columns), 'summary');
});

test('tiles are sent with their filter in wire format', () => {
  assert.deepEqual(wireTile({ function: 'count', terms: [] }, narrowed), { function: 'count' });
  assert.deepEqual(wireTile({ function: 'sum', column: 'cpu', title: 'T', terms: [gone] }, narrowed), { function: 'sum', column: 'cpu', filter: gone });
  assert.deepEqual(wireTile({ function: 'count', terms: [gone], search: 'ssh', where: 'cpu > 5' }, narrowed), { function: 'count', filter: gone, where: 'ssh cpu > 5' });
  assert.deepEqual(wireTile({ function: 'count', where: 'began > 2026' }, (part) => ({ ...part, zone: 60 })), { function: 'count', where: 'began > 2026', zone: 60 });
  assert.deepEqual(wireTile({ function: 'count', filter: { any: [] } }, narrowed), { function: 'count', filter: { any: [] } });
  assert.ok(sameTile({ function: 'count', terms: [] }, { function: 'count', title: 'All' }));
  assert.ok(!sameTile({ function: 'count', terms: [gone] }, { function: 'count' }));
  assert.ok(!sameTile({ function: 'count', where: 'a' }, { function: 'count', search: 'a' }));
});

test('a click applies the whole filter of a tile, and a view becomes a tile', () => {
  const shown = { ...view, filters: [gone], where: 'cpu > 5' };
  const tile = { function: 'count', ...filterOf(shown) };
  assert.deepEqual(tile, { function: 'count', terms: [gone], where: 'cpu > 5' });
  assert.ok(isApplied(tile, shown));
  assert.ok(!isApplied(tile, { ...shown, search: 'x' }));
  assert.ok(!isApplied({ function: 'count' }, view), 'all rows are no filter');
  assert.deepEqual(viewOfTile(tile), { filters: [gone], search: '', where: 'cpu > 5' });
  assert.deepEqual(viewOfTile({}), { filters: [], search: '', where: '' });
});

test('headings, values and changes are texts', () => {
  assert.equal(tileTitle({ function: 'count' }, columns), 'Rows');
  assert.equal(tileTitle({ function: 'count', terms: [gone] }, columns), 'Matching rows');
  assert.equal(tileTitle({ function: 'count', where: 'cpu > 5' }, columns, 'cpu > 5'), 'cpu > 5');
  assert.equal(tileTitle({ function: 'sum', column: 'cpu', where: 'cpu > 5' }, columns, 'cpu > 5'), 'Sum CPU: cpu > 5');
  assert.equal(tileTitle({ function: 'sum', column: 'cpu' }, columns), 'Sum CPU');
  assert.equal(tileTitle({ function: 'sum', column: 'cpu', terms: [gone] }, columns), 'Sum CPU, filtered');
  const cpu = { function: 'sum', column: 'cpu' };
  assert.equal(valueText({ function: 'count' }, 1234567, specs, 0, 'en'), '1,234,567');
  assert.equal(valueText(cpu, 12.3456, specs, 0, 'en'), specs[1].format(12.35, 0));
  assert.equal(valueText(cpu, null, specs, 0, 'en'), '—');
  assert.equal(valueText({ function: 'max', column: 'pid' }, '9007199254740993', specs, 0, 'en'), specs[0].format('9007199254740993', 0));
  assert.equal(changeText({ function: 'count' }, { value: 5, before: 8, seconds: 60 }, specs, 0, 'en'), '↓ 3 in 60 s');
  assert.equal(changeText({ function: 'count' }, { value: 5 }, specs, 0, 'en'), '');
  assert.equal(changeText({ function: 'count' }, { value: 5, before: 5, seconds: 9 }, specs, 0, 'en'), '');
});

test('levels of several columns count together and are chosen together', () => {
  const [critical, warn] = levelTiles(table);
  assert.deepEqual(critical, { function: 'count', level: 'critical', where: 'cpu >= 80 or state = "gone"' });
  assert.deepEqual(warn, { function: 'count', level: 'warn', where: '(cpu >= 50 or state in ("late", "gone")) and not (cpu >= 80 or state = "gone")' });
});

test('the column of the severity decides alone', () => {
  assert.deepEqual(levelTiles({ ...table, severity: 'state' }), [
    { function: 'count', level: 'critical', terms: [gone] }, { function: 'count', level: 'warn', terms: [{ ...gone, values: ['late'] }] },
  ]);
  assert.deepEqual(levelTiles({ ...table, columns: [columns[0]] }), []);
  assert.deepEqual(levelTiles({ ...table, windowed: {} }), []);
});

test('where higher is better the levels reach downwards', () => {
  const [critical, warn] = levelTiles({ columns: [{ name: 'free', type: 'number', warn: 20, critical: 5, better: 'higher' }] });
  assert.deepEqual(critical.terms, [{ column: 'free', op: 'range', through: 5 }]);
  assert.deepEqual(warn.terms, [{ column: 'free', op: 'range', from: 5, through: 20, except: [5] }]);
});

test('the menu of a column offers what suits its type, of all or of matching rows', () => {
  assert.deepEqual(functionsFor(columns[2]).map(([kind]) => kind), ['distinct']);
  assert.ok(!functionsFor(columns[1]).some(([kind]) => kind === 'first' || kind === 'last'), 'a tile has no order');
  const changes = [];
  const how = { view: { ...view, filters: [gone], tiles: [{ function: 'sum', column: 'cpu' }] }, table, change: (change) => changes.push(change) };
  const items = columnTiles(columns[1], how);
  assert.deepEqual(items.filter(({ heading }) => heading).map(({ heading }) => heading), ['Of all rows', 'Of the rows shown']);
  const sums = items.filter(({ label }) => label === 'Sum');
  assert.deepEqual(sums.map(({ isChecked }) => isChecked), [true, false]);
  sums[0].run();
  sums[1].run();
  assert.deepEqual(changes, [{ tiles: [] }, { tiles: [{ function: 'sum', column: 'cpu' }, { function: 'sum', column: 'cpu', terms: [gone] }] }]);
});

test('a full summary takes no further tile', () => {
  const tiles = ['sum', 'mean', 'min', 'max', 'distinct'].map((kind) => ({ function: kind, column: 'cpu' })).concat({ function: 'count' });
  const items = columnTiles(columns[0], { view: { ...view, tiles }, table, change() {} });
  assert.ok(items.filter(({ label }) => label).every(({ isDisabled, why }) => isDisabled && why !== ''));
});

test('a table whose source keeps the rows offers their number only', () => {
  const labels = (own) => tileMenu({ view, table: own, change() {} }, () => {}).map(({ label, heading }) => label ?? heading);
  assert.deepEqual(labels({ ...table, windowed: {} }), ['Number of rows', 'All rows']);
  assert.deepEqual(labels(table), ['Number of rows', 'All rows', 'Of a column', 'PID…', 'CPU…', 'State…']);
  const items = tileMenu({ view: { ...view, where: 'cpu > 5' }, table, change() {} }, () => {});
  assert.ok(items.some(({ label }) => label === 'Rows shown'));
});

test('tiles are requested once, and again on each connection', () => {
  const sent = [];
  const session = new Session((message) => sent.push(message));
  const viewportAt = () => ({ seq: 0, first: 0, count: 10, ahead: 0, behind: 0 });
  const hello = { type: 'hello', version: 1, epoch: 'e', tables: [{ ...table, source: { state: 'live' } }] };
  session.view = view;
  session.connected();
  session.receive(structuredClone(hello), viewportAt);
  session.wantTiles([]);
  assert.ok(!sent.some(({ type }) => type === 'tiles'), 'no tiles are not requested');
  session.wantTiles([{ function: 'count' }]);
  session.wantTiles([{ function: 'count' }]);
  assert.deepEqual(sent.filter(({ type }) => type === 'tiles'), [{ type: 'tiles', id: 1, tiles: [{ function: 'count' }] }]);
  assert.deepEqual(session.receive({ type: 'tiles', id: 1, tiles: [{ value: 5 }] }, viewportAt), { kind: 'tiles', tiles: [{ value: 5 }], bounds: [] });
  assert.equal(session.receive({ type: 'tiles', id: 0, tiles: [] }, viewportAt).kind, 'nothing');
  session.connected();
  session.receive(structuredClone(hello), viewportAt);
  assert.equal(sent.at(-1).type, 'tiles');
  session.wantTiles([]);
  assert.deepEqual(sent.at(-1), { type: 'tiles', id: 2, tiles: [] });
});

test('bounds are requested together with the tiles of the strip', () => {
  const sent = [];
  const session = new Session((message) => sent.push(message));
  const viewportAt = () => ({ seq: 0, first: 0, count: 10, ahead: 0, behind: 0 });
  session.view = view;
  session.connected();
  session.receive({ type: 'hello', version: 1, epoch: 'e', tables: [{ ...table, source: { state: 'live' } }] }, viewportAt);
  const [count, most, least] = [{ function: 'count' }, { function: 'max', column: 'cpu' }, { function: 'min', column: 'cpu' }];
  session.wantBounds([most]);
  session.wantTiles([count]);
  assert.deepEqual(sent.at(-1), { type: 'tiles', id: 2, tiles: [count, most] });
  assert.deepEqual(session.receive({ type: 'tiles', id: 2, tiles: [{ value: 5 }, { value: 9 }] }, viewportAt), { kind: 'tiles', tiles: [{ value: 5 }], bounds: [{ value: 9 }] });
  session.wantBounds([least, most]);
  assert.deepEqual(sent.at(-1), { type: 'tiles', id: 3, tiles: [count, least, most] });
  session.wantTiles([]);
  assert.deepEqual(sent.at(-1), { type: 'tiles', id: 4, tiles: [least, most] });
});

test('a tile is renamed in its place, and an empty title is the standard one', () => {
  const tiles = [{ function: 'count' }, { function: 'sum', column: 'cpu', title: 'Load' }];
  const renamed = renamedTiles(tiles, tiles[1], 'Use');
  assert.deepEqual(renamed, [tiles[0], { function: 'sum', column: 'cpu', title: 'Use' }]);
  assert.deepEqual(renamedTiles(renamed, renamed[1], ''), [tiles[0], { function: 'sum', column: 'cpu' }]);
  assert.deepEqual(viewFromHash(hashFromView({ ...emptyView(), tiles: renamed })).tiles, renamed);
});
