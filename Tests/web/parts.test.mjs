// Small modules without a DOM: link.js, query.js, columns.js, keys.js, hold.js and others.

import test from 'node:test';
import assert from 'node:assert/strict';
import { FUNCTIONS, isFitting } from '../../web/model/query.js';
import { aggregateTexts, totalledColumns, totalText } from '../../web/model/totals.js';
import { Backoff } from '../../web/protocol/link.js';
import { Advances, barScale, gapOf, grownWidth, isLong, place, specify } from '../../web/model/columns.js';
import { isToggle } from '../../web/input/folds.js';
import { HoldPolicy, heldText, renewTime, restTime } from '../../web/grid/hold.js';
import { moveActive } from '../../web/model/keys.js';
import { pauseTexts } from '../../web/panels/pause.js';
import { emptyView, fittingView, hashFromView, nextCollapsed, nextGroup, nextSort, sameQuery, viewFromHash } from '../../web/model/query.js';

test('random pauses double up to 30 seconds', () => {
  const backoff = new Backoff();
  const ceilings = Array.from({ length: 9 }, () => backoff.pause(0, 1));
  assert.deepEqual(ceilings, [1_500, 3_000, 6_000, 12_000, 24_000, 30_000, 30_000, 30_000, 30_000]);
  assert.equal(backoff.pause(0, 0), 0);
});

test('pauses are reset only after ten seconds of connection', () => {
  const backoff = new Backoff();
  for (let attempt = 0; attempt < 4; attempt += 1) backoff.pause(0, 1);
  backoff.opened(1_000);
  assert.equal(backoff.pause(10_999, 1), 24_000);
  backoff.opened(20_000);
  assert.equal(backoff.pause(30_000, 1), 1_500);
});

test('a view survives the round trip through the URL', () => {
  const views = [
    emptyView(),
    { table: 'processes', sort: [{ column: 'cpu', descending: true }, { column: 'name', descending: false }], search: 'ssh &#=%', where: '', filters: [{ column: 'cpu', op: 'range', from: 5 }, { column: 'name', op: 'oneOf', values: ['[&#', null] }], group: ['user', 'state'], aggregates: [{ column: 'cpu', function: 'sum' }, { column: 'name', function: 'distinct' }], collapsed: [['root'], ['me', null], [true, 1.5, '[&#']], columns: [] },
    { table: 'a table, with & in it', sort: [{ column: '-odd,name%', descending: true }, { column: '-x', descending: false }], search: '', where: 'cpu > 5 and "naïve 日本"', filters: [], group: ['ö', 'a,b'], aggregates: [{ column: ':,', function: 'max' }], sections: [{ column: 'a,b', by: { column: ':,', function: 'max' }, descending: true }, { column: 'ö', by: 'value', descending: true }], collapsed: [], columns: [] },
  ];
  for (const view of views) assert.deepEqual(viewFromHash(hashFromView(view)), view);
  assert.equal(hashFromView(views[1]).slice(0, 38), '#table=processes&sort=-cpu,name&search');
});

test('deferred cells without a value do not affect widths', () => {
  const columns = [{ name: 'rating', type: 'number', style: 'plain', unit: '', width: 0, align: 'end' }];
  const measure = (text) => text.length * 8;
  const width = (cells) => specify(columns, cells.map((cell) => [cell]), measure, { locale: 'en', now: 0 })[0].width;
  assert.equal(width([{ pending: true }, 12_345.25, { failed: 'a very long reason that nobody measures' }]), width([12_345.25]));
});

test('columns of numbers and times fit their values and grow', () => {
  const measure = (text) => text.length * 8;
  const specOf = (type, width, cell) => specify([{ name: 'n', title: '', type, style: 'plain', unit: '', width, align: '' }], [[cell]], measure, { locale: 'en', now: 0 })[0];
  assert.equal(specOf('text', 4, 'a long text').natural, specOf('text', 4, 'x').natural);
  assert.equal(specOf('timestamp', 4, 0).natural, specOf('timestamp', 0, 0).natural);
  assert.ok(specOf('integer', 4, 123_456_789).natural >= 11 * 8 + 20);
  const count = specOf('integer', 0, 1);
  const grown = grownWidth({ ...count, tight: '123,456,789' }, measure);
  assert.ok(grown >= 11 * 8 + 20);
  assert.equal(grownWidth({ ...count, natural: grown, tight: '123,456,789' }, measure), grown, 'once is enough');
  assert.equal(grownWidth({ ...count, tight: '9'.repeat(400) }, measure), 400, 'no column is as wide as it likes');
  const text = specOf('text', 0, 'x');
  assert.equal(grownWidth({ ...text, tight: 'a long text that is cut off' }, measure), text.natural);
  assert.ok(grownWidth({ ...text, tight: 'a total that is cut off' }, measure, true) > text.natural, 'a total is not');
});

