import test from 'node:test';
import assert from 'node:assert/strict';
import { parseMessage, WindowCopy } from '../../web/protocol/wire.js';
import { diffWindows, digestOf } from './reference.mjs';
import { diceFrom, fixtures, seed } from './fixtures.mjs';

const asWire = (item) => (item.isHeader
  ? {
    section: item.section, rev: item.rev, slot: item.slot, level: item.level, parent: item.parent, column: item.column,
    value: item.value, ...(item.end === undefined ? {} : { end: item.end }), count: item.count, ...(item.aggregates.length > 0 ? { aggregates: item.aggregates } : {}),
    ...(item.isCollapsed ? { collapsed: true } : {}),
  }
  : [item.id, item.rev, item.absence ?? item.cells]);

/** Returns the content of a window as plain values. */
const contents = (copy) => structuredClone({
  epoch: copy.epoch, seq: copy.seq, start: copy.start, total: copy.total, rows: copy.rows, digest: copy.digest,
  ...(copy.accuracy === 'exact' ? {} : { accuracy: copy.accuracy }),
  ...(copy.totals.length > 0 ? { totals: copy.totals } : {}),
  lead: copy.lead.map(asWire), items: copy.items.map(asWire),
});

test('an empty window has the digest of the protocol', () => {
  assert.equal(new WindowCopy().digest, 1_691_955_498);
});

for (const { name, window, patches, result } of fixtures('sequence')) {
  test(name, () => {
    const copy = new WindowCopy();
    assert.equal(copy.replace(parseMessage(JSON.stringify(window))), null);
    for (const patch of patches) assert.equal(copy.apply(parseMessage(JSON.stringify(patch))), null);
    const { epoch, seq, ...shown } = contents(copy);
    assert.deepEqual(shown, result);
    assert.equal(copy.seq, patches.length + 1);
  });
}

for (const { name, window, patch, refused } of fixtures('broken')) {
  test(`rejects ${name} without changes`, () => {
    const copy = new WindowCopy();
    assert.equal(copy.replace(window), null);
    const before = contents(copy);
    assert.equal(copy.apply(parseMessage(JSON.stringify(patch))), refused);
    assert.deepEqual(contents(copy), before);
  });
}

test('records which rows a patch added, removed and moved', () => {
  const copy = new WindowCopy();
  const row = (id) => [id, 1, [id]];
  const items = [1, 2, 3, 4, 5].map(row);
  const place = { epoch: 'e', request: 1, start: 0, total: 50, rows: 50, lead: [] };
  const asItem = ([id, rev, cells]) => ({ id, rev, cells });
  const digest = (wire) => digestOf(0, 50, [], wire.map(asItem));
  assert.equal(copy.replace({ type: 'window', seq: 1, ...place, items, digest: digest(items) }), null);
  assert.equal(copy.moves, null);
  const after = [8, 4, 3, 9, 6].map(row);
  const patch = {
    type: 'patch', seq: 2, base: 1, ...place, before: 5, after: 5, removed: [[0, 'gone'], [1, 'scrolled'], [4, 'moved']], moved: [[3, 1]],
    inserted: [[0, 'new', row(8)], [3, 'scrolled', row(9)], [4, 'moved', row(6)]], digest: digest(after),
  };
  assert.equal(copy.apply(parseMessage(JSON.stringify(patch))), null);
  assert.deepEqual(copy.moves, { left: new Set([1, 5]), came: new Set([8, 6]), moved: 1 });
  const next = {
    type: 'patch', seq: 3, base: 2, ...place, before: 5, after: 4, removed: [[4, 'scrolled']], digest: digest(after.slice(0, 4)),
  };
  assert.equal(copy.apply(parseMessage(JSON.stringify(next))), null);
  assert.equal(copy.moves, null);
});

