// The display of values: the form of times and the lines of text, as parts of a view and in menus.

import test from 'node:test';
import assert from 'node:assert/strict';
import { displayedColumns, formFor, linesFrom, nextTimes, rowHeightOf, timesFrom, timesText } from '../../web/model/display.js';
import { emptyView, hashFromView, viewFromHash } from '../../web/model/query.js';
import { completed } from '../../web/model/defaults.js';
import { exactText, zoneNote } from '../../web/model/exact.js';
import { formatter, specify } from '../../web/model/columns.js';
import { stateOf } from '../../web/model/saved.js';
import { rangeFrom } from '../../web/model/spans.js';
import { changeText } from '../../web/model/steps.js';
import { ago, momentInUTC } from '../../web/model/times.js';
import { columnMenu } from '../../web/panels/columnmenu.js';
import { linesMenu, timesItem, timesMenu } from '../../web/panels/displaymenu.js';

const time = (name, more = {}) => ({ name, type: 'timestamp', style: 'plain', title: '', unit: '', width: 0, align: 'start', ...more });
const columns = [time('began'), time('seen', { style: 'age' }), time('day', { format: 'date' }), { name: 'cpu', type: 'number', style: 'plain' }];
const view = { ...emptyView(), table: 'jobs' };
const noon = Date.UTC(2026, 2, 1, 12, 0, 0, 250);

/** Returns the texts of a time in the first three columns. */
function shown(times, at = noon, now = noon + 185_000) {
  return displayedColumns(columns, { times }).slice(0, 3).map((column) => formatter(column)(at, now).replace(/[\u202f\u00a0]/g, ' '));
}

test('times are shown in UTC with a Z, and relative to the present', () => {
  assert.deepEqual(shown([{ as: 'utc' }]), ['2026-03-01 12:00:00.250Z', '2026-03-01 12:00:00.250Z', '2026-03-01Z']);
  assert.deepEqual(shown([{ as: 'relative' }]), ['3 min ago', '3 min ago', '3 min ago']);
  assert.deepEqual(shown([{ as: 'relative' }], noon, noon - 60_000), ['in 1 min', 'in 1 min', 'in 1 min']);
  assert.deepEqual(shown(undefined)[1], '3 min');
  assert.equal(ago(0.5), 'now');
  assert.equal(momentInUTC(Date.UTC(-5, 0, 1), 'date'), '-5-01-01Z');
  assert.equal(momentInUTC(9e15), '');
});

test('milliseconds are shown or left out where a column has a time of day', () => {
  assert.deepEqual(shown([{ as: 'utc', decimals: 0 }]), ['2026-03-01 12:00:00Z', '2026-03-01 12:00:00Z', '2026-03-01Z']);
  assert.deepEqual(shown([{ as: 'utc', decimals: 3 }], noon - 250), ['2026-03-01 12:00:00.000Z', '2026-03-01 12:00:00.000Z', '2026-03-01Z']);
  // The style of the source stays without a form.
  assert.equal(shown([{ decimals: 3 }])[1], '3 min');
  assert.match(shown([{ decimals: 0 }])[0], /:00$/);
});

test('a column has its own form, completed by that of all columns', () => {
  const times = [{ as: 'utc', decimals: 0 }, { column: 'seen', as: 'relative' }, { column: 'began', decimals: 3 }];
  assert.deepEqual(formFor(times, 'seen'), { as: 'relative', decimals: 0 });
  assert.deepEqual(shown(times).slice(0, 2), ['2026-03-01 12:00:00.250Z', '3 min ago']);
  assert.equal(displayedColumns(columns, {}), columns);
  assert.equal(displayedColumns(columns, { times })[3], columns[3]);
});

test('a choice replaces the one before, and none is left without', () => {
  const utc = nextTimes(undefined, undefined, { as: 'utc' });
  assert.deepEqual(utc, [{ as: 'utc' }]);
  const both = nextTimes(utc, 'seen', { decimals: 3 });
  assert.deepEqual(both, [{ as: 'utc' }, { column: 'seen', decimals: 3 }]);
  assert.deepEqual(nextTimes(both, 'seen', { decimals: undefined }), utc);
  assert.equal(nextTimes(utc, undefined, { as: undefined }), undefined);
  assert.equal(nextTimes(undefined, 'seen', { as: undefined }), undefined);
});

test('links hold the forms of times, and malformed ones are skipped', () => {
  const times = [{ as: 'utc', decimals: 3 }, { column: 'a:b,c', as: 'relative' }, { column: 'day', decimals: 0 }];
  assert.deepEqual(viewFromHash(hashFromView({ ...view, times })).times, times);
  assert.equal(hashFromView({ ...view, times: [{ as: 'utc' }, { column: 'seen', as: 'relative' }] }), '#table=jobs&times=utc,seen:relative');
  assert.deepEqual(timesFrom('utc,utc,:utc,mars,seen:,.5,began:local.3,utc.0', decodeURIComponent), [{ as: 'utc' }, { column: 'began', as: 'local', decimals: 3 }]);
  assert.equal(timesFrom(null, decodeURIComponent), undefined);
  assert.equal(timesText([{ decimals: 0 }], encodeURIComponent), '.0');
});

