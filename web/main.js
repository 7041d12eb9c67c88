// main.js: joins the parts. It alone knows them all; it paints at most once a frame.

import { listenForAddress, recall, tellAddress, viewOf } from './address.js';
import { Bar } from './bar.js';
import { Chips } from './chips.js';
import { Chosen } from './chosen.js';
import { ColumnSet } from './columnset.js';
import { titleOf } from './columns.js';
import { nextTerms } from './filter.js';
import { Detail } from './detail.js';
import { Find } from './find.js';
import { Focus } from './focus.js';
import { listenForFolds } from './folds.js';
import { Heads } from './heads.js';
import { Holder } from './hold.js';
import { Sections } from './headers.js';
import { listenForHands, Marks } from './gridhands.js';
import { openLink } from './link.js';
import { DENSITIES, density, setDensity } from './prefs.js';
import { emptyView, fittingView, nextSort, sameQuery, viewFromHash } from './query.js';
import { MotionSense } from './motion.js';
import { Reach } from './reach.js';
import { Session } from './session.js';
import { Sidebar } from './sidebar.js';
import { isOld, oldWords } from './source.js';
import { Speech, viewInWords } from './speech.js';
import { Table, tellWhole } from './table.js';
import { Note } from './note.js';
import { PauseButton } from './pause.js';
import { Place } from './place.js';
import { listenForShortcuts } from './shortcuts.js';
import { Travel } from './travel.js';
import { ScrollModel, Sight } from './viewport.js';

const headHeight = 32;      // as in the style sheet

const $ = (id) => document.getElementById(id);
const [grid, canvas, body] = [$('grid'), $('canvas'), $('body')];

const session = new Session((message) => link.send(message), recall);
const scroll = new ScrollModel();
const sight = new Sight();
const sense = new MotionSense();
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const travel = new Travel(grid, scroll, schedule);
const sections = new Sections(body, $('pin'));
const table = new Table(body, $('ghost'), sections);
const heads = new Heads($('heads'), { sort: sortBy, menu: (column, under) => reach.load().then(({ hands }) => hands.showMenu(column, under)) });
const columns = new ColumnSet({ grid, canvas, heads, table, sections });
const reach = new Reach({ session, columns, groups: $('groups'), options: $('options') }, {
  change,
  densityChanged() {
    scroll.setRowHeight(DENSITIES[density()]);
    isChanged = true;
    schedule();
  },
});
const focus = new Focus(grid);
const selection = new Chosen();
const marks = new Marks();
const speech = new Speech((text) => { $('said').textContent = text; });
const detail = new Detail($('detail'), $('stage'), () => openDetail(false));
const find = new Find($('find'), {
  go(position, column) {
    focus.set(position, column, session.copy);
    scroll.moveTo(scroll.reveal(position, session.view.group.length * scroll.rowHeight));
    columns.reveal(column);
    schedule();
  },
  changed: () => schedule(),
  leave: () => grid.focus({ preventScroll: true }),
});
const place = new Place(scroll, sight, focus, session);
const holder = new Holder(body, $('held'), session);
const note = new Note($('note'), $('note-title'), $('note-text'));
const pauseButton = new PauseButton($('pause'), $('paused'), session, () => pause());
const bar = new Bar(document, {
  say: (text) => speech.say(text),
  search: (search) => change({ search }),
  group: (group) => change({ group, collapsed: [] }),
  retry: () => link.retry(),
  leave: () => grid.focus(),
});
const sidebar = new Sidebar($('tabs'), $('sidebar'), $('sidebar-toggle'), { table: (name) => change(viewOf(name), true) });
const chips = new Chips($('terms'), {
  edit: (name, under) => reach.load().then(({ hands }) => hands.filterBy(name, under)),
  clear: (name) => change({ filters: nextTerms(session.view.filters, name, null) }),
  clearAll: () => change({ filters: [] }),
});

let bodyHeight = 0;
let flashTimer = 0;
let isChanged = false;         // the copy is newer than the screen
let isPatch = false;           // ... by one patch alone
let toldAt = 0;                // when the server last told how the sources are
let isNews = true;             // the bars have something else to say
let isScheduled = false;
let error = '';
let panel = null;              // what goes on, while it is open
const connection = { state: 'connecting', lostAt: 0, retryAt: 0 };

session.view = viewFromHash(location.hash);
setDensity(density());
scroll.setRowHeight(DENSITIES[density()]);
const link = openLink(receive);

// What arrives.

function receive(event) {
  const { message, state, pause, refused } = event;
  panel?.received(event);
  if (message) take(message);
  else if (refused) error = refused;
  else if (state === 'open') session.connected();
  else if (state === 'closed') {
    session.lost();
    if (connection.lostAt === 0) connection.lostAt = Date.now();
    connection.retryAt = Date.now() + pause;
    connection.state = 'lost';
  } else if (connection.lostAt === 0) connection.state = 'connecting';
  isNews = true;  // written in the frame: a text changed here would make the next scroll event measure anew
  schedule();
}

