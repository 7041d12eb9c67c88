// menu.js: a menu, as the ARIA menu pattern has it: arrows, Home, End, first letters, Enter, Escape.

let close = () => {};

/**
 * @typedef {{label: string, run?: () => void, hint?: string, isChecked?: boolean, isRadio?: boolean, isDisabled?: boolean, isDanger?: boolean, why?: string}|{heading: string}|null} MenuItem
 *   null draws a line, `heading` opens a group with this name; `hint` is a key that does the same, `why` says why it is disabled
 */

/**
 * Opens a menu under an element. Whatever had the focus has it again afterwards, unless what was chosen moves it elsewhere.
 *
 * @param {Element} under
 * @param {string} label what the menu is about
 * @param {MenuItem[]} items
 * @param {() => void} closed called when it closes, before what was chosen is run
 */
export function openMenu(under, label, items, closed = () => {}) {
  close();
  const menu = document.createElement('div');
  menu.className = 'menu';
  menu.setAttribute('role', 'menu');
  menu.setAttribute('aria-label', label);
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
      if (item.isDisabled) return;
      close();
      item.run?.();
    });
  }
  const before = document.activeElement;
  const grid = before?.closest('.grid');
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
    // The table may have drawn that cell elsewhere meanwhile: it knows where its active one is now.
    if (hadFocus && document.activeElement === document.body) grid?.focus({ preventScroll: true });
  };
  const how = { signal: done.signal, capture: true };
  addEventListener('pointerdown', ({ target }) => { if (!menu.contains(target)) close(); }, how);
  addEventListener('blur', ({ target }) => { if (target === window) close(); }, how);
  addEventListener('resize', () => close(), how);
  menu.addEventListener('keydown', (event) => {
    event.stopPropagation();
    const to = next(choices, choices.indexOf(document.activeElement), event);
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
  menu.addEventListener('pointermove', ({ target }) => target.closest('.choice')?.focus({ preventScroll: true }));
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

/** The choice that a key leads to, or undefined. */
function next(choices, at, { key }) {
  switch (key) {
    case 'ArrowDown': return choices[(at + 1) % choices.length];
    case 'ArrowUp': return choices[(at - 1 + choices.length) % choices.length];
    case 'Home': return choices[0];
    case 'End': return choices.at(-1);
    default: {
      if (key.length !== 1 || key === ' ') return undefined;
      const order = [...choices.slice(at + 1), ...choices.slice(0, at + 1)];
      return order.find((choice) => choice.textContent.toLowerCase().startsWith(key.toLowerCase()));
    }
  }
}

/** Puts a fixed element under a box, inside of what is visible. */
export function putUnder(element, box) {
  const isRightToLeft = getComputedStyle(element).direction === 'rtl';
  const { offsetWidth: width, offsetHeight: height } = element;
  const left = isRightToLeft ? box.right - width : box.left;
  const hasRoom = box.bottom + 4 + height <= innerHeight - 8;
  element.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, left))}px`;
  element.style.top = `${hasRoom ? box.bottom + 4 : Math.max(8, Math.min(innerHeight - height - 8, box.top - height - 4))}px`;
}
