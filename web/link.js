// link.js: starts the workers: those that hold the panes' sockets, and the one that loads images. The only script addresses that the page's
// policy lets through are theirs.

const addresses = { socket: new URL('./worker.js', import.meta.url).href, picture: new URL('./pictureworker.js', import.meta.url).href };

const policy = globalThis.trustedTypes?.createPolicy('rowcast', {
  createScriptURL(address) {
    if (!Object.values(addresses).includes(address)) throw new TypeError('only the workers may be loaded');
    return address;
  },
});

/** Starts a worker: `socket` or `picture`. */
export function startWorker(kind) {
  const address = addresses[kind];
  return new Worker(policy ? policy.createScriptURL(address) : address, { type: 'module', name: `rowcast ${kind}` });
}

// The first worker is started as soon as this module is there, which is before the others are (index.html): its own loading and the
// socket's opening then take no time of their own. What it says before somebody listens is kept.
let first = startWorker('socket');
const early = [];
first.onmessage = ({ data }) => early.push(data);

/**
 * The worker that holds a socket; each call has one of its own.
 *
 * @param {(event: object) => void} receive `{state, connection, pause}`, `{message}` or `{refused}`; first called after this returns
 */
export function openLink(receive) {
  const worker = first ?? startWorker('socket');
  const kept = first === null ? [] : early;
  first = null;
  let connection = 0;
  const hear = (event) => {
    if (event.connection !== undefined) connection = event.connection;
    receive(event);
  };
  queueMicrotask(() => {
    for (const event of kept.splice(0)) hear(event);
    worker.onmessage = ({ data }) => hear(data);
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
    /** Ends the connection until somebody tries again. */
    rest() {
      worker.postMessage({ rest: true });
    },
  };
}
