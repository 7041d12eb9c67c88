// flashes.js: changed cells light up for a moment, each in the colour of the way its value went.
//# allFunctionsCalledOnLoad

const mostLit = 90;         // beyond so many at once a light says nothing, and costs
const stageTime = 350;      // milliseconds that a cell is lit, and then fades; the style sheet has the same number

/** The cells that are lit. A cell remembers what it shows: `flash` and `flashUntil`. */
export class Flashes {
  constructor() {
    /** What has changed since the last `light`: cell, direction, cell, direction, ... */
    this.fresh = [];
    /** In the order in which they end. @type {{cell: object, until: number}[]} */
    this.#lit = [];
  }
  #lit;

  /** A cell's value went this way. */
  add(cell, direction) {
    this.fresh.push(cell, direction);
  }

  /** After the cells of a frame were written: lights those that have changed, unless they are too many to look at. */
  light(now) {
    const { fresh } = this;
    if (fresh.length <= 2 * mostLit) {
      for (let at = 0; at < fresh.length; at += 2) this.#set(fresh[at], fresh[at + 1], now + stageTime);
    }
    fresh.length = 0;
  }

  /** Lets lights fade, and fading ones go out, whose time is over. */
  pass(now) {
    const lit = this.#lit;
    let ended = 0;
    for (; ended < lit.length && lit[ended].until <= now; ended += 1) {
      const { cell, until } = lit[ended];
      if (cell.flashUntil !== until) continue;  // lit anew meanwhile
      if (cell.flash === 'fading') put(cell, '', 0);
      else this.#set(cell, 'fading', now + stageTime);
    }
    lit.splice(0, ended);
  }

  /** When `pass` has something to do, or 0. */
  get next() {
    return this.#lit[0]?.until ?? 0;
  }

  #set(cell, flash, until) {
    put(cell, flash, until);
    this.#lit.push({ cell, until });
  }
}

/** A cell shows another row now: the light was not its. */
export function darken(cell) {
  if (cell.flash !== '') put(cell, '', 0);
}

function put(cell, flash, until) {
  cell.flashUntil = until;
  if (cell.flash === flash) return;
  if (cell.flash !== '') cell.el.classList.remove(cell.flash);
  if (flash !== '') cell.el.classList.add(flash);
  cell.flash = flash;
}
