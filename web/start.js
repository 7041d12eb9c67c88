// start.js: what cannot wait for the modules: the reader's own choice of light or dark, before anything is painted, and the worker that holds
// the socket, whose own loading and whose first questions then take no time of their own.

(() => {
  const kept = (name) => {
    try {
      return localStorage.getItem(`rowcast.${name}`) ?? '';
    } catch {
      return '';  // a browser that keeps nothing shows the system's
    }
  };
  const unquoted = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return '';
    }
  };
  const theme = kept('theme');
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;

  // The only script addresses that the page's policy lets through.
  const beside = (name) => new URL(name, document.currentScript.src).href;
  const addresses = { socket: beside('worker.js'), picture: beside('pictureworker.js') };
  const policy = globalThis.trustedTypes?.createPolicy('rowcast', {
    createScriptURL(address) {
      if (!Object.values(addresses).includes(address)) throw new TypeError('only the workers may be loaded');
      return address;
    },
  });
  const startWorker = (kind, name = '') => new Worker(policy ? policy.createScriptURL(addresses[kind]) : addresses[kind], { type: 'module', name });

  // A table of which neither the address nor the browser says how it was seen is asked for as soon as the server has said hello.
  const said = new URLSearchParams(location.hash.slice(1));
  const table = said.get('table') ?? unquoted(kept('views').split('\n').at(-1));
  const isPlain = [...said.keys()].every((name) => name === 'table') && kept(`view.${table}`).replace(/^#table=[^&]*$/, '') === '';
  const rowHeight = { compact: 24, roomy: 36 }[kept('density')] ?? 28;
  const size = { width: innerWidth, height: innerHeight };  // to ask later would have the page laid out
  const count = Math.max(1, Math.ceil((size.height - 105) / rowHeight) + 1);
  const hint = isPlain ? JSON.stringify({ table, count }) : '';
  const worker = startWorker('socket', hint);
  const early = [];
  worker.onmessage = ({ data }) => early.push(data);
  globalThis.rowcast = { startWorker, first: { worker, early }, size };
})();
