// main.js: the page's entry module. It connects one or two panes with the bars around them, which
// show the active pane's table.

import { bring, density, firstTable, goStep, hasFacets, listenForAddress, listenForShortcuts, recall, setDensity, setFacets, showShortcuts, setAddress, viewOf, viewsFromAddress } from '../grid/browser.js';
import { emptyView, rowFromHash, withoutPart } from '../model/query.js';
import { openLink } from '../protocol/link.js';
import { Pane } from './pane.js';
import { phrase, setLanguage } from '../model/language.js';

const $ = (id) => document.getElementById(id);

// The first of all, because everything below has texts.
const { file, locale } = globalThis.rowcast.language;
if (file === undefined) setLanguage(null, locale);
else await import('./translating.js').then(({ translate }) => translate(file, locale), () => {});  // without it, the page is English

const groups = $('groups');
const on = {
  viewed(pane) {
    pane.facets?.show();
    if (pane === active) showView();
  },
  viewChanged: (_, isStep, part) => setAddress(shownViews(), isStep, part),
  listed: (pane) => pane === active && showTables(),
  stateChanged: (pane) => showState(pane),
  answered: (pane) => wantWords().then(({ inWords, announcer }) => {
    const { session: { requested, copy } } = pane;
    announcer.announce(inWords(requested, copy.rows, (name, level) => pane.titleOfName(name, level)));
  }),
  received: (pane, event) => pane === active && panel?.received(event),
  painted: (pane) => pane === active && panel?.painted(),
  signedIn: () => { for (const { link } of panes) link.retry(); },
  announce: (text) => wantWords().then(({ announcer }) => announcer.announce(text)),
};
/** The panes on the page, in reading order. */
let panes = [new Pane($('stage'), { recall, groups }, on)];
/** The pane whose table the bars show. */
let [active] = panes;
let pair = null;   // the controller of two panes; null until first used
let words = null;  // the bars and announcements (words.js); null until loaded
let wordsWanted = null;
let around = null; // the sidebar and the filter chips (around.js); null until loaded
let panel = null;  // the statistics panel, while it is open

/** Imports and creates the parts of words.js once, and returns a promise of them. */
function wantWords() {
  wordsWanted ??= bring(() => import('../panels/words.js')).then(({ Bar, changeText, FollowButton, LoadWatch, Note, parse, PauseButton, Announcer, stepText, viewInWords, ViewTabs }) => {
    const announcer = new Announcer((text) => { $('announcement').textContent = text; });
    const bar = new Bar(document, {
      announce: on.announce,
      target: () => active,
      apply: (changes, pane) => pane.change(changes),
      parse: (text, caret, pane) => parse(pane.session, text, caret),
      parsed: (parsed) => showParsed(parsed),
      values: (column, take) => askOfTable(column, take),
      group: (group) => active.change({ group, collapsed: [] }),
      foldAll: (isCollapsed) => active.loadController().then(({ pointing }) => pointing.foldAll(isCollapsed)),
      retry: () => active.link.retry(),
      leave: () => active.grid.focus(),
    });
    const views = new ViewTabs($('views'), {
      session: () => active.session,
      change: (view) => active.change(view),
      rename: (name) => active.rename(name),
      show: (text, isGood) => active.loadController().then(({ notices }) => notices.show(text, isGood)),
      leave: () => active.grid.focus(),
    });
    const pauseButton = new PauseButton($('pause'), $('paused'), () => active.session, () => active.pause());
    const followButton = new FollowButton($('follow'), () => active);
    words = { bar, announcer, pauseButton, followButton, views, inWords: viewInWords, changeText, stepText, parts: { Note, LoadWatch } };
    panes[0].speak(words.parts);
    if (active.session.table) showView();
    showState(active);
    // The bars appear last, because they must not show empty.
    document.documentElement.classList.remove('bare');
    // On a narrow page the panel would cover the rows.
    if (hasFacets() && innerWidth > 760) openFacets(panes[0]);
    return words;
  });
  return wordsWanted;
}

/**
 * Returns the sidebar and the filter chips, or null if they have nothing to show or are not loaded
 * yet. Starts loading them when they are needed.
 */
