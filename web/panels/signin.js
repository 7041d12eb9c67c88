// signin.js: asks the user to sign in, over whatever the pane shows: the command that prints a link, and a field for it.

/** The code in a pasted link, or the text itself when it is only the code; empty when it is neither. */
export function codeOf(text) {
  const plain = text.trim();
  const found = /[?&]code=([^&#\s]+)/.exec(plain)?.[1] ?? plain;
  return /^[\w.~-]{1,200}$/.test(found) ? found : '';
}

/** The command that prints a sign-in link; without a port in the address the command finds the server by itself. */
export function signInCommand({ port }) {
  return port === '' ? 'rowcast url' : `rowcast url --port ${port}`;
}

/** The same page under the other name of this machine, or null. A browser keeps a sign-in for one name only. */
export function otherAddress({ protocol, hostname, port, hash }) {
  const other = { '127.0.0.1': 'localhost', '[::1]': 'localhost', localhost: '127.0.0.1' }[hostname];
  return other === undefined ? null : `${protocol}//${other}${port === '' ? '' : `:${port}`}/${hash}`;
}

const used = 'This code was used before, is older than two minutes, or is from another server. Run the command again.';

/** The sign-in form of a pane; `signedIn()` is called when the server has accepted a code. */
export class SignIn {
  constructor(stage, signedIn) {
    this.signedIn = signedIn;
    this.form = make('form', 'signin');
    this.form.setAttribute('aria-label', 'Sign in');
    this.form.append(make('h2', '', 'Sign-in needed'));
    const how = make('p', '', 'Run ');
    how.append(make('code', '', signInCommand(location)), ' on the server and open the link it prints, or paste it here.');
    const label = make('label', '', 'Link or code');
    this.input = make('input');
    Object.assign(this.input, { type: 'text', autocomplete: 'off', spellcheck: false, maxLength: 2_000, required: true });
    label.append(this.input);
    this.button = make('button', '', 'Sign in');
    this.fault = make('p', 'signin-fault');
    this.fault.setAttribute('role', 'alert');
    this.form.append(how, label, this.button, this.fault);
    if (new URLSearchParams(location.search).has('code')) this.fault.textContent = used;
    const other = otherAddress(location);
    if (other !== null) {
      const link = make('a', '', new URL(other).host);
      link.href = other;
      const hint = make('p', 'quiet', 'Signed in before? A sign-in is kept for one host name only: try ');
      hint.append(link, '.');
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
    if (code === '') return void (this.fault.textContent = 'This is neither a sign-in link nor a code. Paste the whole line that the command prints.');
    this.button.disabled = true;
    try {
      // The answer to a good code is a redirect that sets the cookie, to the path that the cookie is limited to.
      const answer = await fetch(`/?code=${code}`, { cache: 'no-store' });
      const { pathname } = new URL(answer.url);
      if (answer.ok && pathname !== '/') location.assign(`${pathname}${location.hash}`);
      else if (answer.ok) this.signedIn();
      else this.fault.textContent = answer.status === 429 ? 'Too many wrong codes. Wait a second, then try again.'
        : used;
    } catch {
      this.fault.textContent = 'The server cannot be reached. Check that it is running, then try again.';
    } finally {
      this.button.disabled = false;
    }
  }
}

function make(kind, name = '', text = '') {
  const element = document.createElement(kind);
  if (name !== '') element.className = name;
  element.textContent = text;
  return element;
}
