// bring.js: modules that are loaded when they are wanted, also when the server is away at that moment.

import { Backoff } from './backoff.js';

/** What `load`, an import, gives: tried again while its file cannot be fetched. Whoever waits for it waits as for the rows. */
export async function bring(load, wait = pauses()) {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      // What was fetched and is wrong stays wrong.
      if (!(error instanceof TypeError)) throw error;
      await wait();
    }
  }
}

function pauses(dice = Math.random) {
  const backoff = new Backoff();
  return () => new Promise((go) => { setTimeout(go, backoff.pause(0, dice())); });
}
