// cells.js: draws single cells. Data from a source only becomes the value of a text node or of a
// validated attribute, never markup.

import { bring } from './browser.js';
import { rowHeightOf } from '../model/display.js';
import { isLong, linedUp, linkTarget, missingOf, sparkline, titleOf } from '../model/columns.js';
import { phrase } from '../model/language.js';

const SVG = 'http://www.w3.org/2000/svg';
const sparkWidth = 92;
const sparkHeight = 16;

/** Returns the name of a severity for the user; empty for none. */
export function severityName(severity) {
  return severity === 'critical' ? phrase('critical') : severity === 'warn' ? phrase('warning') : '';
}

/** A cell that shows its value as text. It writes to the DOM only what has changed. */
class TextCell {
  /** Whether new cells of a column are made by cloning the element of an empty one. */
  static isCopied = true;

  /** `copy` is an optional clone of the element of an empty cell of the same column. */
  constructor(spec, copy) {
    this.el = copy ?? document.createElement('div');
    this.text = '';
    this.isLong = false;
    if (copy !== undefined) {
      this.spec = spec;
      this.node = this.adopt();
    } else {
      this.el.classList.add('cell');
      this.el.setAttribute('role', 'gridcell');
      this.bind(spec);
      this.node = document.createTextNode('');
      this.holder().append(this.node);
    }
    this.missing = null;
    this.severity = '';
    this.look = '';
    this.heat = 0;
    this.flash = '';       // see viewport.js
    this.flashUntil = 0;
  }

  /** Assigns the cell to another column of the same kind. It keeps its content until `show`. */
  bind(spec) {
    if (this.spec !== undefined) {
      this.el.classList.remove(this.spec.rule);
      this.#applyStyle('', 0);
    }
    this.spec = spec;
    this.el.classList.add(spec.rule);
    this.el.classList.toggle('cut', spec.column.type === 'text');
    this.el.classList.toggle('at-edge', spec.isPinned);
    this.el.setAttribute('aria-colindex', String(spec.at + 1));
    this.fit();
  }

  /**
   * Updates clipping after a change of the text or the column's width. Only text that may be too
   * long is clipped, because clipping is expensive.
   */
  fit() {
    const isNow = this.text !== '' && isLong(this.spec, this.text);
    if (isNow === this.isLong) return;
    this.isLong = isNow;
    this.el.classList.toggle('long', isNow);
  }

  /**
   * Shows a value, a placeholder while it loads, or the reason why it could not be loaded. Rules by
   * other columns read the `cells` of the row.
   */
  show(value, now, cells) {
    const missing = missingOf(value);
    if (missing !== this.missing) this.mark(missing);
    this.draw(missing === null ? value : null, now);
    const severity = this.spec.severity === null || missing !== null ? '' : this.spec.severity(value);
    if (severity !== this.severity) this.grade(severity);
    const { styling } = this.spec;
    if (styling !== null) this.#applyStyle(missing === null ? styling.lookOf?.(value, cells) ?? '' : '', missing === null && styling.hasHeat ? styling.heatOf(value, styling.scale) : 0);
  }

  /** Shows the severity of the value: `critical`, `warn` or empty. */
  grade(severity) {
    this.severity = severity;
    if (severity === '') delete this.el.dataset.severity;
    else this.el.dataset.severity = severity;
    this.#describe();
  }

