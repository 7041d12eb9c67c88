import test from 'node:test';
import assert from 'node:assert/strict';
import { diceFrom, seed } from './fixtures.mjs';
import { bytes, formatter, linedUp, linkTarget, missingOf, plain, sparkline, specify } from '../../web/model/columns.js';
import { age, duration, moment } from '../../web/model/times.js';
import { exactMoment, exactText, hiddenExactness, offsetAt } from '../../web/model/exact.js';

const column = (type, more = {}) => ({ name: 'amount', type, style: 'plain', unit: '', ...more });
const text = (type, cell, more = {}) => formatter(column(type, more), { locale: 'en' })(cell, 1_000_000);
const thin = '\u202f';

test('numbers are grouped, with all digits and their unit', () => {
  assert.equal(text('integer', 1_234_567), '1,234,567');
  assert.equal(text('number', 1_234.5), '1,234.5');
  assert.equal(text('number', 0.000_012), '0.000012');
  assert.equal(text('number', 51.507_351), '51.507351');
  assert.equal(text('number', -0.1 - 0.2), '-0.30000000000000004');
  assert.equal(text('number', 1 / 3), '0.3333333333333333');
  assert.equal(text('number', 0.05, { unit: '%' }), '0.05%');
  assert.equal(text('number', 99.99, { unit: '%' }), '99.99%');
  assert.equal(text('number', 5, { unit: 'ms' }), `5${thin}ms`);
});

test('very small and very large numbers have an exponent', () => {
  const cases = [[0.000_001, '0.000001'], [9.99e-7, '9.99E-7'], [1e-300, '1E-300'], [-2.5e-9, '-2.5E-9'], [1e21, '1E21'], [1.234_567_890_123_456_7e18, '1.2345678901234568E18'],
    [5e-324, '5E-324'], [0, '0']];
  for (const [number, expected] of cases) assert.equal(text('number', number), expected);
});

test('a format sets separators and decimals', () => {
  const cases = [['plain', 20_261, '20261'], ['plain', 1_234.567_8, '1234.5678'], ['plain.2', 1_234.567_8, '1234.57'], ['plain.0', 2_026.5, '2027'], ['grouped', 20_261, '20,261'],
    ['grouped.2', 1_234.5, '1,234.50'], ['grouped.3', 1e-9, '0.000'], ['grouped.15', 0.1, '0.100000000000000']];
  for (const [format, number, expected] of cases) assert.equal(text('number', number, { format }), expected, format);
  assert.equal(text('integer', 8_080, { format: 'plain', name: 'amount' }), '8080');
  assert.equal(text('integer', 10_536, { format: 'grouped', name: 'pid' }), '10,536');
  assert.equal(text('integer', '9223372036854775807', { format: 'plain' }), '9223372036854775807');
  assert.equal(text('number', 0.054, { format: 'plain.1', unit: '%' }), '0.1%');
});

test('an unknown or unsuitable format falls back to the default', () => {
  for (const format of ['percent', 'plain.', 'plain.16', 'grouped.99', 'Plain', 'date', 'time.3', '', null, 7]) assert.equal(text('number', 1_234.5, { format }), '1,234.5', String(format));
  const at = new Date(2026, 10, 21, 8, 5, 9).getTime();
  for (const format of ['plain', 'grouped.2', 'datetime.10', 'week', '']) assert.equal(text('timestamp', at, { format }), '2026-11-21 08:05:09', String(format));
});

test('a formatted number parses back to the same value', () => {
  const dice = diceFrom(seed);
  const numbers = Array.from({ length: 20_000 }, () => (dice(2) ? 1 : -1) * (1 + dice(1e9) / dice(1e9 + 1)) * 10 ** (dice(600) - 300));
  for (const number of numbers.filter(Number.isFinite)) {
    assert.equal(Number(text('number', number).replaceAll(',', '')), number, `seed ${seed}`);
    const german = formatter(column('number'), { locale: 'de' })(number).replaceAll('.', '').replace(',', '.');
    assert.equal(Number(german), number, `in German, seed ${seed}`);
  }
});

