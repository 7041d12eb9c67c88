// follow.js: the button that keeps the newest rows in view.

/** The follow button. It shows the state of the pane that `paneOf()` returns. */
export class FollowButton {
  constructor(element, paneOf) {
    Object.assign(this, { element, paneOf });
    element.addEventListener('click', () => paneOf().follow());
  }

  /** Updates the button. */
  show() {
    const { newest, isFollowing } = this.paneOf();
    this.element.hidden = newest === undefined;
    this.element.setAttribute('aria-pressed', String(isFollowing));
  }
}
