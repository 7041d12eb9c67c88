// Tables of the stand-in server: the machine's processes, a market, and texts that look like
// markup.

import { readdirSync, readFileSync } from 'node:fs';
import { ACTIONS } from './fake_acts.mjs';

class Table {
  #nextID = 1;
  constructor(name, title, columns) {
    Object.assign(this, { name, title, columns, rows: [], cache: new Map(), changes: 0 });
    this.source = { state: 'live', message: '', rejected: 0, lastRejection: '', age: 0 };
    this.sections = new Map();
  }

  description() {
    return { name: this.name, title: this.title, rows: this.rows.length, columns: this.columns, source: this.source };
  }

  add(cells) {
    const row = { id: this.#nextID++, rev: 1, cells };
    this.rows.push(row);
    return row;
  }

  set(row, column, cell) {
    if (row.cells[column] === cell) return;
    row.cells[column] = cell;
    row.rev += 1;
    this.changes += 1;
  }

  step() {}

  matching(view) {
    return view.reduce ? view.length - (view.headers ?? 0) : 0;
  }

  /**
   * Returns all items of a query in order. A sorted result is reused until rows change, and for at
   * least 200 ms.
   */
  view(query) {
    const key = JSON.stringify(query);
    const isPlain = !query.sort?.length && !query.search && !query.group?.length;
    if (isPlain) return this.rows;
    const held = this.cache.get(key);
    if (held && (held.changes === this.changes || performance.now() - held.at < 200)) return held.items;
    let { rows } = this;
    if (query.search) {
      const text = query.search.toLowerCase();
      rows = rows.filter((row) => row.cells.some((cell, at) => this.columns[at].type === 'text' && cell?.toLowerCase().includes(text)));
    }
    const at = (name) => this.columns.findIndex((column) => column.name === name);
    if (query.sort?.length) {
      const terms = query.sort.map(({ column, descending }) => [at(column), descending ? -1 : 1]);
      rows = rows.slice().sort((one, other) => {
        for (const [column, sign] of terms) {
          const order = compare(one.cells[column], other.cells[column], sign);
          if (order !== 0) return order;
        }
        return one.id - other.id;
      });
    }
    const items = query.group?.length ? this.grouped(rows, query.group, query.collapsed) : rows;
    if (query.group?.length) items.headers = items.filter((item) => item.section !== undefined).length;
    if (this.cache.size > 8) this.cache.clear();
    this.cache.set(key, { items, changes: this.changes, at: performance.now() });
    return items;
  }

  /** Returns the values that identify a section, from the outermost level to its own. */
  pathOf(section) {
    return [...this.sections.values()].find((known) => known.section === section)?.path ?? [];
  }

  grouped(rows, [column, ...further], collapsed = [], parent = null, path = []) {
    const at = this.columns.findIndex(({ name }) => name === column);
    const groups = new Map();
    for (const row of rows) {
      if (!groups.has(row.cells[at])) groups.set(row.cells[at], []);
      groups.get(row.cells[at]).push(row);
    }
    const items = [];
    for (const value of [...groups.keys()].sort((one, other) => compare(one, other, 1))) {
      const name = `${parent} ${column} ${value}`;
      const count = groups.get(value).length;
      const known = this.sections.get(name) ?? { section: this.sections.size, rev: 0, count: -1 };
      const own = [...path, value];
      const isCollapsed = collapsed.some((other) => JSON.stringify(other) === JSON.stringify(own));
      this.sections.set(name, { ...known, path: own, rev: known.count === count ? known.rev : known.rev + 1, count });
      items.push({ section: known.section, rev: this.sections.get(name).rev, slot: 0, level: path.length, parent, column, value, count });
      if (isCollapsed) items.at(-1).collapsed = true;
      else items.push(...(further.length > 0 ? this.grouped(groups.get(value), further, collapsed, known.section, own) : groups.get(value)));
    }
    return items;
  }
}

function compare(one, other, sign) {
  if (one === other) return 0;
  if (one === null || one === undefined) return 1;
  if (other === null || other === undefined) return -1;
  return one < other ? -sign : sign;
}

const column = (name, title, type, more = {}) => ({
  name, title, type, style: 'plain', unit: '', width: 0, align: type === 'integer' || type === 'number' ? 'end' : 'start', ...more,
});

class Processes extends Table {
  constructor() {
    super('processes', 'Processes', [
      column('pid', 'PID', 'integer', { width: 7 }), column('name', 'Name', 'text', { width: 22 }),
      column('user', 'User', 'text', { width: 10 }), column('state', 'State', 'text', { style: 'badge', width: 9 }),
      column('cpu', 'CPU', 'number', { style: 'bar', unit: '%', width: 9 }), column('memory', 'Memory', 'integer', { style: 'bytes', width: 10 }),
      column('threads', 'Threads', 'integer', { width: 7 }), column('time', 'CPU time', 'number', { style: 'duration', width: 10 }),
      column('started', 'Started', 'timestamp', { style: 'age', width: 8, align: 'end' }), column('history', 'CPU history', 'series', { style: 'sparkline' }),
      column('command', 'Command', 'text'),
    ]);
    this.known = new Map();
    this.boot = Date.now() - Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1_000;
    this.at = 0;
    this.step();
  }

