// panel.js: live statistics of the connection, the drawing and the server. Loaded when first
// opened. It counts only while it is open.

import { make } from '../grid/elements.js';
import { age } from '../model/times.js';
import { bytes } from '../model/columns.js';
import { Gauges } from './gauges.js';
import { locale, number, phrase } from '../model/language.js';

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

  /** Removes the panel and stops counting. */
  close() {
    clearInterval(this.#timer);
    this.parts.session.wantStats(false, this);
    this.el.remove();
  }

  /** Counts a message. `at` is its arrival time at the socket, in milliseconds since 1970. */
  received({ message, bytes: size, at }) {
    if (message === undefined) return;
    if (message.type === 'stats') this.#addStats(message);
    const now = performance.now();
    this.gauges.add('bytes', size, now);
    if (message.type !== 'patch' && message.type !== 'window') return;
    this.gauges.add('patches', 1, now);
    this.gauges.add('rows', (message.updated?.length ?? 0) + (message.inserted?.length ?? message.items?.length ?? 0) + (message.removed?.length ?? 0), now);
    this.#arrived.push(at);
    this.shownAt = Date.now();
  }

  #addStats(stats) {
    this.stats = stats;
    const { delay } = stats;
    if (delay !== null) this.serverDelays = this.serverDelays.map((delays, at) => [...delays.slice(-59), at === 0 ? delay.p50 : delay.p99]);
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
    const rate = (name) => number(gauges.rate(name, now), { maximumFractionDigits: 1 });
    const took = (part) => (gauges.quantile(part) === null ? '—' : milliseconds(gauges.quantile(part)));
    const reuse = ({ made, taken }) => (taken === 0 ? '—' : phrase('{made}, reused {times}×', { made, times: number(taken / Math.max(1, made), oneDecimal) }));
    this.#write('connection', { live: phrase('live'), lost: phrase('lost'), connecting: phrase('connecting') }[connection.state]);
    this.#write('age', this.shownAt === undefined ? phrase('no change since this opened') : age((Date.now() - this.shownAt) / 1_000));
    this.#write('patches', phrase('{rate} per second', { rate: rate('patches') }));
    this.#write('rows', phrase('{rate} per second', { rate: rate('rows') }));
    this.#write('bytes', phrase('{rate} per second', { rate: bytes(Math.round(gauges.rate('bytes', now)), locale()) }));
    this.#write('interval', session.copy.interval === undefined ? '—' : `${number(session.copy.interval)}\u202fms`);
    this.#write('delay', `p50 ${took(0.5)}, p99 ${took(0.99)}`);
    this.#write('nodes', reuse(table.counts));
    this.#write('headers', reuse(sections.counts));
    this.#write('wrong', number(session.stats.resyncs));
    this.#showStats();
    this.#line('patches', gauges.history('patches', now));
    this.#line('delay', this.delays);
    this.#line('served', this.serverDelays[1], this.serverDelays[0]);
  }

  // Shows the server's statistics, or dashes before they arrive and while disconnected.
  #showStats() {
    const stats = this.parts.connection.state === 'live' ? this.stats : null;
    const { delay, coalescing, prefetch, headers, sources = [] } = stats ?? {};
    const many = (value, digits = 0) => number(value, { maximumFractionDigits: digits });
    const own = sources.find(({ table: name }) => name === this.parts.session.view.table);
    this.#write('served', delay ? `p50 ${milliseconds(delay.p50)}, p99 ${milliseconds(delay.p99)}` : '—');
    this.#write('changes', typeof own?.changes === 'number' ? phrase('{count} rows per second', { count: many(own.changes, 1) }) : '—');
    this.#write('coalescing', typeof coalescing === 'number' ? phrase('{count} changes per flush', { count: many(coalescing, 1) }) : '—');
    this.#write('prefetch', prefetch?.loads > 0
      ? phrase('{hits} on time, {late} late, {cancelled} cancelled, {wasted} unused', prefetch) : '—');
    this.#write('reuse', headers?.made > 0 ? phrase('{made}, reused {times}×', { made: headers.made, times: headers.reused }) : '—');
    this.#write('isolation', own?.isolation ?? (own === undefined ? '—' : phrase('none: part of the server')));
    this.#write('sessions', stats === null ? '—' : many(stats.sessions));
  }

  #make(onClose) {
    const el = make('section', 'panel');
    el.id = 'panel';
    el.setAttribute('role', 'region');
    el.setAttribute('aria-label', phrase('Activity'));
    const close = make('button', 'plain', phrase('Close'));
    close.addEventListener('click', onClose);
    const head = make('div', 'box-head');
    head.append(make('h2', '', phrase('Activity')), close);
    const list = make('dl');
    const entries = [
      ['connection', phrase('Connection')], ['age', phrase('Last change')], ['patches', phrase('Patches')], ['rows', phrase('Changed rows')], ['bytes', phrase('Received')],
      ['interval', phrase('Flush interval')], ['delay', phrase('Socket to screen')], ['served', phrase('Source to socket')], ['nodes', phrase('Row nodes')],
      ['headers', phrase('Header nodes')], ['wrong', phrase('Resyncs')], ['changes', phrase('Source rate')], ['coalescing', phrase('Coalescing')],
      ['prefetch', phrase('Prefetch')], ['reuse', phrase('Headers pooled')], ['sessions', phrase('Clients connected')], ['isolation', phrase('Program isolation')],
    ];
    for (const [name, title] of entries) {
      const value = make('dd');
      list.append(make('dt', '', title), value);
      this.#values.set(name, value);
    }
    el.append(head, list, this.#chart('patches', phrase('Patches per second, last minute')), this.#chart('served', phrase('Source to socket, p50 and p99'), 2),
      this.#chart('delay', phrase('Socket to screen, p99')));
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
    most.textContent = values.length < 2 ? '' : phrase('up to {value}', { value: number(greatest, { maximumFractionDigits: 1 }) });
  }

  #write(name, text) {
    const element = this.#values.get(name);
    if (element.textContent !== text) element.textContent = text;
  }
}

const oneDecimal = { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false };

function milliseconds(value) {
  return `${number(value, oneDecimal)}\u202fms`;
}

function scaled(values, greatest) {
  if (greatest === 0) return `M0 ${chart.height}H${chart.width}`;
  const step = chart.width / (values.length - 1);
  return values.map((value, at) => `${at === 0 ? 'M' : 'L'}${(at * step).toFixed(1)} ${((1 - value / greatest) * chart.height).toFixed(1)}`).join('');
}
