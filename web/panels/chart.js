// chart.js: the chart of a series in the details panel, with a crosshair for pointer and keyboard.

import { sparkline } from '../model/columns.js';
import { phrase } from '../model/language.js';

const SVG = 'http://www.w3.org/2000/svg';
const size = 100;  // of the drawing, which is stretched to the panel

/** A chart of a row's series. The crosshair reads one value; without it the last one is read. */
export class Chart {
  /**
   * @param {string} title the column's title
   * @param {(value: *) => string} format the text of a single value
   */
  constructor(title, format) {
    this.#format = format;
    this.el = piece('div', 'chart');
    this.el.tabIndex = 0;
    this.el.setAttribute('role', 'slider');
    this.el.setAttribute('aria-label', title);
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', `0 -4 ${size} ${size + 8}`);
    svg.setAttribute('preserveAspectRatio', 'none');
    this.#path = document.createElementNS(SVG, 'path');
    svg.append(this.#path);
    [this.#line, this.#most, this.#least, this.#reading] = ['line', 'most', 'least', 'reading'].map((name) => piece('div', `chart-${name}`));
    const plot = piece('div', 'chart-plot');
    plot.append(svg, this.#line);
    this.el.append(this.#most, plot, this.#least, this.#reading);
    const readAt = ({ clientX }) => {
      const { left, width } = plot.getBoundingClientRect();
      this.#read(Math.round((clientX - left) / width * (this.#values.length - 1)));
    };
    plot.addEventListener('pointerdown', readAt);
    plot.addEventListener('pointermove', readAt);
    // The reading of a touch stays until the chart loses the focus.
    plot.addEventListener('pointerleave', ({ pointerType }) => { if (pointerType !== 'touch') this.#read(null); });
    this.el.addEventListener('blur', () => this.#read(null));
    this.el.addEventListener('keydown', (event) => this.#key(event));
    this.#read(null);
  }
  #format;
  #path;
  #line;
  #most;
  #least;
  #reading;
  #values = [];
  #at = null;  // the place that is read, if it was chosen

  /** Shows a series; anything else is drawn as no chart. */
  show(value) {
    const before = this.#values.length;
    this.#values = Array.isArray(value) ? value : [];
    const numbers = this.#values.filter((one) => typeof one === 'number');
    this.el.hidden = numbers.length === 0;
    if (this.el.hidden) return;
    this.#path.setAttribute('d', sparkline(this.#values, size, size));
    this.#most.textContent = this.#format(numbers.reduce((a, b) => Math.max(a, b)));
    this.#least.textContent = this.#format(numbers.reduce((a, b) => Math.min(a, b)));
    this.el.setAttribute('aria-valuemin', '1');
    this.el.setAttribute('aria-valuemax', String(this.#values.length));
    this.#read(before === this.#values.length ? this.#at : null);
  }

  #read(at) {
    const last = this.#values.length - 1;
    this.#at = at === null ? null : Math.min(Math.max(at, 0), last);
    const place = this.#at ?? last;
    this.#line.hidden = this.#at === null;
    this.#line.style.left = `${last > 0 ? place / last * 100 : 0}%`;
    const value = this.#values[place] ?? null;
    const text = value === null ? phrase('no value') : this.#format(value);
    this.#reading.textContent = `${text} · ${place === last ? phrase('the last value') : phrase('value {place} of {count}', { place: place + 1, count: last + 1 })}`;
    this.el.setAttribute('aria-valuenow', String(place + 1));
    this.el.setAttribute('aria-valuetext', this.#reading.textContent);
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const last = this.#values.length - 1;
    const place = this.#at ?? last;
    const next = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#read(next);
  }
}

function piece(tag, className) {
  const el = document.createElement(tag);
  el.className = className;
  return el;
}