function partsAround() {
  const { tables, sources, view: { table, filters } } = active.session;
  const isWanted = filters.length > 0 || hasTerms() || (active.session.table && active.unapplied.length > 0) || tables.some(({ name }) => name !== table) || (sources.length > 0 && tables.length + sources.length > 1);
  if (around !== null || !isWanted) return around;
  bring(() => import('../panels/around.js')).then(({ Chips, Sidebar }) => {
    if (around !== null) return;
    around = {
      sidebar: new Sidebar($('tabs'), $('sidebar'), $('sidebar-toggle'), { table: (name) => active.change(viewOf(name)) }),
      chips: new Chips($('terms'), {
        edit: (name, under, part) => active.lateModules.load().then(({ controller }) => controller.filterBy(name, under, part)),
        clear: (name, part) => active.change({ filters: withoutPart(active.session.view.filters, name, part) }),
        clearAll: () => active.change({ filters: [], search: '', where: '' }),
        cut: (term) => words.bar.filterBar.cut(term),
        select: ({ from, to }) => words.bar.filterBar.focus(from, to),
        unmark: (key) => active.change(active.rules.without(active.session.view, key)),
        leave: () => active.grid.focus(),
      }),
    };
    showTables();
    if (active.session.table) around.chips.show(active.view.filters, active.columns.all, active.unapplied, active.parsed);
  });
  return null;
}

function showTables() {
  const { table, tables, sources, view } = active.session;
  partsAround()?.sidebar.setTables(tables, sources, view.table);
  if (table !== undefined) return;
  // The bars still show another table.
  words?.bar.setColumns([]);
  words?.bar.setView(view);
  around?.chips.show([], []);
  showTitle();
  $('reset').hidden = true;
}

function showTitle({ title = '', name = '', icon = '', description = '' } = {}) {
  const [text, more] = $('title').children;
  text.textContent = `${icon} ${title || name}`.trim();
  more.textContent = $('title').title = description;
  document.title = name === '' ? 'Rowcast' : `${title || name} · Rowcast`;
}

function showView() {
  const { session: { table }, view, columns } = active;
  const marks = active.unapplied;
  words?.bar.setColumns(table.columns);
  words?.bar.setView(view, marks);
  partsAround()?.chips.show(view.filters, columns.all, marks, active.parsed);
  words?.views.update();
  showTitle(table);
  $('reset').hidden = !table.view || active.session.view.isDefault === true;
}

// Whether the filter bar has several terms, each of which has a chip.
function hasTerms() {
  return (active.parsed?.terms.length ?? 0) > 1;
}

function showParsed(parsed) {
  active.parsed = parsed;
  active.schedule();
  if (active.session.table) partsAround()?.chips.show(active.view.filters, active.columns.all, active.unapplied, parsed);
}

// Requests a column's values for the filter bar; returns a function that cancels.
function askOfTable(column, take) {
  let cancel = () => {};
  let isWanted = true;
  const { table, filters } = active.session.view;
  bring(() => import('../model/asking.js')).then(({ askValues }) => {
    if (isWanted) cancel = askValues({ table, column, query: active.session.narrowed({ search: '', where: '', filters }) }, take);
  });
  return () => {
    isWanted = false;
    cancel();
  };
}

function showState(pane) {
  const { connection, error, session: { copy, stats, prefetch, requested, table } } = pane;
  // While the first connection is pending, the bars are not loaded, to not delay the first rows.
  const isBeginning = connection.state === 'connecting' && copy.seq === 0;
  if (words === null) return void (isBeginning || wantWords());
  const { bar, pauseButton, followButton } = words;
  pair?.update(pane);
  const isLive = connection.state === 'live';
  if (table !== undefined && isLive) around?.sidebar.report(table.name, { source: table.source });
  if (pane !== active) return;
  pauseButton.show();
  followButton.show();
  if (isBeginning) return;
  const heldText = pane.controller?.holder.heldText ?? '';
  if ($('held').textContent !== heldText) $('held').textContent = heldText;
  const picked = pane.controller?.pickedText ?? '';
  if ($('picked').textContent !== picked) $('picked').textContent = $('picked').title = picked;
  bar.setLink({ ...connection, now: Date.now(), hasRows: copy.seq > 0, isPaused: pane.session.isPaused, source: table?.source });
  bar.setStatus({
    rows: copy.rows, accuracy: copy.accuracy, totals: pane.columns.hiddenTotals(copy.totals), source: table?.source, stats, prefetch, isLive, error, full: isLive ? '' : connection.full,
    isFiltered: requested.search !== '' || requested.where !== '' || requested.filters.length > 0,
  });
  bar.setLack(table?.windowed ? (what) => pane.lack(what) : null);
}

