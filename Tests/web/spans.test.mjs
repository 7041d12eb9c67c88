// parse.js and spans.js: values that a filter matches, given by the text that a column shows.

import assert from 'node:assert/strict';
import test from 'node:test';
import { diceFrom, seed } from './fixtures.mjs';
import { formatter } from '../../web/model/columns.js';
import { endText, rangeFrom, spanFrom, spanOf } from '../../web/model/spans.js';

const now = Date.UTC(2026, 10, 23, 4, 47, 45);
const locales = ['en', 'de', 'fr', 'en-IN', 'de-CH', 'ar-EG', 'fa', 'hi', 'bn', 'mr', 'sv', 'pl', 'es', 'pt-BR', 'ru', 'nb', 'he'];

function specOf(column, { locale = 'en', decimals = 0 } = {}) {
  const format = column.type === 'timestamp' ? 'datetime.0' : `grouped.${decimals}`;
  const whole = { name: 'amount', style: 'plain', unit: '', format, ...column };
  return { column: whole, locale, format: formatter(whole, { locale, decimals }) };
}

const read = (text, column, how) => spanFrom(text, specOf(column, how), { now });
const number = { type: 'number' };
const integer = { type: 'integer' };
const timestamp = { type: 'timestamp' };
const isIn = (value, { low, high }) => ordered(value) >= ordered(low) && ordered(value) <= ordered(high);
// Converts values of all types to comparable numbers. Integers keep all digits, and times may lose
// fractions of a nanosecond.
const ordered = (value) => (typeof value === 'string' && !value.includes('.') ? BigInt(value) : Number(value));

test('numbers are parsed in the locale’s notation', () => {
  assert.equal(read('90.000', integer, { locale: 'de' }).low, 90_000);
  assert.equal(read('90000', integer, { locale: 'de' }).low, 90_000);
  assert.equal(read('1.234,50', number, { locale: 'de', decimals: 2 }).high > 1_234.5, true);
  assert.deepEqual(read('1,5', number, { locale: 'de' }), { low: 1.5, high: 1.5, isAge: false }, 'more digits than are shown are meant as they are');
  for (const space of ['\u202f', '\u00a0', ' ', '\u2009']) assert.equal(read(`90${space}000`, integer, { locale: 'fr' }).low, 90_000);
  assert.equal(read('1,23,456', integer, { locale: 'en-IN' }).low, 123_456);
  assert.equal(read('١٢٬٣٤٥', integer, { locale: 'ar-EG' }).low, 12_345);
  assert.equal(read('12345', integer, { locale: 'ar-EG' }).low, 12_345);
  for (const apostrophe of ['’', "'"]) assert.equal(read(`90${apostrophe}000`, integer, { locale: 'de-CH' }).low, 90_000);
  assert.equal(read('−7', integer, { locale: 'sv' }).low, -7);
});

test('notations of other locales are rejected with a reason', () => {
  const cases = [['1.5', 'de'], ['1,5', 'en'], ['1,500.5', 'de'], ['90.000', 'fr'], ['1.2.3', 'en'], ['1,23,456', 'en'], ['123,456', 'en-IN'], ['12.34', 'de'],
    ['1 500', 'en'], ['1,,500', 'en'], [',500', 'en'], ['1234,567', 'en']];
  for (const [text, locale] of cases) {
    if (text === '123,456' && locale === 'en-IN') continue;
    assert.match(read(text, number, { locale }).fault ?? '', /is unclear: numbers are written like .*1.*234/, `${text} in ${locale}`);
  }
  assert.match(read('1234,567', integer, { locale: 'en-IN' }).fault, /unclear/);
  for (const text of ['x', '5 parsecs', '--1', 'toString', '1e', 'e5', '5 constructor', '٣x']) assert.match(read(text, number).fault, /is not a number\. Write it like 1,234\.5\./, text);
  assert.match(read('5m', number).fault, /may mean a million or a thousandth/);
});