  step() {
    if (performance.now() - this.at < 1_000 && this.at > 0) return;
    const passed = (performance.now() - this.at) / 1_000;
    this.at = performance.now();
    const names = { R: 'running', S: 'sleeping', D: 'disk', Z: 'zombie', T: 'stopped', I: 'idle' };
    const alive = new Set();
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number)) {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const ticks = Number(fields[11]) + Number(fields[12]);
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || `[${name}]`;
        alive.add(pid);
        let row = this.known.get(pid);
        const cpu = row ? Math.max(0, (ticks - row.ticks) / passed) : 0;
        if (!row) {
          row = this.add([pid, name, pid % 7 === 0 ? 'daemon' : 'root', '', 0, 0, 0, 0, this.boot + Number(fields[19]) * 10, [0, 0], command]);
          this.known.set(pid, row);
          this.changes += 1;
        }
        row.ticks = ticks;
        const values = [[3, names[fields[0]] ?? fields[0]], [4, cpu], [5, Number(fields[21]) * 4_096], [6, Number(fields[17])], [7, ticks / 100]];
        for (const [at, value] of values) this.set(row, at, value);
        this.set(row, 9, [...row.cells[9].slice(-23), cpu]);
      } catch { /* it has ended */ }
    }
    for (const [pid, row] of this.known) {
      if (alive.has(pid)) continue;
      this.known.delete(pid);
      this.rows = this.rows.filter((other) => other !== row);
      this.changes += 1;
    }
  }
}

class Market extends Table {
  constructor(rows, rate) {
    super('market', 'Market', [
      column('symbol', 'Symbol', 'text', { width: 10 }), column('sector', 'Sector', 'text', { style: 'badge', width: 12 }),
      column('price', 'Price', 'number', { width: 11, better: 'higher' }), column('change', 'Change', 'number', { unit: '%', width: 9 }),
      column('bid', 'Bid', 'number', { width: 11 }), column('ask', 'Ask', 'number', { width: 11 }),
      column('volume', 'Volume', 'integer', { style: 'bar', width: 14 }), column('updated', 'Updated', 'timestamp', { width: 19 }),
      column('side', 'Side', 'text', { style: 'badge', width: 6 }), column('note', 'Note', 'text', { width: 16 }),
    ]);
    this.rate = rate;
    this.at = performance.now();
    this.seed = 7;
    const sectors = ['Energy', 'Finance', 'Health', 'Materials', 'Retail', 'Technology', 'Telecom', 'Utilities'];
    for (let at = 0; at < rows; at += 1) {
      const price = 10 + this.random() * 990;
      this.add([`${letters(at)}`, sectors[Math.floor(this.random() * 8)], cents(price), cents(this.random() * 8 - 4), cents(price - 0.05),
        cents(price + 0.05), Math.floor(this.random() * 1e6), 1.79e12 + at, this.random() < 0.5 ? 'buy' : 'sell', `note ${at % 977}`]);
    }
  }

  random() {
    this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.seed / 4_294_967_296;
  }

