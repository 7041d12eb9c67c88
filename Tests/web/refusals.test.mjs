import assert from 'node:assert/strict';
import { test } from 'node:test';

import { emptyView, viewFromHash } from '../../web/model/query.js';
import * as rules from '../../web/model/refusals.js';
import { Session } from '../../web/model/session.js';

const columns = [
  { name: 'fare', title: 'Fare', type: 'number' }, { name: 'from', title: 'From', type: 'text' }, { name: 'to', title: '', type: 'text' },
];
const table = { name: 'trips', title: 'Trips', columns, source: {} };
const term = (column, value, op = 'contains') => ({ column, op, value });

/**
 * Returns a session on all rows of a table. `answer(request)` answers its last query, and
 * `refuse(...)` refuses it.
 */
function opened(view = {}) {
  const sent = [];
  const session = new Session((message) => sent.push(message));
  const viewportAt = () => ({ seq: session.copy.seq, first: 0, count: 10, ahead: 0, behind: 0, anchor: null, stick: 'top' });
  session.view = { ...emptyView(), table: 'trips', ...view };
  session.connected();
  let seq = 0;
  const last = () => sent.findLast(({ type }) => type === 'query' || type === 'open');
  const page = {
    session, sent, viewportAt, last,
    greet: () => session.receive({ type: 'hello', version: 1, epoch: 'e', session: 's', tables: [table] }, viewportAt),
    answer: (request = last().request) => session.receive({
      type: 'window', epoch: 'e', seq: seq += 1, request, interval: 300, start: 0, total: 0, rows: 0, items: [], lead: [],
      digest: 1691955498,
    }, viewportAt),
    refuse(at, { shown, request = last().request, reason = 'This source cannot search.' } = {}) {
      const event = session.receive({ type: 'error', code: 'remainderTooLarge', reason, request, at, shown }, viewportAt);
      if (event.kind === 'refused') session.mark(rules, event, viewportAt);
      return event.kind;
    },
    show: (changes) => session.show({ ...session.view, ...changes }, viewportAt),
  };
  page.greet();
  return page;
}

test('a refused search keeps the rows and is marked until changed', () => {
  const page = opened({ sort: [{ column: 'fare', descending: true }] });
  page.answer();
  const shown = page.last().request;
  page.show({ search: 'JFK' });
  const count = page.sent.length;
  assert.equal(page.refuse(['query.search'], { shown }), 'refused');
  assert.equal(page.sent.length, count, 'nothing is asked again');
  assert.equal(page.session.isPending, false);
  assert.ok(page.session.canLook);
  assert.equal(page.session.view.search, 'JFK');
  assert.deepEqual(page.session.marks.map(({ key, reason }) => [key, reason]), [['search', 'This source cannot search.']]);
  // Another sort is queried without the search, which stays marked.
  page.show({ sort: [{ column: 'from', descending: false }] });
  assert.deepEqual([page.last().query.search, page.last().query.sort], [undefined, [{ column: 'from' }]]);
  assert.equal(page.session.marks.length, 1);
  page.answer();
  page.show({ search: 'JF' });
  assert.equal(page.last().query.search, 'JF');
  assert.deepEqual(page.session.marks, []);
});

test('a refused filter leaves the previous one in force', () => {
  const page = opened({ filters: [term('from', 'A'), term('to', 'B')] });
  page.answer();
  const shown = page.last().request;
  page.show({ filters: [term('from', 'x+', 'matches'), term('to', 'B')] });
  page.refuse(['query.filter.all[0].value'], { shown });
  assert.deepEqual(page.session.marks.map(({ key }) => key), ['filter:from']);
  page.show({ search: 'x' });
  assert.deepEqual(page.last().query.filter, { all: [{ column: 'from', op: 'contains', value: 'A' }, { column: 'to', op: 'contains', value: 'B' }] });
});

test('opens the valid parts of a link and marks the others', () => {
  const page = opened({
    sort: [{ column: 'fare', descending: true }], search: 'JFK', group: ['from'], filters: [term('to', 'B')],
    aggregates: [{ column: 'fare', function: 'mean' }],
  });
  const first = page.last();
  assert.equal(first.type, 'open');
  page.refuse(['query.search', 'query.group[0]', 'query.aggregates[0]']);
  const second = page.last();
  assert.equal(second.type, 'query');
  assert.ok(second.request > first.request);
  assert.deepEqual(second.query, { sort: first.query.sort, filter: { column: 'to', op: 'contains', value: 'B' } });
  assert.deepEqual(page.session.marks.map(({ key }) => key), ['search', 'group:from', 'show:mean:fare']);
  // The remaining filter is refused too, so all rows are shown.
  page.refuse(['query.filter']);
  assert.deepEqual(page.last().query, { sort: first.query.sort });
  page.refuse([]);
  assert.deepEqual(page.last().query ?? {}, {});
  const count = page.sent.length;
  // Even the plain table is refused: nothing is requested again.
  page.refuse([]);
  assert.equal(page.sent.length, count);
});

