import test from 'node:test';
import assert from 'node:assert/strict';
import { diceFrom, seed } from './fixtures.mjs';
import { age, bytes, dateTime, decimalsFor, duration, formatter, linkTarget, missingOf, plain, sparkline } from '../../web/columns.js';

const column = (type, more = {}) => ({ name: 'amount', type, style: 'plain', unit: '', ...more });
const text = (type, cell, more = {}, decimals = 0) => formatter(column(type, more), { locale: 'en', decimals })(cell, 1_000_000);
const thin = '\u202f';

test('numbers are grouped, have as many decimals as their column, and their unit', () => {
  assert.equal(text('integer', 1_234_567), '1,234,567');
  assert.equal(text('number', 1_234.5, {}, 2), '1,234.50');
  assert.equal(text('number', 12.34, { unit: '%' }, 1), '12.3%');
  assert.equal(text('number', 5, { unit: 'ms' }), `5${thin}ms`);
});

test('a whole number that travels as text loses no digit', () => {
  assert.equal(text('integer', '9007199254740993'), '9,007,199,254,740,993');
  assert.equal(text('integer', '-9223372036854775808'), '-9,223,372,036,854,775,808');
});

test('a number that is a name is not grouped', () => {
  assert.equal(text('integer', 10_536, { name: 'pid' }), '10536');
  assert.equal(text('integer', 8_080, { name: 'local_port' }), '8080');
  assert.equal(text('integer', 10_536, { name: 'bids' }), '10,536');
});

test('an empty cell is empty in every column', () => {
  for (const type of ['integer', 'number', 'text', 'boolean', 'timestamp', 'image', 'series']) {
    for (const style of ['plain', 'bar', 'badge', 'bytes', 'duration', 'age', 'image', 'sparkline', 'link']) {
      assert.equal(text(type, null, { style }), '', `${type} ${style}`);
    }
  }
});

test('a deferred cell without a value is empty in every column, and tells why', () => {
  assert.equal(missingOf({ pending: true }), '');
  assert.equal(missingOf({ failed: 'no such file' }), 'no such file');
  assert.equal(missingOf({ failed: '' }), 'could not be loaded');
  assert.equal(missingOf({ something: 'newer' }), '');
  for (const cell of [null, undefined, 0, '', false, 'text', [], [1, 2]]) assert.equal(missingOf(cell), null);
  for (const type of ['integer', 'number', 'text', 'boolean', 'timestamp', 'image', 'series']) {
    for (const style of ['plain', 'bar', 'badge', 'bytes', 'duration', 'age', 'image', 'sparkline', 'link']) {
      assert.equal(text(type, { pending: true }, { style }), '', `${type} ${style}`);
      assert.equal(text(type, { failed: 'why' }, { style }), '', `${type} ${style}`);
    }
  }
});

test('a cell of another kind than its column is shown as it is', () => {
  assert.equal(text('number', 'n/a'), 'n/a');
  assert.equal(text('integer', 'many', { style: 'bytes' }), 'many');
  assert.equal(text('timestamp', 'then'), 'then');
  assert.equal(text('boolean', 3), '3');
});

test('bytes go up by 1,024 and never show four digits of a unit that has a next', () => {
  assert.equal(bytes(0, 'en'), `0${thin}B`);
  assert.equal(bytes(1_023, 'en'), `1,023${thin}B`);
  assert.equal(bytes(1_024, 'en'), `1.0${thin}KiB`);
  assert.equal(bytes(1_048_575, 'en'), `1.0${thin}MiB`);
  assert.equal(bytes(1_536 * 2 ** 20, 'en'), `1.5${thin}GiB`);
  assert.equal(bytes(-2_048, 'en'), `-2.0${thin}KiB`);
});

test('durations', () => {
  const cases = [[0, `0.00${thin}s`], [0.000_25, `250${thin}µs`], [0.004, `4${thin}ms`], [0.24, `0.24${thin}s`], [12.5, `12.50${thin}s`],
    [60, '1:00'], [187, '3:07'], [7_387, '2:03:07'], [266_580, `3${thin}d 02:03`], [-5, `−5.00${thin}s`]];
  for (const [seconds, expected] of cases) assert.equal(duration(seconds), expected);
});

test('ages', () => {
  const cases = [[0.4, 'now'], [12.9, `12${thin}s`], [119, `1${thin}min`], [3_600, `1${thin}h`], [172_800, `2${thin}d`], [-90, `in 1${thin}min`]];
  for (const [seconds, expected] of cases) assert.equal(age(seconds), expected);
  assert.equal(text('timestamp', 1_000_000 - 5_000, { style: 'age' }), `5${thin}s`);
});

test('a timestamp is the local date and time', () => {
  assert.equal(dateTime(new Date(2026, 10, 21, 8, 5, 9).getTime() + 0.25), '2026-11-21 08:05:09');
  assert.equal(dateTime(1e300), '');
});

test('only http and https addresses are followed', () => {
  assert.equal(linkTarget('https://example.org/?a=<b>'), 'https://example.org/?a=%3Cb%3E');
  assert.equal(linkTarget('HTTP://EXAMPLE.ORG'), 'http://example.org/');
  for (const other of ['javascript:alert(1)', ' javascript:alert(1)', 'java\tscript:alert(1)', 'data:text/html,x', '//example.org', '/local',
    'http://', 'vbscript:x', 'file:///etc/passwd', '\u0000http://x', '', null, 7]) {
    assert.equal(linkTarget(other), '', String(other));
  }
});