// Formats cells with visible marks for the padding: `_` for a point, `-` for a digit.
const line = (cells, more = {}, locale = 'en') => {
  const [spec] = specify([column('number', { align: 'end', ...more })], cells.map((cell) => [cell]), (of) => of.length, { locale, now: 0 });
  return (cell) => linedUp(spec.line, spec.format(cell, 0)).replaceAll('\u2008', '_').replaceAll('\u2007', '-');
};

test('spaces align decimal separators', () => {
  const show = line([1, 0.25, 12.5]);
  assert.deepEqual([1, 0.25, 12.5, -3].map(show), ['1_--', '0.25', '12.5-', '-3_--']);
  assert.equal(show(null), '');
  const german = line([1, 0.25], {}, 'de');
  assert.deepEqual([1_000, 0.25].map(german), ['1.000_--', '0,25']);
  const share = line([5, 0.05], { unit: '%' });
  assert.deepEqual([5, 0.05].map(share), ['5%_--', '0.05%']);
});

test('numbers with an exponent or many decimals are not aligned', () => {
  const show = line([0.5, 1 / 3, 1e-300, 1e21]);
  assert.deepEqual([1, 0.5, 1 / 3, 1e-300, 1e21].map(show), ['1_-', '0.5', '0.3333333333333333', '1E-300', '1E21']);
  assert.equal(line([1.123_456_78])(1), '1_--------');
  assert.equal(line([1.123_456_789])(1), '1');
});

test('the number of aligned decimals only grows', () => {
  const [spec] = specify([column('number', { align: 'end' })], [[1.5]], (of) => of.length, { locale: 'en', now: 0 });
  assert.equal(spec.line.isUneven, false);
  assert.equal(spec.line.add('1.25'), '1.25');
  assert.equal(spec.line.isUneven, true);
  spec.line.isUneven = false;
  assert.equal(spec.line.add('7.5'), '7.5\u2007');
  assert.equal(spec.line.add('1.25'), '1.25');
  assert.equal(spec.line.isUneven, false);
});

test('fixed, abbreviated and start-aligned columns are not padded', () => {
  const of = (more) => specify([{ ...column('number', { align: 'end' }), ...more }], [[1.5]], (value) => value.length, { locale: 'en', now: 0 })[0].line;
  assert.notEqual(of({}), null);
  for (const more of [{ format: 'plain.2' }, { style: 'bytes' }, { style: 'duration' }, { style: 'badge' }, { align: 'start' }, { type: 'integer' }]) assert.equal(of(more), null, JSON.stringify(more));
});

test('an integer sent as text keeps all digits', () => {
  assert.equal(text('integer', '9007199254740993'), '9,007,199,254,740,993');
  assert.equal(text('integer', '-9223372036854775808'), '-9,223,372,036,854,775,808');
});

