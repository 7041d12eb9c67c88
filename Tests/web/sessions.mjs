// Sessions for tests.

import { Session } from '../../web/model/session.js';
import { fixtures } from './fixtures.mjs';

export const golden = Object.fromEntries(fixtures('server').map(({ name, message }) => [name.slice(7), message]));
export const [{ window, patches }] = fixtures('sequence-update').filter(({ name }) => name === 'sequence update');
export const viewportAt = (seq, isTop) => ({ seq, first: isTop ? 0 : 5, count: 20, ahead: 80, behind: 0, anchor: null });

/** Returns a session that shows its first window, and the messages it has sent since. */
export function shown(view) {
  const sent = [];
  const session = new Session((message) => sent.push(structuredClone(message)));
  if (view !== undefined) session.view = view;
  session.connected();
  session.receive(structuredClone(golden.hello), viewportAt);
  session.receive(structuredClone(window), viewportAt);
  session.painted();
  sent.length = 0;
  return { session, sent };
}
