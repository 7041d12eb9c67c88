// asking.js: a column's values and their bounds, requested over a WebSocket of their own.

import { parseMessage, SUBPROTOCOL } from '../protocol/wire.js';
import { BoundsQuestion, ValueWalk } from './values.js';
import { phrase } from './language.js';

const patience = 10_000;    // milliseconds
const showEvery = 200;

/**
 * Requests a column's distinct values and their counts.
 *
 * @param {{table: string, column: string|object, query: object}} what `column` can have ranges, as in
 *   a query
 * @param {(found: {values: [*, number][], note: string|null, isCounting?: boolean}) => void} take
 *   called repeatedly with the values so far; `note` is null once they are complete, and
 *   `isCounting` is true while more are expected
 * @returns {() => void} cancels the request
 */
export function askValues(what, take) {
  const most = 1_000;
  const socket = openSocket();
  let shownAt = 0;
  let isDone = false;
  let values = [];
  const end = (note) => {
    clearTimeout(timer);
    if (isDone) return;
    isDone = true;
    socket.close();
    take({ values, note });
  };
  const timer = setTimeout(() => end(phrase('Counting took too long. These are the first values found.')), patience);
  const walk = new ValueWalk({ ...what, most }, (message) => socket.send(JSON.stringify(message)), (found) => {
    ({ values } = found);
    if (found.isDone) return end(found.isAll ? null : phrase('The first {count} values; there are more.', { count: most }));
    if (performance.now() - shownAt < showEvery) return undefined;
    shownAt = performance.now();
    return take({ values, note: phrase('Counting…'), isCounting: true });
  });
  socket.onopen = () => walk.start();
  socket.onmessage = ({ data }) => {
    try {
      if (!isDone) walk.receive(parseMessage(data));
    } catch {
      end(phrase('The values could not be counted.'));
    }
  };
  socket.onclose = () => end(phrase('The values could not be counted.'));
  return () => end('');
}

/**
 * Requests the 1st and the 99th percentile of a column: bounds without a few extreme values.
 *
 * @param {{table: string, column: string, query: object}} what
 * @param {(bounds: [number, number]|null) => void} take called once; null if there are none, or the
 *   source does not support them
 * @returns {() => void} cancels the request
 */
export function askBounds(what, take) {
  const socket = openSocket();
  let isDone = false;
  const end = (bounds) => {
    clearTimeout(timer);
    if (isDone) return;
    isDone = true;
    socket.close();
    take(bounds);
  };
  const timer = setTimeout(() => end(null), patience);
  const question = new BoundsQuestion(what, (message) => socket.send(JSON.stringify(message)), end);
  socket.onopen = () => question.start();
  socket.onmessage = ({ data }) => {
    try {
      if (!isDone) question.receive(parseMessage(data));
    } catch {
      end(null);
    }
  };
  socket.onclose = () => end(null);
  return () => end(null);
}

function openSocket() {
  return new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${globalThis.rowcast.room}/ws`, SUBPROTOCOL);
}
