// strip.js: the summary strip above the rows: tiles with values of all rows, and counts of rows by
// severity.

import { make } from '../grid/elements.js';
import { sparkline } from '../model/columns.js';
import { changeText, isApplied, isNarrow, levelTiles, renamedTiles, sameTile, tilesOf, tileTitle, valueText, viewOfTile, wireTile } from '../model/tiles.js';
import { termTexts } from './chips.js';
import { openMenu } from './menu.js';
import { askName } from './namebox.js';
import { tileMenu } from './tilemenu.js';
import { keyText, phrase, phraseKey } from '../model/language.js';

const SVG = 'http://www.w3.org/2000/svg';
const course = { width: 52, height: 24 };

const longestTitle = 60;

const levels = { critical: phraseKey('Critical'), warn: phraseKey('Warning') };

/**
 * The summary strip of a pane.
 *
 * `on.change(changes)` changes the view, `on.want(tiles)` requests values of tiles in wire format,
 * `on.narrowed(view)` returns the filter of a view in wire format, and `on.announce(text)`
 * announces a text to screen readers.
 */
export class Strip {
  constructor(stage, grid, on) {
    this.on = on;
    this.el = make('div', 'strip');
    this.el.setAttribute('role', 'toolbar');
    this.el.setAttribute('aria-label', phrase('Summary of all rows'));
    this.add = make('button', 'tile-add', '+');
    this.add.setAttribute('aria-label', phrase('Add a tile'));
    this.add.setAttribute('aria-haspopup', 'menu');
    this.add.title = phrase('Add a tile');
    this.add.addEventListener('click', () => this.#offer());
    stage.insertBefore(this.el, grid);
    this.el.addEventListener('keydown', (event) => this.#pressed(event));
    this.el.addEventListener('contextmenu', (/** @type {On<MouseEvent>} */ event) => {
      const node = this.#nodes.find(({ el }) => el.contains(event.target));
      if (node?.remove === undefined) return;
      event.preventDefault();
      this.#showMenu(node);
    });
    this.el.addEventListener('focusin', ({ target }) => this.#stop(target));
  }
  #key = '';
  #shown = null;       // what `show` got last
  #before = null;      // the filter that the pressed tile has replaced
  /**
   * The tiles with their elements, in order.
   * @type {TileNode[]}
   */
  #nodes = [];

  /**
   * Shows the tiles of a view.
   *
   * @param {{view: import('../model/query.js').View, table: object, specs:
   *   import('../model/columns.js').Spec[]}} shown
   */
  show(shown) {
    if (shown.table.name !== this.#shown?.table.name) {
      this.#before = null;
      this.#nodes = [];  // their values are those of the other table
    }
    this.#shown = shown;
    const { view, table } = shown;
    const tiles = [...levelTiles(table), ...tilesOf(view, table)];
    this.on.want(tiles.map((tile) => wireTile(tile, this.on.narrowed)));
    const key = JSON.stringify([table.name, table.generation, tiles]);
    if (key !== this.#key) this.#build(tiles);
    this.#key = key;
    for (const node of this.#nodes) node.draw(shown);
  }

  /**
   * The commands of the palette.
   * @type {import('../model/palette.js').Command[]}
   */
  get commands() {
    if (this.el.getClientRects().length === 0) return [];  // the view has no strip
    const narrow = this.#nodes.filter(({ tile }) => isNarrow(tile) && tile.filter === undefined);
    return [
      { label: phrase('Go to the summary'), group: phrase('Summary'), run: () => this.#stops.find(({ tabIndex }) => tabIndex === 0).focus() },
      ...narrow.map((node) => ({ label: phrase('Show only: {title}', { title: node.title }), group: phrase('Summary'), run: () => this.#apply(node) })),
      { label: phrase('Add a tile…'), group: phrase('Summary'), run: () => this.#offer() },
      ...this.#nodes.filter(({ remove }) => remove !== undefined).map((node) => ({ label: phrase('Rename the tile {title}…', { title: node.title }), group: phrase('Summary'), run: () => this.#rename(node) })),
    ];
  }

  /** Shows the values that the server sent, in the order of the tiles. */
  take(outcomes) {
    if (outcomes.length !== this.#nodes.length) return;
    this.#nodes.forEach((node, at) => {
      node.outcome = outcomes[at];
      node.draw(this.#shown);
    });
  }

  #build(tiles) {
    const focused = this.#stops.findIndex((stop) => stop === document.activeElement);
    const isOnAdd = document.activeElement === this.add;
    const before = this.#nodes;
    this.#nodes = tiles.map((tile) => {
      const node = tile.level === undefined ? new ValueNode(tile, () => this.#remove(node)) : new LevelNode(tile);
      node.outcome = before.find((other) => other.tile.level === tile.level && sameTile(other.tile, tile))?.outcome ?? null;
      node.main.addEventListener('click', () => this.#apply(node));
      return node;
    });
    this.el.replaceChildren(...this.#nodes.map(({ el }) => el), this.add);
    const stops = this.#stops;
    this.#stop(stops[0]);
    if (isOnAdd) this.add.focus();
    else if (focused >= 0) (stops[Math.min(focused, stops.length - 2)] ?? this.add).focus();
  }

  /** The elements that the arrow keys move between. */
  get #stops() {
    return [...this.#nodes.filter(({ main }) => !main.disabled).map(({ main }) => main), this.add];
  }

  // Makes one element the strip's place in the order of the Tab key.
  #stop(element) {
    const stops = this.#stops;
    if (stops.includes(element)) for (const stop of stops) stop.tabIndex = stop === element ? 0 : -1;
  }

  // Shows the rows of a tile, or what was shown before them.
  #apply({ tile }) {
    const { view } = this.#shown;
    if (isApplied(tile, view)) return void this.on.change(this.#before ?? viewOfTile({}));
    const { filters, search, where } = view;
    if (!this.#nodes.some((node) => isApplied(node.tile, view))) this.#before = { filters, search, where };
    const changes = viewOfTile(tile);
    if (JSON.stringify(changes) !== JSON.stringify({ filters, search, where })) this.on.change(changes);
  }

  #remove(node) {
    const { view, table } = this.#shown;
    this.on.change({ tiles: tilesOf(view, table).filter((other) => !sameTile(other, node.tile)) });
    this.on.announce(phrase('Removed {title}', node));
  }

  #showMenu(node) {
    openMenu(node.main, node.title, [
      { label: phrase('Rename…'), hint: 'F2', run: () => this.#rename(node) },
      { label: phrase('Remove'), hint: keyText('Delete'), run: node.remove },
    ]);
  }

  #rename(node) {
    const { table, specs } = this.#shown;
    const { title, ...plain } = node.tile;
    const standard = tileTitle(plain, table.columns, narrowText(plain, specs));
    askName(node.main, { heading: phrase('Rename the tile'), value: node.title, standard, longest: longestTitle }, (text) => {
      const { view } = this.#shown;
      const tiles = renamedTiles(tilesOf(view, this.#shown.table), node.tile, text === standard ? '' : text);
      if (JSON.stringify(tiles) !== JSON.stringify(tilesOf(view, this.#shown.table))) this.on.change({ tiles });
    });
  }

  #offer() {
    const { view, table } = this.#shown;
    const open = (label, items) => openMenu(this.add, label, items);
    open(phrase('Add a tile'), tileMenu({ view, table, change: this.on.change }, open));
  }

  // The arrow keys move between the tiles, F2 renames one, and Delete removes it.
  #pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const stops = this.#stops;
    const at = stops.findIndex((stop) => stop === document.activeElement);
    if (at < 0) return;
    const isRight = getComputedStyle(this.el).direction === 'rtl';
    const next = { ArrowLeft: at + (isRight ? 1 : -1), ArrowRight: at + (isRight ? -1 : 1), Home: 0, End: stops.length - 1 }[event.key];
    const node = this.#nodes.find(({ main }) => main === stops[at]);
    if (event.key === 'Delete' && node?.remove) node.remove();
    else if (event.key === 'F2' && node?.remove) this.#rename(node);
    else if (next === undefined) return;
    else stops[next]?.focus();
    event.preventDefault();
  }
}

/** The element of a tile. It writes to the DOM only what has changed. */
class TileNode {
  constructor(tile) {
    this.tile = tile;
    this.outcome = null;
    /**
     * Removes the tile; undefined for a level of severity.
     * @type {(() => void)|undefined}
     */
    this.remove = undefined;
    this.title = '';
    this.drawn = '';
    this.el = make('div', 'tile');
    this.main = make('button', 'tile-main');
    this.heading = make('span', 'tile-title');
    this.value = make('span', 'tile-value');
    this.change = make('span', 'tile-change');
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', `-2 -2 ${course.width + 4} ${course.height + 4}`);
    svg.setAttribute('aria-hidden', 'true');
    this.area = document.createElementNS(SVG, 'path');
    this.line = document.createElementNS(SVG, 'path');
    this.area.setAttribute('class', 'tile-area');
    svg.append(this.area, this.line);
    this.main.append(this.heading, this.value, this.change, svg);
    this.main.disabled = tile.filter !== undefined;
    this.el.append(this.main);
  }

  /** Returns the title; `narrow` is the filter as text. Each kind of tile has its own. */
  titleFor(table, narrow) {
    return narrow;
  }

  /** Shows the last outcome, and whether the view shows exactly the tile's rows. */
  draw({ view, table, specs }) {
    const { outcome, tile } = this;
    const narrow = narrowText(tile, specs);
    this.title = this.titleFor(table, narrow);
    write(this.heading, this.title);
    const isValue = outcome !== null && outcome.error === undefined && outcome.pending !== true;
    const isRefused = outcome?.error !== undefined;
    writeSteady(this.value, isValue ? valueText(tile, outcome.value ?? null, specs, Date.now()) : isRefused ? phrase('Not available') : '…');
    writeSteady(this.change, isValue ? changeText(tile, outcome, specs, Date.now()) : '');
    this.el.classList.toggle('refused', isRefused);
    this.#sketch(isValue ? outcome.course ?? [] : []);
    const isPressed = isApplied(tile, view);
    if (isNarrow(tile)) this.main.setAttribute('aria-pressed', String(isPressed));
    const act = tile.filter !== undefined ? '' : isPressed ? phrase('Click to go back to the rows from before') : isNarrow(tile) ? phrase('Click to show only these rows') : phrase('Click to show all rows');
    const tip = outcome?.error?.reason ?? [this.title === narrow ? '' : this.title, narrow, act].filter(Boolean).join('\n');
    if (this.main.title !== tip) this.main.title = tip;
  }

  #sketch(values) {
    const line = values.some((value) => value !== values[0]) ? sparkline(values, course.width, course.height) : '';
    if (line === this.drawn) return;
    this.drawn = line;
    this.line.setAttribute('d', line);
    // The area below a line without gaps.
    this.area.setAttribute('d', line === '' || values.includes(null) ? '' : `${line}V${course.height}H0Z`);
    this.el.classList.toggle('moving', line !== '');
  }
}

/** A tile of the user or of the source. */
class ValueNode extends TileNode {
  constructor(tile, remove) {
    super(tile);
    this.remove = remove;
    this.cross = make('button', 'tile-remove');
    this.cross.tabIndex = -1;  // by keyboard, Delete removes the tile
    this.cross.addEventListener('click', remove);
    this.main.setAttribute('aria-keyshortcuts', 'F2 Delete');
    this.el.append(this.cross);
  }

  titleFor({ columns }, narrow) {
    return tileTitle(this.tile, columns, narrow);
  }

  draw(shown) {
    super.draw(shown);
    const label = phrase('Remove {title}', { title: this.title });
    if (this.cross.getAttribute('aria-label') !== label) this.cross.setAttribute('aria-label', label);
  }
}

/** A count of the rows at a level of severity. */
class LevelNode extends TileNode {
  constructor(tile) {
    super(tile);
    this.el.dataset.severity = tile.level;
  }

  titleFor() {
    return phrase(levels[this.tile.level]);
  }

  draw(shown) {
    super.draw(shown);
    this.el.classList.toggle('none', this.outcome?.value === 0);
  }
}

// A tile's filter as text for the user; empty without one.
function narrowText({ terms = [], search = '', where = '', filter }, specs) {
  if (filter !== undefined) return phrase('filtered by the source');
  return [...termTexts(terms, specs).map(([, title, text]) => `${title} ${text}`), search, where].filter(Boolean).join(', ');
}

// Writes a text whose element never becomes narrower, so that the tiles after it stay in place.
function writeSteady(element, text) {
  write(element, text);
  const longest = Math.max(text.length, Number(element.dataset.longest ?? 0));
  if (String(longest) === element.dataset.longest) return;
  element.dataset.longest = longest;
  element.style.minInlineSize = `${(longest * 0.8).toFixed(1)}ch`;
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
