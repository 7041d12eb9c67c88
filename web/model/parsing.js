// parsing.js: requests to the server to parse texts of the filter bar. No DOM, no socket.

import { writtenOffsets } from './zone.js';

/**
 * Asks the server for the meaning of a text of the filter bar. Resolves to null if the table is not
 * open, or if another request follows first.
 * @param {import('./session.js').Session} session
 * @param {string} text
 * @param {number|undefined} at the caret's place, to get the texts that fit there
 */
export function parse(session, text, at) {
  if (!session.isOpen) return Promise.resolve(null);
  session.parsing ??= new Parsing(session.send);
  return session.parsing.ask({ text, at, zone: session.zone });
}

/**
 * The pending requests of a session. The server answers only the last of several, so an older one
 * resolves to null.
 *
 *     const parsing = new Parsing((message) => socket.send(message));
 *     const parsed = await parsing.ask({ text, at, zone });  // null without an answer
 *     parsing.receive(message);
 */
export class Parsing {
  constructor(send) {
    this.send = send;
  }
  #id = 0;
  #resolve = null;

  /** Asks for the meaning of a text, and with `at` for the texts that fit at this caret. */
  ask({ text, at, zone }) {
    this.lost();
    this.#id += 1;
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.send({ type: 'parse', id: this.#id, text, ...(at === undefined ? {} : { at }), ...(zone === 0 ? {} : { zone }), ...writtenOffsets(text) });
    });
  }

  /** Handles an answer. One that violates the protocol counts as none. */
  receive(message) {
    if (message.id !== this.#id) return;
    this.#resolve?.(isReading(message) ? message : null);
    this.#resolve = null;
  }

  /** Ends the pending request without an answer. */
  lost() {
    this.#resolve?.(null);
    this.#resolve = null;
  }
}

function isReading({ fault, terms, words, completion }) {
  const isText = (value) => typeof value === 'string';
  const isPart = (value) => Number.isSafeInteger(value?.from) && Number.isSafeInteger(value?.to);
  const isTerm = (term) => isPart(term) && Array.isArray(term.cut) && term.cut.length === 2 && term.cut.every(Number.isSafeInteger);
  const isRead = fault === undefined ? Array.isArray(terms) && terms.every(isTerm) && Array.isArray(words) && words.every(isText) : isPart(fault) && isText(fault.reason);
  const isItem = (item) => isText(item?.text) && isText(item.kind) && isText(item.detail);
  return isRead && (completion === undefined || (isPart(completion) && Array.isArray(completion.items) && completion.items.every(isItem)));
}