  // Shows the highlights of the user: the look of a rule, or empty, and the step of the heat scale.
  #applyStyle(look, heat) {
    if (look !== this.look) {
      this.look = look;
      if (look === '') delete this.el.dataset.look;
      else this.el.dataset.look = look;
      this.#describe();
    }
    if (heat === this.heat) return;
    this.heat = heat;
    if (heat === 0) delete this.el.dataset.heat;
    else this.el.dataset.heat = heat;
  }

  #describe() {
    const words = [severityName(this.severity), this.look === '' ? '' : phrase('highlighted')].filter(Boolean);
    if (words.length === 0) this.el.removeAttribute('aria-description');
    else this.el.setAttribute('aria-description', words.join(', '));
  }

  mark(missing) {
    this.missing = missing;
    this.el.classList.toggle('pending', missing === '');
    this.el.classList.toggle('failed', missing !== null && missing !== '');
    if (missing === null || missing === '') this.el.removeAttribute('title');
    else this.el.title = missing;
  }

  /** Returns the element for the text node, creating it if needed. */
  holder() {
    return this.el;
  }

  /** Returns the text node of a cloned element. */
  adopt() {
    return this.el.lastChild;
  }

  draw(value, now) {
    const text = linedUp(this.spec.line, this.spec.format(value, now));
    if (text === this.text) return;
    this.text = text;
    this.node.nodeValue = text;
    this.fit();
    if (this.isLong && text.length > this.spec.tight.length) this.spec.tight = text;
  }
}

/**
 * A number with a bar behind it.
 *
 * The bar is an element, because a background gradient takes three times as long to paint.
 */
class BarCell extends TextCell {
  constructor(spec, copy) {
    super(spec, copy);
    if (copy === undefined) {
      this.el.classList.add('bar');
      this.el.prepend(document.createElement('i'));
    }
    this.fill = this.el.firstChild;
    this.share = 0;
  }

  draw(value, now) {
    super.draw(value, now);
    const { scale } = this.spec;
    const share = typeof value === 'number' && scale > 0 ? Math.round(Math.max(0, Math.min(1, value / scale)) * 200) / 2 : 0;
    if (share === this.share) return;
    this.share = share;
    this.fill.style.width = `${share}%`;
  }
}

const tones = {
  good: /^(ok|up|live|run|running|r|active|healthy|ready|done|success|succeeded|passed|online|open|buy|yes|true)$/i,
  bad: /^(fail|failed|failing|error|err|severe|alert|emerg|emergency|panic|down|dead|z|zombie|critical|crit|fatal|offline|killed|sell)$/i,
  warn: /^(warn|warning|stale|degraded|d|disk|pending|slow|blocked|stopped|t|retrying|queued)$/i,
  calm: /^(idle|s|i|sleep|sleeping|info|notice|debug|trace|verbose|fine|closed|no|false|none|unknown)$/i,
};

/** A coloured label. Well-known words have fixed colours; others get one from a hash. */
class BadgeCell extends TextCell {
  holder() {
    this.label = document.createElement('span');
    this.el.append(this.label);
    return this.label;
  }

  adopt() {
    this.label = this.el.firstChild;
    return this.label.firstChild;
  }

  draw(value, now) {
    const before = this.text;
    super.draw(value, now);
    if (this.text !== before) this.label.className = this.text === '' ? '' : `badge ${toneOf(typeof value === 'boolean' ? String(value) : this.text)}`;
  }
}

const knownTones = new Map();

function toneOf(text) {
  let tone = knownTones.get(text);
  if (tone !== undefined) return tone;
  tone = Object.keys(tones).find((name) => tones[name].test(text));
  if (tone === undefined) {
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) >>> 0;
    tone = `hue${hash % 6}`;
  }
  if (knownTones.size > 500) knownTones.clear();  // every row may have a label of its own
  knownTones.set(text, tone);
  return tone;
}

/** A text that is a link if it is an http or https URL. */
class LinkCell extends TextCell {
  static isCopied = false;

  holder() {
    this.anchor = document.createElement('a');
    this.anchor.target = '_blank';
    this.anchor.rel = 'noopener noreferrer';
    this.anchor.tabIndex = -1;  // the grid keeps the focus; Ctrl+Enter follows the link
    this.el.append(this.anchor);
    return this.anchor;
  }

  draw(value, now) {
    const before = this.text;
    super.draw(value, now);
    if (this.text === before) return;
    const target = linkTarget(value);
    if (target === '') this.anchor.removeAttribute('href');
    else this.anchor.setAttribute('href', target);
  }
}

