// start.js: the work that precedes the modules. It applies the stored theme before the first
// paint, chooses the language and opens the first socket. The handshake and the first `open`
// message overlap with the loading of modules; link.js takes over the socket.

(() => {
  // The path of the sign-in cookie. Browsers send cookies to all ports of a host, but local storage
  // belongs to one port.
  const roomIn = (path) => /^\/at\/[\w-]{43}(?=\/$)/.exec(path)?.[0] ?? '';
  const findRoom = () => {
    const room = roomIn(location.pathname);
    try {
      if (room === '') return roomIn(`${localStorage.getItem('rowcast.room')}/`);
      localStorage.setItem('rowcast.room', room);
      history.replaceState(history.state, '', `/${location.search}${location.hash}`);
    } catch {
      // Without local storage the path stays in the address.
    }
    return room;
  };
  const room = findRoom();

  // Opened first, because the rest runs while it connects.
  const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${room}/ws`, 'rowcast.v1');

  const stored = (name) => {
    try {
      return localStorage.getItem(`rowcast.${name}`) ?? '';
    } catch {
      return '';  // without local storage the defaults apply
    }
  };
  const unquoted = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return '';
    }
  };
  const theme = stored('theme');
  const { classList, dataset } = document.documentElement;
  if (theme === 'dark' || theme === 'light') dataset.theme = theme;

  // The languages other than English, each with its name and its file. The file is loaded along
  // with the modules.
  const languages = { de: ['Deutsch', 'languages/de.js'] };
  const nameOf = (tag) => tag.toLowerCase().split('-')[0];
  const isKnown = (name) => name === 'en' || Object.hasOwn(languages, name);
  const chosen = isKnown(stored('language')) ? stored('language') : '';
  // The first known language of the system, or the wished one in the form of the user's country.
  const locale = [...navigator.languages, chosen].find((tag) => isKnown(nameOf(tag)) && (chosen === '' || nameOf(tag) === chosen));

  // The page stays blank until the first rows, and the bars stay empty until after them, because
  // painting either would delay the rows. Timeouts show both if they take long.
  classList.add('early', 'bare');
  setTimeout(() => classList.contains('early') && classList.remove('early', 'bare'), 500);
  setTimeout(() => classList.remove('bare'), 3_000);

  const beside = (name) => new URL(name, /** @type {HTMLScriptElement} */ (document.currentScript).src).href;
  const file = languages[nameOf(locale ?? 'en')]?.[1];
  const language = {
    names: Object.fromEntries(Object.entries(languages).map(([name, [title]]) => [name, title])), chosen,
    locale: locale === navigator.language ? undefined : locale,  // the browser's own is the fastest
    file: file && import(beside(file)).catch(() => null),  // without its file, the page is English
  };

  // The only script URLs that the page's Trusted Types policy accepts.
  const addresses = { socket: beside('protocol/worker.js'), picture: beside('grid/pictureworker.js') };
  const policy = globalThis.trustedTypes?.createPolicy('rowcast', {
    createScriptURL(address) {
      if (!Object.values(addresses).includes(address)) throw new TypeError('only the workers may be loaded');
      return address;
    },
  });
  const startWorker = (kind) => new Worker(policy ? policy.createScriptURL(addresses[kind]) : addresses[kind], { type: 'module', name: room });

  // A table without a view in the address or in local storage is opened right after the server's
  // hello, with the view that its source suggests.
  const parameters = new URLSearchParams(location.hash.slice(1));
  const table = parameters.get('table') ?? unquoted(stored('views').split('\n').at(-1));
  const isPlain = [...parameters.keys()].every((name) => name === 'table') && stored(`view.${table}`).replace(/^#table=[^&]*$/, '') === '' && stored(`default.${table}`) === '';
  const rowHeight = { compact: 24, roomy: 36 }[stored('density')] ?? 28;
  // An upper bound of the visible rows, from the screen's height. Reading the window's height would
  // force a layout; the page sends the exact viewport with the first rows.
  const count = Math.ceil(Math.max(rowHeight, screen.availHeight - 105) / rowHeight) + 1;

  /** The first socket and its early events. link.js replaces `notify` to receive later ones. */
  const first = { socket, early: [], notify: (event) => first.early.push(event) };
  let hasHello = false;
  socket.onopen = () => {
    first.notify({ kind: 'open' });
    socket.send('{"type":"hello","version":1,"client":"rowcast page","alive":true}');
    lookUpFonts();
  };
  socket.onmessage = ({ data }) => {
    const at = performance.timeOrigin + performance.now();
    const opened = hasHello || !isPlain ? undefined : openFirst(data);
    hasHello = true;
    first.notify({ kind: 'message', data, at, opened });
  };
  socket.onclose = () => first.notify({ kind: 'closed' });

  // Loads the fonts for measuring columns while the page waits for the server.
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
      const found = tables.find((one) => one.name === table) ?? (table === '' ? tables[0] : undefined);
      if (found === undefined || found.view?.ranges || /\d{4}-\d\d/.test(found.view?.where)) return undefined;  // the page sends ranges and dates
      const { name, view = {} } = found;
      const { sort, filter, where, group, aggregates } = view;
      const written = where === undefined ? {} : { where, zone: -new Date().getTimezoneOffset() };
      const viewport = { first: 0, count, ahead: Math.max(80, count * 2), behind: 0, stick: 'top' };
      socket.send(JSON.stringify({ type: 'open', table: name, request: 1, query: { sort, filter, ...written, group, aggregates }, viewport }));
      return { table: name, request: 1 };
    } catch {
      return undefined;  // wire.js reports the error
    }
  }

  globalThis.rowcast = { startWorker, first, room, language };
})();
