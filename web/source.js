// source.js: how a table's source is, in words. No DOM, no clock: who asks says what time it is.

import { age } from './format.js';

const words = { starting: 'starting', live: 'live', stale: 'stale', backingOff: 'down', disabled: 'switched off', failed: 'failed' };

/** Notes when the next try is, as the message said how long that was when it came. */
export function noteRetry(source, now) {
  if (source !== undefined && source.retryAt === undefined && source.retry !== undefined) source.retryAt = now + source.retry;
}

/** What to call the state, and what to say beside it. A state that a newer server may have is shown as it is. */
export function sourceWords(source, now) {
  if (source === undefined) return { state: '', name: '', message: '' };
  const { state, message = '', retryAt } = source;
  const next = retryAt === undefined ? '' : retryAt > now ? `next try in ${age((retryAt - now) / 1_000 + 1)}` : 'trying again';
  return { state, name: Object.hasOwn(words, state) ? words[state] : state, message: [message, next].filter(Boolean).join(' · ') };
}

/** Whether the rows are old, and must look so. */
export function isOld(source) {
  return source !== undefined && ['stale', 'backingOff', 'disabled', 'failed'].includes(source.state);
}
