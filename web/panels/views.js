// views.js: the tabs of the views that the server keeps for a table, and their commands. Loaded
// after the first rows.

import { keepChildren, make } from '../grid/elements.js';
import { copyLink } from './copylink.js';
import { openMenu } from './menu.js';
import { askView } from './viewbox.js';
import { addressOf, bodyOf, listFrom, nameFrom, standardView, stateOf, viewOfSaved } from '../model/saved.js';
import { defaultView, setDefaultView } from '../grid/browser.js';
import { hashFromView } from '../model/query.js';
import { isRightToLeft, phrase } from '../model/language.js';

/**
 * The tabs above the table.
 *
 * `on` has these functions:
 * - `session()` returns the session of the active pane.
 * - `change(view)` shows a view.
 * - `rename(name)` changes the name of the shown view only, without a step of the history.
 * - `show(text, isGood)` shows a notice, `leave()` moves the focus to the table.
 */
export class ViewTabs {
  constructor(nav, on) {
    this.nav = nav;
    this.on = on;
    nav.addEventListener('keydown', (event) => this.#press(event));
    this.#more.setAttribute('aria-haspopup', 'menu');
    this.#more.title = phrase('Save, rename, share or delete the view');
    this.#more.addEventListener('click', () => openMenu(this.#more, phrase('View'), this.items));
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.load(); });
  }
  /** The views of the table, and whether and why not the user may save some. */
  state = { table: null, views: [], maySave: false, reason: '' };
  #turn = 0;
  #drawn = '';
  // Kept while the tabs are drawn: a menu returns the focus to its button, and a click that began
  // before ends on the same tab.
  #more = make('button', 'view-more', phrase('View ▾'));
  #tabs = new Map();  // by name of the view; null for the standard one

  /** Updates the tabs to the shown view, and loads the views of another table. */
  update() {
    const { view } = this.on.session();
    if (this.state.table !== view.table) {
      this.state = { ...this.state, table: view.table, views: [] };
      this.load();
    }
    this.#draw();
  }

  /** Loads the views of the table from the server. */
  async load() {
    const { table } = this.state;
    if (!table) return;
    const turn = this.#turn += 1;
    const answer = await request(`views?table=${encodeURIComponent(table)}`).catch(() => null);
    if (turn !== this.#turn || answer === null) return;
    this.state = { table, ...listFrom(answer) };
    this.#draw();
  }

  #draw() {
    const { view, table } = this.on.session();
    const { views } = this.state;
    const { saved, isChanged } = stateOf(view, views, table);
    const drawn = JSON.stringify([views, saved?.name, isChanged, defaultName(view.table)]);
    this.nav.hidden = views.length === 0;
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const focused = [...this.nav.children].indexOf(document.activeElement);
    const before = this.#tabs;
    this.#tabs = new Map();
    const tab = (title, name, isCurrent, more = '') => {
      const button = before.get(name) ?? this.#makeTab(name);
      this.#tabs.set(name, button);
      button.replaceChildren(title, ...(more === '' ? [] : [make('small', '', more)]));
      if (isCurrent) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
      return button;
    };
    keepChildren(this.nav, [
      tab(phrase('Standard'), null, saved === undefined),
      ...views.map((one) => tab(one.title, one.name, one === saved, [
        one === saved && isChanged ? phrase('changed') : '', one.name === defaultName(view.table) ? phrase('default') : '',
      ].filter(Boolean).join(', '))),
      this.#more,
    ]);
    if (focused >= 0 && !this.nav.contains(document.activeElement)) (this.nav.children[Math.min(focused, this.nav.childElementCount - 1)])?.focus();
  }

  #makeTab(name) {
    const button = make('button', 'view-tab');
    button.addEventListener('click', () => this.open(name));
    return button;
  }

  #press(event) {
    const tabs = [...this.nav.children];
    const step = (isRightToLeft() ? { ArrowRight: -1, ArrowLeft: 1 } : { ArrowRight: 1, ArrowLeft: -1 })[event.key];
    if (event.key === 'Escape') return this.on.leave();
    const next = event.key === 'Home' ? tabs[0] : event.key === 'End' ? tabs.at(-1) : tabs[tabs.indexOf(document.activeElement) + step];
    if (!next) return undefined;
    event.preventDefault();
    return next.focus();
  }

  /** Opens a saved view by name; null opens the table's standard view. */
  open(name) {
    const saved = this.state.views.find((one) => one.name === name);
    this.on.change(saved === undefined ? standardView(this.on.session().view.table) : viewOfSaved(saved));
  }

  /** The commands of the shown view, as items of a menu. */
  get items() {
    const { view, table } = this.on.session();
    const { maySave, reason, views } = this.state;
    const { saved, isChanged } = stateOf(view, views, table);
    const lack = maySave || !this.#isLoaded ? {} : { isDisabled: true, why: reason };
    const foreign = saved?.mayChange === false ? { isDisabled: true, why: phrase('This view belongs to another user. Save yours under another name.') } : lack;
    const items = [
      { label: phrase('Save view…'), ...lack, run: () => this.#save() },
      { label: phrase('Import a view…'), ...lack, run: () => this.#import() },
    ];
    if (saved === undefined) return items;
    const isDefault = defaultName(view.table) === saved.name;
    return [
      ...(isChanged ? [{ label: phrase('Save “{title}”', { title: saved.title }), ...foreign, run: () => this.#put(saved, { address: addressOf(view) }) }] : []),
      ...(isChanged ? [{ label: phrase('Discard the changes'), run: () => this.open(saved.name) }] : []),
      ...items,
      { label: phrase('Rename…'), ...foreign, run: () => this.#rename(saved) },
      { label: phrase('My default'), isChecked: isDefault, run: () => this.#setDefault(isDefault ? null : saved) },
      null,
      { label: phrase('Copy the link'), run: () => this.#copy(`${location.origin}/v/${saved.name}`) },
      { label: phrase('Copy the short link'), run: () => this.#copy(`${location.origin}/v/~${saved.id}`) },
      { label: phrase('Export as YAML'), run: () => download(`views/${saved.name}`, `${saved.name}.yaml`) },
      { label: phrase('Delete'), isDanger: true, ...foreign, run: () => this.#delete(saved) },
    ];
  }

  // Whether the server has said whether the user may save views. Until then, commands wait for it.
  get #isLoaded() {
    return this.state.maySave || this.state.reason !== '';
  }

  // Returns whether the user may save views, and shows why not.
  async #mayBegin() {
    if (!this.#isLoaded) await this.load();
    const { maySave, reason } = this.state;
    if (!maySave) this.on.show(reason || phrase('The views could not be loaded. Try again.'), false);
    return maySave;
  }

  async #save() {
    if (!await this.#mayBegin()) return;
    const { view, table } = this.on.session();
    const taken = this.state.views.map(({ name }) => name);
    const title = stateOf(view, this.state.views).saved?.title ?? '';
    await askView({ heading: phrase('Save view'), title: title === '' ? '' : `${title} 2`, name: '', role: 'viewer', taken, isNew: true }, async ({ name, role, title: chosen }) => {
      await this.#send(name, bodyOf({ name, title: chosen, role, table: table.name, address: addressOf(view) }));
      this.on.rename(name);
      this.on.show(phrase('Saved the view “{title}”', { title: chosen }), true);
    });
  }

  async #rename(saved) {
    const taken = this.state.views.map(({ name }) => name).filter((name) => name !== saved.name);
    await askView({ heading: phrase('Rename view'), ...saved, taken, isNew: false }, async ({ name, role, title }) => {
      const isDefault = defaultName(saved.table) === saved.name;
      await this.#check(saved);
      await this.#send(saved.name, bodyOf({ ...saved, name, role, title }));
      if (isDefault) this.#setDefault(this.state.views.find((one) => one.name === name) ?? null);
      this.on.rename(name);
      this.on.show(phrase('Renamed the view to “{title}”', { title }), true);
    });
  }

  async #put(saved, changes) {
    try {
      await this.#check(saved);
      await this.#send(saved.name, bodyOf({ ...saved, ...changes }));
      this.on.show(phrase('Saved the view “{title}”', saved), true);
    } catch (error) {
      this.on.show(error.message, false);
    }
  }

  // Throws an error if a view was deleted meanwhile, because the server would take it as a new one.
  async #check({ id, title }) {
    await this.load();
    if (!this.state.views.some((one) => one.id === id)) throw new Error(phrase('The view “{title}” was deleted meanwhile: save yours as a new view.', { title }));
  }

  async #delete(saved) {
    try {
      await request(`views/${saved.name}?version=${saved.version}`, { method: 'DELETE' });
      if (defaultName(saved.table) === saved.name) this.#setDefault(null);
      this.on.rename(undefined);
      this.on.show(phrase('Deleted the view “{title}”', saved), true);
    } catch (error) {
      this.on.show(error.message, false);
    }
    await this.load();
    this.on.leave();
  }

  async #import() {
    if (!await this.#mayBegin()) return;
    const input = make('input', 'unseen', '');
    input.type = 'file';
    input.accept = '.yaml,.yml';
    input.setAttribute('aria-label', phrase('File of a view'));
    input.addEventListener('change', async () => {
      try {
        const text = await input.files[0].text();
        // The version belongs to another server.
        const own = text.split('\n').filter((line) => !/^(?:version|id|owner):/.test(line)).join('\n');
        const name = /^name: *"?([a-z0-9-]+)"? *$/m.exec(own)?.[1] ?? nameFrom(input.files[0].name.replace(/\.ya?ml$/, ''));
        const saved = await this.#send(name, own);
        this.on.change(viewOfSaved(saved));
        this.on.show(phrase('Imported the view “{title}”', saved), true);
      } catch (error) {
        this.on.show(error.message, false);
      } finally {
        input.remove();
      }
    });
    input.addEventListener('cancel', () => input.remove());
    document.body.append(input);
    input.click();
  }

  // Sends a view, and loads the list again. Throws an error with the server's reason.
  async #send(name, body) {
    const saved = await request(`views/${name}`, { method: 'PUT', body, headers: { 'Content-Type': 'application/yaml' } });
    await this.load();
    return saved;
  }

  #setDefault(saved) {
    const { table } = this.state;
    setDefaultView(table, saved === null ? '' : hashFromView(viewOfSaved(saved)));
    this.#draw();
    this.on.show(saved === null ? phrase('This table has no default of yours now') : phrase('“{title}” opens with this table in this browser', saved), true);
  }

  #copy(href) {
    const isCopied = copyLink(href);
    this.on.show(isCopied ? phrase('Copied {address}', { address: href }) : phrase('The browser did not allow copying. The link is: {address}', { address: href }), isCopied);
  }
}

/** Returns the saved view of a name. Throws an error with the server's reason. */
export function fetchView(name) {
  return request(`views/${encodeURIComponent(name)}?as=json`);
}

function defaultName(table) {
  return defaultView(table)?.named;
}

async function request(path, how = {}) {
  const answer = await fetch(`${globalThis.rowcast.room}/${path}`, how).catch(() => null);
  if (answer === null) throw new Error(phrase('The server cannot be reached.'));
  if (!answer.ok) throw new Error((await answer.text()).trim() || phrase('The server refused this ({status}).', { status: String(answer.status) }));
  return answer.json();
}

function download(path, name) {
  const link = make('a', '', '');
  link.href = `${globalThis.rowcast.room}/${path}`;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
