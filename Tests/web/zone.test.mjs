// zone.js: offsets of time zones with daylight saving, and sections of days and hours of a column.

import test from 'node:test';
import assert from 'node:assert/strict';
import { exportAddress } from '../../web/model/exporting.js';
import { wireFacets } from '../../web/model/facets.js';
import { fittingView, hashFromView, viewFromHash } from '../../web/model/query.js';
import { distinctLevels, nextLevels, nextRanges, rangesAt, wireGroup, withFittingRanges } from '../../web/model/ranges.js';
import { partOf } from '../../web/model/refusals.js';
import { innerSizes } from '../../web/model/widths.js';
import { localOffsets, offsetsBetween, offsetsOf, offsetsText } from '../../web/model/zone.js';
import { Parsing } from '../../web/model/parsing.js';
import { Session } from '../../web/model/session.js';
import { wireTile } from '../../web/model/tiles.js';
import { sectionItems } from '../../web/panels/cellmenu.js';
import { open } from '../../web/protocol/wire.js';

process.env.TZ = 'Europe/Berlin';

// Returns the offset of a zone at a time, from the runtime's own database.
function offsetIn(zone) {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  return (time) => {
    const [, sign = '+', hours = '0', minutes = '0'] = /GMT(?:([+-])(\d\d):?(\d\d)?)?/.exec(format.formatToParts(time).find(({ type }) => type === 'timeZoneName').value) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes ?? 0));
  };
}

const during = (offsets, from, through) => offsetsBetween(offsets, Date.parse(from), Date.parse(through)).map(([time, minutes]) => [new Date(time).toISOString().slice(0, 16), minutes]);

for (const [zone, from, through, expected] of [
  ['Europe/Berlin', '2026-01-01', '2026-12-31', [['2025-10-26T01:00', 60], ['2026-03-29T01:00', 120], ['2026-10-25T01:00', 60]]],
  ['America/New_York', '2026-01-01', '2026-12-31', [['2025-11-02T06:00', -300], ['2026-03-08T07:00', -240], ['2026-11-01T06:00', -300]]],
  ['Australia/Lord_Howe', '2026-01-01', '2026-12-31', [['2025-10-04T15:30', 660], ['2026-04-04T15:00', 630], ['2026-10-03T15:30', 660]]],
  ['Pacific/Apia', '2011-06-01', '2012-01-31', [['2011-04-02T14:00', -660], ['2011-09-24T14:00', -600], ['2011-12-30T10:00', 840]]],
]) {
  test(`the changes of ${zone} are found to the minute`, () => {
    const offsets = offsetsOf(offsetIn(zone));
    assert.deepEqual(during(offsets, from, through), expected);
    assert.ok(offsets.length > 4 && offsets.length <= 401, String(offsets.length));
    offsets.slice(1).forEach(([time], at) => assert.ok(time - offsets[at][0] >= 86_400_000));
  });
}

test('a zone without changes has one offset, and sends none', () => {
  const offsets = offsetsOf(() => 330);
  assert.deepEqual(offsets, [[0, 330]]);
  const view = viewFromHash('#group=started&ranges=started:day');
  assert.deepEqual(wireGroup(view, 330, offsets), [{ column: 'started', unit: 'day', offset: 330 }]);
  assert.deepEqual(wireFacets(['started'], [{ name: 'started', type: 'timestamp' }], 330, offsets), [{ column: 'started', zone: 330 }]);
});

test('changes that are too close for the server are one', () => {
  const start = Date.UTC(2000, 0, 10, 12);
  const offsets = offsetsOf((time) => (time < start ? 0 : time < start + 3_600_000 ? 60 : 120));
  assert.deepEqual(offsets.map(([, minutes]) => minutes), [0, 60]);
});