test('a new connection requests only the accepted parts', () => {
  const page = opened();
  page.answer();
  page.show({ search: 'JFK' });
  page.refuse(['query.search'], { shown: 1 });
  page.session.lost();
  page.session.connected();
  page.greet();
  const { type, query, resume } = page.last();
  assert.deepEqual([type, query ?? {}, resume?.seq], ['open', {}, 1]);
  assert.equal(page.session.marks.length, 1);
});

test('accepts a valid part when another one is refused', () => {
  const page = opened();
  page.answer();
  page.show({ search: 'JFK', sort: [{ column: 'fare', descending: false }] });
  page.refuse(['query.search'], { shown: 1 });
  assert.deepEqual(page.last().query, { sort: [{ column: 'fare' }] });
});

test('removes a part that is refused later', () => {
  const page = opened({ search: 'JFK', sort: [{ column: 'fare', descending: false }] });
  page.answer();
  page.refuse(['query.search']);
  assert.deepEqual(page.last().query, { sort: [{ column: 'fare' }] });
  assert.deepEqual(page.session.marks.map(({ key }) => key), ['search']);
});

test('ignores a refusal of an outdated query', () => {
  const page = opened();
  page.answer();
  page.show({ search: 'a' });
  const { request } = page.last();
  page.show({ search: 'b' });
  assert.equal(page.refuse(['query.search'], { request, shown: 1 }), 'nothing');
  assert.deepEqual([page.session.marks, page.session.isPending], [[], true]);
});

test('another table has no marks', () => {
  const page = opened();
  page.answer();
  page.show({ search: 'a' });
  page.refuse(['query.search'], { shown: 1 });
  page.session.show({ ...emptyView(), table: 'other', search: 'a' }, page.viewportAt);
  assert.deepEqual(page.session.marks, []);
});

test('an error without a request ends the connection', () => {
  const page = opened();
  assert.deepEqual(page.session.receive({ type: 'error', code: 'unknownType', reason: 'x' }, page.viewportAt), { kind: 'error', code: 'unknownType', reason: 'x' });
});

test('maps every error path to its part of the view', () => {
  const view = {
    ...emptyView(), sort: [{ column: 'a:b', descending: true }, { column: 'to', descending: false }], group: ['from', 'to'], search: 'x',
    filters: [term('from', '1'), term('to', '2')], aggregates: [{ column: 'a:b', function: 'mean' }],
  };
  const keys = (...at) => rules.marksFor(view, at, 'r').map(({ key }) => key);
  assert.deepEqual(keys('query.sort[1]'), ['sort:to']);
  assert.deepEqual(keys('query.sort'), ['sort:a:b', 'sort:to']);
  assert.deepEqual(keys('query.group[1]', 'query.search'), ['group:to', 'search']);
  assert.deepEqual(keys('query.aggregates[0]'), ['show:mean:a:b']);
  assert.deepEqual(keys('query.filter.all[1].any[0].values[3]'), ['filter:to']);
  assert.deepEqual(keys('query.filter.all[2].any[0].value'), ['search'], 'what is searched for stands behind the filters of the columns');
  const searched = (filters, path) => rules.marksFor({ ...view, filters }, [path], 'r').map(({ key }) => key);
  assert.deepEqual(searched([], 'query.filter.any[1].from'), ['search']);
  assert.deepEqual(searched([term('to', '2')], 'query.filter.all[0].value'), ['filter:to']);
  assert.deepEqual(searched([term('to', '2')], 'query.filter.all[1].any[0]'), ['search']);
  assert.deepEqual(rules.marksFor({ ...view, filters: [term('to', '2')] }, ['query.filter.not'], 'r').map(({ key }) => key), ['filter:to']);
  assert.deepEqual(keys('query.later'), ['sort:a:b', 'sort:to', 'group:from', 'group:to', 'filter:from', 'filter:to', 'search', 'show:mean:a:b']);
  for (const mark of rules.marksFor(view, [], 'r')) {
    assert.equal(rules.partOf({ ...view, ...rules.without(view, mark.key) }, mark.key), undefined, mark.key);
    assert.equal(rules.standing([mark], view).length, 1);
  }
});

