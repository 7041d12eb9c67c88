// strip.js: the summary strip above the rows: tiles with values of all rows, and counts of rows by
// severity.

import { sparkline, titleOf } from '../model/columns.js';
import { changeText, isNarrow, levelTiles, sameTile, tilesOf, tileTitle, valueText, wireTile } from '../model/tiles.js';
import { openMenu } from './menu.js';
import { tileMenu } from './tilemenu.js';

const SVG = 'http://www.w3.org/2000/svg';
const course = { width: 46, height: 18 };

const levels = { critical: 'Critical', warn: 'Warning' };

/**
 * The summary strip of a pane.
 *
 * `on.change(wish)` changes the view, `on.want(tiles)` requests values of tiles in wire format, and
 * `on.say(text)` announces a text to screen readers.
 */
export class Strip {
  constructor(stage, grid, on) {
    this.on = on;
    this.el = make('div', 'strip');
    this.el.setAttribute('role', 'group');
    this.el.setAttribute('aria-label', 'Summary of all rows');
    this.add = button('tile-add', '+');
    this.add.setAttribute('aria-label', 'Add a tile');
    this.add.setAttribute('aria-haspopup', 'menu');
    this.add.title = 'Add a tile';
    this.add.addEventListener('click', () => this.#offer());
    stage.insertBefore(this.el, grid);
    this.el.addEventListener('keydown', (event) => this.#pressed(event));
  }
  #key = '';
  #shown = null;       // what `show` got last
  /** The tiles with their elements, in order. @type {TileNode[]} */
  #nodes = [];

  /**
   * Shows the tiles of a view.
   *
   * @param {{view: import('../model/query.js').View, table: object, specs:
   *   import('../model/columns.js').Spec[]}} shown
   */
  show(shown) {
    this.#shown = shown;
    const { view, table } = shown;
    const tiles = [...levelTiles(table), ...tilesOf(view, table)];
    this.on.want(tiles.map(wireOf));
    const key = JSON.stringify([table.name, table.generation, tiles, table.columns.map(titleOf)]);
    if (key !== this.#key) this.#build(tiles);
    this.#key = key;
    for (const node of this.#nodes) {
      node.draw(this.#shown.specs);
      node.press(view);
    }
  }

  /** Shows the values that the server sent, in the order of the tiles. */
  take(outcomes) {
    if (outcomes.length !== this.#nodes.length) return;
    this.#nodes.forEach((node, at) => {
      node.outcome = outcomes[at];
      node.draw(this.#shown.specs);
      node.press(this.#shown.view);
    });
  }

  #build(tiles) {
    const focused = this.#nodes.findIndex(({ el }) => el.contains(document.activeElement));
    const isOnAdd = document.activeElement === this.add;
    const before = this.#nodes;
    this.#nodes = tiles.map((tile) => {
      const node = tile.level === undefined ? new ValueNode(tile, this.#shown.table, () => this.#remove(tile)) : new LevelNode(tile, this.#shown.table);
      node.outcome = before.find((other) => JSON.stringify(other.tile) === JSON.stringify(tile))?.outcome ?? null;
      node.main.addEventListener('click', () => this.#apply(node));
      return node;
    });
    this.el.replaceChildren(...this.#nodes.map(({ el }) => el), this.add);
    if (focused >= 0) (this.#nodes[Math.min(focused, this.#nodes.length - 1)]?.main ?? this.add).focus();
    else if (isOnAdd) this.add.focus();
  }

  #apply(node) {
    const { table, view } = this.#shown;
    const { parts, terms } = node.tile;
    if (node.isPressed(view)) return void this.on.change({ filters: [] });
    if (parts === undefined) {
      const isOther = isNarrow(node.tile) || view.filters.length > 0 || view.search !== '';
      return void (isOther && this.on.change({ filters: terms ?? [], search: '' }));
    }
    if (parts.length === 1) return void this.on.change({ filters: parts[0].terms, search: '' });
    openMenu(node.main, `${levels[node.tile.level]} rows`, [
      { heading: 'By the levels of' },
      ...parts.map(({ column, terms: own }) => ({
        label: titleOf(table.columns.find(({ name }) => name === column)), run: () => this.on.change({ filters: own, search: '' }),
      })),
    ]);
  }

  #remove(tile) {
    const { view, table } = this.#shown;
    this.on.change({ tiles: tilesOf(view, table).filter((other) => !sameTile(other, tile)) });
    this.on.say(`Removed ${tileTitle(tile, table.columns)}`);
  }

  #offer() {
    const { view, table } = this.#shown;
    const open = (label, items) => openMenu(this.add, label, items);
    open('Add a tile', tileMenu({ view, table, change: this.on.change }, open));
  }

  // The arrow keys move between the tiles, and Delete removes one.
  #pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const stops = [...this.#nodes.map(({ main }) => main), this.add];
    const at = stops.indexOf(document.activeElement);
    const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
    if (event.key === 'Delete' && this.#nodes[at]?.remove) this.#nodes[at].remove();
    else if (side !== 0 && at >= 0) stops[at + (getComputedStyle(this.el).direction === 'rtl' ? -side : side)]?.focus();
    else return;
    event.preventDefault();
  }
}

function wireOf(tile) {
  return wireTile(tile.level === undefined ? tile : { function: 'count', filter: tile.filter });
}

/** The element of a tile. It writes to the DOM only what has changed. */
class TileNode {
  constructor(tile, title) {
    this.tile = tile;
    this.outcome = null;
    this.title = title;
    this.el = make('div', 'tile');
    this.main = button('tile-main');
    this.heading = make('span', 'tile-title', title);
    this.value = make('span', 'tile-value');
    this.change = make('span', 'tile-change');
    this.main.append(this.heading, this.value, this.change);
    this.el.append(this.main);
  }

  /** Marks the tile if the view shows exactly its rows. */
  press(view) {
    const isPressed = this.isPressed(view);
    this.main.setAttribute('aria-pressed', String(isPressed));
    this.main.title = this.outcome?.error?.reason ?? this.tip(isPressed);
  }

  /** Whether the view's filters are those of the tile. */
  isPressed({ filters, search }) {
    const { terms = [], filter, parts = [{ terms }] } = this.tile;
    if (search !== '' || filters.length === 0 || (filter !== undefined && this.tile.parts === undefined)) return false;
    return parts.some((part) => JSON.stringify(part.terms) === JSON.stringify(filters));
  }

  /** Shows the last outcome. */
  draw(specs) {
    const { outcome } = this;
    const isValue = outcome !== null && outcome.error === undefined && outcome.pending !== true;
    write(this.value, isValue ? this.text(outcome.value ?? null, specs) : outcome?.error === undefined ? '…' : 'Not available');
    write(this.change, isValue ? changeText(this.kind, outcome, specs, Date.now()) : outcome?.error?.reason ?? '');
    this.el.classList.toggle('refused', outcome?.error !== undefined);
    this.sketch(isValue ? outcome.course ?? [] : []);
  }

  /** The tile's function and column. */
  get kind() {
    return { function: 'count' };
  }

  text(value, specs) {
    return valueText(this.kind, value, specs, Date.now());
  }

  sketch() {}
}

/** A tile of the user or of the source. */
class ValueNode extends TileNode {
  constructor(tile, table, remove) {
    super(tile, tileTitle(tile, table.columns));
    this.remove = remove;
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', `-1 -1 ${course.width + 2} ${course.height + 2}`);
    svg.setAttribute('aria-hidden', 'true');
    this.path = document.createElementNS(SVG, 'path');
    svg.append(this.path);
    const cross = button('tile-remove');
    cross.tabIndex = -1;  // by keyboard, Delete removes the tile
    cross.setAttribute('aria-label', `Remove ${this.title}`);
    cross.addEventListener('click', remove);
    this.main.append(svg);
    this.main.setAttribute('aria-keyshortcuts', 'Delete');
    this.main.disabled = tile.filter !== undefined;
    this.el.append(cross);
  }

  get kind() {
    return this.tile;
  }

  tip(isPressed) {
    const what = this.tile.filter !== undefined ? '' : isPressed ? 'Show all rows' : isNarrow(this.tile) ? 'Show only these rows' : 'Show all rows';
    return [this.title, what].filter(Boolean).join(': ');
  }

  sketch(values) {
    this.path.setAttribute('d', values.length > 1 ? sparkline(values, course.width, course.height) : '');
  }
}

/** A count of the rows at a level of severity. */
class LevelNode extends TileNode {
  constructor(tile) {
    super(tile, levels[tile.level]);
    this.el.dataset.severity = tile.level;
  }

  tip(isPressed) {
    return isPressed ? 'Show all rows' : `Show only rows at the level “${levels[this.tile.level].toLowerCase()}”`;
  }

  draw(specs) {
    super.draw(specs);
    this.el.classList.toggle('none', this.outcome?.value === 0);
  }
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function button(name, text = '') {
  const element = make('button', name, text);
  element.type = 'button';
  return element;
}

function make(kind, name = '', text = '') {
  const element = document.createElement(kind);
  if (name !== '') element.className = name;
  element.textContent = text;
  return element;
}
