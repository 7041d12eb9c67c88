// link.js: the page's end of a worker that holds a socket.
//# allFunctionsCalledOnLoad

/** Starts a worker: `socket` or `picture`. */
export function startWorker(kind) {
  return globalThis.rowcast.startWorker(kind);
}

/**
 * The worker that holds a socket; each call has one of its own. The first one was started before this module was there (start.js), and what
 * it has said meanwhile was kept.
 *
 * @param {(event: object) => void} receive `{state, connection, pause}`, `{message, opened}` or `{refused}`; first called after this returns
 */
export function openLink(receive) {
  const { worker, early } = globalThis.rowcast.first ?? { worker: startWorker('socket'), early: [] };
  globalThis.rowcast.first = null;
  let connection = 0;
  const hear = (event) => {
    if (event.connection !== undefined) connection = event.connection;
    receive(event);
  };
  queueMicrotask(() => {
    for (const event of early.splice(0)) hear(event);
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
