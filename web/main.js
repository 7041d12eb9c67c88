// main.js: joins the parts. It alone knows them all; it paints at most once a frame.

import { Bar } from './bar.js';
import { Chips } from './chips.js';
import { ColumnHands, heldValues } from './columnhands.js';
import { ColumnSet } from './columnset.js';
import { nextTerms } from './filter.js';
import { Focus } from './focus.js';
import { listenForFolds } from './folds.js';
import { Heads } from './heads.js';
import { Holder } from './hold.js';
import { Sections } from './headers.js';
import { openLink } from './link.js';
import { listenForOptions } from './options.js';
import { DENSITIES, density, keepView, keptView, lastTable, setDensity } from './prefs.js';
import { emptyView, fittingView, hashFromView, nextSort, sameQuery, viewFromHash } from './query.js';
import { Session } from './session.js';
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
const travel = new Travel(grid, scroll, schedule);
const sections = new Sections(body, $('pin'));
const table = new Table(body, sections);
const heads = new Heads($('heads'), { sort: sortBy, menu: (column, under) => hands.showMenu(column, under) });
const columns = new ColumnSet({ grid, canvas, heads, table, sections });
const hands = new ColumnHands({
  session, columns, change, askValues: (spec, take) => take({ values: heldValues(session.copy, spec), note: 'in the rows at hand' }),
});
const focus = new Focus(grid);
const place = new Place(scroll, sight, focus, session);
const holder = new Holder(body, $('held'), session);
const note = new Note($('note'), $('note-title'), $('note-text'));
const pauseButton = new PauseButton($('pause'), $('paused'), session, () => pause());
const bar = new Bar(document, {
  table: (name) => change(viewOf(name), true),
  search: (search) => change({ search }),
  group: (group) => change({ group, collapsed: [] }),
  retry: () => link.retry(),
  leave: () => grid.focus(),
});
const chips = new Chips($('terms'), {
  edit: (name, under) => hands.filterBy(name, under),
  clear: (name) => change({ filters: nextTerms(session.view.filters, name, null) }),
  clearAll: () => change({ filters: [] }),
});

let bodyHeight = 0;
let freshTimer = 0;
let isChanged = false;         // the copy is newer than the screen
let isPatch = false;           // ... by patches alone
let isNews = true;             // the bars have something else to say
let isScheduled = false;
let error = '';
const connection = { state: 'connecting', lostAt: 0, retryAt: 0 };

session.view = viewFromHash(location.hash);
setDensity(density());
scroll.setRowHeight(DENSITIES[density()]);
const link = openLink(receive);

// What arrives.

function receive({ message, state, pause, refused }) {
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
    case 'status': return undefined;
    case 'broken': return link.close();
    case 'error':
      error = event.reason || event.code;
      // The server closes after an error. If it was our query, the same again would be refused for ever.
      if (event.code !== 'tooManySessions') {
        session.view = { ...emptyView(), table: session.view.table, columns: session.view.columns };
        tellAddress('replaceState');
      }
      return undefined;
    default: return held;
  }
}

function welcome(isHello) {
  if (isHello) {
    Object.assign(connection, { state: 'live', lostAt: 0, retryAt: 0 });
    error = '';
    if (document.hidden) session.setHidden(true);
  }
  bar.setTables(session.tables, session.view.table);
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
  } else if (isSameEpoch && !scroll.atTop) {
    // The same list after a gap: what was read goes on being read, wherever it is now.
    const anchor = before.itemAt(Math.ceil(scroll.position / scroll.rowHeight));
    const position = anchor?.id === undefined ? -1 : copy.positionOf(anchor.id);
    if (position >= 0) scroll.shift(position - before.positionOf(anchor.id));
  }
  sight.forget();
  showCopy(0, false);
  if (!isSameEpoch && isKept) focus.item = null;  // ids of another epoch name other rows
}

function showCopy(shift, byPatch) {
  isPatch = byPatch && (isPatch || !isChanged);
  isChanged = true;
  const wasAtEnd = scroll.atEnd;
  scroll.setTotal(session.copy.total);
  if (wasAtEnd && !travel.isMoving) scroll.moveTo(scroll.last);  // who follows the end goes on following it
  focus.follow(session.copy, shift);
}

// What the reader does.

/** Another table, query or layout; `isTable` makes it a step in the history. */
function change(wish, isTable = false) {
  const view = { ...session.view, ...wish };
  error = '';
  show(view);
  tellAddress(isTable ? 'pushState' : 'replaceState');
}

