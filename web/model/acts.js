// acts.js: requests for actions; each runs at most once, even if the connection is lost. No DOM, no
// socket, no clock.

import { act } from '../protocol/wire.js';
import { phrase } from './language.js';

const mostSent = 12;      // requests in flight; the server allows 16 per client
const mostWaiting = 1_200;  // pending requests: enough for a selection of 1,000 rows
// Token bucket: `mostAtOnce` requests in a burst, then `refill` more every `refillTime`
// milliseconds. The server accepts 200 messages per second, shared with all other messages.
const mostAtOnce = 40;
const refill = 10;
const refillTime = 100;
const mostTries = 4;      // connections on which a request is sent before it fails

/** Error codes after which the action may have run nevertheless. */
const unclear = new Set(['unanswered', 'forgotten']);
const refusals = new Set(['notAllowed', 'unknownAction', 'unknownTable']);

/**
 * The action requests of one page.
 *
 *     const acts = new Acts(send, (entry) => ...);   // called when an entry changes its state
 *     acts.helloReceived(secret);                    // connected; sends unanswered requests again
 *     acts.run({ table, action, row, values, epoch });  // returns the entry
 *     acts.receive(acted);
 *
 * `prepare` makes an entry without sending it, `begin` queues it, and `cancel` drops it if it has
 * not been sent. An entry's state is 'waiting', 'sent', 'done', 'failed' or 'cancelled'.
 * `how.fault(entry)` returns why a waiting request must not be sent, or null.
 * `how.later(call, wait)` calls `call` after `wait` milliseconds.
 *
 * @typedef {{id: number, table: string, action: object, row: number|undefined, values: object,
 *   epoch: string, state: string, code: string, text: string, isUnclear: boolean,
 *   session: string|null, tries: number}} Entry
 */
export class Acts {
  /**
   * @param {(message: object) => void} send
   * @param {(entry: Entry) => void} report
   * @param {{fault?: (entry: Entry) => string|null, later?: (call: () => void, wait: number) => void}} how
   */
  constructor(send, report, { fault = () => null, later = (call) => call() } = {}) {
    this.send = send;
    this.report = report;
    this.fault = fault;
    this.later = later;
    /**
     * Unanswered requests by id, oldest first.
     * @type {Map<number, Entry>}
     */
    this.open = new Map();
  }
  #last = 0;
  #secret = null;   // of the current session; null while disconnected
  #allowed = mostAtOnce;
  #isRefilling = false;

  /** Whether an unanswered request targets this row. */
  isActing(row) {
    for (const entry of this.open.values()) if (entry.row === row) return true;
    return false;
  }

  /** Resends unanswered requests on a new connection; `secret` names its session. */
  helloReceived(secret) {
    this.#secret = secret;
    for (const entry of this.open.values()) {
      if (entry.state !== 'sent') continue;
      if (entry.tries >= mostTries) this.#fail(entry, phrase('The server did not answer in time.'), true);
      else this.#sendEntry(entry);
    }
    this.#next();
  }

  /** Stops sending until the next `helloReceived`, because the connection is lost. */
  lost() {
    this.#secret = null;
  }

  /** Queues a request for an action on a row or on the whole table, and returns its entry. */
  run(request) {
    return this.begin(this.prepare(request));
  }