test('accepts units, percent signs and multiples', () => {
  const percent = { type: 'number', unit: '%' };
  for (const text of ['20%', '20 %', '20', '20\u202f%']) assert.equal(isIn(20, read(text, percent)), true, text);
  assert.equal(read('5 ms', { type: 'integer', unit: 'ms' }).low, 5);
  assert.equal(read('2k', integer).low, 2_000);
  assert.equal(read('1.5M', integer).low, 1_500_000);
  assert.equal(read('-3e4', integer).low, -30_000);
});

test('the end of a range includes all values with its text', () => {
  assert.deepEqual(rangeFrom(['1.5', '1.5'], specOf(number, { decimals: 1 }), { now }), { from: 1.45, through: 1.5499999999999998 });
  assert.deepEqual(rangeFrom(['', '0.5 KiB'], specOf({ type: 'integer', style: 'bytes' }), { now }), { through: 512 });
  assert.deepEqual(rangeFrom(['', ''], specOf(number), { now }), null);
  assert.deepEqual(rangeFrom(['1.5', '1.5'], specOf(integer), { now }), { fault: 'No value of this column lies there.', at: 0 });
  assert.deepEqual(rangeFrom(['1.5', '2.5'], specOf(integer), { now }), { from: 2, through: 2 });
  assert.deepEqual(rangeFrom(['5', '4'], specOf(integer), { now }), { fault: '“From” is greater than “To”.', at: 0 });
  assert.deepEqual(rangeFrom(['', 'x'], specOf(integer), { now }).at, 1);
  assert.deepEqual(rangeFrom(['9223372036854775806', '9223372036854775805'], specOf(integer), { now }).at, 0, 'no digit is lost');
});

test('rejects an integer beyond 64 bits', () => {
  for (const text of ['9223372036854775808', '9,223,372,036,854,775,808', '1e30']) assert.match(read(text, integer).fault, /beyond what this column can hold \(-9,223.* to 9,223,372,036,854,775,807\)/);
  assert.match(read('-9223372036854775809', integer).fault, /beyond/);
  assert.deepEqual(read('9,223,372,036,854,775,807', integer), { low: '9223372036854775807', high: '9223372036854775807', isAge: false });
  assert.deepEqual(read('-9223372036854775808', integer).low, '-9223372036854775808');
  assert.match(read('1e999', number).fault, /beyond/);
});

test('bytes are parsed in the displayed units', () => {
  const bytes = { type: 'integer', style: 'bytes' };
  for (const text of ['1.5 MiB', '1.5\u202fMiB', '1.5MiB', '1.5 MB', '1.5m']) {
    const span = read(text, bytes);
    for (const value of [1_520_436, 1_572_864, 1_625_292]) assert.ok(isIn(value, span), text);
    for (const value of [1_520_435, 1_625_293]) assert.ok(!isIn(value, span), text);
  }
  assert.deepEqual(read('1572864', bytes), { low: 1_572_864, high: 1_572_864, isAge: false }, 'more digits than are shown are meant as they are');
  assert.equal(read('1,5 MiB', bytes, { locale: 'de' }).low, 1_520_436);
});

test('durations are parsed as displayed and in common notations', () => {
  const duration = { type: 'number', style: 'duration' };
  const cases = [['1:00', 60], ['1:02:03', 3_723], ['2d 3h', 183_600], ['2 d 03:00', 183_600], ['3\u202fd 02:03', 266_580], ['90', 90], ['1h', 3_600], ['4 ms', 0.004], ['250 µs', 0.000_25],
    ['0.24 s', 0.24], ['−5.00 s', -5], ['5 min', 300], ['1h 30m', 5_400], ['-1:00', -60]];
  for (const [text, seconds] of cases) assert.ok(isIn(seconds, read(text, duration)), `${text}: ${JSON.stringify(read(text, duration))}`);
  for (const text of ['1:75', '1:2', '3 d 25:00', '5 h 3 d', '1h 1h', 'soon', '1:00:00:00', '1.5h 3m', '1 m 2 x']) assert.match(read(text, duration).fault ?? '', /is not a duration/, text);
  assert.ok(!isIn(61, read('1:00', duration)));
  assert.ok(isIn(60.4, read('1:00', duration)), 'what shows as 1:00');
  assert.ok(isIn(0.24, read('0,24 s', duration, { locale: 'de' })));
  assert.ok(isIn(0.24, read(formatter({ ...duration, name: 'x', unit: '' }, { locale: 'de' })(0.24), duration, { locale: 'de' })));
});