  step() {
    const now = performance.now();
    const due = Math.min(20_000, Math.floor((now - this.at) / 1_000 * this.rate));
    if (due === 0) return;
    this.at = now;
    for (let change = 0; change < due; change += 1) {
      const row = this.rows[Math.floor(this.random() * this.rows.length)];
      const step = (this.random() - 0.5) * 2;
      const price = Math.max(1, row.cells[2] + step);
      this.set(row, 2, cents(price));
      this.set(row, 3, cents(row.cells[3] + step / 10));
      this.set(row, 4, cents(price - 0.05));
      this.set(row, 5, cents(price + 0.05));
      this.set(row, 6, row.cells[6] + Math.floor(this.random() * 900));
      this.set(row, 7, Date.now());
    }
  }
}

class Hostile extends Table {
  constructor() {
    super('hostile', 'Hostile <b>texts</b>', [
      column('text', 'Text', 'text', { width: 40 }), column('badge', '<img src=x onerror=alert(1)>', 'text', { style: 'badge' }),
      column('link', 'Link', 'text', { style: 'link' }), column('image', 'Image', 'image', { style: 'image' }), column('group', 'Group', 'text'),
    ]);
    const payloads = ['<script>window.hacked = 1</script>', '<img src=x onerror="window.hacked=1">', '"><svg onload=window.hacked=1>',
      'javascript:window.hacked=1', ' javascript:window.hacked=1', 'java\tscript:window.hacked=1', 'data:text/html,<script>hacked=1</script>',
      '\u202egnp.exe', '\u0000<b>', '{{constructor.constructor("window.hacked=1")()}}', "'-alert(1)-'", '</textarea><script>hacked=1</script>',
      'https://example.org/?a=<b>&c="d"', 'HTTPS://EXAMPLE.ORG', 'vbscript:msgbox(1)', '\ud83d\ude00 unicode ﷽', 'a\nb\r\nc', 'x'.repeat(60_000)];
    for (let at = 0; at < 300; at += 1) {
      const payload = payloads[at % payloads.length];
      this.add([payload, payload, payload, payload, payloads[at % 3]]);
    }
  }
}

/**
 * A table whose rows are a function of their number, with more rows than an element can be tall.
 */
class Huge extends Table {
  constructor(count) {
    super('huge', 'Huge', [column('number', 'Number', 'integer', { width: 14 }), column('text', 'Text', 'text', { width: 30 })]);
    const row = (at) => ({ id: at + 1, rev: 1, cells: [at, `row ${at} of ${count}`] });
    this.rows = {
      length: count,
      slice: (from, to) => Array.from({ length: Math.max(0, Math.min(count, to) - from) }, (_, at) => row(from + at)),
      findIndex: () => -1,  // nothing ever moves here: no anchor needs to be looked for
    };
  }
}

/** A remote table that loads requested rows after a delay, and fails to load some of them. */
class Lazy extends Table {
  constructor(count, wait) {
    super('lazy', 'Lazy', [column('number', 'Number', 'integer', { width: 14 }), column('text', 'Text', 'text', { width: 30 })]);
    const requestedAt = new Map();
    const item = (at) => {
      if (!requestedAt.has(at)) requestedAt.set(at, performance.now());
      const place = (2 ** 21 - 1) * 2 ** 32 + at;
      if (performance.now() - requestedAt.get(at) < wait) return { id: place, rev: 1, cells: { pending: true } };
      return at % 50 === 7 ? { id: place + count, rev: 1, cells: { failed: 'the disk <b>is gone</b>' } } : { id: at + 1, rev: 1, cells: [at, `row ${at} of ${count}`] };
    };
    this.rows = {
      length: count, slice: (from, to) => Array.from({ length: Math.max(0, Math.min(count, to) - from) }, (_, at) => item(from + at)), findIndex: () => -1,
    };
  }
}

