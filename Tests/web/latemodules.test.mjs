import assert from 'node:assert/strict';
import { test } from 'node:test';

import { bring } from '../../web/grid/browser.js';

test('loads a module again until it can be fetched', async () => {
  let tries = 0;
  let waits = 0;
  const load = async () => {
    tries += 1;
    if (tries < 3) throw new TypeError('Failed to fetch');
    return { name: 'menu' };
  };
  assert.deepEqual(await bring(load, async () => { waits += 1; }), { name: 'menu' });
  assert.deepEqual([tries, waits], [3, 2]);
});

test('waits a random time between attempts', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(Math, 'random', () => 0.25);
  let tries = 0;
  const brought = bring(async () => {
    tries += 1;
    if (tries < 3) throw new TypeError('Failed to fetch');
    return 'menu';
  });
  for (const pause of [375, 750]) {
    const before = tries + 1;
    await new Promise((go) => { setImmediate(go); });
    t.mock.timers.tick(pause - 1);
    await new Promise((go) => { setImmediate(go); });
    assert.equal(tries, before - 1, `${pause} ms have not passed`);
    t.mock.timers.tick(1);
    await new Promise((go) => { setImmediate(go); });
    assert.equal(tries, before);
  }
  assert.equal(await brought, 'menu');
});

test('does not reload a module with an error', async () => {
  await assert.rejects(bring(async () => { throw new SyntaxError('no'); }, async () => {}), SyntaxError);
});
