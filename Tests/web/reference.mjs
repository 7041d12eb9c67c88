// A reference implementation of patches and digests, written from docs/protocol.md. It shares no
// code with the page, so that each checks the other.

/** Returns the lists of the patch between two windows, without empty ones. */
export function diffWindows(before, after) {
  const key = (item) => (item.section !== undefined ? `h${item.section}` : `r${item.id}`);
  const oldIndex = new Map(before.items.map((item, index) => [key(item), index]));
  const newIndex = new Map(after.items.map((item, index) => [key(item), index]));
  const shared = after.items.map((item) => oldIndex.get(key(item))).filter((index) => index !== undefined);
  const staying = new Set(longestRise(shared));
  const lists = { removed: [], updated: [], moved: [], inserted: [] };
  before.items.forEach((item, index) => {
    if (!newIndex.has(key(item))) lists.removed.push([index, 'scrolled']);
  });
  after.items.forEach((item, index) => {
    const from = oldIndex.get(key(item));
    if (from === undefined) {
      lists.inserted.push([index, 'scrolled', item.section !== undefined ? item : [item.id, item.rev, item.cells]]);
      return;
    }
    if (!staying.has(from)) lists.moved.push([from, index]);
    const old = before.items[from];
    if (item.section !== undefined) {
      if (JSON.stringify(old) !== JSON.stringify(item)) lists.updated.push([from, item]);
    } else if (old.rev !== item.rev) {
      const entry = [from, item.rev];
      item.cells.forEach((cell, column) => {
        if (JSON.stringify(cell) !== JSON.stringify(old.cells[column])) entry.push(column, cell);
      });
      lists.updated.push(entry);
    }
  });
  for (const name of Object.keys(lists)) if (lists[name].length === 0) delete lists[name];
  return lists;
}

// Returns a longest increasing subsequence by patience sorting. Each number remembers the top of
// the pile to its left.
function longestRise(numbers) {
  const tops = [];
  const left = new Map();
  for (const number of numbers) {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tops[middle] < number) low = middle + 1;
      else high = middle;
    }
    left.set(number, tops[low - 1]);
    tops[low] = number;
  }
  const rise = [];
  for (let number = tops.at(-1); number !== undefined; number = left.get(number)) rise.unshift(number);
  return rise;
}

const word = 1n << 32n;

/** Returns the digest of a window. Items are `{id, rev}` or `{section, rev, collapsed}`. */
export function digestOf(start, total, lead, items) {
  let hash = 0x811C9DC5n;
  const mix = (value) => {
    hash = ((hash ^ (BigInt(value) % word)) * 0x9E3779B1n) % word;
    hash ^= hash >> 15n;
  };
  mix(start);
  mix(total);
  for (const header of lead) [3, header.section, header.rev].forEach(mix);
  for (const item of items) {
    if (item.section !== undefined) [item.collapsed ? 4 : 2, item.section, item.rev].forEach(mix);
    else [1, BigInt(item.id) % word, BigInt(item.id) / word, item.rev].forEach(mix);
  }
  return Number(hash);
}