class BooleanCell extends TextCell {
  draw(value, now) {
    super.draw(value, now);
    this.el.classList.toggle('off', value === false);
  }
}

/** A sparkline of a series. Screen readers announce its last value. */
class SparkCell extends TextCell {
  static isCopied = false;

  constructor(spec) {
    super(spec);
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', `-2 -2 ${sparkWidth + 4} ${sparkHeight + 4}`);
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('aria-hidden', 'true');
    this.path = document.createElementNS(SVG, 'path');
    svg.append(this.path);
    this.node.remove();
    this.el.classList.add('spark');
    this.el.append(svg);
  }

  draw(value, now) {
    const path = sparkline(value, sparkWidth, sparkHeight);
    this.path.setAttribute('d', path);
    this.el.setAttribute('aria-label', this.spec.format(value, now));
  }
}

let pictures = null;

/**
 * Requests an image and returns a function that cancels the request. The first call imports the
 * image loader.
 */
function wantPicture(table, key, height, take) {
  let leave = null;
  let isOver = false;
  pictures ??= bring(() => import('./pictures.js')).then((module) => module.pictures());
  pictures.then((all) => { if (!isOver) leave = all.want(table, key, height, take); });
  return () => {
    isOver = true;
    leave?.();
  };
}

/**
 * An image, shown once it is decoded. Screen readers announce the column's title, because the
 * image's key is not meant for people.
 */
class PictureCell extends TextCell {
  static isCopied = false;

  constructor(spec) {
    super(spec);
    this.node.remove();
    this.key = '';
    this.leaveIt = null;
    this.canvas = document.createElement('canvas');
    this.canvas.hidden = true;
    this.canvas.setAttribute('aria-hidden', 'true');
    this.el.classList.add('picture');
    this.el.append(this.canvas);
  }

  draw(value) {
    const key = typeof value === 'string' ? value : '';
    if (key === this.key) return;
    this.leave();
    this.key = key;
    this.canvas.hidden = true;
    this.el.classList.remove('broken');
    this.el.classList.toggle('loading', key !== '');
    if (this.missing === null) this.el.removeAttribute('title');
    if (key === '') return void this.el.removeAttribute('aria-label');
    this.el.setAttribute('aria-label', titleOf(this.spec.column));
    const height = Math.round((this.spec.pictureHeight ?? rowHeightOf(36, this.spec.column.lines)) * devicePixelRatio);
    this.leaveIt = wantPicture(this.spec.source, key, height, (found) => this.take(found));
  }

  take({ bitmap, fault }) {
    this.el.classList.toggle('loading', false);
    this.el.classList.toggle('broken', bitmap === undefined);
    if (bitmap === undefined) {
      this.el.title = phrase('Image not available: {reason}', { reason: phrase(fault) });
      return;
    }
    this.el.removeAttribute('title');
    Object.assign(this.canvas, { width: bitmap.width, height: bitmap.height, hidden: false });
    this.canvas.getContext('2d').drawImage(bitmap, 0, 0);
  }

  /** Cancels the image request, because the cell is out of view. */
  leave() {
    this.leaveIt?.();
    this.leaveIt = null;
    this.key = '';
  }
}

const kinds = { text: TextCell, bar: BarCell, badge: BadgeCell, link: LinkCell, boolean: BooleanCell, sparkline: SparkCell, picture: PictureCell };

// The element of an empty cell by column: cloning it is much cheaper than creating another.
const molds = new WeakMap();

/** Returns a new empty cell of a column. */
export function makeCell(spec) {
  const Cell = kinds[spec.kind];
  if (!Cell.isCopied) return new Cell(spec);
  const key = `${spec.rule} ${spec.at} ${spec.isPinned}`;
  let mold = molds.get(spec);
  if (mold?.key !== key) molds.set(spec, mold = { key, el: new Cell(spec).el });
  return new Cell(spec, mold.el.cloneNode(true));
}
