// A stand-in for `rowcast serve` that follows docs/protocol.md with the simplest means. It holds
// everything in memory and sorts again for each patch. Browser tests that run against it prove
// nothing about the engine.
//
//     node fake_server.mjs serve --port 0 --plugin market --set market.rows=100000 --web web

import { createServer } from 'node:http';
import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, normalize, extname } from 'node:path';
import { diffWindows, digestOf } from '../web/reference.mjs';
import { act } from './fake_acts.mjs';
import { answerImage, requested } from './fake_images.mjs';
import { makeTables } from './fake_tables.mjs';

const options = { port: 0, plugins: [], set: {}, web: 'web' };
for (let at = 2; at < process.argv.length; at += 1) {
  const next = () => process.argv[at += 1];
  switch (process.argv[at]) {
    case '--port': options.port = Number(next()); break;
    case '--plugin': options.plugins.push(next()); break;
    case '--set': { const [key, value] = next().split('='); options.set[key] = value; break; }
    case '--web': options.web = next(); break;
    default:
  }
}

const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; "
  + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
  + "require-trusted-types-for 'script'";
const kinds = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

const epoch = randomUUID();
const tables = makeTables(options.plugins, options.set);
const sessions = new Set();

const server = createServer(async (request, response) => {
  if (request.headers.host !== `127.0.0.1:${server.address().port}`) return void response.writeHead(403).end();
  const url = new URL(request.url, 'http://x');
  const path = normalize(url.pathname);
  if (path === '/views') return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"views":[],"maySave":false,"reason":"This server keeps no views."}');
  if (path === '/image') return answerImage(url, request, response);
  if (path === '/asked') return void response.end(JSON.stringify({ counts: Object.fromEntries(requested.counts), cancelled: requested.cancelled }));
  try {
    const body = await readFile(join(options.web, path === '/' ? 'index.html' : path));
    response.writeHead(200, {
      'content-type': kinds[extname(path)] ?? kinds['.html'], 'content-security-policy': policy, 'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin', 'cross-origin-resource-policy': 'same-origin', 'cache-control': 'no-cache',
    }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});

server.on('upgrade', (request, socket) => {
  const own = `127.0.0.1:${server.address().port}`;
  const isOurs = request.headers.host === own && (request.headers.origin ?? `http://${own}`) === `http://${own}`;
  if (!isOurs || request.headers['sec-websocket-protocol'] !== 'rowcast.v1') {
    return void socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
  }
  const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${key}\r\n`
    + 'sec-websocket-protocol: rowcast.v1\r\n\r\n');
  socket.setNoDelay(true);
  const session = new Session((message) => socket.write(frame(1, Buffer.from(JSON.stringify(message)))));
  session.drop = () => socket.destroy();
  sessions.add(session);
  let rest = Buffer.alloc(0);
  socket.on('data', (data) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const read = unframe(rest);
      if (read === null) return;
      rest = rest.subarray(read.size);
      if (read.opcode === 8) socket.end(frame(8, read.payload));
      else if (read.opcode === 9) socket.write(frame(10, read.payload));
      else if (read.opcode === 1) session.receive(JSON.parse(read.payload.toString()));
    }
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    clearInterval(session.statsTimer);
    sessions.delete(session);
  });
});

function frame(opcode, payload) {
  const { length } = payload;
  const head = length < 126 ? Buffer.from([0x80 | opcode, length])
    : length < 65_536 ? Buffer.from([0x80 | opcode, 126, length >> 8, length & 255]) : Buffer.alloc(10);
  if (length >= 65_536) {
    head[0] = 0x80 | opcode;
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

function unframe(buffer) {
  if (buffer.length < 6) return null;
  let length = buffer[1] & 127;
  let at = 2;
  if (length === 126) { length = buffer.readUInt16BE(2); at = 4; }
  if (buffer.length < at + 4 + length) return null;
  const mask = buffer.subarray(at, at + 4);
  const payload = Buffer.from(buffer.subarray(at + 4, at + 4 + length));
  for (let i = 0; i < length; i += 1) payload[i] ^= mask[i & 3];
  return { opcode: buffer[0] & 15, payload, size: at + 4 + length };
}

class Session {
  constructor(send) {
    Object.assign(this, { send, table: null, query: {}, viewport: { first: 0, count: 30 }, seq: 0, inFlight: 0, request: 0, hidden: false });
    this.secret = randomUUID();
    this.statsTimer = 0;
    this.window = null;
    this.wantsWindow = false;
    this.isScrolled = false;
    this.flushedAt = 0;
    this.shift = 0;
    this.slots = new Map();
  }

  receive(message) {
    switch (message.type) {
      case 'hello':
        this.send({ type: 'hello', version: 1, server: 'fake', epoch, role: 'operator', session: this.secret, tables: tables.map((table) => table.description()) });
        break;
      case 'open':
        this.table = tables.find((table) => table.name === message.table) ?? null;
        this.ask(message);
        break;
      case 'query': this.ask(message); break;
      case 'viewport': {
        const first = message.first + (message.seq === this.seq - 1 ? this.shift : 0);
        this.viewport = { ...message, first };
        this.isScrolled = true;
        break;
      }
      case 'collapse': {
        const path = JSON.stringify(message.path ?? this.table.pathOf(message.section));
        const others = (this.query.collapsed ?? []).filter((other) => JSON.stringify(other) !== path);
        this.query = { ...this.query, collapsed: message.collapsed ? [...others, JSON.parse(path)] : others };
        this.isScrolled = true;
        break;
      }
      case 'ack': if (message.seq === this.inFlight) this.inFlight = 0; break;
      case 'resync': this.inFlight = 0; this.wantsWindow = true; break;
      case 'visibility': this.hidden = message.hidden; break;
      case 'stats':
        clearInterval(this.statsTimer);
        if (message.wanted) this.statsTimer = setInterval(() => this.send(statsNow()), 500).unref();
        break;
      case 'act': act(this, tables.find(({ name }) => name === message.table), message); break;
      // No client waits for the effect. Bars then scale to the rows on the page.
      case 'hold': case 'tiles': case 'pins': break;
      case 'pause': this.isPaused = message.paused; break;
      // It knows a single phrase and nothing else of the filter bar's language.
      case 'parse': this.send({ type: 'parsed', id: message.id, terms: [], words: [] }); break;
      case 'name': this.#tell('named', message.id, this.#held(message.rows).map(({ id }) => [id, id])); break;
      case 'locate': this.#tell('located', message.id, this.#held(message.keys).map(({ id, position }) => [id, id, position])); break;
      // An unknown message ends the test run here. Otherwise the page would drop the query, seconds
      // later and without a trace.
      default: throw new Error(`the stand-in server does not know the message ${JSON.stringify(message)}`);
    }
    this.flush();
  }

  #tell(type, id, rows) {
    this.send({ type, id, rows });
  }

  // The rows of the window with these ids, which are also their keys.
  #held(ids) {
    return (this.window?.items ?? []).flatMap(({ id, section }, at) => (section === undefined && ids.includes(id) ? [{ id, position: this.window.start + at }] : []));
  }

  ask(message) {
    this.isPaused = false;
    this.request = message.request;
    const { where = '', ...query } = message.query ?? {};
    this.query = where === '' ? query : { ...query, search: where.replaceAll('"', '') };
    this.viewport = message.viewport ?? { first: 0, count: 30 };
    this.wantsWindow = true;
    this.slots.clear();
  }

  flush() {
    if (this.table === null || this.inFlight !== 0 || this.hidden || this.isPaused) return;
    const now = performance.now();
    if (!this.wantsWindow && !this.isScrolled && now - this.flushedAt < 300) return;
    const view = this.table.view(this.query);
    const { viewport } = this;
    let shift = 0;
    if (!this.wantsWindow && this.window) {
      if (viewport.stick === 'end') shift = view.length - this.window.total;
      else if (viewport.stick !== 'top' && viewport.anchor !== undefined) {
        const before = this.window.items.findIndex((item) => item.id === viewport.anchor);
        const after = before < 0 ? -1 : view.findIndex((item) => item.id === viewport.anchor);
        if (after >= 0) shift = after - (this.window.start + before);
      }
    }
    const first = Math.max(0, Math.min(view.length - 1, viewport.first + shift));
    const start = Math.max(0, first - (viewport.behind ?? 10));
    const end = Math.min(view.length, first + viewport.count + (viewport.ahead ?? 30));
    const next = this.cut(view, start, end);
    const place = { epoch, seq: this.seq + 1, request: this.request, interval: 300, start, total: view.length, rows: this.table.matching(view) };
    let message;
    if (this.wantsWindow || this.window === null) {
      message = { type: 'window', ...place, items: next.items.map(wire), lead: next.lead };
    } else {
      const lists = diffWindows(this.window, next);
      // Only tables that number their rows in order of arrival report the reason of a removal.
      for (const entry of lists.removed ?? []) if (this.table.isGone?.(this.window.items[entry[0]].id)) entry[1] = 'gone';
      for (const entry of lists.inserted ?? []) if (entry[2][0] > this.newest) entry[1] = 'new';
      const isSame = Object.keys(lists).length === 0 && start === this.window.start && view.length === this.window.total;
      if (isSame && shift === 0) { this.isScrolled = false; return; }
      message = { type: 'patch', ...place, shift, base: this.seq, before: this.window.items.length, after: next.items.length, ...lists, lead: next.lead };
    }
    message.digest = digestOf(start, view.length, next.lead, next.items);
    this.seq += 1;
    this.shift = shift;
    this.viewport.first = first;
    this.inFlight = this.seq;
    this.window = { ...next, start, total: view.length };
    this.newest = this.table.written ?? Infinity;
    this.wantsWindow = this.isScrolled = false;
    this.flushedAt = now;
    this.send(message);
  }

  cut(view, start, end) {
    const items = view.slice(start, end);
    const headers = items.filter((item) => item.section !== undefined);
    const lead = [];
    let level = items.length === 0 ? 0 : items[0].level ?? Infinity;
    for (let at = start - 1; view.headers > 0 && at >= 0 && level > 0; at -= 1) {
      if (view[at].section === undefined || view[at].level >= level) continue;
      lead.unshift(view[at]);
      ({ level } = view[at]);
    }
    const live = new Set([...headers, ...lead].map(({ section }) => section));
    for (const section of this.slots.keys()) if (!live.has(section)) this.slots.delete(section);
    const used = new Set(this.slots.values());
    for (const section of live) {
      if (this.slots.has(section)) continue;
      let slot = 0;
      while (used.has(slot)) slot += 1;
      used.add(slot);
      this.slots.set(section, slot);
    }
    const lent = (header) => ({ ...header, slot: this.slots.get(header.section) });
    return {
      items: items.map((item) => (item.section !== undefined ? lent(item) : { id: item.id, rev: item.rev, cells: Array.isArray(item.cells) ? item.cells.slice() : item.cells })),
      lead: lead.map(lent),
    };
  }
}

let sent = 0;

function statsNow() {
  sent += 1;
  return {
    type: 'stats', interval: 300, coalescing: 12.5, delay: { p50: 3 + (sent % 3), p99: 18 + (sent % 5), count: 120 },
    prefetch: { loads: 40, hits: 30, late: 6, cancelled: 3, wasted: 1, failed: 2 }, headers: { made: 12, reused: 340 }, sessions: sessions.size,
    sources: tables.map(({ name, rows }) => ({ table: name, rows: rows.length, changes: 1_020.5 })),
  };
}

function wire(item) {
  return item.section !== undefined ? item : [item.id, item.rev, item.cells];
}

setInterval(() => {
  for (const table of tables) table.step();
  for (const session of sessions) session.flush();
}, 50);

server.listen(options.port, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}/`));
process.on('SIGTERM', () => process.exit(0));
