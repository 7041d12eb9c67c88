// signin.js: the sign-in form over a pane. It shows the command that prints a sign-in link, and a
// field for the link.

import { make } from '../grid/elements.js';
import { phrase } from '../model/language.js';

/** Returns the code in a pasted link or text; empty if there is none. */
export function codeOf(text) {
  const plain = text.trim();
  const found = /[?&]code=([^&#\s]+)/.exec(plain)?.[1] ?? plain;
  return /^[\w.~-]{1,200}$/.test(found) ? found : '';
}

/**
 * Returns the command that prints a sign-in link. Without `--port` it finds the server by itself.
 */
export function signInCommand({ port }) {
  return port === '' ? 'rowcast url' : `rowcast url --port ${port}`;
}

/**
 * Returns the page's address under this machine's other name, or null.
 *
 * A browser stores a sign-in for one host name only, and `localhost` differs from `127.0.0.1`.
 */
export function otherAddress({ protocol, hostname, port, hash }) {
  const other = { '127.0.0.1': 'localhost', '[::1]': 'localhost', localhost: '127.0.0.1' }[hostname];
  return other === undefined ? null : `${protocol}//${other}${port === '' ? '' : `:${port}`}/${hash}`;
}

const used = () => phrase('This code was used before, is older than two minutes, or is from another server. Run the command again.');

// Returns the parts of a text around a placeholder, with an element in its place.
function around(text, element) {
  const [before, after] = text.split(/\{\w+\}/);
  return [before, element, after];
}

/** The sign-in form of a pane. Calls `signedIn()` after the server has accepted a code. */
export class SignIn {
  constructor(stage, signedIn) {
    this.signedIn = signedIn;
    this.form = make('form', 'signin');
    this.form.setAttribute('aria-label', phrase('Sign in'));
    this.form.append(make('h2', '', phrase('Sign-in needed')));
    const how = make('p');
    how.append(...around(phrase('Run {command} on the server and open the link it prints, or paste it here.'), make('code', '', signInCommand(location))));
    const label = make('label', '', phrase('Link or code'));
    this.input = make('input');
    Object.assign(this.input, { type: 'text', autocomplete: 'off', spellcheck: false, maxLength: 2_000, required: true });
    label.append(this.input);
    this.button = make('button', '', phrase('Sign in'));
    this.button.type = 'submit';
    this.fault = make('p', 'signin-fault');
    this.fault.setAttribute('role', 'alert');
    this.form.append(how, label, this.button, this.fault);
    if (new URLSearchParams(location.search).has('code')) this.fault.textContent = used();
    const other = otherAddress(location);
    if (other !== null) {
      const link = make('a', '', new URL(other).host);
      link.href = other;
      const hint = make('p', 'quiet');
      hint.append(...around(phrase('Signed in before? A sign-in is kept for one host name only: try {link}.'), link));
      this.form.append(hint);
    }
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    stage.append(this.form);
  }

  show(isShown) {
    if (this.form.hidden === !isShown) return;
    this.form.hidden = !isShown;
    if (!isShown) this.input.value = '';
  }

  async #submit() {
    const code = codeOf(this.input.value);
    this.fault.textContent = '';
    if (code === '') return void (this.fault.textContent = phrase('This is neither a sign-in link nor a code. Paste the whole line that the command prints.'));
    this.button.disabled = true;
    try {
      // A valid code is answered with a redirect to the cookie's path that sets the cookie.
      const answer = await fetch(`/?code=${code}`, { cache: 'no-store' });
      const { pathname } = new URL(answer.url);
      if (answer.ok && pathname !== '/') location.assign(`${pathname}${location.hash}`);
      else if (answer.ok) this.signedIn();
      else this.fault.textContent = answer.status === 429 ? phrase('Too many wrong codes. Wait a second, then try again.')
        : used();
    } catch {
      this.fault.textContent = phrase('The server cannot be reached. Check that it is running, then try again.');
    } finally {
      this.button.disabled = false;
    }
  }
}