test('a malformed URL gives an empty view', () => {
  assert.deepEqual(viewFromHash('#%%%&sort=%E0%A4%A,,&&='), emptyView());
});

test('clicks on a header cycle through both orders and none', () => {
  for (const type of ['integer', 'number', 'timestamp', 'text', 'boolean']) {
    const isDescending = ['integer', 'number', 'timestamp'].includes(type);
    const column = { name: 'x', type };
    const once = nextSort([], column);
    assert.deepEqual(once, [{ column: 'x', descending: isDescending }], type);
    const twice = nextSort(once, column);
    assert.deepEqual(twice, [{ column: 'x', descending: !isDescending }], type);
    assert.deepEqual(nextSort(twice, column), [], type);
  }
});

test('shift-clicks add, reverse and remove a sort column', () => {
  const [cpu, name] = [{ name: 'cpu', type: 'number' }, { name: 'name', type: 'text' }];
  let sort = nextSort(nextSort([], cpu), name, true);
  assert.deepEqual(sort, [{ column: 'cpu', descending: true }, { column: 'name', descending: false }]);
  sort = nextSort(sort, cpu, true);
  assert.deepEqual(sort, [{ column: 'cpu', descending: false }, { column: 'name', descending: false }]);
  assert.deepEqual(nextSort(sort, cpu, true), [{ column: 'name', descending: false }]);
  assert.deepEqual(nextSort(sort, name), [{ column: 'name', descending: true }], 'without it the column is the order');
});

test('a grouping level is set, replaced, or removed with inner ones', () => {
  assert.deepEqual(nextGroup([], 0, 'user'), ['user']);
  assert.deepEqual(nextGroup(['user'], 1, 'state'), ['user', 'state']);
  assert.deepEqual(nextGroup(['user', 'state', 'name'], 0, 'state'), ['state', 'name']);
  assert.deepEqual(nextGroup(['user', 'state', 'name'], 1, ''), ['user']);
});

test('collapsed sections are unique, and the oldest are dropped', () => {
  let collapsed = nextCollapsed([], ['a', 1], true);
  collapsed = nextCollapsed(collapsed, ['b'], true);
  assert.deepEqual(nextCollapsed(collapsed, ['a', 1], true), [['b'], ['a', 1]]);
  assert.deepEqual(nextCollapsed(collapsed, ['a', 1], false), [['b']]);
  for (let at = 0; at < 5_000; at += 1) collapsed = nextCollapsed(collapsed, [`section ${at}`], true);
  assert.ok(JSON.stringify(collapsed).length <= 12_000);
  assert.deepEqual(collapsed.at(-1), ['section 4999']);
});

test('malformed collapsed sections in a URL are ignored', () => {
  for (const text of ['{"a":1}', '[', '[[]]', '[[{}]]', '[7]', '[["a","b","c","d","e"]]']) {
    assert.deepEqual(viewFromHash(`#collapsed=${encodeURIComponent(text)}`).collapsed, [], text);
  }
});

test('keys collapse and expand sections', () => {
  assert.deepEqual(['Enter', ' ', 'ArrowLeft', 'ArrowRight', 'ArrowDown'].map((key) => isToggle(key, false)), [true, true, true, false, false]);
  assert.deepEqual(['Enter', ' ', 'ArrowLeft', 'ArrowRight', 'ArrowDown'].map((key) => isToggle(key, true)), [true, true, false, true, false]);
});

test('a view is reduced to the existing columns', () => {
  const view = { table: 't', sort: [{ column: 'gone', descending: false }, { column: 'cpu', descending: true }], search: 'x', filters: [{ column: 'gone', op: 'isEmpty' }, { column: 'cpu', op: 'isEmpty' }], group: ['gone', 'cpu'], aggregates: [{ column: 'cpu', function: 'sum' }, { column: 'cpu', function: 'odd' }] };
  const fitted = fittingView(view, [{ name: 'cpu', type: 'number' }]);
  assert.deepEqual(fitted, { table: 't', sort: [{ column: 'cpu', descending: true }], search: 'x', filters: [{ column: 'cpu', op: 'isEmpty' }], group: ['cpu'], aggregates: [{ column: 'cpu', function: 'sum' }] });
  assert.ok(!sameQuery(view, fitted) && sameQuery(fitted, { ...fitted }));
});

