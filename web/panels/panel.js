// panel.js: live statistics of the connection, the drawing and the server. Loaded when first
// opened. It counts only while it is open.

import { make } from '../grid/elements.js';
import { age } from '../model/times.js';
import { bytes } from '../model/columns.js';
import { Gauges } from './gauges.js';

const SVG = 'http://www.w3.org/2000/svg';
const chart = { width: 268, height: 36 };

/** The statistics panel. `parts` has a pane's `session`, `table`, `sections` and `connection`. */
export class Panel {
  constructor(stage, parts, onClose) {
    this.parts = parts;
    this.gauges = new Gauges(performance.now());
    this.delays = [];               // the p99 of the delay on the page, one per second
    this.serverDelays = [[], []];   // the p50 and p99 of the delay on the server
    this.stats = null;
    this.#values = new Map();
    this.el = this.#make(onClose);
    stage.append(this.el);
    parts.session.wantStats(true, this);
    this.#timer = setInterval(() => this.draw(), 1_000);
    this.draw();
  }
  #timer;
  #values;
  #arrived = [];   // the arrival times of messages that are not painted yet
  #openedAt = performance.now();

  /** Removes the panel and stops counting. */
  close() {
    clearInterval(this.#timer);
    this.parts.session.wantStats(false, this);
    this.el.remove();
  }

  /** Counts a message. `at` is its arrival time at the socket, in milliseconds since 1970. */
  received({ message, bytes: size, at }) {
    if (message === undefined) return;
    if (message.type === 'stats') this.#told(message);
    const now = performance.now();
    this.gauges.add('bytes', size, now);
    if (message.type !== 'patch' && message.type !== 'window') return;
    this.gauges.add('patches', 1, now);
    this.gauges.add('rows', (message.updated?.length ?? 0) + (message.inserted?.length ?? message.items?.length ?? 0) + (message.removed?.length ?? 0), now);
    this.#arrived.push(at);
    this.shownAt = Date.now();
  }

  #told(stats) {
    this.stats = stats;
    const { delay } = stats;
    if (delay !== null) this.serverDelays = this.serverDelays.map((kept, at) => [...kept.slice(-59), at === 0 ? delay.p50 : delay.p99]);
    this.draw();
  }

  /** Measures the delay of a drawn frame. A posted message arrives after the frame is painted. */
  painted() {
    if (this.#arrived.length === 0) return;
    const arrived = this.#arrived;
    this.#arrived = [];
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      const now = performance.timeOrigin + performance.now();
      for (const at of arrived) this.gauges.took(now - at);
    };
    channel.port2.postMessage(0);
  }

  /** Updates all values and charts. */
  draw() {
    const { session, table, sections, connection } = this.parts;
    const { gauges } = this;
    const now = performance.now();
    const p99 = gauges.quantile(0.99);
    if (p99 !== null) this.delays = [...this.delays.slice(-59), p99];
    const rate = (name) => gauges.rate(name, now).toLocaleString(undefined, { maximumFractionDigits: 1 });
    const took = (part) => (gauges.quantile(part) === null ? '—' : `${gauges.quantile(part).toFixed(1)}\u202fms`);
    const reuse = ({ made, taken }) => (taken === 0 ? '—' : `${made.toLocaleString()}, reused ${(taken / Math.max(1, made)).toFixed(1)}×`);
    this.#write('connection', { live: 'live', lost: 'lost', connecting: 'connecting' }[connection.state]);
    this.#write('age', this.shownAt === undefined ? 'no change since this opened' : age((Date.now() - this.shownAt) / 1_000));
    this.#write('patches', `${rate('patches')} per second`);
    this.#write('rows', `${rate('rows')} per second`);
    this.#write('bytes', `${bytes(Math.round(gauges.rate('bytes', now)))} per second`);
    this.#write('interval', session.copy.interval === undefined ? '—' : `${session.copy.interval.toLocaleString()}\u202fms`);
    this.#write('delay', `p50 ${took(0.5)}, p99 ${took(0.99)}`);
    this.#write('nodes', reuse(table.counts));
    this.#write('headers', reuse(sections.counts));
    this.#write('wrong', session.stats.resyncs.toLocaleString());
    this.#showStats();
    this.#line('patches', gauges.history('patches', now));
    this.#line('delay', this.delays);
    this.#line('served', this.serverDelays[1], this.serverDelays[0]);
  }

