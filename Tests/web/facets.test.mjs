// facets.js: the columns of the facets panel, their entries, and the terms of a choice.

import test from 'node:test';
import assert from 'node:assert/strict';
import { columnItems, countsFrom, entriesOf, entryText, inPlace, markOf, noteOf, suggestedFacets, termAfter, wireFacets } from '../../web/model/facets.js';
import { emptyView, hashFromView, isFittingTerm, viewFromHash, wireFilter } from '../../web/model/query.js';
import { completed } from '../../web/model/defaults.js';
import { changeText } from '../../web/model/steps.js';
import { Session } from '../../web/model/session.js';
import { specify } from '../../web/model/columns.js';
import { termTexts } from '../../web/panels/chips.js';

const columns = [
  { name: 'job', type: 'text', title: 'Job', style: 'plain' }, { name: 'state', type: 'text', title: 'State', style: 'badge' },
  { name: 'owner', type: 'text', title: 'Owner', style: 'plain' }, { name: 'done', type: 'boolean', title: 'Done', style: 'plain' },
  { name: 'nice', type: 'integer', title: 'Nice', style: 'plain' }, { name: 'cpu', type: 'number', title: 'CPU', style: 'plain' },
  { name: 'started', type: 'timestamp', title: 'Started', style: 'plain' }, { name: 'load', type: 'series', title: 'Load', style: 'sparkline' },
];
const specs = specify(columns, columns.map(() => []), () => 10, { locale: 'en-US', now: 0 });
const spec = (name) => specs.find(({ column }) => column.name === name);
const [, state, , done, nice, cpu, started] = columns;
const value = (one, rows = 1) => ({ key: JSON.stringify(one), label: String(one), rows, value: one });
const none = { key: 'empty', label: 'Empty', rows: 1, value: null };
const counts = (values, more = {}) => ({ values, empty: 0, ...more });
const ranges = (edges, rows) => ({ edges, rows, empty: 0 });
const entriesFor = (name, found, term) => entriesOf(found, spec(name), term, 0);
const texts = (term) => termTexts([term], specs).map(([, , text]) => text);

test('the panel begins with states, then texts of which few differ', () => {
  const sample = Array.from({ length: 30 }, (_, at) => [`job ${at}`, 'new', `owner ${at % 3}`, true, at, at, at, [1]]);
  const table = { columns, label: 'job' };
  assert.deepEqual(suggestedFacets(table, sample), ['state', 'done', 'owner']);
  assert.deepEqual(suggestedFacets({ ...table, severity: 'owner' }, sample), ['owner', 'state', 'done']);
  assert.deepEqual(suggestedFacets(table, []), ['state', 'done']);
  assert.deepEqual(suggestedFacets({ columns: [columns[0], columns[5], columns[7]], label: 'job' }, []), ['cpu']);
  assert.deepEqual(suggestedFacets({ columns: [columns[7]] }, []), []);
});

test('only columns of times are sent with a zone', () => {
  assert.deepEqual(wireFacets(['state', 'started'], columns, 60), [{ column: 'state' }, { column: 'started', zone: 60 }]);
});

test('malformed counts are left out', () => {
  assert.deepEqual(countsFrom({ at: 0, values: [['a', 1]], empty: 2 }), { values: [['a', 1]], empty: 2 });
  assert.deepEqual(countsFrom({ at: 0, edges: [1], rows: [0, 3], empty: 0 }), { edges: [1], rows: [0, 3], empty: 0 });
  assert.deepEqual(countsFrom({ at: 0, moreThan: 10_000 }), { moreThan: 10_000 });
  assert.deepEqual(countsFrom({ at: 0, error: { code: 'x', reason: 'why' } }), { reason: 'why' });
  for (const bad of [{}, { empty: 0 }, { empty: 0, values: [7] }, { empty: 0, values: [['a', -1]] }, { empty: 0, edges: [1], rows: [1] }, { moreThan: 'many' }, { error: 7 },
    { empty: 0, values: [], others: { values: 1 } }]) assert.equal(countsFrom(bad), null, JSON.stringify(bad));
});