function take(message) {
  const held = session.copy;
  const event = session.receive(message, describe);
  switch (event.kind) {
    case 'tables': return welcome(message.type === 'hello');
    case 'window': return showWindow(event);
    case 'patch':
      scroll.shift(event.shift);
      sight.shifted(event.shift, scroll.rowHeight);
      return showCopy(event.shift, true);
    case 'status':
      toldAt = Date.now();
      return undefined;
    case 'broken': return link.close();
    case 'error':
      error = event.reason || event.code;
      // The server closes after an error. If it was our query, the same again would be refused for ever.
      if (event.code !== 'tooManySessions') {
        session.view = { ...emptyView(), table: session.view.table, columns: session.view.columns };
        tellAddress(session.view);
      }
      return undefined;
    default: return held;
  }
}

function welcome(isHello) {
  toldAt = Date.now();
  if (isHello) {
    Object.assign(connection, { state: 'live', lostAt: 0, retryAt: 0 });
    error = '';
    if (document.hidden) session.setHidden(true);
  }
  sidebar.setTables(session.tables, session.view.table);
  if (session.table) showColumns(session.table.columns);
}

function showWindow({ isAnswer, isReopening, isSameEpoch, before }) {
  const { copy } = session;
  const isKept = !isAnswer || isReopening;
  sections.aggregates = fittingView(session.view, session.table?.columns ?? []).aggregates;
  scroll.setTotal(copy.total);
  if (!isKept) {
    scroll.moveTo(0);
    travel.stop();
    focus.clear();
    selection.clear();
  } else if (isSameEpoch && !scroll.atTop) {
    // The same list after a gap: what was read goes on being read, wherever it is now.
    const anchor = before.itemAt(Math.ceil(scroll.position / scroll.rowHeight));
    const position = anchor?.id === undefined ? -1 : copy.positionOf(anchor.id);
    if (position >= 0) scroll.shift(position - before.positionOf(anchor.id));
  }
  sight.forget();
  showCopy(0, false);
  if (isAnswer && isSameEpoch) speech.say(viewInWords(fittingView(session.view, session.table?.columns ?? []), copy.rows, titleOfName));
  if (isSameEpoch || !isKept) return;
  focus.forgetItem();  // ids of another epoch name other rows
  selection.clear();
}

function showCopy(shift, byPatch) {
  isPatch = byPatch && !isChanged;
  isChanged = true;
  const wasAtEnd = scroll.atEnd;
  scroll.setTotal(session.copy.total);
  if (wasAtEnd && !travel.isMoving) scroll.moveTo(scroll.last);  // who follows the end goes on following it
  focus.follow(session.copy, shift);
  selection.follow(session.copy, shift);
}

function titleOfName(name) {
  return titleOf(session.table.columns.find((column) => column.name === name));
}

// What the reader does.

/** Another table, query or layout; `isTable` makes it a step in the history. */
function change(wish, isTable = false) {
  const view = { ...session.view, ...wish };
  error = '';
  show(view);
  tellAddress(session.view, isTable ? 'pushState' : 'replaceState');
}

function show(view) {
  const isOther = view.table !== session.view.table;
  if (!isOther && sameQuery(view, session.view)) session.view = view;
  else session.show(view, describe);
  if (isOther) {
    columns.forget();
    scroll.setTotal(0);
    isChanged = true;
    isPatch = false;
    sidebar.setTables(session.tables, view.table);
  }
  if (session.table) showColumns(session.table.columns);
  schedule();
}

function sortBy(column, isFurther) {
  change({ sort: nextSort(session.view.sort, column, isFurther) });
}

function showColumns(list) {
  const view = fittingView(session.view, list);
  bar.setColumns(list);
  bar.setView(view);
  if (session.copy.seq > 0 && columns.all.length === list.length && columns.arrange(view.columns)) isChanged = true;
  heads.setView(view);
  chips.show(view.filters, columns.all);
  document.title = `${session.table.title || session.table.name} · Rowcast`;
  grid.setAttribute('aria-label', session.table.title || session.table.name);
}

function describe(seq, isTop) {
  return place.describe(seq, isTop);
}

listenForFolds(grid, sections, focus, (header) => {
  session.look(describe(session.copy.seq));  // what is read at this moment is what must not move
  const position = session.copy.positionOfHeader(header);
  if (position >= 0) focus.set(position, 0, session.copy);  // wherever on its line the click was: keys go on from here
  if (session.collapse(header)) tellAddress(session.view);
});

listenForHands({ grid, session, scroll, focus, selection, columns, hands: reach }, {
  sort: sortBy,
  open: () => openDetail(!detail.isOpen),
  close: () => detail.isOpen && openDetail(false),
  say: (text) => speech.say(text),
  changed: schedule,
  moved() {
    travel.stop();
    schedule();
  },
});

