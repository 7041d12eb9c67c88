// Measures the page as its user sees it, starting before the page's first script: the time of the
// first rows, missing rows in each frame, and the duration of jumps. Everything is read right after
// a frame was painted, when a message posted in that frame arrives.
(() => {
  const points = 8;
  const grid = () => document.querySelector('#grid');
  const afterPaint = (then) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => { channel.port1.close(); then(); };
    channel.port2.postMessage(0);
  });
  const area = () => {
    const box = grid().getBoundingClientRect();
    const top = document.querySelector('[role=columnheader]')?.getBoundingClientRect().bottom ?? box.top;
    return { x: box.left, y: top, width: box.width, height: box.bottom - top };
  };
  const rowAt = (y) => {
    const row = document.elementFromPoint(area().x + 45, y)?.closest('[role=row]');
    return row && row.textContent.trim() !== '' ? row : null;
  };
  const missing = () => {
    const { y, height } = area();
    let count = 0;
    for (let at = 0; at < points; at += 1) if (rowAt(y + 6 + (height - 30) * at / (points - 1)) === null) count += 1;
    return count;
  };
  const indexOf = (row) => (row === null ? null : Number(row.getAttribute('aria-rowindex')) - 2);

  const probe = { first: null, area, frames: null, heldUp: [] };
  window.probe = probe;
  let arrived = 0;  // the time of the last message, taken before the page receives it
  window.WebSocket = class extends WebSocket {
    constructor(...args) {
      super(...args);
      this.addEventListener('message', () => { arrived = performance.now(); });
    }
  };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) probe.heldUp.push([startTime, duration]);
  }).observe({ type: 'longtask', buffered: true });

  // S1: the first frame in which every sampled point hits a row.
  const begin = () => afterPaint(() => {
    if (probe.first !== null) return;
    if (grid() && document.querySelector('[role=columnheader]') && missing() === 0) probe.first = performance.now();
    else begin();
  });
  begin();

  // S2, S3: the start of each frame, and the rows missing in it.
  probe.record = (looks) => {
    const frames = { times: [], missing: [], isOver: false };
    probe.frames = frames;
    const next = () => requestAnimationFrame(() => {
      if (frames.isOver) return;
      frames.times.push(performance.now());
      if (looks) afterPaint(() => { if (!frames.isOver) frames.missing.push(missing()); });
      next();
    });
    next();
  };
  probe.stop = () => {
    probe.frames.isOver = true;
    const { times, missing: blanks } = probe.frames;
    return { times, missing: blanks, heldUp: probe.heldUp.filter(([start]) => start >= times[0] && start <= times.at(-1)) };
  };

  // S4: the time from a jump to the frame in which rows of the new position fill the viewport.
  probe.jump = (part) => new Promise((done) => {
    const before = indexOf(rowAt(area().y + 8));
    const start = performance.now();
    let frames = 0;
    grid().scrollTop = part * (grid().scrollHeight - grid().clientHeight);
    const look = () => afterPaint(() => {
      const top = rowAt(area().y + 8);
      frames += 1;
      if (missing() === 0 && indexOf(top) !== before) done({ ms: performance.now() - start, frames, top: indexOf(top) });
      else if (performance.now() - start > 10_000) done({ ms: null, frames, top: indexOf(top) });
      else look();
    });
    look();
  });

  // S5: the delays from source to screen. A cell holds the time in microseconds since 1970 at which
  // the source pushed it. Each sample has the total, the time until the page received the message,
  // until it updated the DOM, and until the frame was painted. No frames are requested here, so an
  // idle screen stays idle.
  probe.delays = (count) => new Promise((done) => {
    probe.first ??= NaN;  // the table has one row, so no full window is awaited
    const delays = [];
    let shown = null;
    const observer = new MutationObserver(() => {
      const text = document.querySelector('.row:not([hidden]) [aria-colindex="2"]')?.textContent ?? '';
      if (text === shown) return;
      const isFirst = shown === null;
      shown = text;
      if (isFirst) return;
      const drawn = performance.now();
      const sent = Number(text.replace(/\D/g, '')) / 1_000 - performance.timeOrigin;
      const came = arrived;
      const channel = new MessageChannel();  // a message posted in a frame arrives after its paint
      channel.port1.onmessage = () => {
        channel.port1.close();
        const now = performance.now();
        delays.push({ whole: now - sent, way: came - sent, draw: drawn - came, paint: now - drawn });
        if (delays.length < count) return;
        observer.disconnect();
        done(delays);
      };
      channel.port2.postMessage(0);
    });
    observer.observe(grid(), { subtree: true, childList: true, characterData: true });
  });
})();
