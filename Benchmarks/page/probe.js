// Looks at the page as its reader does, from before its first script: when rows are there, frame by frame whether some are missing, how
// long a jump takes. Everything is read right after a frame was painted: a message posted in a frame arrives then.
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
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) probe.heldUp.push([startTime, duration]);
  }).observe({ type: 'longtask', buffered: true });

  // S1: the first frame in which every point hits a row.
  const begin = () => afterPaint(() => {
    if (grid() && document.querySelector('[role=columnheader]') && missing() === 0) probe.first = performance.now();
    else begin();
  });
  begin();

  // S2, S3: when each frame began, and what was missing in it.
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

  // S4: from the jump to the frame in which rows of the new place fill what is seen.
  probe.jump = (part) => new Promise((done) => {
    const before = indexOf(rowAt(area().y + 8));
    const start = performance.now();
    grid().scrollTop = part * (grid().scrollHeight - grid().clientHeight);
    const look = () => afterPaint(() => {
      const top = rowAt(area().y + 8);
      if (missing() === 0 && indexOf(top) !== before) done({ ms: performance.now() - start, top: indexOf(top) });
      else if (performance.now() - start > 10_000) done({ ms: null, top: indexOf(top) });
      else look();
    });
    look();
  });

  // S5: a cell holds the moment, in microseconds since 1970, in which the source handed it over; when is it on the screen?
  probe.delays = (count) => new Promise((done) => {
    const delays = [];
    let shown = '';
    const look = () => afterPaint(() => {
      const text = document.querySelector('.row:not([hidden]) [aria-colindex="2"]')?.textContent ?? '';
      if (text !== shown && shown !== '') {
        delays.push(performance.timeOrigin + performance.now() - Number(text.replace(/\D/g, '')) / 1_000);
      }
      shown = text;
      if (delays.length >= count) done(delays);
      else look();
    });
    look();
  });
})();
