// source.js: texts about the state of a source: why its rows are old, and the time of the next try.
// No DOM, no clock.

import { age } from './times.js';
import { phrase, phraseKey, plural } from './language.js';

const reasons = {
  stale: phraseKey('Source not responding'), backingOff: phraseKey('Source down'), disabled: phraseKey('Source disabled'), failed: phraseKey('Source failed'),
};

const names = {
  starting: phraseKey('starting'), live: phraseKey('live'), stale: phraseKey('stale'), backingOff: phraseKey('down'), disabled: phraseKey('off'), failed: phraseKey('failed'),
};

/** Returns the name of a source's state for the user. */
export function stateName(state) {
  return Object.hasOwn(names, state) ? phrase(names[state]) : state;
}

/**
 * Returns the state of a source for the status bar, before its message. A live source with a
 * message shows only the message.
 *
 * @param {{state: string, message: string}|undefined} source
 */
export function stateText(source) {
  if (source === undefined) return '';
  if (isOld(source)) return source.message ? `${phrase(reasons[source.state])}:` : phrase(reasons[source.state]);
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

const liveTexts = { live: phraseKey('Live'), connecting: phraseKey('Connecting'), lost: phraseKey('Disconnected'), paused: phraseKey('Paused'), starting: phraseKey('Starting') };
const oldTexts = { stale: phraseKey('Not updating'), backingOff: phraseKey('Source down'), disabled: phraseKey('Source off'), failed: phraseKey('Source failed') };

/** Returns the text of a state returned by `liveState`. */
export function liveText(shown, source) {
  return phrase(shown === 'old' ? oldTexts[source.state] : liveTexts[shown]);
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
  const reason = phrase(reasons[source.state]);
  const words = [source.message ? `${reason}: ${source.message}` : reason];
  if (source.age > 0) words.push(phrase('rows {time} old', { time: age((source.age + passed) / 1_000) }));
  if (source.retry !== undefined) {
    const left = source.retry - passed;
    words.push(left > 0 ? phrase('retrying in {time}', { time: age(Math.ceil(left / 1_000)) }) : phrase('retrying now'));
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
  if (source.message) return phrase('The source has no table yet: {message}', { message: source.message });
  const time = age((source.age + passed) / 1_000);
  return source.state === 'live' ? phrase('The source is running, but has sent no columns for {time}.', { time }) : phrase('The source has sent nothing for {time}.', { time });
}

/** Returns the numbers of rejected rows and of wrong answers as a text; empty if there are none. */
export function skippedText(source, locale) {
  const rejected = source?.rejected ?? 0;
  const wrong = source?.contradictions ?? 0;
  const words = [];
  if (rejected > 0) words.push(plural(rejected, '{count} row skipped', '{count} rows skipped', {}, locale));
  if (wrong > 0) words.push(plural(wrong, '{count} wrong answer', '{count} wrong answers', {}, locale));
  return words.length > 0 ? phrase('{counts}, show why', { counts: words.join(', ') }) : '';
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
    lists.push({ title: phrase('Rows that were skipped'), reasons: sorted(source.rejections ?? last) });
  }
  if (source?.contradictions > 0) lists.push({ title: phrase('Answers that contradict the query'), reasons: sorted(source.contradicted ?? []) });
  return lists;
}
