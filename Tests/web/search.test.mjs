// search.js: matching a search text in columns of each type, on the page and on the server.

import assert from 'node:assert/strict';
import test from 'node:test';
import { formatter } from '../../web/model/columns.js';
import { Search, searchOf } from '../../web/model/search.js';

const now = Date.UTC(2026, 10, 23, 4, 47, 45);
const moment = (...parts) => new Date(...parts).getTime();

function specOf(column, locale = 'en') {
  const format = column.type === 'timestamp' ? 'datetime.0' : 'grouped.2';
  const whole = { style: 'plain', unit: '', format: column.type === 'integer' ? 'grouped.0' : format, ...column };
  return { column: whole, locale, format: formatter(whole, { locale, decimals: whole.type === 'number' ? 2 : 0 }) };
}

const specs = [
  { name: 'name', type: 'text' }, { name: 'pid', type: 'integer' }, { name: 'price', type: 'number' }, { name: 'size', type: 'integer', style: 'bytes' },
  { name: 'took', type: 'number', style: 'duration' }, { name: 'at', type: 'timestamp' }, { name: 'isUp', type: 'boolean' },
  { name: 'seen', type: 'timestamp', style: 'age' }, { name: 'trend', type: 'series' },
].map((column) => specOf(column));
const search = (text, how = {}) => new Search(text, how.specs ?? specs, { isTextOnly: false, now, ...how });
const finds = (text, name, cell, how) => search(text, how).finds(cell, (how?.specs ?? specs).find(({ column }) => column.name === name));

test('text is found by any substring, ignoring case', () => {
  assert.equal(finds('RUST', 'name', 'trustd'), true);
  assert.equal(finds('12', 'name', 'row 3125'), true);
  assert.equal(finds('x', 'name', null), false);
  assert.equal(finds('', 'name', 'x'), false);
});

test('a value is found by its formatted text', () => {
  assert.equal(finds('1,234', 'pid', 1_234), true);
  assert.equal(finds('1234', 'pid', 1_234), true);
  assert.equal(finds('123', 'pid', 1_234), false, 'a part of a number is another number');
  assert.equal(finds('9223372036854775807', 'pid', '9223372036854775807'), true);
  assert.equal(finds('9223372036854775807', 'pid', '9223372036854775806'), false);
  assert.equal(finds('51.51', 'price', 51.507351), true);
  assert.equal(finds('51.51', 'price', 51.52), false);
  assert.equal(finds('8.0 MiB', 'size', 8 * 2 ** 20), true);
  assert.equal(finds('8.0 MiB', 'size', 9 * 2 ** 20), false);
  assert.equal(finds('1:00', 'took', 60), true);
  assert.equal(finds('1:00', 'took', 62), false);
  assert.equal(finds('2026-11-23', 'at', moment(2026, 10, 23, 13, 5)), true);
  assert.equal(finds('2026-11-23 13:05', 'at', moment(2026, 10, 23, 13, 5, 59, 999)), true);
  assert.equal(finds('2026-11-23 13:05', 'at', moment(2026, 10, 23, 13, 6)), false);
  assert.equal(finds('yes', 'isUp', true), true);
  assert.equal(finds('TRUE', 'isUp', true), true);
  assert.equal(finds('no', 'isUp', true), false);
  assert.equal(finds('no', 'isUp', null), false);
  assert.equal(finds('5 min', 'seen', now - 300_000), false, 'it would be another value a minute later');
  assert.equal(finds('1', 'trend', [1]), false);
});

test('numbers are parsed in the locale’s notation', () => {
  const german = [specOf({ name: 'price', type: 'number' }, 'de')];
  assert.equal(finds('90.000', 'price', 90_000, { specs: german }), true);
  assert.equal(finds('90.000', 'price', 90, { specs: german }), false);
});

test('the filter sent to the server has the same meaning', () => {
  assert.deepEqual(search('1:00').filter([]), { any: [
    { column: 'name', op: 'contains', value: '1:00' }, { column: 'took', op: 'range', from: search('1:00').filter([]).any[1].from, through: search('1:00').filter([]).any[1].through },
  ] });
  const { any: [, pid] } = search('1,234').filter([]);
  assert.deepEqual(pid, { column: 'pid', op: 'range', from: 1_234, through: 1_234 });
  assert.deepEqual(search('yes').filter([]), { any: [{ column: 'name', op: 'contains', value: 'yes' }, { column: 'isUp', op: '=', value: true }] });
});

test('the search follows the columns’ filters', () => {
  const filled = { column: 'pid', op: 'isFilled' };
  const { all } = search('yes').filter([filled]);
  assert.deepEqual(all.map((part) => Object.keys(part)[0]), ['not', 'any']);
  assert.deepEqual(search('yes').filter([filled, { column: 'name', op: 'contains', value: 'a' }]).all.length, 3);
});

test('a search of text columns only uses the server’s search', () => {
  assert.equal(search('firefox').filter([]), null);
  assert.equal(search('1234', { isTextOnly: true }).filter([]), null);
  assert.equal(finds('1234', 'pid', 1_234, { isTextOnly: true }), false);
  const many = Array.from({ length: 90 }, (_, at) => specOf({ name: `n${at}`, type: 'integer' }));
  assert.equal(search('1', { specs: many }).filter([]), null, 'a filter takes 100 terms');
});

test('the last search is cached', () => {
  const how = { isTextOnly: false, now };
  assert.equal(searchOf('a', specs, how), searchOf('a', specs, how));
  assert.notEqual(searchOf('a', specs, how), searchOf('b', specs, how));
});
