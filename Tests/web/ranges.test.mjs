// ranges.js, widths.js: sections by ranges: their sizes, queries, links, texts and filters.

import test from 'node:test';
import assert from 'node:assert/strict';
import { formatter } from '../../web/model/columns.js';
import { termForRange, termWithoutRange } from '../../web/model/narrowing.js';
import { fittingView, hashFromView, sameQuery, viewFromHash } from '../../web/model/query.js';
import { exportAddress } from '../../web/model/exporting.js';
import { fittingRanges, levelTitle, nextRanges, rangesFrom, rangesText, sectionText, sizeText, wireGroup, withFittingRanges } from '../../web/model/ranges.js';
import { applied, lack, marksFor, standing, partOf } from '../../web/model/refusals.js';
import { BoundsQuestion } from '../../web/model/values.js';
import { bestSize, sizesFor, widthFrom } from '../../web/model/widths.js';
import { columnMenu } from '../../web/panels/columnmenu.js';
import { sectionItems } from '../../web/panels/cellmenu.js';

process.env.TZ = 'Europe/Berlin';
const columns = [
  { name: 'user', type: 'text' }, { name: 'cpu', type: 'number', unit: '%' }, { name: 'pid', type: 'integer' },
  { name: 'started', type: 'timestamp' }, { name: 'size', type: 'integer', style: 'bytes' }, { name: 'took', type: 'number', style: 'duration' },
];
const byName = (name) => columns.find((column) => column.name === name);
const specOf = (name, more = {}) => {
  const column = { style: 'plain', ...byName(name), ...more };
  return { column, format: formatter(column, { locale: 'en' }), locale: 'en' };
};

test('a link has the ranges of grouped columns', () => {
  const view = viewFromHash('#table=t&group=user,cpu,started,a%252Cb&ranges=cpu:2.5,started:hour,a%252Cb:10,pid:5');
  assert.deepEqual(view.ranges, [{ column: 'cpu', width: 2.5 }, { column: 'started', unit: 'hour' }, { column: 'a,b', width: 10 }]);
  assert.equal(hashFromView(view), '#table=t&group=user,cpu,started,a%252Cb&ranges=cpu:2.5,started:hour,a%252Cb:10');
  assert.deepEqual(viewFromHash(hashFromView(view)), view);
  assert.equal(viewFromHash('#group=cpu').ranges, undefined);
  const decode = (name) => name;
  for (const text of [null, '', 'cpu', 'cpu:', ':5', 'cpu:0', 'cpu:-1', 'cpu:x', 'cpu:Infinity', 'cpu:1e999', 'cpu:Hour']) assert.equal(rangesFrom(text, decode), undefined, text);
  assert.deepEqual(rangesFrom('cpu:1,cpu:2,cpu:1', decode), [{ column: 'cpu', width: 1 }, { column: 'cpu', width: 2 }]);
  for (const width of [1e21, 1e-7, 0.1, 5]) assert.deepEqual(rangesFrom(rangesText([{ column: 'c', width }], decode), decode), [{ column: 'c', width }]);
});

test('ranges that do not fit their column are left out', () => {
  const ranges = [
    { column: 'cpu', width: 0.5 }, { column: 'pid', width: 2.5 }, { column: 'started', width: 5 }, { column: 'user', width: 5 }, { column: 'size', unit: 'day' },
  ];
  const group = ['cpu', 'pid', 'started', 'user', 'size'];
  assert.deepEqual(fittingRanges(ranges, group, columns), [{ column: 'cpu', width: 0.5 }]);
  assert.equal(fittingRanges(ranges.slice(1), group, columns), undefined);
  const view = { ...viewFromHash('#group=cpu,pid'), ranges };
  assert.deepEqual(fittingView(view, columns).ranges, [{ column: 'cpu', width: 0.5 }]);
  assert.deepEqual(withFittingRanges({ ...view, group: ['pid'] }).ranges, [ranges[1]]);
  assert.ok(!('ranges' in withFittingRanges({ ...view, group: [] })));
});