test('decimals are as many as the values need, at most three, and one for percentages', () => {
  assert.equal(decimalsFor(column('number'), [1, 2, null]), 0);
  assert.equal(decimalsFor(column('number'), [0.5, 0.25]), 2);
  assert.equal(decimalsFor(column('number'), [0.123_456]), 3);
  assert.equal(decimalsFor(column('number'), [100.123_456]), 2);
  assert.equal(decimalsFor(column('number', { unit: '%' }), [1, 2.345]), 1);
  assert.equal(decimalsFor(column('integer'), [1]), 0);
});

test('a sparkline goes from edge to edge', () => {
  assert.equal(sparkline([0, 10, 5], 20, 10), 'M0.0 10.0L10.0 0.0L20.0 5.0');
  assert.equal(sparkline([3, 3], 20, 10), 'M0.0 10.0L20.0 10.0');
  assert.equal(sparkline([1], 20, 10), '');
  assert.equal(sparkline(null, 20, 10), '');
});

test('a text that no cell could show is cut off', () => {
  assert.equal(plain('x'.repeat(65_536)).length, 401);
});

test('no number is longer than can be read', () => {
  const show = (column, cell) => formatter({ name: 'x', unit: '', style: 'plain', ...column }, { locale: 'en' })(cell, 0);
  assert.equal(show({ type: 'number' }, 999_999_999_999_999_900), '999,999,999,999,999,900');
  assert.equal(show({ type: 'number' }, 1e18), '1E18');
  assert.equal(show({ type: 'number' }, -1.5e308), '-1.5E308');
  assert.equal(show({ type: 'integer' }, '9223372036854775807'), '9,223,372,036,854,775,807');
  assert.equal(show({ type: 'integer', style: 'bytes' }, '9223372036854775807'), '8.0\u202fEiB');
  assert.equal(show({ type: 'number', style: 'duration' }, 1e308), '1.2e303\u202fd');
  assert.equal(show({ type: 'number', style: 'duration' }, 86_400 * 999_999), '999999\u202fd 00:00');
  assert.equal(show({ type: 'number', style: 'duration' }, 86_400e6), '1.0e6\u202fd');
});

test('a series has gaps where it has no numbers, and any range', () => {
  assert.equal(sparkline([0, null, 2, 1], 30, 10), 'M0.0 10.0M20.0 0.0L30.0 5.0');
  assert.equal(sparkline([1e308, -1e308], 10, 10), 'M0.0 0.0L10.0 10.0');
  assert.equal(sparkline([null, null], 10, 10), '');
  const text = formatter({ name: 'x', type: 'series', style: 'sparkline' }, { locale: 'en' });
  assert.equal(text([1, 2.25, null], 0), '2.3');
  assert.equal(text([null], 0), '');
  assert.equal(text([1e308], 0), '1E308');
});

test('what is formatted without Intl is what Intl would say', () => {
  const dice = diceFrom(seed);
  const odd = [0, -0, 0.5, 1.5, 2.5, -0.5, -0.001, 0.005, 1.005, 1.015, 999, 999.5, 999.995, 1_000, -1_000, 99_999.995, 0.1 + 0.2, 1e-7, 123456.789e-10, 1e15, 1e17,
    123456789012345, 1234567890123456, 9007199254740991, 999999999999999.9, 0.9999999, 9.9999999, 1 / 3, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE,
    82_261.12360000001, 123.45499999999999, 1_234.5650000000001, 0.49999999999999994, 99_999.99949999999, 12_345_678_901.234568];
  const drawn = Array.from({ length: 20_000 }, () => (dice(2) ? 1 : -1) * dice(10 ** (1 + dice(9))) / 10 ** dice(8));
  const differences = Array.from({ length: 20_000 }, () => dice(1e9) / 10_000 - dice(10) / 100);  // up to seventeen digits, as bids have them
  for (const decimals of [0, 1, 2, 3]) {
    for (const useGrouping of [true, false]) {
      const intl = new Intl.NumberFormat('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping });
      const own = formatter(column(decimals === 0 ? 'integer' : 'number', useGrouping ? {} : { name: 'pid' }), { locale: 'en', decimals });
      if (!useGrouping && decimals > 0) continue;  // names are whole
      for (const number of [...odd, ...drawn, ...differences]) assert.equal(own(number), intl.format(number), `${number} with ${decimals} decimals, seed ${seed}`);
    }
  }
});

test('the first rows of a market wait for no Intl, whose first object takes longer than all of them', () => {
  const { NumberFormat } = Intl;
  Intl.NumberFormat = function () { throw new Error('Intl was asked'); };
  try {
    assert.equal(text('number', 82_261.12360000001, {}, 2), '82,261.12');
    assert.equal(text('number', -0.30000000000000004, {}, 2), '-0.30');
    assert.equal(text('integer', 1_700_000_000_000), '1,700,000,000,000');
  } finally {
    Intl.NumberFormat = NumberFormat;
  }
});

test('another locale groups as it does', () => {
  for (const locale of ['de', 'en-IN', 'fr', 'de-CH', 'ar-EG']) {
    const intl = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
    assert.equal(formatter(column('number'), { locale, decimals: 2 })(1_234_567.891), intl.format(1_234_567.891), locale);
  }
});