test('values have the texts of their cells, and empty cells an entry of their own', () => {
  const found = entriesFor('done', { values: [[true, 5], [false, 2]], empty: 1 });
  assert.deepEqual(found.map(({ label, rows }) => [label, rows]), [['yes', 5], ['no', 2], ['Empty', 1]]);
  assert.deepEqual(entriesFor('state', counts([['', 1]])).map(({ label }) => label), ['“”']);
});

test('a value that filters is listed without rows, too', () => {
  const found = entriesFor('state', counts([['new', 3]]), { column: 'state', op: 'oneOf', values: ['gone', 'new', null] });
  assert.deepEqual(found.map(({ label, rows }) => [label, rows]), [['new', 3], ['gone', 0], ['Empty', 0]]);
});

test('ranges of integers name their first and last value, others their edges', () => {
  assert.deepEqual(entriesFor('nice', ranges([0, 1, 2], [0, 4, 3, 0])).map(({ label }) => label), ['0', '1']);
  assert.deepEqual(entriesFor('nice', ranges([0, 10, 20], [1, 4, 3, 2])).map(({ label }) => label), ['< 0', '0 – 9', '10 – 19', '≥ 20']);
  assert.deepEqual(entriesFor('cpu', ranges([0, 0.5], [0, 4, 0])).map(({ label }) => label), ['0 – 0.5']);
  assert.deepEqual(entriesFor('cpu', ranges([], [4])).map(({ label }) => label), ['All']);
});

test('ranges of times are as precise as their edges', () => {
  const at = (...parts) => new Date(...parts).getTime();
  const labels = (edges) => entriesFor('started', ranges(edges, [1, ...edges.map(() => 1)])).map(({ label }) => label);
  assert.deepEqual(labels([at(2026, 10, 25, 14, 0), at(2026, 10, 25, 14, 5)]), ['before 2026-11-25 14:00', '2026-11-25 14:00 – 14:05', 'from 2026-11-25 14:05']);
  assert.deepEqual(labels([at(2026, 10, 25), at(2026, 10, 26), at(2026, 11, 3)]).slice(0, 3), ['before 2026-11-25', '2026-11-25', '2026-11-26 – 2026-12-02']);
  assert.deepEqual(labels([at(2026, 10, 25, 14, 0, 1), at(2026, 10, 25, 14, 0, 2)])[1], '2026-11-25 14:00:01 – 14:00:02');
});

test('chosen values add up, and choosing one again takes that back', () => {
  const first = termAfter(undefined, value('new'), false, state);
  assert.deepEqual(first, { column: 'state', op: 'oneOf', values: ['new'] });
  const both = termAfter(first, value('late'), false, state);
  assert.deepEqual(both, { column: 'state', op: 'oneOf', values: ['new', 'late'] });
  assert.deepEqual(termAfter(both, value('new'), false, state), { column: 'state', op: 'oneOf', values: ['late'] });
  assert.equal(termAfter(first, value('new'), false, state), null);
  assert.deepEqual(['new', 'late', 'done'].map((one) => markOf(both, value(one), state)), ['in', 'in', '']);
});

test('empty cells can be chosen and left out', () => {
  const first = termAfter(undefined, none, false, state);
  assert.deepEqual(first, { column: 'state', op: 'isEmpty' });
  assert.equal(markOf(first, none, state), 'in');
  assert.deepEqual(termAfter(first, value('new'), false, state), { column: 'state', op: 'oneOf', values: [null, 'new'] });
  const out = termAfter(undefined, none, true, state);
  assert.deepEqual(out, { column: 'state', op: 'isFilled' });
  assert.equal(markOf(out, none, state), 'out');
  assert.equal(termAfter(out, none, true, state), null);
});

