import assert from 'node:assert/strict';
import { test } from 'node:test';

import { bring } from '../../web/bring.js';

test('a module whose file cannot be fetched is asked for again until it is there', async () => {
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

test('a module that is wrong is not asked for again', async () => {
  await assert.rejects(bring(async () => { throw new SyntaxError('no'); }, async () => {}), SyntaxError);
});