test('a time covers the whole second, minute, hour or day', () => {
  const local = (...fields) => new Date(...fields).getTime();
  const span = read('2026-11-23 04:47:45', timestamp);
  const second = local(2026, 10, 23, 4, 47, 45);
  for (const value of [second, second + 0.5, second + 999, second + 999.999]) assert.ok(isIn(value, span), `${value}`);
  for (const value of [second - 1, second + 1_000]) assert.ok(!isIn(value, span), `${value}`);
  const day = read('2026-11-23', timestamp);
  assert.ok(isIn(local(2026, 10, 23), day) && isIn(local(2026, 10, 24) - 0.001, day) && !isIn(local(2026, 10, 24), day) && !isIn(local(2026, 10, 23) - 1, day));
  const minute = read('2026-11-23 04:47', timestamp);
  assert.ok(isIn(local(2026, 10, 23, 4, 47), minute) && isIn(local(2026, 10, 23, 4, 47, 59, 999), minute) && !isIn(local(2026, 10, 23, 4, 48), minute));
  const month = read('2026-02', timestamp);
  assert.ok(isIn(local(2026, 1, 1), month) && isIn(local(2026, 1, 28, 23, 59, 59, 999), month) && !isIn(local(2026, 2, 1), month));
});

test('ISO times are parsed with their zone', () => {
  const at = Date.UTC(2026, 10, 23, 4, 47, 45, 250);
  for (const text of ['2026-11-23T04:47:45.250Z', '2026-11-23T05:47:45.25+01:00', '2026-11-22 23:47:45,250 -0500', '2026-11-23 04:47:45.250 UTC', '2026-11-23T04:47:45Z']) {
    assert.ok(isIn(at, read(text, timestamp)), text);
  }
  assert.deepEqual(read('2026-11-23T04:47:45.250Z', timestamp), { low: at, high: `${at}.999999` });
  assert.deepEqual(read('2026-11-23T04:47:45.250000001Z', timestamp), { low: `${at}.000001`, high: `${at}.000001` });
});