const columns = [
  { name: 'pid', title: 'PID', type: 'integer', style: 'plain', unit: '', width: 7, align: 'end' },
  { name: 'name', title: 'Name', type: 'text', style: 'plain', unit: '', width: 0, align: 'start' },
  { name: 'cpu', title: 'A rather long title', type: 'number', style: 'bar', unit: '%', width: 3, align: 'end' },
];
const measure = (text) => text.length * 7;

test('columns fit their titles, and the last text column stretches', () => {
  const specs = specify(columns, [[1, 'a name that is not short', 0.5]], measure, { locale: 'en', now: 0 });
  assert.equal(place(specs, 1_000), 1_000);
  assert.deepEqual(specs.map(({ left }) => left), [4, 4 + specs[0].width, 4 + specs[0].width + specs[1].width]);
  assert.equal(specs.reduce((sum, { width }) => sum + width, 0), 992, 'and a little room is left at both edges');
  assert.equal(specs[0].width, 7 * 7 + 20);
  assert.equal(specs[2].width, 'A rather long title'.length * 7 + 16 + 20);
  const natural = specs.reduce((sum, { natural: own }) => sum + own, 8);
  assert.equal(place(specs, natural - 10), natural - 10, 'a text gives way');
  assert.ok(place(specs, 100) > 100, 'then the table scrolls sideways');
});

test('text columns share spare width, and those that are cut off take all of it', () => {
  const texts = ['one', 'two', 'three'].map((name) => ({ name, type: 'text', style: 'plain', title: '' }));
  const widths = (cells, available, change = () => {}) => {
    const specs = specify([columns[0], ...texts], [[1, ...cells]], measure, { locale: 'en', now: 0 });
    change(specs);
    const natural = specs.map((spec) => spec.setWidth || spec.natural);
    assert.equal(place(specs, available), available);
    assert.equal(specs.reduce((sum, { width }) => sum + width, 8), available);
    return specs.map(({ width }, at) => width - natural[at]);
  };
  const [none, one, two, three] = widths(['a'.repeat(10), 'b'.repeat(20), 'c'.repeat(10)], 1_200);
  assert.deepEqual([none, Math.abs(one - three) <= 1, two > one && one > 100], [0, true, true]);
  const [, , cut, other] = widths(['a', 'b'.repeat(200), 'c'], 1_200);
  assert.ok(cut > 400 && other === 0);
  // A width of the user stays.
  const stored = widths(['a', 'b'.repeat(200), 'c'], 1_200, (specs) => { specs[2].setWidth = 100; });
  assert.equal(stored[2], 0);
  assert.ok(stored[1] > 0 && stored[3] > 0);
});

test('clips only text that may be wider than its column', () => {
  const [, name] = specify(columns, [], measure, { locale: 'en', now: 0 });
  name.width = 20 + 10 * 7;  // padding and ten characters
  assert.equal(isLong(name, 'ten letter'), false);
  assert.equal(isLong(name, 'ten letters'), true);
  assert.equal(isLong({ ...name, width: name.width + 2 }, 'ten letters'), true);
  assert.equal(isLong({ ...name, width: name.width + 3 }, 'ten letters'), false, 'four pixels of the room beside it may be taken');
  assert.equal(isLong({ ...name, kind: 'badge' }, 'ten letter'), true);
  assert.equal(isLong({ ...name, kind: 'badge', width: name.width + 12 }, 'ten letter'), false);
  assert.equal(isLong({ ...name, kind: 'badge', width: name.width + 11 }, 'ten letter'), true);
  assert.equal(isLong(name, ''), false);
  for (const text of ['Ƞ', '\u02ff', ' ', '~', 'é', 'Ω', 'ж', '\u052f', '3.2\u202fMB', '—', '…', '€', '₿']) assert.equal(isLong(name, text), false, text);
  for (const text of ['\n', '\t', '\x1f', '\x7f', '\xad', 'e\u0301', '\u0483', '\u0530', '\u200f', '\u2028', '\u202e', '\u2066', '\u20d0', '名', 'א', '😀']) assert.equal(isLong(name, text), true, JSON.stringify(text));
});