  /** Returns a new entry, which `begin` queues. */
  prepare({ table, action, row = undefined, values, epoch = '' }) {
    this.#last += 1;
    return { id: this.#last, table, action, row, values, epoch, state: 'waiting', code: '', text: '', isUnclear: false, session: null, tries: 0 };
  }

  /** Queues an entry. It fails at once if disconnected or if too many are pending. */
  begin(entry) {
    this.open.set(entry.id, entry);
    if (this.#secret === null) this.#fail(entry, phrase('Not connected to the server.'));
    else if (this.open.size > mostWaiting) this.#fail(entry, phrase('Too many actions are waiting. Try again when some are done.'));
    else this.#next();
    return entry;
  }

  /** Cancels an entry that has not been sent. */
  cancel(entry) {
    if (entry.state === 'waiting' && this.open.has(entry.id)) this.#end(entry, 'cancelled', '');
  }

  /** Ends the entry that an `acted` message answers. */
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

  /**
   * Fails the last request sent, because the server refused it and will close the connection.
   * The action did not start, so the request must not be sent again.
   */
  refused(code, reason) {
    if (!refusals.has(code)) return;
    const sent = [...this.open.values()].findLast(({ state }) => state === 'sent');
    if (sent !== undefined) this.#fail(sent, reason || code);
  }

  #next() {
    if (this.#secret === null) return;
    let sent = 0;
    for (const entry of this.open.values()) {
      if (sent >= mostSent) return;
      if (entry.state === 'waiting') {
        const fault = this.fault(entry);
        if (fault !== null) {
          this.#fail(entry, fault);
          continue;
        }
        if (this.#allowed === 0) return void this.#refill();
        this.#allowed -= 1;
        this.#sendEntry(entry);
      }
      sent += 1;
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

  // A resent request names the session in which it was first sent, so that the server runs it once.
  #sendEntry(entry) {
    const { id, table, action, row, values } = entry;
    entry.tries += 1;
    const isAgain = entry.session !== null;
    this.send(act({ id, table, action: action.name, row, values, session: isAgain ? entry.session : undefined }));
    if (isAgain) return;
    entry.session = this.#secret;
    entry.state = 'sent';
    this.report(entry);
  }

  #fail(entry, text, isUnclear = false) {
    entry.isUnclear = isUnclear;
    this.#end(entry, 'failed', text);
  }

  #end(entry, state, text) {
    this.open.delete(entry.id);
    Object.assign(entry, { state, text });
    this.report(entry);
  }
}

/**
 * Returns the table's actions this user may run: those on rows, or those on the whole table.
 * Actions that try the arguments of others are left out.
 */
export function actionsOf(table, role, isForRows) {
  if (role === 'viewer') return [];
  const actions = table?.actions ?? [];
  return actions.filter(({ name, rows }) => (rows === true) === isForRows && !actions.some(({ trial }) => trial === name));
}

/** Returns the action that tries the arguments of another one, undefined if there is none. */
export function trialOf(action, table) {
  return action.trial === undefined ? undefined : table?.actions?.find(({ name }) => name === action.trial);
}

/**
 * Converts the input of an argument's field to its value.
 *
 * @param {object} argument as described in `hello`
 * @param {string|boolean} typed
 * @returns {{value?: *, fault?: string}} empty if the argument is left out and has a default
 */
export function valueOf({ label, name, type, choices, default: usual, minimum, maximum }, typed) {
  const title = label || name;
  if (type === 'boolean') return { value: typed === true };
  if (choices !== undefined) {
    const at = typed === '' ? -1 : Number(typed);
    return at in choices ? { value: choices[at] } : usual !== undefined ? {} : { fault: phrase('{title} must be chosen.', { title }) };
  }
  if (type === 'text') {
    if (typed === '' && usual !== undefined) return {};
    return String(typed).length > 1_000 ? { fault: phrase('{title} may have at most {most} characters.', { title, most: 1_000 }) } : { value: typed };
  }
  const text = String(typed).trim();
  if (text === '') return usual !== undefined ? {} : { fault: phrase('{title} must be given.', { title }) };
  const value = Number(text);
  if (!Number.isFinite(value)) return { fault: phrase('{title} must be a number.', { title }) };
  if (type === 'integer' && !Number.isSafeInteger(value)) return { fault: phrase('{title} must be a whole number.', { title }) };
  if (minimum !== undefined && value < minimum) return { fault: phrase('{title} must be at least {minimum}.', { title, minimum }) };
  if (maximum !== undefined && value > maximum) return { fault: phrase('{title} must be at most {maximum}.', { title, maximum }) };
  return { value };
}