function openDetail(isOpen) {
  detail.toggle(isOpen);
  if (!isOpen) grid.focus({ preventScroll: true });
  schedule();
}

grid.addEventListener('pointerover', ({ target }) => {
  if (!travel.isMoving) tellWhole(target.closest?.('.cell'));
}, { passive: true });

listenForShortcuts(document, { '/': () => bar.focusFilter(), '?': () => reach.load().then(({ openHelp }) => openHelp()), 'Control+f': () => find.open(), p: pause, i: togglePanel });

async function togglePanel() {
  panel?.close();
  if (panel !== null) {
    panel = null;
    return;
  }
  const { Panel } = await import('./panel.js');
  panel ??= new Panel($('stage'), { session, table, sections, connection }, togglePanel);
}

function pause() {
  session.setPaused(!session.isPaused, describe);
  isNews = true;
  schedule();
}

document.addEventListener('visibilitychange', () => {
  session.setHidden(document.hidden);
  if (!document.hidden && connection.state === 'lost') link.retry();
  schedule();
});

listenForAddress(session, show);
scroll.resize(Math.max(0, grid.clientHeight - headHeight));  // at once: the first request must ask for enough

new ResizeObserver(([{ contentRect }]) => {
  columns.width = contentRect.width;
  scroll.resize(Math.max(0, contentRect.height - headHeight));
  columns.setPlaces();
  schedule();
}).observe(grid);

setInterval(() => {
  if (document.hidden) return;
  table.tick(Date.now());
  detail.tick(Date.now());
  showState();
}, 1_000);

// What is drawn.

function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(frame);
}

function frame() {
  isScheduled = false;
  const { copy } = session;
  const now = performance.now();
  const hasRows = copy.seq > 0;
  if (isNews || isChanged) showState();
  isNews = false;
  if (hasRows && isChanged && columns.update(session.view, session.table?.columns ?? [], copy)) {
    heads.setView(fittingView(session.view, session.table?.columns ?? []));
    chips.show(session.view.filters, columns.all);
  }
  note.show(session, connection.state, columns.all.length > 0 && hasRows);
  grid.classList.toggle('empty', !hasRows);
  if (!hasRows) return;

  sight.observe(scroll.position, scroll.rowHeight, now);
  if (bodyHeight !== scroll.nativeHeight) body.style.height = `${bodyHeight = scroll.nativeHeight}px`;
  if (!travel.isMoving) sight.rest();
  if (!travel.isMoving || scroll.isCornered) scroll.settle();
  columns.draw(travel.left);
  if (isChanged) {
    columns.rescale(copy);
    setAttribute(grid, 'aria-rowcount', copy.total + 1);
    setAttribute(grid, 'aria-busy', session.isAsking);
  }
  const isStill = calm.matches || document.hidden;
  const moves = isPatch && !isStill && sense.allows(copy.moves, scroll.count, travel.isMoving, now) ? copy.moves : null;
  table.paint(scroll, copy, { isUpward: sight.isUpward, isFast: sight.isFast, isChanged, isLit: isPatch && !isStill, moves }, now, Date.now());
  sections.finish(scroll, copy);
  holder.show(table.nodes);
  focus.mark(focus.position === null ? undefined
    : focus.position < 0 ? heads.cells[focus.column] : table.cellAt(focus.position, focus.column, copy));
  marks.draw(table, selection);
  detail.show(focus.item, columns.all, copy, Date.now());
  find.drawn(body, copy, columns.shown, now);
  travel.write();
  isChanged = isPatch = false;

  if (session.canLook) {
    const viewport = sight.ask(scroll, copy, place.anchor, !travel.isMoving);
    if (viewport) session.look(viewport);
  }
  session.painted();
  panel?.painted();
  if (table.isLean) schedule();
  else if (!reach.isBegun) reach.load();
  table.isLean = false;
  if (table.nextFlash > 0 && flashTimer === 0) flashTimer = setTimeout(fade, table.nextFlash - now + 1);
}

function fade() {
  flashTimer = 0;
  schedule();
}

function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

function showState() {
  const { copy, stats, view, table: open } = session;
  const isLive = connection.state === 'live';
  const hasRows = copy.seq > 0;
  const isDown = isLive && isOld(open?.source);
  document.documentElement.classList.toggle('aged', (connection.lostAt > 0 || isDown) && hasRows);
  const words = isDown && hasRows ? oldWords(open.source, Date.now() - toldAt) : '';
  if ($('old').textContent !== words) $('old').textContent = words;
  pauseButton.show();
  if (open !== undefined && isLive) sidebar.tell(open.name, { source: open.source });
  bar.setLink({ ...connection, now: Date.now(), hasRows });
  bar.setStatus({ rows: copy.rows, accuracy: copy.accuracy, totals: sections.texts(copy.totals), source: open?.source, stats, isFiltered: view.search !== '' || view.filters.length > 0, isLive, error });
}
