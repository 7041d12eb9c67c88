// worker.js: opens the socket at once, says hello and perhaps already which table; the conversation itself is in talk.js, which is loaded
// meanwhile. Nothing is imported here: each import would be one more thing to wait for.

const socket = new WebSocket(`${self.location.protocol === 'https:' ? 'wss' : 'ws'}://${self.location.host}/ws`, 'rowcast.v1');

/** What has happened to the socket, and what the page has said, until talk.js is there. */
const early = { events: [], orders: [], opened: undefined };

self.onmessage = ({ data }) => early.orders.push(data);
socket.onopen = () => {
  early.events.push({ kind: 'open', at: performance.now() });
  socket.send('{"type":"hello","version":1,"client":"rowcast page"}');
};
socket.onmessage = ({ data }) => {
  const at = performance.timeOrigin + performance.now();
  if (early.events.length === 1) early.opened = openFirst(data);
  early.events.push({ kind: 'message', data, at });
};
socket.onclose = () => early.events.push({ kind: 'close' });

// `self.name` has the table and the number of rows in sight, as far as start.js knows that nothing else was asked for; no name is the first table.
function openFirst(hello) {
  if (self.name === '') return undefined;
  try {
    const { table: wanted, count } = JSON.parse(self.name);
    const { tables } = JSON.parse(hello);
    const table = tables.find(({ name }) => name === wanted)?.name ?? (wanted === '' ? tables[0]?.name : undefined);
    if (table === undefined) return undefined;
    const viewport = { first: 0, count, ahead: Math.max(80, count * 2), behind: 0, stick: 'top' };
    socket.send(JSON.stringify({ type: 'open', table, request: 1, query: {}, viewport }));
    return { table, request: 1 };
  } catch {
    return undefined;  // whatever it was, talk.js says so
  }
}

import('./talk.js').then(({ Talk }) => new Talk(socket, early));
