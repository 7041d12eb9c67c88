import assert from 'node:assert/strict';
import test from 'node:test';

import { changeText, stepText } from '../../web/model/steps.js';
import { emptyView, hashFromRow, rowFromHash, viewFromHash } from '../../web/model/query.js';

const columns = ['pid', 'name', 'cpu'].map((name) => ({ name, type: 'text' }));
const between = (before, after) => changeText(viewFromHash(`#table=jobs&${before}`), viewFromHash(`#table=jobs&${after}`), columns);

test('names each part that differs', () => {
  assert.equal(between('', ''), '');
  assert.equal(between('', 'sort=-cpu'), 'sort order');
  assert.equal(between('search=a', 'search=ab'), 'search');
  assert.equal(between('filter=[]', 'filter=[{"column":"pid","op":"isEmpty"}]'), 'filters');
  assert.equal(between('group=name', 'group=name&collapsed=[["root"]]'), 'collapsed sections');
  assert.equal(between('sort=cpu', 'search=x&group=name'), 'search, sort order, grouping');
  assert.equal(changeText({ ...emptyView(), table: 'a', search: 'x' }, { ...emptyView(), table: 'b' }, columns), 'table');
});

test('names changes of the layout', () => {
  assert.equal(between('', 'columns=pid:90,name,cpu'), 'column widths');
  assert.equal(between('', 'columns=name,pid,cpu'), 'column order');
  assert.equal(between('columns=pid,-name,cpu', ''), 'hidden columns');
  assert.equal(between('', 'columns=*cpu,pid,name'), 'pinned columns');
});

test('the text of a step states its direction', () => {
  assert.equal(stepText(true, 'search'), 'Undone: search');
  assert.equal(stepText(false, ''), 'Redone');
});

test('a link carries the key of a row', () => {
  const view = { ...emptyView(), table: 'jobs', search: 'x' };
  for (const key of [4_711, -1, 'job-1', '4711', '"quoted"', 'a&b=c', 'ü 漢', 'null', '[1]']) {
    const hash = hashFromRow(view, key);
    assert.equal(rowFromHash(hash), key);
    assert.deepEqual(viewFromHash(hash), view);
  }
  assert.equal(hashFromRow(view, 'job-1'), '#table=jobs&search=x&row=job-1');
  assert.equal(hashFromRow(emptyView(), 7), '#row=7');
  assert.equal(rowFromHash('#table=jobs'), undefined);
  assert.equal(rowFromHash('#table=jobs&row='), undefined);
  assert.equal(rowFromHash('#row=1e99'), '1e99', 'a number that is no key is a text');
});