test('forms of times are part of the view: of its steps, of saved views, and not of the suggestion', () => {
  const utc = { ...view, times: [{ as: 'utc' }] };
  assert.equal(changeText(view, utc, columns), 'form of times');
  const saved = { name: 'a', title: 'A', table: 'jobs', address: '#times=utc', role: 'viewer', version: 1 };
  const table = { name: 'jobs', columns };
  assert.equal(stateOf({ ...utc, named: 'a' }, [saved], table).isChanged, false);
  assert.equal(stateOf({ ...view, named: 'a' }, [saved], table).isChanged, true);
  const suggesting = { ...table, view: { sort: [{ column: 'cpu', descending: true }] } };
  assert.equal(completed(utc, suggesting), utc);
});

test('filters read the times as they are shown', () => {
  const specs = specify(columns, [], (text) => text.length * 7, { now: noon });
  const [began, seen] = specify(displayedColumns(columns, { times: [{ as: 'utc' }, { column: 'seen', as: 'relative' }] }), [], (text) => text.length * 7, { now: noon });
  const from = (text, spec) => rangeFrom([text, ''], spec, { now: noon });
  // A zone of the text wins.
  for (const text of ['2026-03-01 12:00', '2026-03-01 13:00+01:00']) assert.deepEqual(from(text, began), from('2026-03-01 12:00Z', specs[0]));
  assert.deepEqual(from('2026-03-01', began), from('2026-03-01Z', specs[0]));
  assert.deepEqual(rangeFrom(['', '3 min ago'], seen, { now: noon }), rangeFrom(['', '3 min'], specs[1], { now: noon }));
});

test('exact texts of times in UTC are in UTC', () => {
  const [utc] = displayedColumns(columns, { times: [{ as: 'utc' }] });
  assert.equal(exactText(noon, utc), '2026-03-01 12:00:00.250Z (UTC)');
  assert.equal(zoneNote(utc, noon), 'Times in UTC');
});

test('the menu marks the form in use and changes one member of it', () => {
  const changes = [];
  const times = [{ as: 'utc' }, { column: 'seen', as: 'relative' }];
  const items = (column, own = { times }) => timesMenu(own, (change) => changes.push(change.times), column);
  const labels = (all, wanted) => all.filter((item) => item?.isChecked === wanted).map(({ label }) => label);
  assert.deepEqual(labels(items(), true), ['UTC', 'As the source suggests']);
  assert.deepEqual(labels(items(columns[0]), true), ['As in all columns', 'As the source suggests']);
  // Relative times and dates have no milliseconds.
  assert.deepEqual(labels(items(columns[1]), true), ['Relative: 3 min ago']);
  assert.equal(items(columns[2], {}).filter((item) => item.heading !== undefined).length, 1);
  items().find(({ label }) => label === 'With milliseconds').run();
  items(columns[1]).find(({ label }) => label === 'As in all columns').run();
  items().at(-1).run();
  assert.equal(items().at(-1).label, 'Forget the form of one column');
  assert.deepEqual(changes, [[{ as: 'utc', decimals: 3 }, times[1]], [{ as: 'utc' }], [{ as: 'utc' }]]);
});

test('menus offer forms of times only where there are times', () => {
  const opened = [];
  timesItem(columns, view, () => {}, (title) => opened.push(title)).run();
  assert.deepEqual(opened, ['Times']);
  assert.match(timesItem(columns.slice(3), view, () => {}, () => {}).why, /no columns of times/);
  const on = { change() {}, filter() {}, fit() {}, times() {} };
  const has = (column) => columnMenu(column, columns, view, on).some((item) => item?.label === 'Times…');
  assert.deepEqual(columns.map(has), [true, true, true, false]);
});

test('a row with several lines is higher by whole lines, and shows as much more text', () => {
  assert.deepEqual([undefined, 1, 2, 5].map((lines) => rowHeightOf(28, lines)), [28, 28, 46, 100]);
  const text = { name: 'message', type: 'text', style: 'plain' };
  const long = 'x'.repeat(3_000);
  const [wrapped, other] = displayedColumns([text, columns[3]], { lines: 3 });
  assert.equal(formatter(text)(long).length, 401);
  assert.equal(formatter(wrapped)(long).length, 1_201);
  assert.equal(other, columns[3]);
});

test('the lines of text are part of the view, and a menu chooses them', () => {
  const three = { ...view, lines: 3 };
  assert.equal(hashFromView(three), '#table=jobs&lines=3');
  assert.equal(viewFromHash('#lines=3').lines, 3);
  assert.deepEqual(['1', '4', '1e9', '-2', '', null, 'x'].map(linesFrom), Array(7).fill(undefined));
  assert.equal(changeText(view, three, columns), 'lines of text');
  const saved = { name: 'a', title: 'A', table: 'jobs', address: '#lines=3', role: 'viewer', version: 1 };
  assert.equal(stateOf({ ...three, named: 'a' }, [saved], { name: 'jobs', columns }).isChanged, false);
  assert.equal(stateOf({ ...view, named: 'a' }, [saved], { name: 'jobs', columns }).isChanged, true);
  const changes = [];
  const items = linesMenu(three, (change) => changes.push(change));
  assert.deepEqual(items.map(({ label, isChecked }) => [label, isChecked]), [['One line', false], ['Up to 2 lines', false], ['Up to 3 lines', true], ['Up to 5 lines', false]]);
  items[0].run();
  items[3].run();
  assert.deepEqual(changes, [{ lines: undefined }, { lines: 5 }]);
});
