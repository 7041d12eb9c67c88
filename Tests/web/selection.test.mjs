// selection.js, clipboard.js, speech.js, seek.js: selecting, copying, speaking and finding.

import test from 'node:test';
import assert from 'node:assert/strict';
import { cellText, htmlTable, tabSeparated } from '../../web/input/clipboard.js';
import { findText } from '../../web/model/seek.js';
import { Selection, Spot } from '../../web/model/selection.js';
import { Announcer, viewInWords } from '../../web/panels/announcer.js';
import { Header, Row, WindowCopy } from '../../web/protocol/wire.js';

/**
 * Returns a window of rows with these ids from `start` on; each row has its id and twice its id.
 */
function copyOf(ids, start = 0, total = start + ids.length) {
  return Object.assign(new WindowCopy(), { start, total, items: ids.map((id) => (typeof id === 'number' ? new Row(id, 1, [`row ${id}`, id * 2]) : id)) });
}
const specs = [{ index: 0, column: { name: 'a', title: 'A', type: 'text' } }, { index: 1, column: { name: 'b', type: 'integer' } }];
const chosenIDs = (selection, copy) => selection.cells(copy, specs).rows.map((cells) => cells[1] / 2);

test('selected rows stay selected when they move', () => {
  const selection = new Selection();
  const copy = copyOf([1, 2, 3]);
  selection.toggleRow(copy.items[2]);
  selection.toggleRow(copy.items[0]);
  assert.deepEqual(chosenIDs(selection, copy), [1, 3], 'in the order of the view');
  const later = copyOf([3, 2, 9]);
  selection.follow(later, 0);
  assert.deepEqual(chosenIDs(selection, later), [3, 1], 'a row that is out of reach is known as it was');
  assert.equal(selection.text, '2 rows selected');
  selection.toggleRow(later.items[0]);
  assert.equal(selection.text, '1 row selected');
  assert.ok(selection.clear());
  assert.ok(!selection.clear());
});

test('a selected row is copied with its current cells', () => {
  const selection = new Selection();
  selection.toggleRow(copyOf([1]).items[0]);
  const later = copyOf([1]);
  later.items[0].cells[0] = 'changed';
  selection.follow(later, 0);
  assert.equal(selection.cells(later, specs).rows[0][0], 'changed');
});

test('a rectangle of cells follows the rows of its corners', () => {
  const selection = new Selection();
  const copy = copyOf([1, 2, 3, 4, 5]);
  const at = (position) => new Spot(position, copy.itemAt(position));
  selection.extend(at(3), 1, at(2), 0);
  selection.extend(at(3), 1, at(1), 1);
  assert.deepEqual(selection.bounds, { top: 1, bottom: 3, first: 1, last: 1 }, 'the first corner stays');
  assert.deepEqual(selection.cells(copy, specs), { specs: [specs[1]], rows: [[4], [6], [8]], missing: 0 });
  const later = copyOf([9, 1, 2, 7, 3, 4], 10, 20);
  selection.follow(later, 11);
  assert.deepEqual(selection.bounds, { top: 12, bottom: 15, first: 1, last: 1 });
  assert.equal(selection.text, '4 rows, 1 column selected');
});

test('a corner outside the window keeps its position and shifts', () => {
  const place = new Spot(500, new Row(7, 1, []));
  place.follow(copyOf([1, 2], 0, 1_000), 5);
  assert.equal(place.position, 505);
  place.follow(copyOf([1, 2], 0, 100), 0);
  assert.equal(place.position, 99);
  const heads = new Spot(-1);
  heads.follow(copyOf([1]), 3);
  assert.equal(heads.position, -1);
});

test('a corner on a header follows its section', () => {
  const header = (section) => new Header({ section, rev: 1, slot: 0, level: 0, column: 'a', value: 'x', count: 1 });
  const place = new Spot(0, header(4));
  place.follow(copyOf([header(3), 1, header(4), 2]), 0);
  assert.equal(place.position, 2);
  assert.ok(place.item.isHeader);
});