test('measures each character once, and digits only as 0', () => {
  const measured = [];
  const advances = new Advances((character) => {
    measured.push(character);
    return character === '0' ? 8 : 5;
  });
  assert.equal(advances.exceed('11', 16), false);
  assert.equal(advances.exceed('11', 15.9), true);
  assert.equal(advances.exceed('91a', 21), false);
  assert.equal(advances.exceed('91a', 20.9), true);
  assert.equal(advances.exceed('/:', 10), false);
  assert.deepEqual(measured, ['0', '0', 'a', '/', ':']);
});

test('undrawn columns keep their space', () => {
  const specs = specify([...columns, { ...columns[1], name: 'more' }], [], measure, { locale: 'en', now: 0 });
  place(specs, 2_000);
  const [pid, name, cpu] = specs;
  assert.equal(gapOf(specs, []), 0);
  assert.equal(gapOf(specs, [0, 1]), 0);
  assert.equal(gapOf(specs, [2, 3]), pid.width + name.width);
  pid.isPinned = true;
  assert.equal(gapOf(specs, [0, 1]), 0);
  assert.equal(gapOf(specs, [0, 3]), name.width + cpu.width);
  assert.equal(gapOf(specs, [0]), 0);
});

test('a full bar is 100 % or the maximum, with hysteresis', () => {
  const [, , cpu] = specify(columns, [], measure, { now: 0 });
  assert.equal(barScale(cpu, []), 100);
  const size = { column: { unit: '' }, index: 0, scale: 0 };
  const items = (value) => [{ isHeader: true }, { cells: [value] }, { cells: [null] }];
  const show = (value, known) => { size.scale = barScale(size, items(value), known); return size.scale; };
  assert.deepEqual([50, 30, 51, 20].map((value) => show(value)), [50, 50, 51, 20]);
  // The greatest value of all rows counts, not that in the window.
  assert.deepEqual([200, 170, 150, 100].map((known) => show(20, known)), [200, 200, 150, 100]);
});

test('keys move the active cell within the grid', () => {
  const grid = { total: 100, columns: 4, page: 20, isControl: false };
  const from = { position: 50, column: 2 };
  assert.deepEqual(moveActive(from, 'ArrowDown', grid), { position: 51, column: 2 });
  assert.deepEqual(moveActive(from, 'PageUp', grid), { position: 30, column: 2 });
  assert.deepEqual(moveActive(from, 'PageDown', grid), { position: 70, column: 2 });
  assert.deepEqual(moveActive({ position: 95, column: 3 }, 'PageDown', grid), { position: 99, column: 3 });
  assert.deepEqual(moveActive(from, 'Home', grid), { position: 50, column: 0 });
  assert.deepEqual(moveActive(from, 'End', grid), { position: 50, column: 3 });
  const far = { ...grid, isControl: true };
  assert.deepEqual(moveActive(from, 'Home', far), { position: 0, column: 0 });
  assert.deepEqual(moveActive(from, 'End', far), { position: 99, column: 3 });
  assert.deepEqual(moveActive(from, 'ArrowDown', far), { position: 99, column: 2 });
  assert.deepEqual(moveActive(from, 'ArrowUp', far), { position: 0, column: 2 });
  assert.deepEqual(moveActive({ position: 0, column: 2 }, 'ArrowUp', far), { position: -1, column: 2 }, 'and then to the headers');
  assert.deepEqual(moveActive(from, 'ArrowRight', far), { position: 50, column: 3 });
  assert.deepEqual(moveActive(from, 'ArrowRight', { ...grid, isRightToLeft: true }), { position: 50, column: 1 });
  assert.deepEqual(moveActive(from, 'ArrowLeft', { ...far, isRightToLeft: true }), { position: 50, column: 3 });
  assert.deepEqual(moveActive({ position: 0, column: 0 }, 'ArrowUp', grid), { position: -1, column: 0 });
  assert.deepEqual(moveActive({ position: -1, column: 3 }, 'ArrowRight', grid), { position: -1, column: 3 });
  assert.equal(moveActive(from, 'x', grid), null);
});

test('aggregates use the formats of their columns', () => {
  const specs = [
    { column: { name: 'cpu', title: 'CPU', type: 'number' }, format: (value) => `${value} %` },
    { column: { name: 'pid', title: '', type: 'integer' }, format: String },
  ];
  const requested = [
    { column: 'cpu', function: 'sum' }, { column: 'pid', function: 'mean' }, { column: 'pid', function: 'distinct' }, { column: 'cpu', function: 'max' },
  ];
  assert.deepEqual(aggregateTexts(requested, [12.5, 2.5, 1_200, null], specs, 0, 'en'), ['Σ CPU 12.5 %', 'mean pid 2.5', 'different pid 1,200', 'max CPU —']);
  assert.deepEqual(aggregateTexts(requested, [], specs, 0, 'en'), []);
});