  // Shows the server's statistics, or dashes before they arrive and while disconnected.
  #showStats() {
    const stats = this.parts.connection.state === 'live' ? this.stats : null;
    const { delay, coalescing, prefetch, headers, sources = [] } = stats ?? {};
    const many = (value, digits = 0) => value.toLocaleString(undefined, { maximumFractionDigits: digits });
    const own = sources.find(({ table: name }) => name === this.parts.session.view.table);
    this.#write('served', delay ? `p50 ${delay.p50.toFixed(1)}\u202fms, p99 ${delay.p99.toFixed(1)}\u202fms` : '—');
    this.#write('changes', typeof own?.changes === 'number' ? `${many(own.changes, 1)} rows per second` : '—');
    this.#write('coalescing', typeof coalescing === 'number' ? `${many(coalescing, 1)} changes per flush` : '—');
    this.#write('prefetch', prefetch?.loads > 0
      ? `${many(prefetch.hits)} on time, ${many(prefetch.late)} late, ${many(prefetch.cancelled)} cancelled, ${many(prefetch.wasted)} unused` : '—');
    this.#write('reuse', headers?.made > 0 ? `${many(headers.made)}, reused ${many(headers.reused)}×` : '—');
    this.#write('isolation', own?.isolation ?? (own === undefined ? '—' : 'none: part of the server'));
    this.#write('sessions', stats === null ? '—' : many(stats.sessions));
  }

  #make(onClose) {
    const el = make('section', 'panel');
    el.id = 'panel';
    el.setAttribute('role', 'region');
    el.setAttribute('aria-label', 'Activity');
    const close = make('button', 'plain', 'Close');
    close.addEventListener('click', onClose);
    const head = make('div', 'box-head');
    head.append(make('h2', '', 'Activity'), close);
    const list = make('dl');
    const entries = [
      ['connection', 'Connection'], ['age', 'Last change'], ['patches', 'Patches'], ['rows', 'Changed rows'], ['bytes', 'Received'],
      ['interval', 'Flush interval'], ['delay', 'Socket to screen'], ['served', 'Source to socket'], ['nodes', 'Row nodes'], ['headers', 'Header nodes'], ['wrong', 'Resyncs'],
      ['changes', 'Source rate'], ['coalescing', 'Coalescing'], ['prefetch', 'Prefetch'], ['reuse', 'Headers pooled'], ['sessions', 'Clients connected'],
      ['isolation', 'Program isolation'],
    ];
    for (const [name, title] of entries) {
      const value = make('dd');
      list.append(make('dt', '', title), value);
      this.#values.set(name, value);
    }
    el.append(head, list, this.#chart('patches', 'Patches per second, last minute'), this.#chart('served', 'Source to socket, p50 and p99', 2),
      this.#chart('delay', 'Socket to screen, p99'));
    return el;
  }

  #chart(name, title, lines = 1) {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', `0 -2 ${chart.width} ${chart.height + 4}`);
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', title);
    const paths = Array.from({ length: lines }, () => document.createElementNS(SVG, 'path'));
    svg.append(...paths.toReversed());
    const figure = make('figure');
    const most = make('span', 'most');
    const caption = make('figcaption', '', title);
    caption.append(most);
    figure.append(caption, svg);
    this.#values.set(`${name} line`, { paths, most });
    return figure;
  }

  // Draws a chart. Its scale reaches from zero to the greatest value, which the caption shows.
  #line(name, ...lines) {
    const { paths, most } = this.#values.get(`${name} line`);
    const greatest = Math.max(...lines.flat(), 0);
    const [values] = lines;
    paths.forEach((path, at) => path.setAttribute('d', lines[at].length < 2 ? '' : scaled(lines[at], greatest)));
    most.textContent = values.length < 2 ? '' : `up to ${greatest.toLocaleString(undefined, { maximumFractionDigits: 1 })}`;
  }

  #write(name, text) {
    const element = this.#values.get(name);
    if (element.textContent !== text) element.textContent = text;
  }
}

function scaled(values, greatest) {
  if (greatest === 0) return `M0 ${chart.height}H${chart.width}`;
  const step = chart.width / (values.length - 1);
  return values.map((value, at) => `${at === 0 ? 'M' : 'L'}${(at * step).toFixed(1)} ${((1 - value / greatest) * chart.height).toFixed(1)}`).join('');
}