test('counts selected rows that are outside the window', () => {
  const selection = new Selection();
  const copy = copyOf([5, 6], 4, 100);
  selection.selectColumns(0, 1, copy);
  const { rows, missing } = selection.cells(copy, specs);
  assert.deepEqual([rows.length, missing], [2, 98]);
  selection.follow(copyOf([5, 6], 4, 120), 0);
  assert.equal(selection.bounds.bottom, 119, 'everything goes on being everything');
});

test('section headers are not copied', () => {
  const selection = new Selection();
  const copy = copyOf([new Header({ section: 1, rev: 1, slot: 0, level: 0, column: 'a', value: 'x', count: 1 }), 1]);
  selection.selectColumns(0, 1, copy);
  assert.deepEqual(chosenIDs(selection, copy), [1]);
  assert.equal(selection.cells(copy, specs).missing, 0);
});

test('cells are copied as spreadsheets read them', () => {
  assert.equal(cellText(1_234_567.5, { type: 'number' }), '1234567.5');
  assert.equal(cellText('9223372036854775807', { type: 'integer' }), '9223372036854775807');
  assert.match(cellText(0, { type: 'timestamp' }), /^19(70|69)-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
  assert.match(cellText(1_763_712_000_123, { type: 'timestamp' }), /:00\.123[+-]\d\d:\d\d$/);
  assert.equal(cellText([1, 2.5], { type: 'series' }), '1 2.5');
  assert.equal(cellText(false, { type: 'boolean' }), 'false');
  for (const cell of [null, undefined, { pending: true }, { failed: 'why' }]) assert.equal(cellText(cell, { type: 'text' }), '');
});

test('tabs, line breaks and quotes stay inside their cell', () => {
  const chosen = { specs, rows: [['a\tb', 1], ['a\r\nb', 2], ['say "x"', null]] };
  assert.equal(tabSeparated(chosen), 'A\tb\n"a\tb"\t1\n"a\r\nb"\t2\n"say ""x"""\t');
});

test('no text is pasted as a formula, and no number as text', () => {
  const chosen = { specs, rows: [['=1+1', -5], ['+cmd|x', 0], ['-x', 0], ['@x', 0], ['\tx', 0], ['x=1', 0]] };
  assert.deepEqual(tabSeparated(chosen).split('\n').slice(1).map((line) => line.slice(0, 3)), ["'=1", "'+c", "'-x", "'@x", `"'\t`, 'x=1']);
  assert.ok(tabSeparated(chosen).includes("'=1+1\t-5"));
  assert.ok(htmlTable(chosen).includes('<td>&#39;=1+1</td><td>-5</td>'));
});

test('copied text is escaped like text of the CSV export', () => {
  const first = (text) => htmlTable({ specs, rows: [[text, 0]] }).includes('<td>&#39;');
  const behind = ['', ' ', '"', '\0', '\u{1}', '\u{B}', '\u{85}', '\u{A0}', '\u{AD}',
    '\u{2009}', '\u{200B}', '\u{202E}', '\u{3000}', '\u{3164}', '\u{FE0F}', '\u{FEFF}', ' " '];
  const triggers = [...'=+-@＝＋－＠﹦﹢﹣﹫−'];
  for (const before of behind) for (const trigger of triggers) assert.ok(first(`${before}${trigger}1`), JSON.stringify(before + trigger));
  for (const text of ['\tx', '\rx', '\nx', '\0x', ' \tx']) assert.ok(first(text), JSON.stringify(text));
  for (const text of ['', 'x=1', 'a\u{200B}=1', 'é=1', '!=1', '~-1', '1-1', ' a', '\u{3000}a', '(=1)']) assert.ok(!first(text), JSON.stringify(text));
  const quoted = htmlTable({ specs, rows: [["'=1", 0]] });
  assert.ok(quoted.includes('<td>&#39;&#39;=1</td>'));
});

test('markup is escaped in a copied table', () => {
  const html = htmlTable({ specs: [{ index: 0, column: { name: '<b>', type: 'text' } }], rows: [['<img src=x onerror="a(\'&\')">\0']] });
  assert.ok(html.includes('<th>&lt;b&gt;</th>'));
  assert.ok(html.includes('<td>&lt;img src=x onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;</td>'));
});

test('speaks at most once a second, and the last text wins', () => {
  const spoken = [];
  const timers = [];
  let now = 0;
  const announcer = new Announcer((text) => spoken.push([now, text]), { later: (call, wait) => timers.push([now + wait, call]), now: () => now });
  announcer.announce('one');
  for (now of [100, 500, 900]) announcer.announce(`at ${now}`);
  assert.deepEqual(spoken, [[0, 'one']]);
  assert.deepEqual(timers.map(([at]) => at), [1_000]);
  now = 1_000;
  timers.shift()[1]();
  assert.deepEqual(spoken.at(-1), [1_000, 'at 900']);
  now = 1_999;
  announcer.announce('at 900');
  assert.equal(timers[0][0], 2_000);
  now = 2_000;
  timers.shift()[1]();
  assert.deepEqual(spoken.at(-1), [2_000, 'at 900\u00a0'], 'the same text is said again');
  now = 3_000;
  announcer.announce('late');
  assert.equal(spoken.length, 4);
});

test('describes a view in words', () => {
  const view = { sort: [{ column: 'cpu', descending: true }, { column: 'pid', descending: false }], search: '', where: '', filters: [], group: ['user'] };
  assert.equal(viewInWords(view, 1_200, (name) => name.toUpperCase()), `${(1_200).toLocaleString()} rows, sorted by CPU descending, then PID ascending, grouped by USER`);
  assert.equal(viewInWords({ sort: [], search: 'x', where: '', filters: [], group: [] }, 1, String), '1 row matches');
  assert.equal(viewInWords({ sort: [], search: '', where: '', filters: [{}], group: [] }, 2, String), '2 rows match');
});

test('finds cells in reading order', () => {
  const shown = [{ index: 1 }, { index: 0 }];
  const copy = copyOf([1, 12, 21], 40);
  const found = (word) => findText({ ofRow: () => (cell) => String(cell).includes(word) }, copy, shown).map(({ position, column }) => [position, column]);
  assert.deepEqual(found('2'), [[40, 0], [41, 0], [41, 1], [42, 0], [42, 1]]);
  assert.deepEqual(found('row 12'), [[41, 1]]);
});

test('pinned rows are copied first and once', () => {
  const selection = new Selection();
  const copy = copyOf([1, 2, 3], 10, 100);
  const pinned = [{ position: -3, row: new Row(3, 9, ['newer', 6]) }, { position: -4, row: new Row(77, 1, ['far', 154]) }];
  const ids = () => selection.cells(copy, specs, pinned).rows.map((cells) => cells[1] / 2);
  selection.selectColumns(0, 1, copy);
  assert.deepEqual(ids(), [3, 77, 1, 2], 'whole columns have all of them');
  assert.equal(selection.cells(copy, specs, pinned).missing, 97);
  assert.equal(selection.cells(copy, specs, pinned).rows[0][0], 'newer');
  selection.extend(null, 0, new Spot(11, copy.itemAt(11)), 1);
  assert.deepEqual(ids(), [1, 2], 'a rectangle has its own rows');
  for (const row of [copy.itemAt(10), copy.itemAt(12)]) selection.toggleRow(row);
  assert.deepEqual(ids(), [3, 1], 'selected rows have those that are selected');
  selection.span(new Spot(-4, pinned[1].row), new Spot(-3, pinned[0].row), 0, 1);
  assert.deepEqual([ids(), selection.cells(copy, specs, pinned).missing], [[3, 77], 0], 'a rectangle of pinned rows has these alone');
  assert.equal(selection.text, '2 rows, 2 columns selected');
  selection.follow(copy, 5);
  assert.deepEqual([selection.isPinned, ids()], [true, [3, 77]]);
  selection.span(new Spot(-4, pinned[1].row), new Spot(-4, pinned[1].row), 1, 1);
  assert.deepEqual(selection.cells(copy, specs, pinned).rows, [[154]]);
});