test('leaving out adds up, replaces a choice, and is taken back by choosing again', () => {
  const out = termAfter(undefined, value('new'), true, state);
  assert.deepEqual(out, { column: 'state', op: 'noneOf', values: ['new'] });
  const both = termAfter(out, value('late'), true, state);
  assert.deepEqual(both, { column: 'state', op: 'noneOf', values: ['new', 'late'] });
  assert.equal(markOf(both, value('late'), state), 'out');
  assert.deepEqual(termAfter(both, value('new'), false, state), { column: 'state', op: 'noneOf', values: ['late'] });
  assert.equal(termAfter(out, value('new'), true, state), null);
  assert.deepEqual(termAfter(out, value('late'), false, state), { column: 'state', op: 'oneOf', values: ['late'] });
  const selected = { column: 'state', op: 'oneOf', values: ['new', 'late'] };
  assert.deepEqual(termAfter(selected, value('new'), true, state), { column: 'state', op: 'oneOf', values: ['late'] });
  assert.deepEqual(termAfter({ ...selected, values: ['new'] }, value('new'), true, state), out);
  assert.deepEqual(termAfter(selected, value('done'), true, state), { column: 'state', op: 'noneOf', values: ['done'] });
});

test('a condition on the text stays when a value is left out', () => {
  const like = { column: 'state', op: 'contains', value: 'e' };
  const out = termAfter(like, value('new'), true, state);
  assert.deepEqual(out, { ...like, except: ['new'] });
  assert.equal(markOf(out, value('new'), state), 'out');
  assert.deepEqual(termAfter(out, value('new'), true, state), like);
  assert.deepEqual(termAfter(like, value('new'), false, state), { column: 'state', op: 'oneOf', values: ['new'] });
});

test('neighbouring ranges are one, and others a list', () => {
  const [low, middle, high, beyond] = entriesFor('nice', ranges([0, 10, 20, 30], [0, 1, 1, 1, 1]));
  const one = termAfter(undefined, low, false, nice);
  assert.deepEqual(one, { column: 'nice', op: 'range', from: 0, through: 9 });
  const apart = termAfter(one, high, false, nice);
  assert.deepEqual(apart, { column: 'nice', op: 'oneOf', values: [[0, 9], [20, 29]] });
  assert.deepEqual([low, middle, high, beyond].map((entry) => markOf(apart, entry, nice)), ['in', '', 'in', '']);
  const joined = termAfter(apart, middle, false, nice);
  assert.deepEqual(joined, { column: 'nice', op: 'range', from: 0, through: 29 });
  assert.deepEqual(termAfter(joined, middle, false, nice), apart);
  assert.deepEqual(termAfter(joined, beyond, false, nice), { column: 'nice', op: 'range', from: 0 });
  assert.equal(termAfter(one, low, false, nice), null);
  assert.deepEqual(termAfter(undefined, middle, true, nice), { column: 'nice', op: 'noneOf', values: [[10, 19]] });
  for (const term of [one, apart, joined]) assert.ok(isFittingTerm(term, columns));
});

test('ranges of numbers and times end before their edge, and the chips name the edge', () => {
  const [range] = entriesFor('cpu', ranges([0.5, 1], [0, 4, 0]));
  const term = termAfter(undefined, range, false, cpu);
  assert.deepEqual(term, { column: 'cpu', op: 'range', from: 0.5, through: 0.9999999999999999 });
  assert.deepEqual(texts(term), ['≥ 0.5 and < 1']);
  assert.equal(markOf(term, range, cpu), 'in');
  const hour = new Date(2026, 10, 25, 14).getTime();
  const [before, within] = entriesFor('started', ranges([hour, hour + 3_600_000], [1, 4, 1]));
  const time = termAfter(undefined, within, false, started);
  assert.deepEqual(time, { column: 'started', op: 'range', from: hour, through: `${hour + 3_599_999}.999999` });
  assert.deepEqual(texts(time), ['≥ 2026-11-25 14:00:00.000 and < 2026-11-25 15:00:00.000']);
  assert.deepEqual(wireFilter([termAfter(undefined, before, false, started)]), { column: 'started', op: 'range', through: `${hour - 1}.999999` });
  assert.deepEqual(texts({ column: 'cpu', op: 'oneOf', values: [[-Number.MAX_VALUE, 0.49999999999999994], [1, 1.9999999999999998]] }), ['< 0.5 or ≥ 1 and < 2']);
});

