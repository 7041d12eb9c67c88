// zone.js: the offsets of local time from UTC, as the server takes them. No DOM, no clock.

const hour = 3_600_000;
const day = 24 * hour;
const firstYear = 1970;
const lastYear = 2050;   // from then on, the last offset holds

/**
 * Times in milliseconds and the offset in minutes from then on, in ascending order. The first
 * offset also holds before.
 * @typedef {[number, number][]} Offsets
 */

/** @type {Offsets|undefined} */
let local;

/**
 * Returns the offsets of local time from UTC. They are computed once.
 * @returns {Offsets}
 */
export function localOffsets() {
  local ??= offsetsOf((time) => 0 - Math.round(new Date(time).getTimezoneOffset()));
  return local;
}

/**
 * Returns the offsets of a zone.
 *
 * @param {(time: number) => number} offsetAt returns the offset in minutes at a time
 * @returns {Offsets}
 */
export function offsetsOf(offsetAt) {
  const start = Date.UTC(firstYear, 0);
  const end = Date.UTC(lastYear + 1, 0);
  /** @type {Offsets} */
  const found = [[start, offsetAt(start)]];
  // No zone has two changes within a week that cancel each other.
  for (let time = start; time < end; time += 7 * day) {
    for (let from = time; offsetAt(from) !== offsetAt(time + 7 * day); from = found.at(-1)[0]) {
      found.push(changeIn(from, time + 7 * day, offsetAt));
    }
  }
  // The server takes changes that are at least a day apart.
  return found.filter(([time], at) => at === 0 || time - found[at - 1][0] >= day);
}

// Returns the first change between two times with different offsets, to the minute.
function changeIn(from, to, offsetAt) {
  let [low, high] = [from / 60_000, to / 60_000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * 60_000) === offsetAt(from)) low = middle;
    else high = middle;
  }
  return /** @type {[number, number]} */ ([high * 60_000, offsetAt(high * 60_000)]);
}

/** Returns the offsets that hold between two times. */
export function offsetsBetween(offsets, from, through) {
  const first = offsets.findLastIndex(([time]) => time <= from);
  return offsets.slice(Math.max(0, first)).filter(([time]) => time <= through);
}

/** Returns what a query has of a zone with changes; nothing for one without. */
export function wireOffsets(offsets) {
  return offsets.length > 1 ? { offsets } : {};
}

/**
 * Returns what a filter text needs of local time: its offsets, if the text may have a date.
 *
 * @param {string} text
 * @returns {{offsets?: Offsets}}
 */
export function writtenOffsets(text) {
  return /\d{4}-\d\d/.test(text) ? wireOffsets(localOffsets()) : {};
}

/** Returns offsets as text for the address of an export: `0:60,1774746000000:120`. */
export function offsetsText(offsets) {
  return offsets.map((pair) => pair.join(':')).join(',');
}