// One pane or two.

function shownViews() {
  return panes.map(({ session }) => session.view);
}

function secondPane(stage) {
  const pane = new Pane(stage, { recall, groups, suffix: '-2' }, on);
  wantWords().then(({ parts }) => pane.speak(parts));
  return pane;
}

async function loadPair() {
  const { Pair } = await bring(() => import('../panels/pair.js'));
  pair ??= new Pair($('stages'), panes[0], secondPane, {
    shown(now) {
      panes = now;
      $('split').setAttribute('aria-pressed', String(panes.length > 1));
    },
    active(pane) {
      active = pane;
      showTables();
      if (pane.session.table) showView();
      showState(pane);
      showFacetsButton();
      if (panel !== null) togglePanel().then(togglePanel);
    },
    viewChanged: (isStep) => on.viewChanged(active, isStep),
    announce: on.announce,
  });
  return pair;
}

function split() {
  loadPair().then((loaded) => (panes.length > 1 ? loaded.closeOther(active) : loaded.open(null)));
}

$('split').addEventListener('click', split);
$('reset').addEventListener('click', () => {
  active.change({ ...emptyView(), table: active.session.view.table, isOwn: false });
  active.grid.focus({ preventScroll: true });
});
// Waits for all parts, because an open menu gets no more items.
$('options').addEventListener('click', async () => {
  const [{ showOptions }, { acting }, { views }] = await Promise.all([active.lateModules.load(), active.loadController(), wantWords()]);
  showOptions($('options'), active.session, {
    commands: showCommands,
    change: (changes) => active.change(changes),
    actions: acting.items(false),
    views: views.items,
    announce: on.announce,
    densityChanged: () => { for (const pane of panes) pane.redraw(); },
  });
});

listenForShortcuts(document, {
  '/': () => wantWords().then(({ bar }) => bar.focusFilter()),
  '?': () => active.lateModules.load().then(({ openHelp }) => openHelp()),
  'Control+f': () => active.loadController().then((controller) => controller.find.open()),
  p: () => active.pause(),
  l: () => words?.followButton.press(),
  f: () => toggleFacets(),
  i: () => togglePanel(),
  s: split,
  e: () => active.lateModules.load().then(({ showExports }) => showExports($('options'), active.session, on.announce)),
  F6: () => pair?.next(active),
  'Control+k': showCommands,
  'Control+z': () => step(true),
  'Control+Shift+z': () => step(false),
  'Control+y': () => step(false),
});

$('help').addEventListener('click', showCommands);

// Opens the palette with the commands of the page and of the active table.
async function showCommands() {
  const [{ controller: columnController, showPalette }, controller, { views, bar }] = await Promise.all([active.lateModules.load(), active.loadController(), wantWords()]);
  showPalette({
    pane: active, controller, columnController, views, bar,
    canReset: !$('reset').hidden,
    on: { step, split, togglePanel, toggleFacets: () => toggleFacets(), announce: on.announce, open: (name) => active.change(viewOf(name)), next: () => pair?.next(active), press: (id) => $(id).click() },
  });
}

async function togglePanel() {
  panel?.close();
  if (panel !== null) {
    panel = null;
    return;
  }
  const { Panel } = await bring(() => import('../panels/panel.js'));
  panel ??= new Panel($('stages'), active, togglePanel);
}

// The facets panel of a pane.