test('rejects a time that does not exist or is out of range', () => {
  for (const text of ['2026-02-30', '2026-13-01', '2026-01-01 25:00', '2026-00-10', '2026-02-30T00:00Z', '2026-01-32Z']) assert.match(read(text, timestamp).fault ?? '', /not a time/, text);
  for (const text of ['yesterday', '04:47', '11/12/2026', '12.11.2026', '5']) assert.match(read(text, timestamp).fault, /is not a time\. Write it like 2026-11-23 14:05:09/, text);
  for (const text of ['9999-12-31', '1066-10-14', '2262-04-13']) assert.match(read(text, timestamp).fault, /beyond what this column can hold \(1677-09-2.* to 2262-04-1/, text);
  assert.equal(read('2262-04-11', timestamp).fault, undefined);
});

test('a greater age is an earlier time', () => {
  const spec = specOf({ type: 'timestamp', style: 'age' });
  const minutes = (count) => now - count * 60_000;
  const range = rangeFrom(['5 min', '2 h'], spec, { now });
  const holds = ({ from = -Infinity, through = Infinity }, value) => value >= Number(from) && value <= Number(through);
  for (const [age, expected] of [[4.9, false], [5, true], [60, true], [179, true], [181, false]]) assert.equal(holds(range, minutes(age)), expected, `${age} min`);
  const older = rangeFrom(['5 min', ''], spec, { now });
  assert.deepEqual([holds(older, minutes(4.9)), holds(older, minutes(5)), holds(older, minutes(5_000))], [false, true, true]);
  const since = rangeFrom(['2026-11-23 04:00Z', ''], spec, { now });
  assert.ok(holds(since, now) && !holds(since, Date.UTC(2026, 10, 23, 3, 59)), 'a time is a time');
  assert.equal(rangeFrom(['2 h', '5 min'], spec, { now }).at, 0);
  const seconds = specOf({ type: 'integer', style: 'age' });
  assert.deepEqual(rangeFrom(['5 min', '5 min'], seconds, { now }), { from: 300, through: 359 });
});

test('values with the same text form one span', () => {
  const spec = specOf(number, { decimals: 2 });
  const { low, high } = spanOf(51.507_351, spec, now);
  assert.deepEqual([spec.format(low), spec.format(high)], ['51.51', '51.51']);
  assert.deepEqual(spanOf(7, specOf(integer), now), { low: 7, high: 7 });
  assert.deepEqual(spanOf('text', specOf({ type: 'text' }), now), { low: 'text', high: 'text' });
});

test('an unchanged range keeps its exact values', () => {
  for (const [column, values, how] of [[number, [1.45, 1.5, 1 / 3, 1e300, -0.004], { decimals: 1 }], [number, [1.45, 51.507_351], { decimals: 2, locale: 'de' }],
    [integer, [0, 90_000, '9223372036854775807'], { locale: 'de' }], [timestamp, [now, `${now}.123456`, now - 1_000.5], {}], [{ type: 'integer', style: 'bytes' }, [1_520_436, 5, 1_625_293], { locale: 'fr' }],
    [{ type: 'number', style: 'duration' }, [60, 59.995, 0.25, 1_234.567], { locale: 'de' }], [{ type: 'timestamp', style: 'age' }, [now - 90_000, now - 5e9], {}]]) {
    const spec = specOf(column, how);
    for (const value of values) {
      const text = endText(value, 'low', spec, now);
      const span = spanFrom(text, spec, { now });
      assert.equal(span.fault, undefined, `${value} as ${text}`);
      assert.ok(isIn(value, span), `${value} as ${text}: ${JSON.stringify(span)}`);
      const held = { from: value };
      assert.deepEqual(rangeFrom([text, ''], spec, { now, held, before: [text, ''] }), { from: value });
    }
  }
  assert.equal(endText(undefined, 'low', specOf(number), now), '');
});

test('a text that no grammar accepts matches a cell with it', () => {
  const format = (value) => `about ${Math.round(value)} apples`;
  const spec = { column: { name: 'x', type: 'number', style: 'plain', unit: '' }, locale: 'en', format };
  assert.deepEqual(spanFrom('about 3 apples', spec, { now, cells: [null, 3.2, { pending: true }] }), { low: 2.5, high: 3.4999999999999996, isAge: false });
  assert.match(spanFrom('about 4 apples', spec, { now, cells: [3.2] }).fault, /not a number/);
});

test('default formats parse back to the value', () => {
  const dice = diceFrom(seed);
  for (const locale of locales) {
    for (const type of ['integer', 'number', 'timestamp']) {
      const column = { name: 'amount', type, style: 'plain', unit: '' };
      const spec = { column, locale, format: formatter(column, { locale, decimals: 3 }) };
      for (let time = 0; time < 60; time += 1) {
        const value = type === 'timestamp' ? now + dice(1e12) / 10 ** dice(4) : type === 'integer' ? dice(1e9) - 5e8 : (dice(1e9) - 5e8) / 10 ** dice(9);
        const span = spanFrom(spec.format(value, now), spec, { now });
        assert.ok(span.fault === undefined && isIn(value, span), `${value} as “${spec.format(value, now)}” in ${locale}, seed ${seed}: ${JSON.stringify(span)}`);
      }
    }
  }
});

test('a pasted text matches exactly the values that show it', () => {
  const dice = diceFrom(seed);
  const drawn = {
    integer: () => (dice(2) ? 1 : -1) * Math.floor(dice(1e9) / 10 ** dice(9)) * 10 ** dice(7) + 0,
    // `+ 0` avoids a negative zero, which tables do not have.
    number: () => (dice(2) ? 1 : -1) * dice(10 ** (1 + dice(9))) / 10 ** dice(9) + 0,
    timestamp: () => now + (dice(2) ? 1 : -1) * dice(10 ** (1 + dice(9))) * 10 ** dice(4) + dice(1_000) / 1_000,
  };
  const odd = {
    integer: [0, -1, 1_023, 1_024, 1_047_527, 1_048_575, Number.MAX_SAFE_INTEGER, '9007199254740993', '-9223372036854775808', '9223372036854775807', '9223372036854774784'],
    number: [0, 0.05, -0.001, 0.000_012, 51.507_351, 99.99, 59.994_999, 59.995, 1e-7, 1e15, 1e18, -1.5e308, Number.MAX_VALUE, 5e-324, 0.1 + 0.2, 86_400e6],
    timestamp: [0, now, now + 999.999_878, -1, -0.5, 1e12 + 0.25, 9_223_372_036_854],
  };
  let checked = 0;
  for (const locale of locales) {
    for (const [type, style, unit, decimals] of [['integer', 'plain', '', 0], ['number', 'plain', '', 0], ['number', 'plain', '', 2], ['number', 'bar', '%', 1], ['number', 'plain', 'ms', 3],
      ['integer', 'bytes', '', 0], ['number', 'bytes', '', 0], ['integer', 'duration', '', 0], ['number', 'duration', '', 0], ['number', 'age', '', 0], ['timestamp', 'plain', '', 0],
      ['timestamp', 'age', '', 0]]) {
      const spec = specOf({ type, style, unit }, { locale, decimals });
      const values = [...odd[type], ...Array.from({ length: 25 }, drawn[type])];
      const shown = values.map((value) => spec.format(value, now));
      values.forEach((value, at) => {
        const text = shown[at];
        if (typeof value === 'string' && style === 'duration') return;  // shown as it is
        const span = spanFrom(text, spec, { now });
        const what = `${value} as “${text}” in ${locale}, ${type} ${style}, seed ${seed}: ${JSON.stringify(span)}`;
        assert.equal(span.fault, undefined, what);
        assert.ok(isIn(value, span), what);
        values.forEach((other, place) => assert.equal(isIn(other, span), shown[place] === text, `${other} (“${shown[place]}”) for ${what}`));
        checked += 1;
      });
    }
  }
  assert.ok(checked > 5_000);
});

test('a range can be typed into the first field', () => {
  const bytes = specOf({ type: 'integer', style: 'bytes' });
  const whole = (texts, spec = bytes, how = {}) => rangeFrom(texts, spec, { now, ...how });
  const expected = whole(['200 MiB', '400 MiB']);
  for (const text of ['200 MiB..400 MiB', '200 MiB ... 400 MiB', ' 200 MiB…400 MiB ', '200..400 MiB']) assert.deepEqual(whole([text, '']), expected, text);
  assert.deepEqual(whole(['200 MiB..', '']), whole(['200 MiB', '']));
  assert.deepEqual(whole(['..400 MiB', '']), whole(['', '400 MiB']));
  assert.deepEqual(whole(['-5..-2.5', ''], specOf(number, { decimals: 1 })), whole(['-5', '-2.5'], specOf(number, { decimals: 1 })));
  const ages = specOf({ type: 'timestamp', style: 'age' });
  assert.deepEqual(whole(['5..10 min', ''], ages), whole(['5 min', '10 min'], ages), 'the lower end has the unit of the upper one');
  assert.deepEqual(whole(['2026-11-23..2026-11-24', ''], ages), whole(['2026-11-23', '2026-11-24'], ages));
  const held = whole(['100 MiB', '300 MiB']);
  assert.deepEqual(whole(['200..400 MiB', '300 MiB'], bytes, { held, before: ['100 MiB', '300 MiB'] }), expected, 'it replaces an end that the user left as it was');
  assert.equal(whole(['200..400 MiB', '300 MiB']).at, 0, 'a typed end stays');
  assert.equal(whole(['400..200 MiB', '']).at, 0);
  assert.equal(whole(['200..x', '']).at, 0);
  for (const text of ['1..2..3', '..', '…']) assert.equal(whole([text, '']).at, 0, text);
});
