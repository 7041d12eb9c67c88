// source.js: texts about the state of a source: why its rows are old, and the time of the next try.
// No DOM, no clock.

import { age } from './times.js';

const reasons = { stale: 'Source not responding', backingOff: 'Source down', disabled: 'Source disabled', failed: 'Source failed' };

const names = { backingOff: 'down', disabled: 'off' };

/** Returns the name of a source's state for the user. */
export function stateName(state) {
  return Object.hasOwn(names, state) ? names[state] : state;
}

/**
 * Returns the state of a source for the status bar, before its message. A live source with a
 * message shows only the message.
 *
 * @param {{state: string, message: string}|undefined} source
 */
export function stateText(source) {
  if (source === undefined) return '';
  if (isOld(source)) return source.message ? `${reasons[source.state]}:` : reasons[source.state];
  return source.state === 'live' && source.message ? '' : stateName(source.state);
}

/**
 * Returns the state that the page displays: `lost`, `connecting`, `paused`, `old` (the source is
 * down or silent), `starting`, or `live` if the rows are current.
 */
export function liveState(state, isPaused, source) {
  if (state !== 'live') return state;
  if (isPaused) return 'paused';
  if (isOld(source)) return 'old';
  return source?.state === 'starting' ? 'starting' : 'live';
}

const liveTexts = { live: 'Live', connecting: 'Connecting', lost: 'Disconnected', paused: 'Paused', starting: 'Starting' };
const oldTexts = { stale: 'Not updating', backingOff: 'Source down', disabled: 'Source off', failed: 'Source failed' };

/** Returns the text of a state returned by `liveState`. */
export function liveText(shown, source) {
  return shown === 'old' ? oldTexts[source.state] : liveTexts[shown];
}

/** Whether the rows of a source are out of date. */
export function isOld(source) {
  return source !== undefined && Object.hasOwn(reasons, source.state);
}

/**
 * Returns the notice above rows that are out of date, or an empty string if they are current.
 *
 * @param {{state: string, message: string, age: number, retry?: number}} source as in `status`;
 *   `age` and `retry` in milliseconds
 * @param {number} passed milliseconds since that status arrived
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
 * Returns a description of a source that has not sent a table.
 *
 * @param {{state: string, message: string, age: number, retry?: number}} source as in `sources`
 * @param {number} passed milliseconds since that state arrived
 */
export function absentWords(source, passed) {
  if (isOld(source)) return oldWords({ ...source, age: 0 }, passed);
  if (source.message) return `The source has no table yet: ${source.message}`;
  const since = `for ${age((source.age + passed) / 1_000)}`;
  return source.state === 'live' ? `The source is running, but has sent no columns ${since}.` : `The source has sent nothing ${since}.`;
}

/** Returns the numbers of rejected rows and of wrong answers as a text; empty if there are none. */
export function skippedText(source, locale) {
  const rejected = source?.rejected ?? 0;
  const wrong = source?.contradictions ?? 0;
  const words = [];
  if (rejected > 0) words.push(`${rejected.toLocaleString(locale)} ${rejected === 1 ? 'row' : 'rows'} skipped`);
  if (wrong > 0) words.push(`${wrong.toLocaleString(locale)} wrong ${wrong === 1 ? 'answer' : 'answers'}`);
  return words.length > 0 ? `${words.join(', ')}, show why` : '';
}

/**
 * Returns the reasons why rows were rejected and answers are wrong, the most frequent first.
 *
 * @returns {{title: string, reasons: {reason: string, count: number, example: string}[]}[]}
 */
export function skippedLists(source) {
  const sorted = (reasons) => [...reasons].sort((a, b) => b.count - a.count);
  const lists = [];
  if (source?.rejected > 0) {
    // An older server sends only the last reason.
    const last = [{ reason: source.lastRejection ?? '', count: source.rejected, example: '' }];
    lists.push({ title: 'Rows that were skipped', reasons: sorted(source.rejections ?? last) });
  }
  if (source?.contradictions > 0) lists.push({ title: 'Answers that contradict the query', reasons: sorted(source.contradicted ?? []) });
  return lists;
}