test('days of local times have the offsets of the zone, and those of UTC have none', () => {
  const offsets = /** @type {import('../../web/model/zone.js').Offsets} */ ([[0, 60], [1_774_746_000_000, 120]]);
  const view = viewFromHash('#group=started,cpu,ended&ranges=started:day,cpu:5,ended:month&times=ended:utc');
  assert.deepEqual(wireGroup(view, 120, offsets), [{ column: 'started', unit: 'day', offset: 120, offsets }, { column: 'cpu', width: 5 }, { column: 'ended', unit: 'month' }]);
  assert.deepEqual(wireFacets(['cpu', 'started'], [{ name: 'cpu', type: 'number' }, { name: 'started', type: 'timestamp' }], 60, offsets), [{ column: 'cpu' }, { column: 'started', zone: 60, offsets }]);
  const table = { name: 't', columns: [{ name: 'started', type: 'timestamp' }] };
  const narrowed = () => ({ search: '' });
  const address = exportAddress(viewFromHash('#group=started,started&ranges=started:day,started:hour'), table, 'csv', narrowed, { offset: 120, offsets });
  assert.equal(decodeURIComponent(address), '/tables/t.csv?group=started,started&ranges=started:day,started:hour&zone=120&offsets=0:60,1774746000000:120');
  assert.equal(exportAddress(viewFromHash('#group=cpu'), table, 'csv', narrowed, { offset: 120, offsets }), '/tables/t.csv');
});

test('offsets are cut to a time, with the one that holds at its beginning', () => {
  const offsets = [[0, 60], [100, 120], [200, 60], [300, 120]];
  assert.equal(offsetsText(offsetsBetween(offsets, 150, 250)), '100:120,200:60');
  assert.equal(offsetsText(offsetsBetween(offsets, 100, 100)), '100:120');
  assert.equal(offsetsText(offsetsBetween(offsets, -5, 0)), '0:60');
});

// Two levels of a column.

const columns = [{ name: 'started', type: 'timestamp' }, { name: 'cpu', type: 'number' }, { name: 'user', type: 'text' }];

test('a link has the days and the hours of a column', () => {
  const hash = '#table=t&group=started,started,user&ranges=started:day,started:hour';
  const view = viewFromHash(hash);
  assert.deepEqual(view.group, ['started', 'started', 'user']);
  assert.deepEqual(view.ranges, [{ column: 'started', unit: 'day' }, { column: 'started', unit: 'hour' }]);
  assert.equal(hashFromView(view), hash);
  assert.deepEqual(wireGroup(view, 0), [{ column: 'started', unit: 'day' }, { column: 'started', unit: 'hour' }, 'user']);
  assert.deepEqual([0, 1, 2].map((level) => rangesAt(view, level)?.unit), ['day', 'hour', undefined]);
  assert.deepEqual(fittingView(view, columns).group, view.group);
});

test('a column has one level without ranges, and one for each of its ranges', () => {
  assert.deepEqual(viewFromHash('#group=user,user,cpu').group, ['user', 'cpu']);
  assert.deepEqual(viewFromHash('#group=cpu,cpu,cpu&ranges=cpu:10').group, ['cpu', 'cpu']);
  const twice = viewFromHash('#group=cpu,cpu&ranges=cpu:10,cpu:10');
  assert.deepEqual([twice.group, twice.ranges], [['cpu', 'cpu'], [{ column: 'cpu', width: 10 }]]);
  assert.deepEqual(viewFromHash('#group=cpu&ranges=cpu:10,cpu:5').ranges, [{ column: 'cpu', width: 10 }]);
  assert.deepEqual(distinctLevels(['a', 'b', 'a', 'a'], [{ column: 'a', width: 1 }]), ['a', 'b', 'a']);
  // A size that does not fit takes its level with it.
  const bad = fittingView({ ...viewFromHash('#group=started,started'), group: ['started', 'started'], ranges: [{ column: 'started', unit: 'day' }, { column: 'started', width: 5 }, { column: 'started', unit: 'hour' }] }, columns);
  assert.deepEqual(bad.ranges, [{ column: 'started', unit: 'day' }, { column: 'started', unit: 'hour' }]);
  const view = withFittingRanges({ ...viewFromHash('#group=cpu,cpu&ranges=cpu:10,cpu:5'), group: ['cpu'] });
  assert.deepEqual([view.group, view.ranges], [['cpu'], [{ column: 'cpu', width: 10 }]]);
});

