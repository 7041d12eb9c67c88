// acts.js: what the reader has done to rows by their source: each thing once, whatever happens to the connection. No DOM, no socket, no clock.

import { act } from '../protocol/wire.js';

const mostSaid = 12;      // the server waits with 16 answers for one page at most
const mostWaiting = 1_200;  // further ones are not begun: a selection of 1,000 rows has its place
const mostAtOnce = 40;      // acts that are sent without a pause: the server listens to 200 messages a second, and other messages need their share
const refill = 10;          // ... and so many more each `refillTime` milliseconds
const refillTime = 100;
const mostTries = 4;      // connections on which the same thing is said, until it counts as unanswered

/** What an error's code means for a person: whether what was wanted may have happened all the same. */
const unclear = new Set(['unanswered', 'forgotten']);
const refusals = new Set(['notAllowed', 'unknownAction', 'unknownTable']);

/**
 * The acts of one page:
 *
 *     const acts = new Acts(send, (entry) => ...);   // hears of every change of an entry: 'waiting', 'said', 'done' or 'failed'
 *     acts.greeted(secret);                          // a connection stands; what was not answered is said again, with its old id
 *     acts.run({ table, action, row, values, epoch });  // answers the entry
 *     acts.receive(acted);
 *
 * Several are made by `prepare`, and sent by `begin`. One that was not sent yet can be called off by `cancel`. `how.fault(entry)` answers why one that
 * waits must not be sent any more, or null; `how.later(call, wait)` calls later.
 *
 * @typedef {{id: number, table: string, action: object, row: number|undefined, values: object, epoch: string, state: string, code: string, text: string, isUnclear: boolean}} Entry
 */
export class Acts {
  constructor(send, tell, { fault = () => null, later = (call) => call() } = {}) {
    Object.assign(this, { send, tell, fault, later });
    /** Those that are not answered yet, in the order in which they were wanted. @type {Map<number, Entry>} */
    this.open = new Map();
  }
  #last = 0;
  #secret = null;   // of the connection that stands
  #allowed = mostAtOnce;
  #isRefilling = false;

  /** Whether something is on its way to be done to this row. */
  isActing(row) {
    for (const entry of this.open.values()) if (entry.row === row) return true;
    return false;
  }

  /** A connection stands; `secret` names its session. */
  greeted(secret) {
    this.#secret = secret;
    for (const entry of this.open.values()) {
      if (entry.state !== 'said') continue;
      if (entry.tries >= mostTries) this.#fail(entry, 'The server did not answer in time.', true);
      else this.#say(entry);
    }
    this.#next();
  }

  /** The connection is gone. */
  lost() {
    this.#secret = null;
  }

  /** Has something done, to a row or to the whole table. */
  run(wish) {
    return this.begin(this.prepare(wish));
  }

  /** One that is to be begun. */
  prepare({ table, action, row, values, epoch = '' }) {
    this.#last += 1;
    return { id: this.#last, table, action, row, values, epoch, state: 'waiting', code: '', text: '', isUnclear: false, session: null, tries: 0 };
  }

  /** Has it done as soon as the server has time for it. */
  begin(entry) {
    this.open.set(entry.id, entry);
    if (this.#secret === null) this.#fail(entry, 'Not connected to the server.');
    else if (this.open.size > mostWaiting) this.#fail(entry, 'Too many actions are waiting. Try again when some are done.');
    else this.#next();
    return entry;
  }

  /** It is not to be done, if it was not sent yet. */
  cancel(entry) {
    if (entry.state === 'waiting' && this.open.has(entry.id)) this.#end(entry, 'cancelled', '');
  }

  /** What became of one. */
  receive({ id, result, error }) {
    const entry = this.open.get(id);
    if (entry === undefined) return;
    if (error !== undefined) {
      entry.code = error.code;
      this.#fail(entry, error.reason || error.code, unclear.has(error.code));
    }
    else this.#end(entry, 'done', result ?? '');
    this.#next();
  }

  /** The server has refused a message and will close: what was said last was not begun, and must not be said again. */
  refused(code, reason) {
    if (!refusals.has(code)) return;
    const said = [...this.open.values()].findLast(({ state }) => state === 'said');
    if (said !== undefined) this.#fail(said, reason || code);
  }

  #next() {
    if (this.#secret === null) return;
    let said = 0;
    for (const entry of this.open.values()) {
      if (said >= mostSaid) return;
      if (entry.state === 'waiting') {
        const fault = this.fault(entry);
        if (fault !== null) {
          this.#fail(entry, fault);
          continue;
        }
        if (this.#allowed === 0) return void this.#refill();
        this.#allowed -= 1;
        this.#say(entry);
      }
      said += 1;
    }
    if (this.#allowed < mostAtOnce) this.#refill();
  }

  #refill() {
    if (this.#isRefilling) return;
    this.#isRefilling = true;
    this.later(() => {
      this.#isRefilling = false;
      this.#allowed = Math.min(mostAtOnce, this.#allowed + refill);
      this.#next();
    }, refillTime);
  }

  // On the connection on which it is said first it needs no session; said again it names that one, and is not begun twice.
  #say(entry) {
    const { id, table, action, row, values } = entry;
    entry.tries += 1;
    const isAgain = entry.session !== null;
    this.send(act({ id, table, action: action.name, row, values, session: isAgain ? entry.session : undefined }));
    if (isAgain) return;
    entry.session = this.#secret;
    entry.state = 'said';
    this.tell(entry);
  }

  #fail(entry, text, isUnclear = false) {
    entry.isUnclear = isUnclear;
    this.#end(entry, 'failed', text);
  }

  #end(entry, state, text) {
    this.open.delete(entry.id);
    Object.assign(entry, { state, text });
    this.tell(entry);
  }
}

/** The actions of a table that this reader may have done: those for rows, or those for the whole table. */
export function actionsOf(table, role, isForRows) {
  if (role === 'viewer') return [];
  return (table?.actions ?? []).filter(({ rows }) => (rows === true) === isForRows);
}

/**
 * What was typed into an argument's field as its value.
 *
 * @param {object} argument as `hello` describes it
 * @param {string|boolean} typed
 * @returns {{value?: *, fault?: string}} neither: it is left out, and has its default
 */
export function valueOf({ label, name, type, choices, default: usual, minimum, maximum }, typed) {
  const title = label || name;
  if (type === 'boolean') return { value: typed === true };
  if (choices !== undefined) {
    const at = typed === '' ? -1 : Number(typed);
    return at in choices ? { value: choices[at] } : usual !== undefined ? {} : { fault: `${title} must be chosen.` };
  }
  if (type === 'text') {
    if (typed === '' && usual !== undefined) return {};
    return typed.length > 1_000 ? { fault: `${title} may have 1,000 characters.` } : { value: typed };
  }
  const text = typed.trim();
  if (text === '') return usual !== undefined ? {} : { fault: `${title} must be said.` };
  const value = Number(text);
  if (!Number.isFinite(value)) return { fault: `${title} must be a number.` };
  if (type === 'integer' && !Number.isSafeInteger(value)) return { fault: `${title} must be a whole number.` };
  if (minimum !== undefined && value < minimum) return { fault: `${title} must be at least ${minimum.toLocaleString()}.` };
  if (maximum !== undefined && value > maximum) return { fault: `${title} must be at most ${maximum.toLocaleString()}.` };
  return { value };
}
