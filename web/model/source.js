// source.js: how the source of a table is, in words: why its rows are old, and when it is tried again. No DOM, no clock.

import { age } from './columns.js';

const reasons = { stale: 'Source not responding', backingOff: 'Source down', disabled: 'Source disabled', failed: 'Source failed' };

const names = { backingOff: 'down', disabled: 'off' };

/** A source's state in a word. */
export function stateName(state) {
  return Object.hasOwn(names, state) ? names[state] : state;
}

/**
 * A source's state for the status bar, before its message. A live source with a message shows only the message.
 *
 * @param {{state: string, message: string}|undefined} source
 */
export function stateText(source) {
  if (source === undefined) return '';
  if (isOld(source)) return source.message ? `${reasons[source.state]}:` : reasons[source.state];
  return source.state === 'live' && source.message ? '' : stateName(source.state);
}

/** What the page shows of its connection: `live` only when rows are what is: `lost`, `connecting`, `paused`, `old` (the source is down or silent), `starting`. */
export function liveState(state, isPaused, source) {
  if (state !== 'live') return state;
  if (isPaused) return 'paused';
  if (isOld(source)) return 'old';
  return source?.state === 'starting' ? 'starting' : 'live';
}

const liveTexts = { live: 'Live', connecting: 'Connecting', lost: 'Disconnected', paused: 'Paused', starting: 'Starting' };
const oldTexts = { stale: 'Not updating', backingOff: 'Source down', disabled: 'Source off', failed: 'Source failed' };

/** That state in words. */
export function liveText(shown, source) {
  return shown === 'old' ? oldTexts[source.state] : liveTexts[shown];
}

/** Whether the rows of such a source are what they were, and not what is. */
export function isOld(source) {
  return source !== undefined && Object.hasOwn(reasons, source.state);
}

/**
 * What stands over rows that are old; empty when they are not.
 *
 * @param {{state: string, message: string, age: number, retry?: number}} source as in `status`; `age` and `retry` in milliseconds
 * @param {number} passed milliseconds since that was said
 */
export function oldWords(source, passed) {
  if (!isOld(source)) return '';
  const words = [source.message ? `${reasons[source.state]}: ${source.message}` : reasons[source.state]];
  if (source.age > 0) words.push(`rows ${age((source.age + passed) / 1_000)} old`);
  if (source.retry !== undefined) {
    const left = source.retry - passed;
    words.push(left > 0 ? `retrying in ${age(Math.ceil(left / 1_000))}` : 'retrying now');
  }
  return words.join(' · ');
}

/**
 * How a source is that has told no table, and so has nothing else to show.
 *
 * @param {{state: string, message: string, age: number, retry?: number}} source as in `sources`
 * @param {number} passed milliseconds since that was said
 */
export function absentWords(source, passed) {
  if (isOld(source)) return oldWords({ ...source, age: 0 }, passed);
  if (source.message) return `The source has no table yet: ${source.message}`;
  const since = `for ${age((source.age + passed) / 1_000)}`;
  return source.state === 'live' ? `The source is running, but has sent no columns ${since}.` : `The source has sent nothing ${since}.`;
}

/** How many rows of a source were left out, and how many of its answers are wrong; empty when none. */
export function skippedText(source, locale) {
  const rejected = source?.rejected ?? 0;
  const wrong = source?.contradictions ?? 0;
  const words = [];
  if (rejected > 0) words.push(`${rejected.toLocaleString(locale)} ${rejected === 1 ? 'row' : 'rows'} skipped`);
  if (wrong > 0) words.push(`${wrong.toLocaleString(locale)} wrong ${wrong === 1 ? 'answer' : 'answers'}`);
  return words.length > 0 ? `${words.join(', ')}, show why` : '';
}

/**
 * Why rows were left out, and how answers are wrong, the most frequent reason first.
 *
 * @returns {{title: string, reasons: {reason: string, count: number, example: string}[]}[]}
 */
export function skippedLists(source) {
  const sorted = (reasons) => [...reasons].sort((a, b) => b.count - a.count);
  const lists = [];
  if (source?.rejected > 0) {
    const last = [{ reason: source.lastRejection ?? '', count: source.rejected, example: '' }];  // an older server says no more
    lists.push({ title: 'Rows that were skipped', reasons: sorted(source.rejections ?? last) });
  }
  if (source?.contradictions > 0) lists.push({ title: 'Answers that contradict the query', reasons: sorted(source.contradicted ?? []) });
  return lists;
}