test('a range that the user typed stays when another one is added', () => {
  const [, second] = entriesFor('nice', ranges([0, 10, 20], [0, 1, 1, 0]));
  const typed = { column: 'nice', op: 'range', from: 3, through: 7 };
  assert.deepEqual(termAfter(typed, second, false, nice), { column: 'nice', op: 'oneOf', values: [[3, 7], [10, 19]] });
  assert.deepEqual(termAfter({ column: 'nice', op: 'oneOf', values: [5, 12] }, second, false, nice), { column: 'nice', op: 'oneOf', values: [5, [10, 19]] });
});

test('entries keep their places, and new ones come last', () => {
  const found = inPlace([value('a', 3), value('b', 2)], [value('c', 9), value('b', 5)]);
  assert.deepEqual(found.map(({ value: one, rows }) => [one, rows]), [['a', 0], ['b', 5], ['c', 9]]);
});

test('a facet states what it does not list', () => {
  assert.equal(noteOf({ moreThan: 10_000 }, 'en-US'), 'More than 10,000 different values: too many to count. Narrow the rows by another column, or search.');
  assert.equal(noteOf(counts([], { others: { values: 1, rows: 2 } }), 'en-US'), '1 other value in 2 rows');
  assert.equal(noteOf({ pending: true }), 'Counting…');
  assert.equal(noteOf(counts([])), '');
  assert.equal(entryText(value('new', 1_000), 'out', 'en-US'), 'new, 1,000 rows, left out');
});

test('the panel has at most eight columns', () => {
  const names = Array.from({ length: 8 }, (_, at) => `c${at}`);
  const many = [...names.map((name) => ({ name, type: 'text' })), state];
  const selected = [];
  const items = columnItems(many, names, (next) => selected.push(next));
  items[0].run();
  assert.deepEqual(selected, [names.slice(1)]);
  assert.equal(items.at(-1).isDisabled, true);
  assert.deepEqual(columnItems(columns, [], () => {}).map(({ label }) => label), ['Job', 'State', 'Owner', 'Done', 'Nice', 'CPU', 'Started']);
});

test('a link and the steps of the history have the columns of the panel', () => {
  const view = { ...emptyView(), table: 'jobs', facets: ['state', 'a,b'] };
  assert.equal(hashFromView(view), '#table=jobs&facets=state,a%252Cb');
  assert.deepEqual(viewFromHash(hashFromView(view)).facets, ['state', 'a,b']);
  assert.deepEqual(viewFromHash('#table=jobs&facets=').facets, []);
  assert.equal(changeText({ ...view, facets: undefined }, view, columns), 'columns of the facets');
  const table = { name: 'jobs', columns, view: { sort: [{ column: 'cpu' }] } };
  assert.deepEqual(completed(view, table).sort, []);
});

test('facets are requested again on another connection, and other answers are left out', () => {
  const sent = [];
  const session = new Session((message) => sent.push(message));
  const viewportAt = () => ({ first: 0, count: 10, seq: 0 });
  const hello = { type: 'hello', epoch: 'e', tables: [{ name: 'jobs', columns, source: { state: 'live' } }] };
  session.receive(hello, viewportAt);
  session.wantFacets([{ column: 'state' }]);
  session.wantFacets([{ column: 'state' }]);
  assert.deepEqual(sent.filter(({ type }) => type === 'facets'), [{ type: 'facets', id: 1, facets: [{ column: 'state' }] }]);
  assert.deepEqual(session.receive({ type: 'facets', id: 1, facets: [{ at: 0, pending: true }] }, viewportAt), { kind: 'facets', facets: [{ at: 0, pending: true }] });
  assert.equal(session.receive({ type: 'facets', id: 7, facets: [] }, viewportAt).kind, 'nothing');
  session.lost();
  session.receive(hello, viewportAt);
  assert.equal(sent.filter(({ type }) => type === 'facets').length, 2);
});
