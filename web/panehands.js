// panehands.js: what the reader does in a pane, and what becomes of it there.

import { listenForFolds } from './folds.js';
import { listenForHands } from './gridhands.js';
import { tellWhole } from './table.js';

/** Listens in a pane, as long as there is a page. */
export function listenInPane(pane) {
  const { grid, session, scroll, focus, selection, columns, sections } = pane;
  listenForFolds(grid, sections, focus, (header) => {
    session.look(pane.describe(session.copy.seq));  // what is read at this moment is what must not move
    const position = session.copy.positionOfHeader(header);
    if (position >= 0) focus.set(position, 0, session.copy);  // wherever on its line the click was: keys go on from here
    if (session.collapse(header)) pane.on.told(pane, false);
  });
  listenForHands({ grid, session, scroll, focus, selection, columns, hands: pane.reach }, {
    sort: (column, isFurther) => pane.sortBy(column, isFurther),
    open: () => pane.openDetail(!pane.detail.isOpen),
    close: () => pane.detail.isOpen && pane.openDetail(false),
    menu: (under) => pane.acting?.openMenu(under) ?? false,
    say: (text) => pane.on.say(text),
    changed: () => pane.schedule(),
    moved() {
      pane.travel.stop();
      pane.schedule();
    },
  });
  grid.addEventListener('pointerover', ({ target }) => {
    if (!pane.travel.isMoving) tellWhole(target.closest?.('.cell'));
  }, { passive: true });
  new ResizeObserver(([{ contentRect: { width, height } }]) => {
    if (width === 0) return;  // it is put away
    columns.width = width;
    pane.resize(height);
    columns.setPlaces();
    pane.schedule();
  }).observe(grid);
}