/** More columns than fit on any screen, of all types; some of them change. */
class Wide extends Table {
  constructor(columns) {
    const kinds = [['integer'], ['text'], ['number', { style: 'bar' }], ['text', { style: 'badge' }], ['series', { style: 'sparkline' }]];
    super('wide', 'Wide', Array.from({ length: columns }, (_, at) => column(`c${at}`, `Column ${at}`, ...kinds[at % kinds.length])));
    for (let row = 0; row < 300; row += 1) {
      this.add(this.columns.map(({ type }, at) => (type === 'text' ? `r${row}c${at}` : type === 'series' ? [row, at, 3] : row * 1_000 + at)));
    }
  }

  step() {
    for (const row of this.rows.slice(0, 40)) for (let at = 0; at < row.cells.length; at += 10) this.set(row, at, row.cells[at] + 1);
  }
}

/** A table whose source has ended and will be retried. */
class Down extends Table {
  constructor() {
    super('down', 'Down', [column('name', 'Name', 'text', { width: 20 })]);
    for (let at = 0; at < 30; at += 1) this.add([`row ${at}`]);
    this.source = { ...this.source, state: 'backingOff', message: 'it ended with 1', age: 4_000, retry: 60_000 };
  }
}

/** A table whose rows have actions. */
class Jobs extends Table {
  constructor() {
    super('jobs', 'Jobs', [column('name', 'Name', 'text', { width: 14 }), column('state', 'State', 'text', { style: 'badge' }),
      column('acts', 'Acts', 'integer'), column('limit', 'Limit', 'text', { width: 60 })]);
    for (let at = 0; at < 60; at += 1) this.add([`job ${at}`, 'running', 0, '']);
  }

  description() {
    return { ...super.description(), actions: ACTIONS };
  }
}

/** Images of all kinds: row `n` has the kind at `n` modulo their number. */
class Pictures extends Table {
  constructor(kinds, rows) {
    super('pictures', 'Pictures', [column('name', 'Name', 'text', { width: 14 }), column('image', 'Image', 'image', { style: 'image' })]);
    for (let at = 0; at < rows; at += 1) this.add([`picture ${at}`, `${kinds[at % kinds.length]}-${at}`]);
  }

  description() {
    return { ...super.description(), images: true };
  }
}

/** A log that adds a line at one end with every step, and keeps the `most` newest lines. */
class Log extends Table {
  constructor(rows, isNewestFirst, most) {
    super('log', 'Log', [column('line', 'Line', 'integer', { width: 10 }), column('text', 'Text', 'text')]);
    Object.assign(this, { isNewestFirst, most, written: 0 });
    for (let at = 0; at < rows; at += 1) this.write();
  }

  write() {
    const row = this.add([this.written, `line ${this.written}`]);
    this.written += 1;
    if (this.isNewestFirst) this.rows.unshift(this.rows.pop());
    if (this.rows.length > this.most) this.rows = this.isNewestFirst ? this.rows.slice(0, -1) : this.rows.slice(1);
    return row;
  }

  isGone(id) {
    return id <= this.written - this.rows.length;
  }

  step() {
    this.write();
  }
}

function cents(value) {
  return Math.round(value * 100) / 100;
}

function letters(number) {
  let text = '';
  for (let rest = number, at = 0; at < 5; at += 1, rest = Math.floor(rest / 26)) text = String.fromCharCode(65 + rest % 26) + text;
  return text;
}

/** Returns the tables of these plugins. */
export function makeTables(plugins, set) {
  return plugins.map((plugin) => ({
    processes: () => new Processes(),
    market: () => new Market(Number(set['market.rows'] ?? 1_000), Number(set['market.rate'] ?? 100)),
    hostile: () => new Hostile(),
    down: () => new Down(),
    jobs: () => new Jobs(),
    lazy: () => new Lazy(Number(set['lazy.rows'] ?? 100_000), Number(set['lazy.wait'] ?? 400)),
    pictures: () => new Pictures((set['pictures.kinds'] ?? 'good').split(','), Number(set['pictures.rows'] ?? 500)),
    huge: () => new Huge(Number(set['huge.rows'] ?? 50_000_000)),
    wide: () => new Wide(Number(set['wide.columns'] ?? 500)),
    log: () => new Log(Number(set['log.rows'] ?? 1_000), set['log.newest'] === 'first', Number(set['log.most'] ?? Infinity)),
  })[plugin]());
}