test('an identifier is not grouped', () => {
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

test('a deferred cell is empty until loaded and has a reason', () => {
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

test('a cell of another type than its column is shown as it is', () => {
  assert.equal(text('number', 'n/a'), 'n/a');
  assert.equal(text('integer', 'many', { style: 'bytes' }), 'many');
  assert.equal(text('timestamp', 'then'), 'then');
  assert.equal(text('boolean', 3), '3');
});

test('bytes use units of 1,024 with at most four digits', () => {
  assert.equal(bytes(0, 'en'), `0${thin}B`);
  assert.equal(bytes(1_023, 'en'), `1,023${thin}B`);
  assert.equal(bytes(1_024, 'en'), `1.0${thin}KiB`);
  assert.equal(bytes(1_048_575, 'en'), `1.0${thin}MiB`);
  assert.equal(bytes(1_536 * 2 ** 20, 'en'), `1.5${thin}GiB`);
  assert.equal(bytes(-2_048, 'en'), `-2.0${thin}KiB`);
});

test('formats durations', () => {
  const cases = [[0, `0.00${thin}s`], [0.000_25, `250${thin}µs`], [0.004, `4${thin}ms`], [0.24, `0.24${thin}s`], [12.5, `12.50${thin}s`],
    [60, '1:00'], [187, '3:07'], [7_387, '2:03:07'], [266_580, `3${thin}d 02:03`], [-5, `−5.00${thin}s`]];
  for (const [seconds, expected] of cases) assert.equal(duration(seconds), expected);
});

test('formats ages', () => {
  const cases = [[0.4, 'now'], [12.9, `12${thin}s`], [119, `1${thin}min`], [3_600, `1${thin}h`], [172_800, `2${thin}d`], [-90, `in 1${thin}min`]];
  for (const [seconds, expected] of cases) assert.equal(age(seconds), expected);
  assert.equal(text('timestamp', 1_000_000 - 5_000, { style: 'age' }), `5${thin}s`);
});

test('a timestamp is local date and time with its decimals', () => {
  const at = new Date(2026, 10, 21, 8, 5, 9).getTime();
  assert.equal(moment(at), '2026-11-21 08:05:09');
  assert.equal(moment(at + 7), '2026-11-21 08:05:09.007');
  assert.equal(moment(at + 500), '2026-11-21 08:05:09.500');
  assert.equal(moment(at + 0.25), '2026-11-21 08:05:09.000250');
  assert.equal(moment(at + 999.999), '2026-11-21 08:05:09.999999');
  assert.equal(moment(at + 0.062_5), '2026-11-21 08:05:09.000062500');
  assert.equal(moment(-1), moment(-1).replace(/\.\d+$/, '.999'));
  assert.equal(moment(new Date(800, 0, 1).setFullYear(800)).slice(0, 5), '0800-');
  assert.equal(moment(1e300), '');
});

test('a format selects the parts and decimals of a time', () => {
  const at = new Date(2026, 10, 21, 8, 5, 9).getTime() + 7.25;
  const cases = { date: '2026-11-21', datetime: '2026-11-21 08:05:09.007250', 'datetime.0': '2026-11-21 08:05:09', 'datetime.3': '2026-11-21 08:05:09.007', time: '08:05:09.007250',
    'time.0': '08:05:09', 'time.1': '08:05:09.0', 'time.6': '08:05:09.007250', 'time.9': '08:05:09.007250000' };
  for (const [format, expected] of Object.entries(cases)) assert.equal(text('timestamp', at, { format }), expected, format);
  assert.equal(text('timestamp', Math.floor(at / 1_000) * 1_000, { format: 'time.3' }), '08:05:09.000');
});

test('exact texts have all digits, and times their UTC offset', () => {
  assert.equal(exactText(0.054, column('number', { format: 'plain.1', unit: '%' })), '0.054%');
  assert.equal(exactText(1_536, column('integer', { style: 'bytes' })), '1536 B');
  assert.equal(exactText('9223372036854775807', column('integer', { style: 'bytes' })), '9223372036854775807 B');
  assert.equal(exactText(60.25, column('number', { style: 'duration' })), '60.25 s');
  assert.equal(exactText([1, null, 0.000_012], column('series')), '1, —, 0.000012');
  const at = new Date(2026, 10, 21, 8, 5, 9).getTime() + 7;
  assert.match(exactMoment(at), /^2026-11-21 08:05:09\.007[+-]\d\d:\d\d$/);
  assert.equal(Date.parse(exactMoment(at).replace(' ', 'T')), at);
  assert.match(exactText(at, column('timestamp', { style: 'age' })), /^2026-11-21 08:05:09\.007[+-]\d\d:\d\d \(.+\)$/);
  assert.match(offsetAt(at), /^[+-]\d\d:\d\d$/);
  assert.equal(exactText(null, column('number')), '');
  assert.equal(exactText({ failed: 'why' }, column('number')), '');
});

test('exact texts are shown only if the cell rounds', () => {
  assert.equal(hiddenExactness(1_234.5, column('number')), '');
  assert.equal(hiddenExactness('text', column('text')), '');
  assert.equal(hiddenExactness(1_234.567, column('number', { format: 'plain.2' })), '1234.567');
  for (const style of ['bytes', 'duration', 'age']) assert.notEqual(hiddenExactness(1_234, column('number', { style })), '', style);
  assert.notEqual(hiddenExactness(0, column('timestamp')), '');
  assert.equal(hiddenExactness([1, 2], column('series')), '1, 2');
});

test('small bytes and seconds are not rounded to zero', () => {
  assert.equal(bytes(0.5, 'en'), `0.5${thin}B`);
  assert.equal(duration(0.000_000_25), `250${thin}ns`);
  assert.equal(duration(0.000_25), `250${thin}µs`);
  assert.equal(duration(-2e-12), `−0.002${thin}ns`);
});

test('only http and https links are followed', () => {
  assert.equal(linkTarget('https://example.org/?a=<b>'), 'https://example.org/?a=%3Cb%3E');
  assert.equal(linkTarget('HTTP://EXAMPLE.ORG'), 'http://example.org/');
  for (const other of ['javascript:alert(1)', ' javascript:alert(1)', 'java\tscript:alert(1)', 'data:text/html,x', '//example.org', '/local',
    'http://', 'vbscript:x', 'file:///etc/passwd', '\u0000http://x', '', null, 7]) {
    assert.equal(linkTarget(other), '', String(other));
  }
});

test('a sparkline fills its width and height', () => {
  assert.equal(sparkline([0, 10, 5], 20, 10), 'M0.0 10.0L10.0 0.0L20.0 5.0');
  assert.equal(sparkline([3, 3], 20, 10), 'M0.0 10.0L20.0 10.0');
  assert.equal(sparkline([1], 20, 10), '');
  assert.equal(sparkline(null, 20, 10), '');
});

test('very long text is cut off', () => {
  assert.equal(plain('x'.repeat(65_536)).length, 401);
});

test('very long numbers have an exponent or a large unit', () => {
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

test('a sparkline has gaps at non-numbers and takes any range', () => {
  assert.equal(sparkline([0, null, 2, 1], 30, 10), 'M0.0 10.0M20.0 0.0L30.0 5.0');
  assert.equal(sparkline([1e308, -1e308], 10, 10), 'M0.0 0.0L10.0 10.0');
  assert.equal(sparkline([null, null], 10, 10), '');
  const text = formatter({ name: 'x', type: 'series', style: 'sparkline' }, { locale: 'en' });
  assert.equal(text([1, 2.25, null], 0), '2.25');
  assert.equal(text([null], 0), '');
  assert.equal(text([1e308], 0), '1E308');
});

test('formatting without Intl gives the same text as Intl', () => {
  const dice = diceFrom(seed);
  const odd = [0, -0, 0.5, 1.5, 2.5, -0.5, -0.001, 0.005, 1.005, 1.015, 999, 999.5, 999.995, 1_000, -1_000, 99_999.995, 0.1 + 0.2, 1e-7, 123456.789e-10, 1e15, 1e17,
    123456789012345, 1234567890123456, 9007199254740991, 999999999999999.9, 0.9999999, 9.9999999, 1 / 3, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE,
    82_261.12360000001, 123.45499999999999, 1_234.5650000000001, 0.49999999999999994, 99_999.99949999999, 12_345_678_901.234568];
  const drawn = Array.from({ length: 20_000 }, () => (dice(2) ? 1 : -1) * dice(10 ** (1 + dice(9))) / 10 ** dice(8));
  // Up to seventeen digits, like real prices.
  const differences = Array.from({ length: 20_000 }, () => dice(1e9) / 10_000 - dice(10) / 100);
  for (const decimals of [0, 1, 2, 3]) {
    for (const useGrouping of [true, false]) {
      const intl = new Intl.NumberFormat('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping });
      const own = formatter(column('number', { format: `${useGrouping ? 'grouped' : 'plain'}.${decimals}` }), { locale: 'en' });
      for (const number of [...odd, ...drawn, ...differences]) assert.equal(own(number), intl.format(number), `${number} with ${decimals} decimals, seed ${seed}`);
    }
  }
});

test('English numbers are formatted without Intl, which is slow', () => {
  const { NumberFormat } = Intl;
  Intl.NumberFormat = function () { throw new Error('Intl was asked'); };
  try {
    assert.equal(text('number', 82_261.12360000001, { format: 'grouped.2' }), '82,261.12');
    assert.equal(text('number', -0.30000000000000004, { format: 'grouped.2' }), '-0.30');
    assert.equal(text('integer', 1_700_000_000_000), '1,700,000,000,000');
    assert.equal(text('number', 82_261.123_61), '82,261.12361');
    line([1.5, 0.25, 0.000_001]);
  } finally {
    Intl.NumberFormat = NumberFormat;
  }
});

test('other locales use Intl', () => {
  for (const locale of ['de', 'en-IN', 'fr', 'de-CH', 'ar-EG']) {
    const intl = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
    assert.equal(formatter(column('number', { format: 'grouped.2' }), { locale })(1_234_567.891), intl.format(1_234_567.891), locale);
  }
});
