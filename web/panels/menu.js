// menu.js: a menu (ARIA menu pattern): arrow keys, Home, End, first letters, Enter, Escape.

import { Typeahead } from '../model/typeahead.js';

let close = () => {};

/**
 * An item of a menu: null draws a separator, and `heading` begins a group with this title.
 *
 * `hint` is a keyboard shortcut to show. `why` is the reason why the item is disabled: a tooltip,
 * and a text below the item once it is chosen.
 *
 * @typedef {{label?: string, run?: () => void, hint?: string, isChecked?: boolean,
 *   isRadio?: boolean, isDisabled?: boolean, isDanger?: boolean, why?: string, heading?: string}
 *   |null} MenuItem
 */

/**
 * Opens a menu below an element and closes any open menu.
 *
 * When the menu closes, the focus returns to the previous element before the chosen item runs.
 *
 * @param {Element} under
 * @param {string} label the menu's accessible name
 * @param {MenuItem[]} items
 * @param {() => void} closed called when the menu closes, before the chosen item runs
 */
export function openMenu(under, label, items, closed = () => {}) {
  close();
  const menu = document.createElement('div');
  menu.className = 'menu';
  menu.setAttribute('role', 'menu');
  menu.setAttribute('aria-label', label);
  /** @type {HTMLElement[]} */
  const choices = [];
  let group = menu;
  for (const item of items) {
    if (item === null) {
      const line = document.createElement('div');
      line.setAttribute('role', 'separator');
      menu.append(line);
      group = menu;
      continue;
    }
    if (item.heading !== undefined) {
      group = makeGroup(item.heading);
      menu.append(group);
      continue;
    }
    const choice = makeChoice(item);
    choices.push(choice);
    group.append(choice);
    choice.addEventListener('click', () => {
      if (item.isDisabled) {
        choice.classList.toggle('explained', item.why !== undefined);
        return void putUnder(menu, under.getBoundingClientRect());
      }
      close();
      item.run?.();
    });
  }
  const before = document.activeElement;
  const grid = /** @type {HTMLElement|null|undefined} */ (before?.closest('.grid'));
  document.body.append(menu);
  putUnder(menu, under.getBoundingClientRect());
  under.setAttribute('aria-expanded', 'true');

  const done = new AbortController();
  close = () => {
    close = () => {};
    done.abort();
    const hadFocus = menu.contains(document.activeElement);
    menu.remove();
    under.removeAttribute('aria-expanded');
    closed();
    if (hadFocus && before?.isConnected) before.focus({ preventScroll: true });
    // The cell's node may have been recycled. The grid then passes the focus to its active cell.
    if (hadFocus && document.activeElement === document.body) grid?.focus({ preventScroll: true });
  };
  const how = { signal: done.signal, capture: true };
  const typeahead = new Typeahead();
  addEventListener('pointerdown', (/** @type {On<PointerEvent>} */ { target }) => { if (!menu.contains(target)) close(); }, how);
  addEventListener('blur', ({ target }) => { if (target === window) close(); }, how);
  addEventListener('resize', () => close(), how);
  menu.addEventListener('keydown', (event) => {
    event.stopPropagation();
    const to = next(choices, choices.indexOf(document.activeElement), event, typeahead);
    if (to !== undefined) {
      event.preventDefault();
      to.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      close();
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      document.activeElement.click();
    }
  });
  // The menu key may send this when it is released.
  menu.addEventListener('contextmenu', (event) => event.preventDefault());
  menu.addEventListener('pointermove', (/** @type {On<PointerEvent>} */ { target }) => {
    /** @type {HTMLElement|null} */ (target.closest('.choice'))?.focus({ preventScroll: true });
  });
  choices.find((choice) => choice.getAttribute('aria-disabled') === null)?.focus();
}

function makeGroup(name) {
  const group = document.createElement('div');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', name);
  const heading = document.createElement('div');
  heading.className = 'menu-heading';
  heading.setAttribute('aria-hidden', 'true');
  heading.textContent = name;
  group.append(heading);
  return group;
}

/** @param {MenuItem} item */
function makeChoice({ label, hint, isChecked, isRadio, isDisabled, isDanger, why = '' }) {
  const choice = document.createElement('div');
  choice.className = isDanger ? 'choice danger' : 'choice';
  choice.tabIndex = -1;
  choice.setAttribute('role', isChecked === undefined ? 'menuitem' : isRadio ? 'menuitemradio' : 'menuitemcheckbox');
  if (isChecked !== undefined) choice.setAttribute('aria-checked', String(isChecked));
  if (isDisabled) choice.setAttribute('aria-disabled', 'true');
  if (why !== '') {
    choice.title = why;
    choice.setAttribute('aria-description', why);
  }
  const text = document.createElement('span');
  text.textContent = label;
  choice.append(text);
  if (hint) {
    const key = document.createElement('kbd');
    key.setAttribute('aria-hidden', 'true');
    key.textContent = hint;
    choice.append(key);
  }
  return choice;
}

/** Returns the item to focus for a key, or undefined. */
function next(choices, at, { key, ctrlKey, metaKey, altKey, timeStamp }, typeahead) {
  switch (key) {
    case 'ArrowDown': return choices[(at + 1) % choices.length];
    case 'ArrowUp': return choices[(at - 1 + choices.length) % choices.length];
    case 'Home': return choices[0];
    case 'End': return choices.at(-1);
    default: {
      if (key.length !== 1 || ctrlKey || metaKey || altKey || (key === ' ' && !typeahead.isTyping(timeStamp))) return undefined;
      return choices[typeahead.take(key, choices.map(({ textContent }) => textContent), at, timeStamp)];
    }
  }
}

/** Places an element with fixed position below a box, or above it if it does not fit below. */
export function putUnder(element, box) {
  const isRightToLeft = getComputedStyle(element).direction === 'rtl';
  const { offsetWidth: width, offsetHeight: height } = element;
  const left = isRightToLeft ? box.right - width : box.left;
  const hasRoom = box.bottom + 4 + height <= innerHeight - 8;
  element.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, left))}px`;
  element.style.top = `${hasRoom ? box.bottom + 4 : Math.max(8, Math.min(innerHeight - height - 8, box.top - height - 4))}px`;
}