test('the levels of a column are named by the size of their ranges', () => {
  const at = { name: 'at', title: 'At', type: 'timestamp' };
  const days = { group: ['at', 'user', 'at'], ranges: [{ column: 'at', unit: 'day' }, { column: 'at', unit: 'hour' }] };
  assert.deepEqual([0, 2].map((level) => levelTitle(at, days, level)), ['At (day)', 'At (hour)']);
  assert.equal(levelTitle(byName('user'), days, 1), 'user');
  assert.equal(levelTitle(at, days), 'At');
  assert.equal(levelTitle(at, { group: ['at'], ranges: days.ranges.slice(0, 1) }, 0), 'At');
  const mixed = { group: ['at', 'at'], ranges: days.ranges.slice(0, 1) };
  assert.deepEqual([0, 1].map((level) => levelTitle(at, mixed, level)), ['At (day)', 'At']);
  const widths = { group: ['cpu', 'cpu', 'took', 'took', 'size', 'size'], ranges: [{ column: 'cpu', width: 10 }, { column: 'cpu', width: 2.5 }, { column: 'took', width: 3_600 }, { column: 'size', width: 65_536 }] };
  const titles = widths.group.map((name, level) => levelTitle({ style: 'plain', ...byName(name) }, widths, level, 'en'));
  assert.deepEqual(titles, ['cpu (10%)', 'cpu (2.5%)', 'took (1:00:00)', 'took', 'size (64.0\u202fKiB)', 'size']);
});

test('the ranges of a column are set and removed', () => {
  const one = nextRanges(undefined, 'cpu', [{ width: 5 }]);
  assert.deepEqual(one, [{ column: 'cpu', width: 5 }]);
  assert.deepEqual(nextRanges(one, 'cpu', [{ width: 10 }]), [{ column: 'cpu', width: 10 }]);
  assert.deepEqual(nextRanges(one, 'pid', [{ width: 1 }]), [...one, { column: 'pid', width: 1 }]);
  assert.equal(nextRanges(one, 'cpu', []), undefined);
});

test('a query has the ranges, and the offset of local times', () => {
  const view = viewFromHash('#group=user,cpu,started&ranges=cpu:5,started:day');
  assert.deepEqual(wireGroup(view, 60), ['user', { column: 'cpu', width: 5 }, { column: 'started', unit: 'day', offset: 60 }]);
  assert.deepEqual(wireGroup(view, 0)[2], { column: 'started', unit: 'day' });
  const utc = { ...view, times: [{ column: 'started', as: 'utc' }] };
  assert.deepEqual(wireGroup(utc, 60)[2], { column: 'started', unit: 'day' });
  assert.deepEqual(wireGroup({ group: ['user'] }, 60), ['user']);
  assert.ok(!sameQuery(view, utc));
  assert.ok(!sameQuery(view, { ...view, ranges: undefined }));
  const numbers = viewFromHash('#group=cpu&ranges=cpu:5');
  assert.ok(sameQuery(numbers, { ...numbers, times: [{ as: 'utc' }] }));
});

test('an export has the ranges, and the offset if they need it', () => {
  const table = { name: 't', columns };
  const narrowed = ({ search, where }) => ({ search, where, zone: 120 });
  const address = (hash, offset) => exportAddress(viewFromHash(hash), table, 'csv', narrowed, { offset });
  assert.equal(address('#group=cpu,started&ranges=cpu:5,started:day', 60), '/tables/t.csv?group=cpu%2Cstarted&ranges=cpu%3A5%2Cstarted%3Aday&zone=60');
  assert.equal(address('#group=cpu&ranges=cpu:5', 60), '/tables/t.csv?group=cpu&ranges=cpu%3A5');
  assert.equal(address('#group=cpu&where=x', 60), '/tables/t.csv?where=x&group=cpu&zone=120');
});

test('a range has the format and the unit of its column, with all digits', () => {
  const text = (name, value, end, more) => sectionText({ value, end }, specOf(name, more), 0, 'en');
  assert.equal(text('cpu', 10, 20), '10 % – 20 %'.replaceAll(' %', formatter(byName('cpu'), { locale: 'en' })(1, 0).slice(1)));
  assert.equal(text('cpu', 0.5, 1, { unit: '', format: 'grouped.0' }), '0.5 – 1');
  assert.equal(text('pid', 10, 20), '10 – 19');
  assert.equal(text('pid', 10, 11), '10');
  assert.equal(text('pid', '9007199254740992', '9007199254741002').replaceAll(',', ''), '9007199254740992 – 9007199254741001');
  assert.equal(text('took', 60, 120), '1:00 – 2:00');
  assert.equal(text('took', 60, 120, { style: 'age' }), '1:00 – 2:00');
  assert.equal(text('cpu', null, undefined), '');
  assert.equal(text('cpu', 5, undefined, { unit: '' }), '5');
});