test('levels of a column are set next to each other', () => {
  assert.deepEqual(nextLevels(['user'], 'cpu', 2), ['user', 'cpu', 'cpu']);
  assert.deepEqual(nextLevels(['cpu', 'user', 'cpu'], 'cpu', 1), ['cpu', 'user']);
  assert.deepEqual(nextLevels(['cpu', 'user'], 'cpu', 2), ['cpu', 'cpu', 'user']);
  assert.deepEqual(nextRanges([{ column: 'cpu', width: 10 }], 'cpu', [{ width: 5 }, { width: 1 }]), [{ column: 'cpu', width: 5 }, { column: 'cpu', width: 1 }]);
  assert.deepEqual(innerSizes(columns[0], { unit: 'month' }), [{ unit: 'day' }, { unit: 'hour' }, { unit: 'minute' }]);
  assert.deepEqual(innerSizes(columns[1], { width: 0.5 }), [{ width: 0.25 }, { width: 0.1 }, { width: 0.05 }, { width: 0.005 }]);
  assert.deepEqual(innerSizes({ type: 'integer' }, { width: 10 }), [{ width: 5 }, { width: 2 }, { width: 1 }]);
});

test('an order of sections applies to each level of its column', () => {
  const session = new Session(() => {});
  session.view = viewFromHash('#table=t&group=started,user,started&ranges=started:day,started:hour&sections=started:-value');
  session.tables = [{ name: 't', columns }];
  assert.deepEqual(session.wireQuery.sections.map(({ column }) => column), ['started', 'started']);
  assert.equal(session.wireQuery.group.length, 3);
});

test('a mark of two levels stands until one of them changes', () => {
  const view = viewFromHash('#group=started,started&ranges=started:day,started:hour');
  assert.notEqual(partOf(view, 'group:started'), partOf(viewFromHash('#group=started&ranges=started:day'), 'group:started'));
});

test('a section of hours in days filters by what the levels have in common', () => {
  const spec = { column: columns[0], format: String, locale: 'en' };
  const changes = [];
  const scene = { spec, view: viewFromHash('#group=started,started&ranges=started:month,started:week'), now: 0, term: undefined, lack: () => '', change: (change) => changes.push(change), refuse: assert.fail };
  const level = (value, end) => ({ value, end, isRange: true, scene });
  const [april, may, monday] = [Date.UTC(2026, 3, 1), Date.UTC(2026, 4, 1), Date.UTC(2026, 3, 27)];
  const items = sectionItems(/** @type {any} */ ({ isCollapsed: false }), [level(april, may), level(monday, Date.UTC(2026, 4, 4))], { toggle() {}, view: scene.view, order() {}, foldAll() {} });
  items.find((item) => item?.label === 'Filter for this section').run();
  assert.equal(changes[0].filters.length, 1);
  const [{ op, from, through }] = changes[0].filters;
  assert.deepEqual([op, from], ['range', monday]);
  assert.equal(through, '1777593599999.999999');
});

test('filter texts with a date are sent with the offsets of the zone', () => {
  const session = new Session(() => {});
  session.zone = 60;
  const summer = 'started > 2026-07-01';
  const narrowed = ({ search = '', where, filters = [] }) => session.narrowed({ search, where, filters });
  assert.deepEqual(narrowed({ where: summer }).offsets, localOffsets());
  assert.equal(narrowed({ where: 'cpu > 50' }).offsets, undefined);
  const { query } = open({ table: 't', request: 1, query: narrowed({ where: summer }), viewport: {} });
  assert.deepEqual(query, { where: summer, zone: 60, offsets: localOffsets() });
  const tile = wireTile({ function: 'count', where: summer }, narrowed);
  assert.deepEqual(tile, { function: 'count', where: summer, zone: 60, offsets: localOffsets() });
  const sent = [];
  new Parsing((message) => sent.push(message)).ask({ text: summer, at: undefined, zone: 60 });
  assert.deepEqual(sent, [{ type: 'parse', id: 1, text: summer, zone: 60, offsets: localOffsets() }]);
  const offsets = [[0, 60], [1774746000000, 120]];
  const address = (hash) => exportAddress(viewFromHash(hash), { name: 't', columns }, 'csv', narrowed, { offset: 60, offsets });
  assert.ok(address('#where=started+>+2026-07-01').endsWith('&zone=60&offsets=0%3A60%2C1774746000000%3A120'));
  assert.ok(!address('#where=cpu+>+50').includes('offsets'));
});
