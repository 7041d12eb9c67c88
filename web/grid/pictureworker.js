// pictureworker.js: fetches and decodes images in a worker. It answers each `{id, address, height}`
// with `{id, bitmap}` or `{id, fault, isPassing}`, unless `{cancel: id}` arrives first. `isPassing`
// marks temporary faults.

import { isCutOff, pictureSize } from './picturesize.js';
import { phraseKey } from '../model/language.js';

// Browsers open six connections to a server. Slow images must leave some for modules and exports.
const mostAtOnce = 4;
const mostWaiting = 400;
const mostBytes = 512 << 10;    // the protocol's limit
const mostPixels = 24e6;        // 96 MB when decoded
const widest = 4;               // the greatest ratio of width to height; a cell clips wider images
const passing = new Set([429, 500, 502, 503, 504]);

/** @type {{id: number, address: string, height: number}[]} */
const waiting = [];
/** @type {Map<number, AbortController>} */
const running = new Map();

self.onmessage = ({ data }) => {
  if (data.cancel !== undefined) {
    running.get(data.cancel)?.abort();
    const at = waiting.findIndex(({ id }) => id === data.cancel);
    if (at >= 0) waiting.splice(at, 1);
    return;
  }
  waiting.push(data);
  if (waiting.length > mostWaiting) self.postMessage({ id: waiting.shift().id, fault: phraseKey('too many images at once'), isPassing: true });
  next();
};

function next() {
  while (running.size < mostAtOnce && waiting.length > 0) load(waiting.shift());
}

async function load({ id, address, height }) {
  const control = new AbortController();
  running.set(id, control);
  try {
    const bitmap = await decoded(await bytesFrom(address, control.signal), height);
    if (control.signal.aborted) bitmap.close();
    else self.postMessage({ id, bitmap }, [bitmap]);
  } catch (error) {
    if (!control.signal.aborted) self.postMessage({ id, fault: error.message || phraseKey('it could not be loaded'), isPassing: error instanceof Passing });
  } finally {
    running.delete(id);
    next();
  }
}

/** A temporary fault; a later request may succeed. */
class Passing extends Error {}

async function bytesFrom(address, signal) {
  let response;
  try {
    response = await fetch(address, { signal, redirect: 'error' });
  } catch {
    throw new Passing(phraseKey('the server cannot be reached'));
  }
  if (!response.ok) {
    const reason = (await response.text()).trim().slice(0, 200) || `the server answers ${response.status}`;
    throw passing.has(response.status) ? new Passing(reason) : new Error(reason);
  }
  const parts = [];
  let count = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    count += value.length;
    if (count > mostBytes) {
      await reader.cancel();
      throw new Error(phraseKey('it is too large'));
    }
    parts.push(value);
  }
  return new Blob(parts);
}

async function decoded(blob, height) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const size = pictureSize(bytes);
  if (size === null) throw new Error(phraseKey('it is no image'));
  if (isCutOff(bytes)) throw new Error(phraseKey('it is cut off'));
  if (size.width * size.height > mostPixels) throw new Error(phraseKey('it has too many pixels'));
  const shown = Math.min(height, size.height);
  const width = Math.max(1, Math.round(size.width / size.height * shown));
  const fitting = width <= shown * widest ? { resizeHeight: shown, resizeWidth: width }
    : { resizeWidth: shown * widest, resizeHeight: Math.max(1, Math.round(shown * widest * size.height / size.width)) };
  try {
    return await createImageBitmap(blob, { ...fitting, resizeQuality: 'medium' });
  } catch {
    throw new Error(phraseKey('it cannot be decoded'));
  }
}