test('ranges of times have the precision of their bounds', () => {
  const local = (text) => new Date(text).getTime();
  const text = (from, to, more) => sectionText({ value: local(from), end: local(to) }, specOf('started', more), 0, 'en');
  assert.equal(text('2026-11-26T14:00', '2026-11-26T15:00'), '2026-11-26 14:00 – 15:00');
  assert.equal(text('2026-11-26T23:59', '2026-11-27T00:00'), '2026-11-26 23:59 – 00:00');
  assert.equal(text('2026-11-26T00:00', '2026-11-27T00:00'), '2026-11-26');
  assert.equal(text('2026-11-23T00:00', '2026-11-30T00:00'), '2026-11-23 – 2026-11-29');
  assert.equal(text('2026-12-01T00:00', '2027-01-01T00:00'), '2026-12');
  assert.equal(text('2026-01-01T00:00', '2027-01-01T00:00'), '2026');
  assert.equal(text('2026-02-01T00:00', '2026-04-01T00:00'), '2026-02-01 – 2026-03-31');
  assert.equal(text('2026-11-26T14:00Z', '2026-11-26T15:00Z', { zone: 'utc' }), '2026-11-26 14:00 – 15:00');
  assert.equal(text('2026-01-01T00:00Z', '2027-01-01T00:00Z', { zone: 'utc' }), '2026');
});

test('widths divide the values into 5 to 20 sections', () => {
  const widths = (column, bounds) => sizesFor(column, bounds).map(({ width }) => width);
  const number = { type: 'number' };
  assert.deepEqual(widths(number, [0, 100]), [5, 10, 20]);
  assert.deepEqual(widths(number, [-0.3, 0.7]), [0.05, 0.1, 0.2]);
  assert.deepEqual(widths({ type: 'integer' }, [0, 100]), [5, 10, 20]);
  assert.deepEqual(widths({ type: 'integer' }, [1, 3]), [1]);
  assert.deepEqual(widths({ type: 'integer' }, [7, 7]), [1]);
  assert.deepEqual(widths(number, [0, 0]), [1]);
  assert.deepEqual(widths(number, null), [5, 10, 20]);
  assert.deepEqual(widths({ type: 'integer', style: 'bytes' }, [0, 1_000_000]), [65_536, 131_072]);
  assert.deepEqual(widths({ type: 'number', style: 'duration' }, [0, 3_600]), [300, 600]);
  for (let exponent = -12; exponent < 15; exponent += 0.37) {
    const span = 10 ** exponent;
    const found = widths(number, [span, 2 * span]);
    assert.ok(found.length >= 1 && found.every((width) => span / width >= 5 && span / width <= 20), `${span}: ${found}`);
  }
  assert.deepEqual(bestSize(sizesFor(number, [0, 100]), [0, 100]), { width: 10 });
  const time = { type: 'timestamp' };
  assert.equal(sizesFor(time, null).length, 6);
  assert.deepEqual(bestSize(sizesFor(time, null), [0, 36_000_000]), { unit: 'hour' });
  assert.deepEqual(bestSize(sizesFor(time, null), [0, 86_400_000 * 300]), { unit: 'month' });
  assert.deepEqual(bestSize(sizesFor(time, null), null), { unit: 'minute' });
  assert.equal(sizeText({ unit: 'hour' }, String, 0), 'Hour');
});

test('a width is typed in the notation of its column', () => {
  assert.deepEqual(widthFrom(' 2.5 % ', specOf('cpu'), 0), { width: 2.5 });
  assert.deepEqual(widthFrom('1k', specOf('pid'), 0), { width: 1_000 });
  assert.deepEqual(widthFrom('90 s', specOf('took'), 0), { width: 90 });
  assert.deepEqual(widthFrom('2 min', specOf('took', { style: 'age' }), 0), { width: 120 });
  for (const [text, name] of [['', 'cpu'], ['0', 'cpu'], ['-1', 'cpu'], ['x', 'cpu'], ['2.5', 'pid'], ['0', 'pid']]) assert.ok(widthFrom(text, specOf(name), 0).fault, `${name} ${text}`);
});

