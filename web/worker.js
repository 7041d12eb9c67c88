// worker.js: the socket, away from the thread that paints. Frames are read and checked here; what arrives there is objects.

import { Backoff } from './backoff.js';
import { parseMessage, SUBPROTOCOL } from './wire.js';

const address = `${self.location.protocol === 'https:' ? 'wss' : 'ws'}://${self.location.host}/ws`;
const backoff = new Backoff();

/** @type {WebSocket|null} */
let socket = null;
/** Numbers the connections: what the page sends for one that is gone is dropped. */
let connection = 0;
let timer = 0;

self.onmessage = ({ data }) => {
  if (data.retry) connect();
  else if (data.connection === connection && socket?.readyState === WebSocket.OPEN) {
    if (data.close) socket.close();
    else socket.send(JSON.stringify(data.message));
  }
};

function connect() {
  clearTimeout(timer);
  if (socket !== null) return;
  self.postMessage({ state: 'connecting' });
  const own = new WebSocket(address, SUBPROTOCOL);
  socket = own;
  own.onopen = () => {
    connection += 1;
    backoff.opened(performance.now());
    self.postMessage({ state: 'open', connection });
  };
  own.onmessage = ({ data }) => {
    try {
      self.postMessage({ message: parseMessage(data) });
    } catch (error) {
      // A message that cannot be read leaves no way to know what it would have changed: start anew.
      self.postMessage({ refused: String(error.message) });
      own.close();
    }
  };
  own.onclose = () => {
    socket = null;
    const pause = backoff.pause(performance.now(), Math.random());
    self.postMessage({ state: 'closed', pause });
    timer = setTimeout(connect, pause);
  };
}

connect();