test('percentiles and first values use the formats of their columns', () => {
  const specs = [{ column: { name: 'took', title: 'Took', type: 'integer' }, format: (value) => `${value} ms` }, { column: { name: 'who', type: 'text' }, format: String }];
  const requested = [{ column: 'took', function: 'p95' }, { column: 'took', function: 'median' }, { column: 'who', function: 'last' }];
  assert.deepEqual(aggregateTexts(requested, [250, 12, 'me'], specs, 0, 'en'), ['p95 Took 250 ms', 'median Took 12 ms', 'last who me']);
});

test('totals are under the shown columns, in the order of the columns', () => {
  const specs = ['name', 'cpu', 'size'].map((name, at) => ({ column: { name, type: 'number' }, at }));
  const requested = [{ column: 'size', function: 'sum' }, { column: 'cpu', function: 'max' }, { column: 'gone', function: 'sum' }, { column: 'size', function: 'p95' }];
  assert.deepEqual(totalledColumns(requested, specs).map(({ spec, terms }) => [spec.at, terms]), [
    [1, [{ kind: 'max', at: 1 }]], [2, [{ kind: 'sum', at: 0 }, { kind: 'p95', at: 3 }]],
  ]);
  assert.deepEqual(aggregateTexts(requested, [1, 2, 3, 4], specs.map((spec) => ({ ...spec, format: String })), 0, 'en', (name) => name === 'gone'), ['Σ gone 3']);
});

test('computed totals are rounded, and values of cells are exact', () => {
  const spec = { column: { name: 'cpu', type: 'number' }, format: (value) => `${value} %` };
  assert.equal(totalText('mean', 10 / 3, spec, 0, 'en'), '3.33 %');
  assert.equal(totalText('sum', 0.1 + 0.2, spec, 0, 'en'), '0.3 %');
  assert.equal(totalText('p95', 3.141592, spec, 0, 'en'), '3.141592 %');
  assert.equal(totalText('max', null, spec, 0, 'en'), '—');
});

test('keys lead from the last row to the totals and back', () => {
  const grid = { total: 10, columns: 4, page: 3, isControl: false, hasTotals: true };
  const foot = { position: -2, column: 2 };
  assert.deepEqual(moveActive({ position: 9, column: 2 }, 'ArrowDown', grid), foot);
  assert.deepEqual(moveActive({ position: 9, column: 2 }, 'ArrowDown', { ...grid, hasTotals: false }), { position: 9, column: 2 });
  assert.deepEqual(moveActive(foot, 'ArrowDown', grid), foot);
  assert.deepEqual(moveActive(foot, 'PageDown', grid), foot);
  assert.deepEqual(moveActive(foot, 'ArrowUp', grid), { position: 9, column: 2 });
  assert.deepEqual(moveActive(foot, 'PageUp', grid), { position: 7, column: 2 });
  assert.deepEqual(moveActive(foot, 'ArrowUp', { ...grid, isControl: true }), { position: 0, column: 2 });
  assert.deepEqual(moveActive(foot, 'ArrowRight', grid), { position: -2, column: 3 });
  assert.deepEqual(moveActive(foot, 'Home', grid), { position: -2, column: 0 });
  assert.deepEqual(moveActive(foot, 'End', { ...grid, isControl: true }), { position: 9, column: 3 });
  assert.deepEqual(moveActive({ position: -1, column: 0 }, 'ArrowDown', { ...grid, total: 0 }), { position: -2, column: 0 });
});

test('a view keeps the totals that suit their column', () => {
  const columns = [{ name: 'cpu', type: 'number' }, { name: 'name', type: 'text' }, { name: 'run', type: 'series' }, { name: 'seen', type: 'timestamp' }];
  const kinds = (column) => Object.keys(FUNCTIONS).filter((kind) => isFitting({ column, function: kind }, columns));
  assert.equal(kinds('cpu').length, 14);
  assert.deepEqual(kinds('name'), ['distinct', 'first', 'last']);
  assert.deepEqual(kinds('run'), ['distinct']);
  assert.deepEqual(kinds('seen'), ['median', 'min', 'max', 'p1', 'p5', 'p10', 'p90', 'p95', 'p99', 'distinct', 'first', 'last']);
});

