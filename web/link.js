// link.js: starts the worker. The only script address that the page's policy lets through is the worker's.

const workerAddress = new URL('./worker.js', import.meta.url).href;

const policy = globalThis.trustedTypes?.createPolicy('rowcast', {
  createScriptURL(address) {
    if (address !== workerAddress) throw new TypeError('only the worker may be loaded');
    return address;
  },
});

// The worker is started as soon as this module is there, which is before the others are (index.html): its own loading and the
// socket's opening then take no time of their own. What it says before somebody listens is kept.
const worker = new Worker(policy ? policy.createScriptURL(workerAddress) : workerAddress, { type: 'module', name: 'rowcast' });
let early = [];
let connection = 0;
let listener = (event) => early.push(event);
worker.onmessage = ({ data }) => listener(data);

/**
 * The worker that holds the socket.
 *
 * @param {(event: object) => void} receive `{state, connection, pause}`, `{message}` or `{refused}`; first called after this returns
 */
export function openLink(receive) {
  listener = (event) => {
    if (event.connection !== undefined) connection = event.connection;
    receive(event);
  };
  queueMicrotask(() => {
    for (const event of early) listener(event);
    early = [];
  });
  return {
    send(message) {
      worker.postMessage({ connection, message });
    },
    /** Tries at once instead of waiting. */
    retry() {
      worker.postMessage({ retry: true });
    },
    /** Ends the connection; another one follows after a pause. */
    close() {
      worker.postMessage({ connection, close: true });
    },
  };
}
