// follow.js: the button that keeps the newest rows in view.

/**
 * Returns the end of a pane's list at which the newest rows are, `top` or `end`; undefined if they
 * may be anywhere.
 */
export function newestOf({ session: { table, view: { sort, group } } }) {
  return sort.length + group.length > 0 ? undefined : table?.newest;
}

/** Whether the newest rows stay in view. */
export function isFollowing(pane) {
  const newest = newestOf(pane);
  return newest !== undefined && (newest === 'end' ? pane.scroll.atEnd : pane.scroll.atTop);
}

/** Goes to the newest rows and stays there, or leaves them by one row. */
export function follow(pane) {
  const { scroll } = pane;
  const newest = newestOf(pane);
  if (newest === undefined) return;
  if (isFollowing(pane)) scroll.moveTo(scroll.position + (newest === 'end' ? -1 : 1) * scroll.rowHeight);
  else if (newest === 'end') scroll.moveToEnd();
  else scroll.moveTo(0);
  pane.schedule();
}

/** The follow button. It shows the state of the pane that `paneOf()` returns. */
export class FollowButton {
  constructor(element, paneOf) {
    this.element = element;
    this.paneOf = paneOf;
    element.addEventListener('click', () => this.press());
  }

  /** Follows the newest rows, or leaves them. */
  press() {
    follow(this.paneOf());
    this.show();
  }

  /** Updates the button. */
  show() {
    const pane = this.paneOf();
    this.element.hidden = newestOf(pane) === undefined;
    this.element.setAttribute('aria-pressed', String(isFollowing(pane)));
  }
}
