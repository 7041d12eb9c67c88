// silence.js: notices a server that has gone silent on an open connection. No DOM.

/** The time between two looks, in milliseconds. */
const look = 250;
/** The time by which a heartbeat may be late, in milliseconds. */
const late = 1_500;
/** The silence after which the page connects again, perhaps to another server, in milliseconds. */
const lost = 10_000;

/**
 * Watches the events of a link, and passes them on.
 *
 * A server that announces heartbeats in its `hello` and then sends nothing hangs or is cut off,
 * and the rows may be old. A message of the type `silence` reports its beginning and its end:
 *
 *     const silence = new Silence(receive, () => link.abandon(), () => document.hidden);
 *     silence.pass({ message });  // later: { message: { type: 'silence', isSilent: true } }
 *
 * A long silence abandons the connection.
 *
 * Looks are counted instead of time, because a suspended page receives nothing. A hidden
 * page gets no heartbeats.
 */
export class Silence {
  constructor(receive, abandon = () => {}, isHidden = () => false, timers = globalThis) {
    this.receive = receive;
    this.abandon = abandon;
    this.isHidden = isHidden;
    this.timers = timers;
  }
  #timer = 0;
  #looks = 0;          // since the last message
  #patience = 0;       // the number of looks without a message that are a silence
  #isSilent = false;

  /** Takes an event of the link. */
  pass(event) {
    const { message, state } = event;
    if (message !== undefined) this.#noteMessage();
    if (message?.type === 'hello') this.#begin(message.alive);
    else if (state === 'closed') this.#begin(0);
    if (message?.type !== 'alive') this.receive(event);
  }

  /** Watches the connection if the server sends heartbeats at this interval in milliseconds. */
  #begin(interval) {
    this.timers.clearInterval(this.#timer);
    this.#looks = 0;
    this.#isSilent = false;
    this.#patience = (interval + late) / look;
    this.#timer = interval > 0 ? this.timers.setInterval(() => this.#look(), look) : 0;
  }

  #look() {
    this.#looks = this.isHidden() ? 0 : this.#looks + 1;
    if (this.#looks >= this.#patience) this.#report(true);
    if (this.#looks >= lost / look) this.abandon();
  }

  #noteMessage() {
    this.#looks = 0;
    this.#report(false);
  }

  #report(isSilent) {
    if (isSilent === this.#isSilent) return;
    this.#isSilent = isSilent;
    this.receive({ message: { type: 'silence', isSilent } });
  }
}