test('the pause button shows the number of changes', () => {
  assert.equal(pauseTexts(false, null, 'en').text, 'Pause');
  assert.equal(pauseTexts(true, null, 'en').text, 'Resume');
  assert.equal(pauseTexts(true, { changed: 0, rows: 3 }, 'en').text, 'Resume');
  assert.equal(pauseTexts(true, { changed: 1_204, rows: 3 }, 'en').text, 'Resume (1,204 changes)');
});

test('holds the order while the pointer rests in the table', () => {
  const policy = new HoldPolicy();
  assert.equal(policy.decide(0), null);
  assert.equal(policy.patience(0), null);
  policy.point(100);
  assert.equal(policy.decide(100), true);
  assert.equal(policy.decide(101), null, 'it is said once');
  let now = 100;
  for (let step = 0; step < 20; step += 1) {
    assert.equal(policy.patience(now), renewTime);
    assert.equal(policy.decide(now + renewTime - 1), null);
    assert.equal(policy.decide(now += renewTime), true, 'the server must not forget it');
  }
  policy.point(null);
  assert.equal(policy.decide(now + 1), false);
  assert.equal(policy.patience(now + 1), null);
  assert.equal(policy.decide(now + 2 * renewTime), null);
});

test('renews a hold well before the server’s 30 s timeout', () => {
  assert.ok(renewTime <= 15_000);
});

test('at the end of a list, only a moving pointer holds', () => {
  const policy = new HoldPolicy();
  policy.isFollowing = true;
  policy.point(100);
  assert.equal(policy.decide(100), true);
  policy.point(1_000);
  assert.equal(policy.patience(1_000), restTime);
  assert.equal(policy.decide(1_000 + restTime - 1), null);
  assert.equal(policy.decide(1_000 + restTime), false);
  assert.equal(policy.decide(1_000 + restTime + 1), null);
});

test('a pressed pointer holds after leaving the table', () => {
  const policy = new HoldPolicy();
  policy.point(0);
  policy.isPressing = true;
  assert.equal(policy.decide(0), true);
  policy.point(null);
  assert.equal(policy.decide(restTime), null);
  policy.isPressing = false;
  assert.equal(policy.decide(restTime + 1), false);
});

test('a selection holds the order, and the hold is renewed', () => {
  const policy = new HoldPolicy();
  policy.isSelecting = true;
  assert.equal(policy.decide(0), true);
  assert.equal(policy.patience(0), renewTime);
  assert.equal(policy.decide(renewTime - 1), null);
  assert.equal(policy.decide(renewTime), true);
  assert.equal(policy.decide(renewTime + 1), null);
});

test('the hold notice appears only when rows wait to move', () => {
  assert.equal(heldText(null, 'en'), '');
  assert.equal(heldText({ moves: 0 }, 'en'), '');
  assert.equal(heldText({ moves: 1 }, 'en'), 'Order held: 1 row will move');
  assert.equal(heldText({ moves: 1_200, gone: [1] }, 'en'), 'Order held: 1,200 rows will move');
});

test('one or two views survive the round trip through the URL', async () => {
  const { hashFromViews, viewsFromHash } = await import('../../web/model/query.js');
  const one = { ...emptyViewOf(), table: 'a&b=c', search: '#?&=%', sort: [{ column: 'x,y', descending: true }] };
  const other = { ...emptyViewOf(), table: 'beside=x', group: ['ü'], filters: [{ column: 'n', op: 'contains', value: '&beside=' }] };
  assert.deepEqual(viewsFromHash(hashFromViews([one])), [one]);
  assert.deepEqual(viewsFromHash(hashFromViews([one, other])), [one, other]);
  assert.deepEqual(viewsFromHash(hashFromViews([emptyViewOf(), other])), [emptyViewOf(), other]);
  assert.deepEqual(viewsFromHash(''), [emptyViewOf()]);
});

function emptyViewOf() {
  return { table: '', sort: [], search: '', where: '', filters: [], group: [], aggregates: [], collapsed: [], columns: [] };
}

test('a released hold restarts at the next pointer movement', async () => {
  const { HoldPolicy } = await import('../../web/grid/hold.js');
  const policy = new HoldPolicy();
  policy.point(0);
  assert.equal(policy.decide(0), true);
  policy.release();
  assert.equal(policy.decide(10), null);
  assert.equal(policy.patience(10), null);
  policy.point(20);
  assert.equal(policy.decide(20), true);
});
