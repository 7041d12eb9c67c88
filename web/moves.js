// moves.js: rows that slide in, fade out and glide, for a moment after a patch.

import { glideFrom, MOTION_TIME } from './motion.js';

const timing = { duration: MOTION_TIME, easing: 'cubic-bezier(0.2, 0, 0, 1)' };

/** The motions of one patch. */
export class Moves {
  constructor() {
    /** @type {Map<object, {motion: Animation, done: Function|undefined}>} */
    this.running = new Map();
    this.height = 0;
    this.before = 0;
    this.native = 0;
    this.offset = 0;  // from where the item above comes
  }

  /** When the last frame was painted the element was scrolled to `before`, in this one it is to `native`. */
  begin(before, native, height) {
    Object.assign(this, { before, native, height, offset: 0 });
  }

  /** A node is about to be placed at `y`: it goes there from where it is seen now. */
  glide(node, y) {
    const from = glideFrom(node.y - this.before, y - this.native, this.height);
    this.offset = from;
    if (from !== 0) this.#run(node, [{ translate: `0 ${from}px` }, { translate: '0 0' }]);
  }

  /** A row that was not there before slides in at `y`, behind the one above it when that is on its way up: else they would be drawn over each other. */
  slideIn(node, y) {
    const from = this.offset > 0 ? this.offset : -12;
    if (this.isSeen(y - this.native)) this.#run(node, [{ opacity: 0, translate: `0 ${from}px` }, { opacity: 1, translate: '0 0' }]);
  }

  /** A row that is gone fades where it was seen, under the others; then `done()`. False when it was not seen. */
  fadeOut(node, done) {
    if (node.isHidden || !this.isSeen(node.y - this.before)) return false;
    const { el } = node;
    node.y += this.native - this.before;
    el.style.transform = `translateY(${node.y}px)`;
    el.classList.add('leaving');
    el.setAttribute('role', 'none');  // it is no row any more
    el.setAttribute('aria-hidden', 'true');
    this.#run(node, [{ opacity: 1 }, { opacity: 0 }], () => {
      el.classList.remove('leaving');
      el.setAttribute('role', 'row');
      el.removeAttribute('aria-hidden');
      done();
    });
    return true;
  }

  /** A node is wanted for something else. */
  stop(node) {
    const running = this.running.get(node);
    if (running === undefined) return;
    this.running.delete(node);
    running.motion.cancel();
    running.done?.();
  }

  isSeen(y) {
    return y > -40 && y < this.height;
  }

  #run(node, keyframes, done) {
    this.stop(node);
    const motion = node.el.animate(keyframes, timing);
    this.running.set(node, { motion, done });
    motion.onfinish = () => {
      if (this.running.get(node)?.motion === motion) this.stop(node);
    };
  }
}
