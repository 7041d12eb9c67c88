// start.js: what cannot wait for the modules: the reader's own choice of light or dark, before anything is painted, and the first socket,
// whose greeting and first question are over when they are there (link.js goes on from here).

(() => {
  // The path that the browser's cookie is limited to: cookies are sent to every port of a host, what is kept here belongs to this port.
  const roomIn = (path) => /^\/at\/[\w-]{43}(?=\/$)/.exec(path)?.[0] ?? '';
  const findRoom = () => {
    const room = roomIn(location.pathname);
    try {
      if (room === '') return roomIn(`${localStorage.getItem('rowcast.room')}/`);
      localStorage.setItem('rowcast.room', room);
      history.replaceState(history.state, '', `/${location.search}${location.hash}`);
    } catch {
      // A browser that keeps nothing stays at this address.
    }
    return room;
  };
  const room = findRoom();

  // First of all: while it is opened the rest is done.
  const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${room}/ws`, 'rowcast.v1');

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
  const { classList, dataset } = document.documentElement;
  if (theme === 'dark' || theme === 'light') dataset.theme = theme;

  // Nothing is painted before there are rows, and they are painted before what stands in the bars around them: either would keep them waiting.
  // Rows that are missing after a moment are waited for in sight, and so is what is said in the bars when it takes its time.
  classList.add('early', 'bare');
  setTimeout(() => classList.contains('early') && classList.remove('early', 'bare'), 500);
  setTimeout(() => classList.remove('bare'), 3_000);

  // The only script addresses that the page's policy lets through.
  const beside = (name) => new URL(name, document.currentScript.src).href;
  const addresses = { socket: beside('protocol/worker.js'), picture: beside('grid/pictureworker.js') };
  const policy = globalThis.trustedTypes?.createPolicy('rowcast', {
    createScriptURL(address) {
      if (!Object.values(addresses).includes(address)) throw new TypeError('only the workers may be loaded');
      return address;
    },
  });
  const startWorker = (kind) => new Worker(policy ? policy.createScriptURL(addresses[kind]) : addresses[kind], { type: 'module', name: room });

  // A table of which neither the address nor the browser says how it was seen is asked for as soon as the server has said hello.
  const said = new URLSearchParams(location.hash.slice(1));
  const table = said.get('table') ?? unquoted(kept('views').split('\n').at(-1));
  const isPlain = [...said.keys()].every((name) => name === 'table') && kept(`view.${table}`).replace(/^#table=[^&]*$/, '') === '';
  const rowHeight = { compact: 24, roomy: 36 }[kept('density')] ?? 28;
  // As many rows as the window can have: to ask how tall it is would have the page laid out now, for nothing. The page tells it with the first rows.
  const count = Math.ceil(Math.max(rowHeight, screen.availHeight - 105) / rowHeight) + 1;

  /** What has happened to the socket; `tell` is whoever hears of it from now on. */
  const first = { socket, early: [], tell: (event) => first.early.push(event) };
  let isGreeted = false;
  socket.onopen = () => {
    first.tell({ kind: 'open' });
    socket.send('{"type":"hello","version":1,"client":"rowcast page"}');
    lookUpFonts();
  };
  socket.onmessage = ({ data }) => {
    const at = performance.timeOrigin + performance.now();
    const opened = isGreeted || !isPlain ? undefined : openFirst(data);
    isGreeted = true;
    first.tell({ kind: 'message', data, at, opened });
  };
  socket.onclose = () => first.tell({ kind: 'closed' });

  // Those in which columns are measured before the first rows are drawn: while the server answers, nothing else is to be done.
  function lookUpFonts() {
    const ruler = document.createElement('canvas').getContext('2d');
    for (const font of ['13px', '600 12px']) {
      ruler.font = `${font} system-ui, sans-serif`;
      ruler.measureText('0');
    }
  }

  function openFirst(hello) {
    try {
      const { tables } = JSON.parse(hello);
      const name = tables.find((one) => one.name === table)?.name ?? (table === '' ? tables[0]?.name : undefined);
      if (name === undefined) return undefined;
      const viewport = { first: 0, count, ahead: Math.max(80, count * 2), behind: 0, stick: 'top' };
      socket.send(JSON.stringify({ type: 'open', table: name, request: 1, query: {}, viewport }));
      return { table: name, request: 1 };
    } catch {
      return undefined;  // whatever it was, wire.js says so
    }
  }

  globalThis.rowcast = { startWorker, first, room };
})();
