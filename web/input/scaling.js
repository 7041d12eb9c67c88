// scaling.js: keeps the bounds of a pane's columns over all rows: those of its bars, heat scales
// and rules by percentile.

import { Bounds, MOST_ROWS, wantedBounds } from '../model/bounds.js';
import { fittingHighlights } from '../model/highlights.js';

/** Requests the bounds that the shown columns need, and draws again when they change. */
export class Scaling {
  /** @param {import('../app/pane.js').Pane} pane */
  constructor(pane) {
    this.pane = pane;
    const { session, columns } = pane;
    columns.bounds = new Bounds((tiles) => session.wantBounds(tiles), (view) => session.narrowed(view));
  }
  // What the last request was made for.
  #view = null;
  #marks = null;
  #shown = null;
  #isLarge = false;

  /** Requests other bounds if the view or its columns have changed. Called in each frame. */
  drawn() {
    const { session, columns: { shown, bounds } } = this.pane;
    const { view, marks, table, copy } = session;
    const isLarge = copy.rows > MOST_ROWS;
    if (table === undefined || (view === this.#view && marks === this.#marks && shown === this.#shown && isLarge === this.#isLarge)) return;
    [this.#view, this.#marks, this.#shown, this.#isLarge] = [view, marks, shown, isLarge];
    bounds.want(session.requested, table, wantedBounds(fittingHighlights(view.highlights ?? [], table.columns), shown, isLarge));
  }

  /** Takes the bounds that the server sent. */
  take(outcomes) {
    if (this.pane.columns.bounds.take(outcomes)) this.pane.redraw();
  }
}