test('finds a replaced header, but none outside the window', () => {
  const copy = new WindowCopy();
  const header = { section: 4, rev: 1, slot: 0, level: 0, parent: null, column: 'user', value: 'root', count: 2 };
  const place = { epoch: 'e', request: 1, start: 7, total: 50, rows: 49, lead: [] };
  const row = { id: 1, rev: 1 };
  const items = [[1, 1, [1]], header];
  assert.equal(copy.replace({ type: 'window', seq: 1, ...place, items, digest: digestOf(7, 50, [], [row, header]) }), null);
  const [, before] = copy.items;
  assert.equal(copy.positionOfHeader(before), 8);
  const newer = { ...header, rev: 2, count: 3 };
  const patch = { type: 'patch', seq: 2, base: 1, ...place, before: 2, after: 2, updated: [[1, newer]], digest: digestOf(7, 50, [], [row, newer]) };
  assert.equal(copy.apply(parseMessage(JSON.stringify(patch))), null);
  assert.equal(copy.positionOfHeader(before), 8);
  assert.equal(copy.positionOfHeader({ ...before, section: 5 }), -1);
});

test('rejects a window with a wrong digest, without changes', () => {
  const [{ window }] = fixtures('sequence-update');
  const copy = new WindowCopy();
  assert.equal(copy.replace({ ...window, digest: window.digest ^ 1 }), 'digest');
  assert.deepEqual(contents(copy), contents(new WindowCopy()));
});

test('a row keeps its object, and so its node, in patches', () => {
  const { window, patches } = fixtures('sequence-moves')[0];
  const copy = new WindowCopy();
  copy.replace(window);
  const fourth = copy.items[3];
  for (const patch of patches) copy.apply(patch);
  assert.equal(copy.items[copy.positionOf(4)], fourth);
  assert.deepEqual(fourth.cells, ['moved and updated', 1]);
});

test('finds the headers above an item, in and above the window', () => {
  const { window, patches } = fixtures('sequence-nested-sections')[0];
  const copy = new WindowCopy();
  copy.replace(window);
  const under = (position) => copy.headersOf(position).map(({ value }) => value);
  assert.deepEqual(under(0), ['root']);
  assert.deepEqual(under(3), ['root', 'R']);
  assert.deepEqual(under(4), ['root', 'S']);
  copy.apply(patches[0]);
  assert.deepEqual(under(2), ['root', 'R']);
  assert.deepEqual(under(5), ['root', 'S']);
  assert.deepEqual(under(99), []);
});

test('random patches give the expected windows', (context) => {
  context.diagnostic(`SEED=${seed}`);
  const dice = diceFrom(seed);
  let total = 1_000;
  const item = (key) => (key % 7 === 0
    ? { section: key, rev: dice(4), slot: dice(5), level: dice(3), parent: dice(2) ? dice(9) : null, column: 'user', value: `s${key}`, count: dice(9) }
    : { id: key, rev: dice(3), cells: [`${key}`, dice(3), dice(3)] });
  const next = (before) => {
    const stored = before.items.filter(() => dice(4) > 0);
    const has = new Set(before.items.map((old) => old.id ?? old.section));
    for (let at = stored.length - 1; at > 0; at -= 1) {
      const other = dice(3) > 0 ? at : dice(at + 1);
      [stored[at], stored[other]] = [stored[other], stored[at]];
    }
    const items = stored.map((old) => (dice(3) > 0 ? old : old.section !== undefined
      ? { ...old, rev: old.rev + 1, count: dice(99) } : { ...old, rev: old.rev + 1, cells: [old.cells[0], dice(3), dice(3)] }));
    for (let more = dice(12); more > 0; more -= 1) {
      const key = 1 + dice(1_000_000);
      if (!has.has(key)) items.splice(dice(items.length + 1), 0, item(key));
      has.add(key);
    }
    total += dice(10);
    return { start: dice(500), total, items, lead: [item(7), item(14), item(21)].slice(dice(4)) };
  };
  let before = { start: 0, total, items: [], lead: [] };
  const copy = new WindowCopy();
  copy.seq = 1;
  copy.total = total;
  for (let seq = 2; seq < 400; seq += 1) {
    const after = next(before);
    const reason = copy.apply({
      type: 'patch', epoch: '', seq, request: 1, start: after.start, total, rows: 0, base: seq - 1, before: before.items.length,
      after: after.items.length, ...structuredClone(diffWindows(before, after)), lead: after.lead,
      digest: digestOf(after.start, total, after.lead, after.items),
    });
    assert.equal(reason, null, `patch ${seq} of SEED=${seed}`);
    assert.deepEqual(copy.items.map(asWire), after.items.map((one) => (one.section !== undefined ? one : [one.id, one.rev, one.cells])));
    before = after;
  }
});
