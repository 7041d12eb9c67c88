// ghost.js: the place of rows that are on their way, one element beneath all rows: wherever none is drawn, it shows through.

// Items above and below what is visible that it reaches. The browser scrolls without waiting for the page: what it may come to before the
// page has drawn there must be covered too.
const reach = 600;

/** It moves in long steps, seldom: a scroll does not touch it from frame to frame. */
export class Ghost {
  constructor(body) {
    this.el = document.createElement('div');
    this.el.className = 'ghost';
    this.el.setAttribute('role', 'presentation');
    this.el.hidden = true;
    body.prepend(this.el);
    this.#from = this.#to = -1;
    this.#y = NaN;
    this.#height = 0;
  }
  #from;
  #to;
  #y;
  #height;

  /** Covers what is in sight and far around it, as far as the list goes. */
  cover(scroll) {
    const { first, count, total, rowHeight } = scroll;
    const needsMore = first - reach / 2 < this.#from && this.#from > 0;
    const needsLess = this.#to > total;
    const isShort = first + count + reach / 2 > this.#to && this.#to < total;
    if (needsMore || needsLess || isShort || this.#from < 0) {
      this.#from = Math.max(0, first - reach);
      this.#to = Math.min(total, first + count + reach);
    }
    const y = this.#from * rowHeight - scroll.base;
    if (y !== this.#y) this.el.style.transform = `translateY(${this.#y = y}px)`;
    const height = Math.max(0, this.#to - this.#from) * rowHeight;
    if (height === this.#height) return;
    this.#height = height;
    this.el.style.height = `${height}px`;
    this.el.hidden = height === 0;
  }
}