test('reasons are sentences without the error path', () => {
  const reason = (text) => rules.marksFor({ ...emptyView(), search: 'x' }, ['query.search'], text)[0].reason;
  assert.equal(reason('query.filter.all[1].value must be a number'), 'The value must be a number.');
  assert.equal(reason('the table p has no column “x”'), 'The table p has no column “x”.');
  assert.equal(reason('query.filter.value is not a regular expression: it is too large: with its repetitions it has more than 1000 parts at character 1'),
    'This expression is too large: use smaller repetitions.');
  assert.equal(reason('Narrow it down first.'), 'Narrow it down first.');
});

test('reports the parts of a link that do not fit the table', () => {
  const view = viewFromHash('#table=trips&sort=-nope,fare&group=nah&show=mean:from,sum:never&columns=*ghost,fare'
    + `&filter=${encodeURIComponent(JSON.stringify([term('who', 'x'), { column: 'fare', op: 'contains', value: '1' }, term('to', 'y')]))}`);
  const marks = rules.misfits(view, columns);
  assert.deepEqual(marks.map(({ key, reason }) => [key, reason]), [
    ['sort:nope', 'No column called “nope”.'], ['group:nah', 'No column called “nah”.'], ['filter:who', 'No column called “who”.'],
    ['filter:fare', 'This filter does not fit the column “Fare”.'], ['show:mean:from', 'The column “From” has no “mean”.'],
    ['show:sum:never', 'No column called “never”.'], ['columns:ghost', 'No column called “ghost”.'],
  ]);
  assert.deepEqual(marks.map((mark) => rules.markTitle(mark, columns)), [
    'Sort by nope', 'Group by nah', 'Filter of who', 'Filter of Fare', 'Average of From', 'Sum of never', 'Column ghost',
  ]);
  for (const text of ['{', '7', '[7]', '[{"column":"to"}]']) {
    const unread = viewFromHash(`#table=trips&filter=${encodeURIComponent(text)}`);
    assert.deepEqual(rules.misfits(unread, columns).map(({ reason }) => reason), ['The part “filter” of this link is not readable.'], text);
  }
  assert.deepEqual(rules.misfits(viewFromHash('#table=trips&filter=[]'), columns), []);
});

test('explains what a source cannot do with too many rows', () => {
  const can = { sort: ['fare'], group: ['from'], filters: ['contains', 'oneOf'], filterColumns: ['from'], search: false, rowLimit: 50_000 };
  const lack = (what, rows = 1_200_000) => rules.lack({ ...table, windowed: can }, rows, what) !== '';
  assert.deepEqual([lack({ sort: 'fare' }), lack({ sort: 'from' }), lack({ group: 'from' }), lack({ group: 'fare' })], [false, true, false, true]);
  assert.deepEqual([lack({ search: true }), lack({ aggregate: true })], [true, true]);
  assert.deepEqual(['contains', 'matches', 'oneOf', 'noneOf', 'isEmpty'].map((op) => lack({ filter: 'from', op })), [false, true, false, true, true]);
  assert.equal(lack({ filter: 'to', op: 'contains' }), true);
  for (const what of [{ sort: 'from' }, { search: true }, { aggregate: true }]) {
    assert.equal(lack(what, 50_000), false);
    assert.equal(lack(what, 50_001), true);
    assert.equal(rules.lack(table, 9e9, what), '');
  }
  assert.equal(rules.lack({ ...table, windowed: can }, 1_200_000, { filter: 'from', op: 'matches' }),
    `This source cannot run regular expressions, and ${(1_200_000).toLocaleString()} rows are too many to do it here (limit ${(50_000).toLocaleString()}). Narrow it down first.`);
  assert.equal(rules.lack({ ...table, windowed: { ...can, filterColumns: undefined } }, 9e9, { filter: 'to', op: 'contains' }), '');
});

test('a fault in the exceptions of a term marks the term', () => {
  const except = { column: 'fare', op: 'range', from: 1, except: [5] };
  const keys = (view, path) => rules.marksFor({ ...emptyView(), ...view }, [path], 'no').map(({ key }) => key);
  assert.deepEqual(keys({ filters: [except] }, 'query.filter.all[0].all[1].not'), ['filter:fare']);
  assert.deepEqual(keys({ filters: [except], search: 'JFK' }, 'query.filter.all[0].all[1].not'), ['filter:fare']);
  assert.deepEqual(keys({ filters: [term('from', 'a'), except] }, 'query.filter.all[1].all[0]'), ['filter:fare']);
});
