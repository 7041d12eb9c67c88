// link.js: starts the worker. The only script address that the page's policy lets through is the worker's.

const workerAddress = new URL('./worker.js', import.meta.url).href;

const policy = globalThis.trustedTypes?.createPolicy('rowcast', {
  createScriptURL(address) {
    if (address !== workerAddress) throw new TypeError('only the worker may be loaded');
    return address;
  },
});

/**
 * The worker that holds the socket.
 *
 * @param {(event: object) => void} receive `{state, connection, pause}`, `{message}` or `{refused}`
 */
export function openLink(receive) {
  const worker = new Worker(policy ? policy.createScriptURL(workerAddress) : workerAddress, { type: 'module', name: 'rowcast' });
  let connection = 0;
  worker.onmessage = ({ data }) => {
    if (data.connection !== undefined) connection = data.connection;
    receive(data);
  };
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