function tellAddress(how) {
  const hash = hashFromView(session.view);
  history[how](null, '', hash || location.pathname);
  if (session.view.table !== '') keepView(session.view.table, hash);
}

/** A table as the reader left it. */
function viewOf(name) {
  return { ...viewFromHash(keptView(name)), table: name };
}

/** What to show when the address names no table: the one that was looked at last. */
function recall(view, tables) {
  const { name } = tables.find((one) => one.name === lastTable()) ?? tables[0];
  return location.hash.length > 1 ? { ...view, table: tables[0].name } : viewOf(name);
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
    bar.setTables(session.tables, view.table);
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
  if (session.collapse(header)) tellAddress('replaceState');
});

hands.listen($('groups'));
listenForOptions($('options'), session, {
  change,
  densityChanged() {
    scroll.setRowHeight(DENSITIES[density()]);
    isChanged = true;
    schedule();
  },
});

grid.addEventListener('keydown', (event) => {
  if (focus.position === -1 && hands.press(event, focus.column)) {
    event.preventDefault();
    return schedule();
  }
  if (event.altKey || event.metaKey) return undefined;
  const { copy } = session;
  if (event.key === 'Enter' || event.key === ' ') {
    if (focus.position === -1) sortBy(columns.shown[focus.column].column.name, event.shiftKey);
    else focus.el?.querySelector('a[href]')?.click();
    event.preventDefault();
    return undefined;
  }
  const page = Math.max(1, Math.floor(scroll.height / scroll.rowHeight) - 1);
  const room = { total: copy.total, columns: columns.shown.length, page, isControl: event.ctrlKey };
  if (!focus.move(event.key, room, Math.ceil(scroll.position / scroll.rowHeight), copy)) return undefined;
  event.preventDefault();
  const covered = session.view.group.length * scroll.rowHeight;
  if (focus.position >= 0) scroll.moveTo(focus.position === 0 ? 0 : scroll.reveal(focus.position, covered));
  travel.stop();
  columns.reveal(focus.column);
  return schedule();
});

grid.addEventListener('pointerdown', (event) => {
  const cell = event.target.closest('[role=gridcell], [role=rowheader]');
  const row = cell?.closest('[aria-rowindex]');
  if (!row) return;
  focus.set(Number(row.getAttribute('aria-rowindex')) - 2, Number(cell.getAttribute('aria-colindex') ?? 1) - 1, session.copy);
  schedule();
});

grid.addEventListener('pointerover', ({ target }) => {
  if (!travel.isMoving) tellWhole(target.closest?.('.cell'));
}, { passive: true });

listenForShortcuts(document, { '/': () => bar.focusFilter(), p: pause });

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

for (const name of ['hashchange', 'popstate']) {
  addEventListener(name, () => {
    const view = viewFromHash(location.hash);
    if (view.table === '') view.table = session.tables[0]?.name ?? '';
    show(view);
  });
}

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
  table.paint(scroll, copy, sight.isUpward, isChanged, isPatch, now, Date.now());
  sections.finish(scroll, copy);
  holder.show(table.nodes);
  focus.mark(focus.position === null ? undefined
    : focus.position < 0 ? heads.cells[focus.column] : table.cellAt(focus.position, focus.column, copy));
  travel.write();
  isChanged = isPatch = false;

  if (session.canLook) {
    const viewport = sight.ask(scroll, copy, place.anchor, !travel.isMoving);
    if (viewport) session.look(viewport);
  }
  session.painted();
  if (table.isLean) schedule();
  table.isLean = false;
  // A highlight is taken away by a frame of its own.
  if (table.freshUntil > 0 && freshTimer === 0) freshTimer = setTimeout(fade, table.freshUntil - now + 1);
}

function fade() {
  freshTimer = 0;
  schedule();
}

function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

function showState() {
  const { copy, stats, view, table: open } = session;
  const isLive = connection.state === 'live';
  const hasRows = copy.seq > 0;
  document.documentElement.classList.toggle('aged', connection.lostAt > 0 && hasRows);
  pauseButton.show();
  bar.setLink({ ...connection, now: Date.now(), hasRows });
  bar.setStatus({ rows: copy.rows, totals: sections.texts(copy.totals), source: open?.source, stats, isFiltered: view.search !== '' || view.filters.length > 0, isLive, error });
}
