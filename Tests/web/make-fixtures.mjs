// Writes the golden messages in Tests/Fixtures/wire, which Swift and JavaScript tests share:
//
//     node Tests/web/make-fixtures.mjs
//
// The digests come from reference.mjs, which shares no code with the page. Change the cases here,
// never the files: makefixtures.test.mjs compares both.

import { mkdirSync, readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { diffWindows, digestOf } from './reference.mjs';

/** The folder of the golden messages. */
export const folder = new URL('../Fixtures/wire/', import.meta.url);
/** The contents of all files in the folder, by name. */
export const files = new Map();
const epoch = '5f0c7a31';

// Each fixture is one file: a single message; a window with its patches; or a patch to reject.

function write(name, fixture, file = name) {
  const lines = Object.entries({ name, ...fixture }).map(([key, value]) => `  ${JSON.stringify(key)}: ${
    Array.isArray(value) && value.length > 0 ? `[\n    ${value.map((entry) => JSON.stringify(entry)).join(',\n    ')}\n  ]` : JSON.stringify(value)}`);
  files.set(`${file.replaceAll(' ', '-')}.json`, `{\n${lines.join(',\n')}\n}\n`);
}

const client = (name, message) => write(`client ${name}`, { direction: 'client', message });
const server = (name, message, file = name) => write(`server ${name}`, { direction: 'server', message }, `server ${file}`);

// Items are rows {id, rev, cells} or headers {section, rev, slot, level, parent, column, value,
// count}.

const row = (id, rev = 1, cells = [`row ${id}`, id / 4]) => ({ id, rev, cells });
const header = (section, value, count, { rev = 1, slot = section, level = 0, parent = null, column = 'user', collapsed } = {}) =>
  ({ section, rev, slot, level, parent, column, value, count, ...(collapsed ? { collapsed } : {}) });
const wire = (item) => (item.section !== undefined ? item : [item.id, item.rev, item.cells]);
const rows = (from, to) => Array.from({ length: to - from }, (_, at) => row(from + at));

/** Returns a window in the reference's form. */
const held = (start, total, items, { lead = [], count = total } = {}) => ({ start, total, items, lead, rows: count });

/** Returns the window with aggregates of all rows. */
const totalled = (window, ...totals) => ({ ...window, totals });

const place = (window, seq) => ({
  epoch, seq, request: 1, interval: 300, start: window.start, total: window.total, rows: window.rows,
  ...(window.accuracy === undefined ? {} : { accuracy: window.accuracy }), ...(window.totals === undefined ? {} : { totals: window.totals }),
});
const digest = ({ start, total, lead, items }) => digestOf(start, total, lead, items);

function windowMessage(window, seq = 1) {
  return { type: 'window', ...place(window, seq), items: window.items.map(wire), lead: window.lead, digest: digest(window) };
}

/** Returns the patch between two windows. `why` replaces the reason `scrolled`. */
function patchMessage(before, after, seq, { shift = 0, why = {}, waits } = {}) {
  const lists = diffWindows(before, after);
  for (const entry of lists.removed ?? []) entry[1] = why.removed ?? entry[1];
  for (const entry of lists.inserted ?? []) entry[1] = why.inserted ?? entry[1];
  return {
    type: 'patch', ...place(after, seq), ...(shift === 0 ? {} : { shift }), base: seq - 1,
    before: before.items.length, after: after.items.length, ...lists, lead: after.lead,
    ...(waits === undefined ? {} : { held: waits }), digest: digest(after),
  };
}

/** Writes a window and the patches to the windows that follow. */
function sequence(name, windows, hints = []) {
  const last = windows.at(-1);
  write(`sequence ${name}`, {
    window: windowMessage(windows[0]),
    patches: windows.slice(1).map((after, at) => patchMessage(windows[at], after, at + 2, hints[at])),
    result: {
      start: last.start, total: last.total, rows: last.rows, ...(last.accuracy === undefined ? {} : { accuracy: last.accuracy }), ...(last.totals === undefined ? {} : { totals: last.totals }), lead: last.lead, items: last.items.map(wire), digest: digest(last),
    },
  });
}

const gone = { why: { removed: 'gone', inserted: 'new' } };

sequence('update', [
  held(0, 3, [row(1), row(2), row(3)]),
  held(0, 3, [row(1), row(2, 2, ['row 2', 9.5]), row(3)]),
  held(0, 3, [row(1, 5, ['renamed', null]), row(2, 3, ['row 2', 9.25]), row(3)]),
]);
sequence('update that shows nothing else', [held(0, 1, [row(1)]), held(0, 1, [row(1, 2)])]);
sequence('held order', [
  held(0, 3, [row(1), row(2), row(3)]),
  held(0, 3, [row(1), row(2, 2, ['row 2', 9.5]), row(3)], { count: 2 }),
  held(0, 3, [row(1), row(2, 2, ['row 2', 9.5]), row(3)], { count: 3 }),
  held(0, 3, [row(2, 2, ['row 2', 9.5]), row(1), row(4)]),
], [{ waits: { moves: 2, gone: [2] } }, { waits: { moves: 3, gone: [2] } }, gone]);
sequence('insert', [
  held(0, 2, [row(1), row(2)]),
  held(0, 5, [row(10), row(1), row(11), row(2), row(12)]),
], [gone]);
sequence('remove', [held(0, 5, rows(1, 6)), held(0, 2, [row(2), row(4)])], [gone]);
sequence('moves', [
  held(0, 6, rows(1, 7)),
  held(0, 6, [6, 1, 2, 3, 4, 5].map((id) => row(id))),
  held(0, 6, [5, 4, 3, 2, 1, 6].map((id) => row(id))),
  held(0, 6, [5, 6, 3, 2, 4, 1].map((id) => row(id, id === 4 ? 2 : 1, id === 4 ? ['moved and updated', 1] : undefined))),
]);
sequence('scroll down', [held(100, 1_000, rows(100, 110)), held(105, 1_000, rows(105, 115)), held(500, 1_000, rows(500, 510))]);
sequence('scroll up', [held(100, 1_000, rows(100, 110)), held(94, 1_000, rows(94, 104)), held(0, 1_000, rows(0, 10))]);
sequence('shift', [
  held(50, 200, rows(50, 56)),
  held(52, 202, rows(50, 56)),
  held(49, 199, [row(50), row(51), row(53), row(54), row(55), row(56)]),
], [{ shift: 2 }, { shift: -3 }]);
sequence('empty', [held(0, 0, []), held(0, 2, [row(1), row(2)]), held(0, 0, [])], [gone, gone]);
sequence('grouped', [
  held(0, 9, [header(1, 'daemon', 3), row(1), row(2), row(3), header(2, 'root', 4), row(4), row(5), row(6), row(7)], { count: 7 }),
  held(0, 8, [header(1, 'daemon', 2, { rev: 2 }), row(1), row(3), header(2, 'root', 4), row(4), row(5), row(6), row(7)], { count: 6 }),
  held(3, 10, [header(2, 'root', 4), row(4), row(5), row(6), row(7), header(3, null, 1, { slot: 1 }), row(8)], { count: 7 }),
], [gone]);
sequence('grouped with a lead', [
  held(40, 90, [row(41), row(42), header(2, 'www', 20, { slot: 0 }), row(51)], { lead: [header(1, 'root', 41, { slot: 1 })], count: 85 }),
  held(41, 90, [row(42), header(2, 'www', 20, { slot: 0 }), row(51), row(52)], { lead: [header(1, 'root', 41, { slot: 1 })], count: 85 }),
  held(41, 89, [row(42), header(2, 'www', 19, { slot: 0, rev: 2 }), row(51), row(52)], { lead: [header(1, 'root', 40, { slot: 1, rev: 2 })], count: 84 }),
  held(42, 89, [header(2, 'www', 19, { slot: 0, rev: 2 }), row(51), row(52), row(53)], { count: 84 }),
  held(43, 89, [row(51), row(52), row(53), row(54)], { lead: [header(2, 'www', 19, { slot: 0, rev: 2 })], count: 84 }),
]);
const user = header(1, 'root', 5);
const inner = (section, value, count, more = {}) => header(section, value, count, { level: 1, parent: 1, column: 'state', ...more });
sequence('nested sections', [
  held(0, 12, [user, inner(2, 'R', 2), row(1), row(2), inner(3, 'S', 3), row(3)], { count: 7 }),
  held(2, 12, [row(1), row(2), inner(3, 'S', 3), row(3), row(4)], { lead: [user, inner(2, 'R', 2)], count: 7 }),
  held(2, 11, [row(2), inner(3, 'S', 3), row(3), row(4)],
    { lead: [header(1, 'root', 4, { rev: 2 }), inner(2, 'R', 1, { rev: 2 })], count: 6 }),
  held(3, 11, [inner(3, 'S', 3), row(3), row(4)], { lead: [header(1, 'root', 4, { rev: 2 })], count: 6 }),
]);
const summed = (section, value, count, rev, ...aggregates) => ({ ...header(section, value, count, { rev }), aggregates });
sequence('aggregates', [
  totalled(held(0, 4, [summed(1, 'daemon', 1, 1, 0.25, '9007199254740993'), row(1), summed(2, 'root', 1, 1, 0.5, null), row(2)], { count: 2 }), 0.75, 7),
  totalled(held(0, 4, [summed(1, 'daemon', 1, 2, 2.5, null), row(1, 2, ['row 1', 2.5]), summed(2, 'root', 1, 1, 0.5, null), row(2)], { count: 2 }), 3, null),
]);
sequence('collapsed sections', [
  held(0, 9, [user, inner(2, 'R', 2), row(1), row(2), inner(3, 'S', 3), row(3)], { count: 5 }),
  held(0, 7, [user, inner(2, 'R', 2, { collapsed: true }), inner(3, 'S', 3), row(3), row(4), row(5)], { count: 5 }),
  held(0, 7, [user, inner(2, 'R', 1, { rev: 2, collapsed: true }), inner(3, 'S', 4, { rev: 2 }), row(3), row(4), row(5)], { count: 5 }),
  held(0, 1, [{ ...user, collapsed: true }], { count: 5 }),
]);
sequence('everything at once', [
  held(10, 60, [row(10), row(11), header(4, 'b', 30, { slot: 2 }), row(12), row(13), row(14), row(15)],
    { lead: [header(3, 'a', 20, { slot: 0 })], count: 57 }),
  held(12, 63, [row(13, 2, ['up', 0.5]), row(20), header(4, 'b', 31, { slot: 2, rev: 2 }), row(12), row(15), row(21, 1, ['new', null]), row(14), row(22)],
    { lead: [header(3, 'a', 22, { slot: 0, rev: 9 })], count: 60 }),
], [{ shift: 2, why: { removed: 'moved', inserted: 'new' } }]);
sequence('whole numbers beyond 53 bits are texts', [
  held(0, 1, [row(1, 1, ['9007199254740993', '-9223372036854775808', 9007199254740991])]),
  held(0, 1, [row(1, 2, ['9223372036854775807', '-9223372036854775808', -9007199254740991])]),
]);
sequence('large numbers in the digest', [
  held(5_000_000_000, 9_000_000_000, [row(9_007_199_254_740_991, 4_294_967_295), row(4_294_967_296, 4_294_967_295)]),
  held(5_000_000_001, 9_000_000_001, [row(9_007_199_254_740_991, 4_294_967_295), row(4_294_967_296, 0)]),
], [{ shift: 1 }]);
sequence('unicode', [
  held(0, 3, [row(1, 1, ['naïve', 1]), row(2, 1, ['日本語 \u202e\u0000\u001f', 2]), row(3, 1, ['👩‍👩‍👧‍👦 \ud83d\ude00', 3])]),
  held(0, 3, [row(1, 2, ['nai\u0308ve', 1]), row(2, 2, ['<b>&amp;"\\\n\t', 2]), row(3, 2, ['\u2028\u2029\ufeff', 3])]),
]);
sequence('every type of cell', [
  held(0, 1, [row(1, 1, [42, 0.1, 'text', true, 1_795_249_898_055.123456, 'image key', [1, 2.5, -3]])]),
  held(0, 1, [row(1, 2, [null, null, null, null, null, null, null])]),
  held(0, 1, [row(1, 3, [-1, 1e300, '', false, 0, '', []])]),
]);

sequence('deferred cells', [
  held(0, 3, [row(1, 1, ['a', { pending: true }]), row(2, 1, ['b', { pending: true }]), row(3, 1, ['c', { pending: true }])]),
  held(0, 3, [row(1, 2, ['a', 4.5]), row(2, 2, ['b', { failed: 'no such file' }]), row(3, 2, ['c', null])]),
  held(0, 3, [row(1, 3, ['a', { pending: true }]), row(2, 3, ['b', 7]), row(3, 2, ['c', null])]),
]);

// Rows that the source has not sent have ids made from their positions.
const absent = (number, why) => row((2 ** 21 - 1) * 2 ** 32 + number, 1, why);
const guessed = (window, accuracy) => ({ ...window, accuracy });
sequence('placeholders', [
  guessed(held(0, 100, [row(1), absent(1, { pending: true }), absent(2, { pending: true })]), 'unknown'),
  guessed(held(0, 1_000, [row(1), row(2), absent(2 ** 31 + 2 ** 16 + 3, { failed: 'the disk is gone' })]), 'estimated'),
  held(0, 3, rows(1, 4)),
  held(0, 3, [row(1), row(2), absent(2, { pending: true })]),
]);

// Patches that do not match the window: they must be rejected with this reason, without changes.

function broken(name, refused, patch, base = held(0, 4, rows(1, 5))) {
  const full = {
    type: 'patch', ...place(base, 2), base: 1, before: base.items.length, after: base.items.length, lead: base.lead, digest: digest(base), ...patch,
  };
  write(`broken ${name}`, { window: windowMessage(base), patch: full, refused });
}

const fifth = wire(row(5));
const grouped = held(0, 3, [header(1, 'a', 2), row(1), row(2)], { count: 2 });
broken('base is older', 'base', { base: 0 });
broken('base is newer', 'base', { base: 2, seq: 3 });
broken('another epoch', 'base', { epoch: 'another' });
broken('before is wrong', 'count', { before: 5, after: 5 });
broken('after is wrong', 'count', { inserted: [[4, 'new', fifth]] });
broken('more removed than told', 'count', { removed: [[0, 'gone'], [1, 'gone']], after: 3 });
broken('removed beyond the window', 'index', { removed: [[4, 'gone']], after: 3 });
broken('removed twice', 'index', { removed: [[1, 'gone'], [1, 'gone']], after: 2 });
broken('inserted beyond the window', 'index', { inserted: [[5, 'new', fifth]], after: 5 });
broken('inserted twice at one index', 'index', { inserted: [[1, 'new', fifth], [1, 'new', fifth]], after: 6 });
broken('moved from beyond the window', 'index', { moved: [[4, 0]] });
broken('moved to beyond the window', 'index', { moved: [[0, 4]] });
broken('moved twice', 'index', { moved: [[0, 1], [0, 2]] });
broken('two moved to one place', 'index', { moved: [[0, 2], [1, 2]] });
broken('moved and removed', 'index', { moved: [[0, 1]], removed: [[0, 'gone']], after: 3 });
broken('moved onto an inserted one', 'index', { moved: [[0, 1]], inserted: [[1, 'new', fifth]], after: 5 });
broken('updated beyond the window', 'index', { updated: [[4, 2, 0, 'x']] });
broken('updated twice', 'index', { updated: [[1, 2, 0, 'x'], [1, 3, 0, 'y']] });
broken('updated and removed', 'index', { updated: [[1, 2, 0, 'x']], removed: [[1, 'gone']], after: 3 });
broken('a column beyond the row', 'index', { updated: [[1, 2, 2, 'x']] });
broken('a cell of a placeholder', 'index', { updated: [[1, 2, 0, 'x']] }, held(0, 2, [row(1), absent(1, { pending: true })]));
broken('a row updated as a header', 'index', { updated: [[1, header(1, 'a', 3, { rev: 2 })]] }, grouped);
broken('a header updated as a row', 'index', { updated: [[0, 2, 0, 'x']] }, grouped);
broken('digest of another revision', 'digest', { updated: [[1, 2, 0, 'x']] });
broken('digest of another place', 'digest', { start: 1, total: 5 });
broken('digest of another order', 'digest', { moved: [[0, 1]] });
broken('digest of another lead', 'digest', { lead: [header(1, 'a', 2)] });
broken('digest of a header that is not collapsed', 'digest', { updated: [[0, header(1, 'a', 2, { collapsed: true })]] }, grouped);
broken('digest of one lead more', 'digest', { lead: [header(1, 'a', 2), header(2, 'b', 2, { level: 1, parent: 1 })] },
  held(1, 4, rows(1, 4), { lead: [header(1, 'a', 2)] }));

// Single messages.

const columns = [
  { name: 'user', title: 'User', type: 'text', style: 'badge', unit: '', width: 10, align: 'start' },
  { name: 'cpu', title: 'CPU', type: 'number', style: 'bar', unit: '%', width: 8, align: 'end' },
  { name: 'started', title: 'Started', type: 'timestamp', style: 'age', unit: '', width: 0, align: 'end' },
  { name: 'load', title: 'Load', type: 'series', style: 'sparkline', unit: '', width: 12, align: 'start' },
];
const source = { state: 'live', message: '', rejected: 0, lastRejection: '', age: 12 };
const table = { name: 'processes', title: 'Processes', rows: 312, columns, source };
const viewportAt = { seq: 7, first: 1_200, count: 40, ahead: 60, behind: 20, anchor: 731 };

client('hello', { type: 'hello', version: 1, client: 'rowcast page' });
client('hello with heartbeats', { type: 'hello', version: 1, client: 'rowcast page', alive: true });
client('open', { type: 'open', table: 'processes', request: 1, query: {}, viewport: { seq: 0, first: 0, count: 26, ahead: 80, behind: 0, stick: 'top' } });
client('open again', {
  type: 'open', table: 'processes', request: 2, interval: 100, resume: { epoch, seq: 12, session: '9d41c0de', anchorOffset: 3 },
  query: { sort: [{ column: 'cpu', descending: true }, { column: 'user' }], search: 'ssh', group: ['user'] }, viewport: { ...viewportAt, seq: 0 },
});
client('open with nothing said', { type: 'open', table: 'processes', request: 1 });
client('query', { type: 'query', request: 2, query: { sort: [{ column: 'cpu', descending: true }], search: 'naïve 日本', group: ['user'] } });
client('query with a filter', {
  type: 'query', request: 3, query: {
    filter: {
      all: [{ column: 'cpu', op: '>', value: 5 },
        { any: [{ column: 'user', op: 'oneOf', values: ['root', 'me'] }, { column: 'name', op: 'matches', value: '^k.*d$' }] }],
    },
  },
});
client('query with a filter as text', { type: 'query', request: 2, query: { where: 'cpu > 50 and user = root', zone: 60 } });
client('query with ages', {
  type: 'query', request: 2,
  query: { filter: { all: [{ column: 'started', op: 'age<', value: 900_000 }, { not: { column: 'started', op: 'age>=', value: '-0.5' } }] } },
});
client('parse', { type: 'parse', id: 5, text: 'cpu > 50 us', at: 11, zone: 60 });
client('query with every operator', {
  type: 'query', request: 4, query: {
    search: 'a',
    filter: {
      any: [
        { column: 'a', op: '=', value: '9223372036854775807' }, { column: 'a', op: '!=', value: -1 },
        { column: 'b', op: '<', value: 0.5 }, { column: 'b', op: '<=', value: 1e300 },
        { column: 'c', op: '>', value: '' }, { column: 'c', op: '>=', value: '日本' },
        { column: 'f', op: 'range', from: 1_700_000_000_000.5, through: '1700000000001.123456' }, { column: 'f', op: 'range', through: 0 },
        { column: 'c', op: 'contains', value: 'Ä' }, { column: 'c', op: 'startsWith', value: 'x' },
        { column: 'c', op: 'matches', value: '(?:\\d{2,}|[^a-z\\u{1F600}])+?$', ignoreCase: true },
        { column: 'e', op: 'oneOf', values: [true, false] }, { column: 'a', op: 'oneOf', values: [] },
        { not: { column: 'e', op: 'isEmpty' } }, { all: [] },
      ],
    },
  },
});
client('query for all rows', { type: 'query', request: 9_007_199_254_740_991, query: {}, viewport: { seq: 3, first: 0, count: 40, stick: 'top' } });
client('query for nested sections', { type: 'query', request: 3, query: { group: ['user', 'state'] } });
client('query for aggregates', {
  type: 'query', request: 4,
  query: { group: ['user'], aggregates: ['sum', 'mean', 'min', 'max', 'distinct'].map((name) => ({ column: 'cpu', function: name })) },
});
client('query for percentiles and ends', {
  type: 'query', request: 4,
  query: { group: ['user'], aggregates: ['median', 'p1', 'p5', 'p10', 'p90', 'p95', 'p99', 'first', 'last'].map((name) => ({ column: 'cpu', function: name })) },
});
client('query for sections of ranges', {
  type: 'query', request: 4,
  query: { group: ['user', { column: 'cpu', width: 2.5 }, { column: 'started', unit: 'hour', offset: -210 }, { column: 'seen', unit: 'week' }] },
});
client('query for ordered sections', {
  type: 'query', request: 4,
  query: {
    group: ['user', 'state'], aggregates: [{ column: 'cpu', function: 'mean' }],
    sections: [{ column: 'user', by: 'count', descending: true }, { column: 'state', by: { column: 'cpu', function: 'mean' } }],
  },
});
client('query with collapsed sections', {
  type: 'query', request: 5, query: { group: ['user', 'nice', 'started'], collapsed: [['root'], ['me', null], ['me', 19, 1_795_249_898_055]] },
});
client('collapse by number', { type: 'collapse', section: 4, collapsed: true });
client('collapse by values', { type: 'collapse', path: ['me', 'S', null, true], collapsed: false });
client('viewport', { type: 'viewport', ...viewportAt });
client('viewport at the end', { type: 'viewport', seq: 7, first: 99_960, count: 40, ahead: 0, behind: 80, stick: 'end' });
client('viewport with the least said', { type: 'viewport', seq: 0, first: 0, count: 1 });
client('ack', { type: 'ack', seq: 7 });
client('resync', { type: 'resync', seq: 7, reason: 'digest' });
client('pace', { type: 'pace', interval: 100 });
client('pace of the server', { type: 'pace', interval: null });
client('visibility', { type: 'visibility', hidden: true });
client('hold', { type: 'hold', held: true });
client('pause', { type: 'pause', paused: true });
client('tiles', {
  type: 'tiles', id: 3, tiles: [
    { function: 'count' }, { function: 'sum', column: 'cpu' }, { function: 'count', filter: { column: 'cpu', op: '>=', value: 80 } },
    { function: 'distinct', column: 'user', filter: { not: { column: 'user', op: 'isEmpty' } } },
  ],
});
client('tiles of no strip', { type: 'tiles', id: 4, tiles: [] });
client('facets', { type: 'facets', id: 3, facets: [{ column: 'user' }, { column: 'cpu' }, { column: 'started', zone: 60 }] });
client('facets of no column', { type: 'facets', id: 4, facets: [] });
client('pins', { type: 'pins', id: 3, keys: [731, 'a'] });
client('pins of no row', { type: 'pins', id: 4, keys: [] });
client('stats', { type: 'stats', wanted: true });
client('act', { type: 'act', id: 17, table: 'processes', action: 'renice', row: 731, arguments: { nice: 10, why: 'in the way', now: true } });
client('act on a table', { type: 'act', id: 18, table: 'jobs', action: 'clear' });
client('act again after a lost connection', { type: 'act', id: 17, session: '9d41c0de', table: 'processes', action: 'renice', row: 731, arguments: { nice: 10 } });
client('name', { type: 'name', id: 3, rows: [731, 9_007_199_254_740_991] });
client('locate', { type: 'locate', id: 4, keys: [4711, '9223372036854775807', 'a name'] });
client('with members that nobody knows', { type: 'ack', seq: 8, colour: 'green', more: { nested: [1, null] } });

const formatted = { ...columns[1], format: 'plain.1', better: 'lower' };
const { source: live, ...described } = table;
server('hello', {
  type: 'hello', version: 1, server: 'rowcast 0.1.0', epoch, session: '9d41c0de',
  tables: [{ ...described, columns: columns.with(1, formatted), label: 'user', source: live }],
});
server('hello with heartbeats', { type: 'hello', version: 1, server: 'rowcast 0.1.0', epoch, alive: 1_000, tables: [] });
server('alive', { type: 'alive' });
server('hello with sources', {
  type: 'hello', version: 1, server: 'rowcast 0.1.0', epoch, session: '9d41c0de', tables: [],
  sources: [{ name: 'jobs', source: { ...source, state: 'failed', message: 'jobs.path: there is no such file', age: 900 } }],
});
server('sources without a table', {
  type: 'sources', sources: [
    { name: 'jobs', source: { ...source, state: 'backingOff', message: 'exited with code 127', age: 4_200, retry: 1_500 } },
    { name: 'late', source: { ...source, state: 'starting', age: 60_000 } },
  ],
}, 'sources');
server('sources none left', { type: 'sources', sources: [] });
server('hello without tables', { type: 'hello', version: 1, server: 'rowcast 0.1.0', epoch, tables: [] });
server('tables', { type: 'tables', tables: [table, { ...table, name: 'jobs', title: 'Jobs', rows: 0, source: { ...source, state: 'starting' } }] });
server('window', windowMessage(held(0, 2, [row(1, 1, ['root', 12.5, 1_795_249_898_055.5, [0, 1]]), row(2, 1, [null, null, null, null])])));
server('window in the middle of a section', windowMessage(
  held(41, 90, [row(42), header(2, 'www', 20, { slot: 0 }), row(51)], { lead: [header(1, 'root', 41, { slot: 1 })], count: 85 }), 4));
const range = (section, value, end, count, rev = 1) => {
  const { level, parent, column, ...rest } = header(section, value, count, { rev, column: 'cpu' });
  return { section, rev, slot: rest.slot, level, parent, column, value, ...(end === undefined ? {} : { end }), count };
};
sequence('sections of ranges', [
  held(0, 6, [range(1, -2.5, 0, 1), row(1), range(2, 0, 2.5, 1), row(2), range(3, null, undefined, 1), row(3)], { count: 3 }),
  held(0, 5, [range(1, -2.5, 0, 2, 2), row(1), row(2), range(3, null, undefined, 1), row(3)], { count: 3 }),
], [{ why: { removed: 'moved', inserted: 'moved' } }]);
server('patch', patchMessage(held(0, 2, [row(1), row(2)]), held(0, 2, [row(3), row(1, 2, ['one', 1])]), 2, gone));
server('patch during a pause', { ...patchMessage(held(0, 2, [row(1), row(2)]), held(0, 2, [row(3), row(1, 2, ['one', 1])]), 2, gone), newer: [1] });
server('patch of nothing but a count', patchMessage(held(0, 90, [row(1)]), held(0, 91, [row(1)]), 2));
server('status of a source that is tried again', { type: 'status', table: 'processes', source: { state: 'backingOff', message: 'exited with code 1', rejected: 0, lastRejection: '', age: 900, retry: 1_500 } });
server('status', { type: 'status', table: 'processes', source: { state: 'stale', message: 'the plugin ended', rejected: 2, lastRejection: 'row 7: “cpu” is a text', age: 5_000 } });
server('waiting', { type: 'waiting', changed: 12, rows: 317 });
server('tiles', {
  type: 'tiles', id: 3, tiles: [
    { value: 312, before: 309, seconds: 6, course: [309, 310, 312, 312] }, { value: 12.5 }, { value: null }, { value: '9007199254740993' },
    { value: 4, before: null, seconds: 3, course: [null, 4, 4] }, { pending: true },
    { error: { code: 'unknownColumn', reason: 'the table processes has no column “x”' } },
  ],
});
server('facets', {
  type: 'facets', id: 3, facets: [
    { at: 0, values: [['root', 220], ['me', 41], ['', 1]], others: { values: 12, rows: 30 }, empty: 2 }, { at: 1, edges: [0, 12.5, 25], rows: [0, 310, 2, 1], empty: 0 },
    { at: 2, values: [[true, 3], [false, 1]], empty: 0 }, { at: 3, moreThan: 10_000 }, { at: 4, pending: true },
    { at: 5, error: { code: 'unknownColumn', reason: 'the table processes has no column “x”' } },
  ],
});
server('pins', { type: 'pins', id: 3, rows: [[0, [7, 2, [731, 'sshd', 'root', 0.1, null, true]]], [1, null]] });
server('stats', {
  type: 'stats', interval: 300, coalescing: 12.5, delay: { p50: 3.1, p99: 18.42, count: 120 },
  prefetch: { loads: 40, hits: 30, late: 6, cancelled: 3, wasted: 1, failed: 2 }, headers: { made: 12, reused: 340 }, sessions: 3,
  sources: [{ table: 'processes', rows: 312, changes: 1020.5 }, { table: 'load', rows: 3, changes: 3, isolation: 'standard: no new privileges' }],
});
server('stats of the first second', {
  type: 'stats', interval: 0, coalescing: null, delay: null,
  prefetch: { loads: 0, hits: 0, late: 0, cancelled: 0, wasted: 0, failed: 0 }, headers: { made: 0, reused: 0 }, sessions: 1,
  sources: [{ table: 'processes', rows: 312, changes: null }],
});
server('tables with actions', { type: 'tables', tables: [{ ...table, actions: [
  { name: 'kill', title: 'Kill', confirm: 'Kill it at once, with all that it has not saved?', danger: true, rows: true, arguments: [] },
  { name: 'renice', title: 'Change priority', confirm: '', danger: false, rows: true, arguments: [
    { name: 'nice', label: 'Niceness', type: 'integer', choices: [0, 5, 10, 19], default: 10, minimum: -20, maximum: 19 },
    { name: 'why', label: 'Why', type: 'text' }, { name: 'now', label: 'At once', type: 'boolean', default: true }] },
  { name: 'clear', title: 'Clear', confirm: '', danger: false, rows: false, arguments: [{ name: 'part', label: 'Part', type: 'number', default: 0.5 }] }],
images: true }] });
server('tables with a view', { type: 'tables', tables: [{
  ...table, description: 'The processes of this machine', icon: '⚙',
  columns: columns.map((column, at) => [
    { ...column, description: 'The owner', warn: ['nobody'], critical: ['a “name”', 'root'] }, { ...column, warn: 80, critical: 95.5 },
  ][at] ?? column),
  view: {
    sort: [{ column: columns[1].name, descending: true }, { column: columns[0].name, descending: false }],
    filter: { all: [{ not: { column: columns[0].name, op: 'oneOf', values: ['root'] } }, { column: columns[1].name, op: 'range', from: 0.5 }] },
    group: [columns[0].name], aggregates: [{ function: 'sum', column: columns[1].name }],
    order: [columns[1].name], hidden: [columns[2].name], pinned: [columns[0].name],
  },
}] });
server('tables of a windowed source', { type: 'tables', tables: [{
  name: 'trips', title: 'Trips', rows: 1_200_000,
  columns: [
    { name: 'id', title: 'Id', type: 'integer', style: 'plain', unit: '', width: 0, align: 'end' },
    { name: 'name', title: 'Name', type: 'text', style: 'plain', unit: '', width: 0, align: 'start' },
  ],
  windowed: { sort: ['id', 'name'], group: [], filters: ['equal', 'range', 'contains', 'not'], filterColumns: ['name'], search: false, rowLimit: 50_000 },
  source,
}] });
server('tables with tiles and a severity', { type: 'tables', tables: [{
  ...table, columns: columns.map((column, at) => (at === 0 ? { ...column, warn: ['nobody'], critical: ['root'] } : column)),
  severity: columns[0].name,
  view: {
    sort: [], tiles: [
      { function: 'count' }, { function: 'sum', column: columns[1].name, title: 'All CPUs' },
      { function: 'count', filter: { column: columns[0].name, op: 'oneOf', values: ['root'] }, title: 'Root' },
    ],
  },
}] });
server('acted', { type: 'acted', id: 17, result: '4711 has niceness 10 now' });
server('acted with an error', { type: 'acted', id: 18, session: '9d41c0de', error: { code: 'failed', reason: 'no such process' } });
server('named', { type: 'named', id: 3, rows: [[731, 4711], [732, '9223372036854775807'], [733, 'a “name”']] });
server('located', { type: 'located', id: 4, rows: [[4711, 731, 12], ['a name', 733, null]] });
server('error that refuses a query', {
  type: 'error', code: 'remainderTooLarge',
  reason: 'This source cannot sort by “Name” or run regular expressions, and 1,200,000 rows are too many to do it here (limit 50,000). Narrow it down first, or use “contains”.',
  request: 5, at: ['query.sort[0]', 'query.filter.all[1]'], shown: 4,
});
server('error that refuses what was opened', { type: 'error', code: 'tooLong', reason: 'a query may sort by 8 columns, not 9', request: 1, at: ['query.sort'] });
server('error', { type: 'error', code: 'unknownColumn', reason: 'the table processes has no column “cpuu”' });

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (name.endsWith('.json')) unlinkSync(new URL(name, folder));
  for (const [name, text] of files) writeFileSync(new URL(name, folder), text);
  console.log(`${files.size} fixtures`);
}