async function openFacets(pane) {
  const { Facets } = await bring(() => import('../panels/facets.js'));
  if (pane.facets !== null) return;
  const style = $('facets-style');
  if (style.hasAttribute('disabled')) {
    await new Promise((done) => {
      for (const name of ['load', 'error']) style.addEventListener(name, done, { once: true });
      setTimeout(done, 1_000);
      style.removeAttribute('disabled');
    });
    if (pane.facets !== null) return;
  }
  pane.facets = new Facets(pane, {
    close: () => closeFacets(pane),
    fault: (reason) => pane.loadController().then(({ notices }) => notices.show(reason, false)),
    filter: (name, under) => pane.lateModules.load().then(({ controller }) => controller.filterBy(name, under)),
  });
  showFacetsButton();
}

function closeFacets(pane) {
  pane.facets.close();
  pane.facets = null;
  setFacets(false);
  showFacetsButton();
  pane.grid.focus({ preventScroll: true });
}

/** Opens or closes the panel of the active pane. Opened by a key, it gets the focus. */
async function toggleFacets({ detail: clicks = 0 } = {}) {
  const pane = active;
  if (pane.facets !== null) return void closeFacets(pane);
  setFacets(true);
  await openFacets(pane);
  if (clicks === 0) pane.facets?.focus();
}

function showFacetsButton() {
  $('facets').setAttribute('aria-pressed', String(active.facets !== null));
}

$('facets').addEventListener('click', toggleFacets);

document.addEventListener('visibilitychange', () => {
  for (const pane of panes) pane.visibilityChanged();
});

setInterval(() => {
  if (!document.hidden) for (const pane of panes) pane.tick();
}, 1_000);

/**
 * Returns the saved view that a link names; the standard view if there is none.
 * @param {import('../model/query.js').View} view
 */
async function resolved({ named }) {
  const { fetchView, viewOfSaved } = await bring(() => import('../panels/words.js'));
  try {
    const saved = await fetchView(named);
    return viewOfSaved(saved);
  } catch (error) {
    active.loadController().then(({ notices }) => notices.show(phrase('The view “{name}” was not opened. {reason}', { name: named, reason: error.message }), false));
    return emptyView();
  }
}

listenForAddress(([view, beside], isBack) => {
  if (view.named && view.table === '') {
    const row = rowFromHash(location.hash);
    return void resolved(view).then((found) => {
      active.change({ ...found, table: found.table || active.session.view.table });
      active.openRow(row);
    });
  }
  const { session } = active;
  const before = session.view;
  if (view.table === '') view.table = firstTable(panes[0].session.tables, panes[0].session.sources, beside);
  const isUnnamed = view.table !== '' && viewsFromAddress()[0].table === '';
  panes[0].show(view);
  if (isUnnamed) setAddress(beside ? [view, beside] : [view]);
  if (beside) loadPair().then((loaded) => loaded.open(beside));
  else if (panes.length > 1) pair.closeOther(panes[0], true);
  panes[0].openRow(rowFromHash(location.hash));
  wantWords().then(({ changeText, stepText }) => showStep(stepText(isBack, changeText(before, session.view, session.table?.columns ?? []))));
});

// Undo and redo, which are Back and Forward in the browser's history.

let isStepping = false;  // whether a step that a command has begun is pending

function step(isBack) {
  isStepping = goStep(isBack);
  if (!isStepping) showStep(isBack ? phrase('Nothing to undo') : phrase('Nothing to redo'), true);
}

function showStep(text, isShown = isStepping) {
  isStepping = false;
  if (isShown) active.loadController().then(({ notices }) => notices.show(text));
  else on.announce(text);
}

if (density() !== 'normal') setDensity(density());
showShortcuts();
const [view, beside] = viewsFromAddress();
panes[0].openRow(rowFromHash(location.hash));
const begin = (first) => panes[0].start(first, openLink, { width: innerWidth, height: innerHeight });
if (view.named && view.table === '') {
  resolved(view).then((found) => {
    begin(found);
    setAddress([found]);
  });
} else begin(view);
if (beside) loadPair().then((loaded) => loaded.open(beside));