test('a range is filtered by its bounds, without the end', () => {
  assert.deepEqual(termForRange(10, 20, byName('pid')), { column: 'pid', op: 'range', from: 10, through: 19 });
  assert.deepEqual(termForRange(10, 11, byName('pid')), { column: 'pid', op: 'oneOf', values: [10] });
  assert.deepEqual(termForRange(10, 20, byName('cpu')), { column: 'cpu', op: 'range', from: 10, through: 19.999999999999996 });
  assert.deepEqual(termForRange(0, 1_000, byName('started')), { column: 'started', op: 'range', from: 0, through: '999.999999' });
  assert.deepEqual(termForRange(10, undefined, byName('cpu')), { column: 'cpu', op: 'range', from: 10 });
  assert.deepEqual(termWithoutRange(undefined, 10, 20, byName('pid')), { column: 'pid', op: 'noneOf', values: [[10, 19]] });
  const term = { column: 'pid', op: 'range', from: 0, through: 99 };
  assert.deepEqual(termWithoutRange(term, 10, 20, byName('pid')), { ...term, except: [[10, 19]] });
});

test('the menu of a section filters by its range', () => {
  const spec = specOf('pid');
  const changes = [];
  const scene = {
    spec, term: undefined, view: { filters: [], group: ['pid'], collapsed: [] }, lack: () => '', change: (wish) => changes.push(wish), refuse: assert.fail, now: 0,
  };
  const on = { toggle() {}, view: scene.view, order() {}, foldAll() {} };
  const items = (more) => sectionItems({ isCollapsed: false }, [{ scene, value: 10, end: 20, isRange: true, ...more }], on);
  const choose = (label) => items().find((item) => item?.label === label).run();
  choose('Filter for “10 – 19”');
  choose('Exclude “10 – 19”');
  assert.deepEqual(changes, [
    { filters: [{ column: 'pid', op: 'range', from: 10, through: 19 }] }, { filters: [{ column: 'pid', op: 'noneOf', values: [[10, 19]] }] },
  ]);
  assert.ok(items({ value: null, end: undefined, isRange: false }).some((item) => item?.label === 'Filter for empty cells'));
});

test('columns of numbers and times have the item', () => {
  const view = { ...viewFromHash('#group=cpu&ranges=cpu:5') };
  const item = (name, on = {}) => columnMenu({ ...byName(name) }, columns, view, { ranges() {}, ...on }).find((one) => one?.label === 'Group by ranges…');
  assert.equal(item('cpu').isChecked, true);
  assert.equal(item('pid').isChecked, false);
  assert.equal(item('user'), undefined);
  assert.equal(item('started', { lack: ({ ranges }) => (ranges ? 'no' : '') }).why, 'no');
});

test('refused ranges are replaced by the grouping that was accepted', () => {
  const good = viewFromHash('#table=t&group=cpu');
  const view = viewFromHash('#table=t&group=cpu&ranges=cpu:5');
  const marks = marksFor(view, ['query.group[0]'], 'Too many rows.');
  assert.deepEqual(marks.map(({ key }) => key), ['group:cpu']);
  assert.equal(applied(view, marks, good).ranges, undefined);
  assert.deepEqual(applied(view, marks, good).group, ['cpu']);
  assert.deepEqual(standing(marks, { ...view, ranges: [{ column: 'cpu', width: 10 }] }), []);
  assert.equal(partOf(good, 'group:cpu'), '"cpu"');
  const table = { windowed: { rowLimit: 10, group: ['cpu'] } };
  assert.match(lack(table, 100, { ranges: true }), /^This source cannot group by ranges, and 100 rows/);
  assert.equal(lack(table, 10, { ranges: true }), '');
});

test('bounds are two percentiles of all rows', () => {
  const sent = [];
  const reported = [];
  const question = new BoundsQuestion({ table: 't', column: 'cpu', query: { search: 'x' } }, (message) => sent.push(message), (bounds) => reported.push(bounds));
  question.start();
  question.receive({ type: 'hello' });
  assert.deepEqual(sent[1].query, { search: 'x', aggregates: [{ column: 'cpu', function: 'p1' }, { column: 'cpu', function: 'p99' }] });
  question.receive({ type: 'window', seq: 1, rows: 5, totals: [null, null] });
  assert.deepEqual(sent[2], { type: 'ack', seq: 1 });
  question.receive({ type: 'patch', seq: 2, rows: 5, totals: [1, '9007199254740993'] });
  question.receive({ type: 'window', seq: 3, rows: 0, totals: [null, null] });
  question.receive({ type: 'error' });
  assert.deepEqual(reported, [[1, 9_007_199_254_740_992], null, null]);
});
