// worker.js: the socket, away from the thread that paints. Frames are read and checked here; what arrives there is objects.

import { Backoff } from './backoff.js';
import { hello, parseMessage, SUBPROTOCOL } from './wire.js';

const address = `${self.location.protocol === 'https:' ? 'wss' : 'ws'}://${self.location.host}/ws`;
const backoff = new Backoff();

/** @type {WebSocket|null} */
let socket = null;
/** Numbers the connections: what the page sends for one that is gone is dropped. */
let connection = 0;
let timer = 0;
/** Nobody looks at what it would bring: it is not opened again until somebody does. */
let isResting = false;

self.onmessage = ({ data }) => {
  if (data.retry) {
    isResting = false;
    connect();
  } else if (data.rest) {
    isResting = true;
    clearTimeout(timer);
    socket?.close();
  } else if (data.connection === connection && socket?.readyState === WebSocket.OPEN) {
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
  let wasOpen = false;
  own.onopen = () => {
    wasOpen = true;
    connection += 1;
    backoff.opened(performance.now());
    own.send(JSON.stringify(hello('rowcast page')));  // at once: the page may still be loading
    self.postMessage({ state: 'open', connection });
  };
  own.onmessage = ({ data }) => {
    try {
      self.postMessage({ message: parseMessage(data), bytes: data.length, at: performance.timeOrigin + performance.now() });
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
    if (isResting) return;
    timer = setTimeout(connect, pause);
    if (!wasOpen) askWhether();
  };
}

/** A browser does not say why a socket was refused; the server does, when it is there. */
async function askWhether() {
  try {
    const answer = await fetch('/session', { cache: 'no-store' });
    const { role } = await answer.json();
    if (role === null) self.postMessage({ refused: 'This browser is not let in: open the address that the command “rowcast url” prints' });
  } catch {
    // Nobody is there: that is what it looks like already.
  }
}

connect();
