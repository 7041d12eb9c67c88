// pointing.js: the menus of cells and section headers: filters, copying, and the source's actions.

import { askValues } from '../model/asking.js';
import { fittingView, hashFromRow, shortCollapsed } from '../model/query.js';
import { levelTitle, rangesAt } from '../model/ranges.js';
import { linkTarget } from '../model/columns.js';
import { cellItems, filterItems, sectionItems } from '../panels/cellmenu.js';
import { copyLink } from '../panels/copylink.js';
import { openMenu } from '../panels/menu.js';
import { saveRows } from '../panels/options.js';
import { MOST_ROWS } from '../model/targets.js';
import { phrase } from '../model/language.js';

/** The menus of a pane's cells. */
export class Pointing {
  /** @param {import('./controller.js').Controller} controller */
  constructor(controller) {
    this.controller = controller;
    this.pane = controller.pane;
  }
  #left = null;   // the active cell when the menu changed the view, `{view, id, column}`

  /**
   * Opens the menu of the active cell below an element, or that of the section header at
   * `under.target`. Returns whether there is one.
   */
  open(under) {
    const { focus: { item, position } } = this.controller;
    // A pinned header may be out of the window, so that it has no position.
    const header = under?.target ? this.pane.sections.headerAt(under.target) : null;
    if (header !== null || item?.isHeader) this.#openSection(under, header ?? item);
    else if (position === null || position === -1 || position === -2) return false;
    else this.#openCell(under, item);
    return true;
  }

  /** Makes the cell active again after the query of the menu's choice is answered. */
  settle() {
    const { pane: { session: { copy, view }, scroll, grid, columns }, controller: { focus } } = this;
    const left = this.#left;
    this.#left = null;
    if (left === null || left.view !== view || copy.total === 0 || !grid.contains(document.activeElement)) return;
    const position = left.id === undefined ? -1 : copy.positionOf(left.id);
    const isSeen = position >= 0 && scroll.shows(position);
    // Its row is gone or far away: the first one has a cell in the same column.
    focus.set(isSeen ? position : 0, Math.min(left.column, columns.shown.length - 1), copy);
  }

  #change(changes) {
    const { pane, controller: { focus } } = this;
    const { item, column } = focus;
    pane.change(changes);
    this.#left = { view: pane.session.view, id: item?.id, column };
  }

  #openCell(under, item) {
    const { controller, pane: { columns, grid } } = this;
    const spec = columns.shown[controller.focus.column];
    if (!this.#isSelected) controller.selection.clear();
    const part = controller.acting.menuPart();
    const cell = item === null || item.absence !== null ? { pending: true } : item.cells[spec.index] ?? null;
    const isOpen = controller.detail.isOpen;
    if (item !== null && item.absence === null) controller.restore.call([item.id], () => {});  // for the link to the row
    const items = [
      ...filterItems(cell, this.#selectedOf(spec, part.target), this.#sceneOf(spec)),
      null,
      ...cellItems({
        copy: () => this.#copy(), select: item === null || item.absence !== null ? null : () => this.#selectRow(item), isSelected: controller.selection.rows.has(item?.id), pins: controller.pinning.items(item), link: () => this.#copyLink(), rowLink: item === null || item.absence !== null ? null : () => this.#copyRowLink(item.id), detail: () => controller.openDetail(!isOpen), isOpen,
        text: controller.selection.text,
        follow: linkTarget(cell) === '' || spec.kind !== 'link' ? null : () => grid.querySelector('.active a[href]')?.click(),
      }),
      ...part.items,
    ];
    part.open();
    openMenu(under, part.label || this.pane.titleOfName(spec.column.name), items, part.close);
  }

  #openSection(under, header) {
    const { pane: { session, columns }, controller } = this;
    controller.selection.clear();
    const specs = session.requested.group.map((name) => columns.all.find(({ column }) => column.name === name));
    const path = (session.copy.chainOf(header) ?? []).map(({ value, end, level }) => ({ value, end, title: levelTitle(specs[level].column, session.requested, level), isRange: rangesAt(session.requested, level) !== undefined && value !== null, scene: this.#sceneOf(specs[level]) }));
    const whole = controller.acting.menuPart();
    openMenu(under, phrase('Section {column}', { column: this.pane.titleOfName(header.column, header.level) }), [
      ...sectionItems(header, path, {
        toggle: () => controller.fold(header),
        view: session.view,
        order: () => this.pane.lateModules.load().then(({ controller: columnController }) => columnController.showOrder(session.table.columns.find(({ name }) => name === header.column), under)),
        foldAll: (isCollapsed) => this.foldAll(isCollapsed),
      }),
      null,
      ...cellItems({ link: () => this.#copyLink() }),
      ...whole.items,
    ]);
  }

  // Whether the active cell is part of the selection.
  get #isSelected() {
    const { focus: { item, position, column }, selection: { rows, bounds } } = this.controller;
    if (bounds === null) return item !== null && rows.has(item.id);
    return position >= bounds.top && position <= bounds.bottom && column >= bounds.first && column <= bounds.last;
  }

  #sceneOf(spec) {
    const { pane } = this;
    const { session } = pane;
    const isMarked = session.marks.some(({ key }) => key === `filter:${spec.column.name}`);
    return {
      spec, view: session.view, now: Date.now(),
      // A term that is not applied does not narrow the rows, so it is replaced.
      term: isMarked ? undefined : pane.view.filters.find(({ column }) => column === spec.column.name),
      lack: (what) => pane.lack(what),
      change: (changes) => this.#change(changes),
      save: (filters) => {
        const isSaved = saveRows(session, { ...session.view, filters }, (text) => pane.on.announce(text));
        if (!isSaved) this.controller.notices.show(phrase('The filters are too long for an export.'), false);
      },
      refuse: (reason) => this.controller.notices.show(reason, false),
    };
  }

  // The cells of a column in the rows of a target, see `filterItems`.
  #selectedOf(spec, target) {
    if (target === null || this.controller.selection.isEmpty) return null;
    const cellsOf = (rows) => rows.map(({ cells }) => cells[spec.index] ?? null);
    if (target.bounds === undefined) return { cells: cellsOf(target.rows) };
    const count = target.bounds.bottom - target.bounds.top + 1;
    return {
      cells: null,
      fault: count > MOST_ROWS ? phrase('{count} rows are selected: a filter takes the values of {most} at most.', { count, most: MOST_ROWS }) : '',
      fetch: async () => {
        const rows = await this.controller.acting.fetch(target, (reason) => phrase('The filter was not set, because {reason}.', { reason }));
        return rows === null ? null : cellsOf(rows);
      },
    };
  }

  #selectRow(item) {
    const { controller: { selection }, pane } = this;
    selection.toggleRow(item);
    pane.on.announce(selection.text || phrase('Nothing selected'));
    pane.schedule();
  }

  // Has the handler of `copy` events copy the selection or the active cell.
  #copy() {
    if (!document.execCommand('copy')) this.controller.notices.show(phrase('The browser did not allow copying. Press Ctrl+C instead.'), false);
  }

  #copyLink() {
    const { pane } = this;
    pane.on.viewChanged(pane, false);  // the address may be older than the view
    this.#putLink(location.href, phrase('Copied a link to this view'));
  }

  #putLink(href, done) {
    const { notices } = this.controller;
    if (copyLink(href)) notices.show(done);
    else notices.show(phrase('The browser did not allow copying. The link is: {address}', { address: href }), false);
  }

  // Copies a link that opens the view at a row.
  async #copyRowLink(id) {
    const { pane, controller: { restore, notices } } = this;
    // Without a pause if possible, because browsers copy only shortly after a key or a click.
    const key = restore.keyOf(id) ?? await restore.keyFor(id);
    if (key === undefined) return void notices.show(phrase('The row’s key is not known. Try again in a moment.'), false);
    const address = new URL(location.href);
    address.hash = hashFromRow(pane.session.view, key);
    this.#putLink(address.href, phrase('Copied a link to this row'));
  }

  /** Collapses the outermost sections of a changed view, or expands all sections. */
  foldAll(isCollapsed, changes = {}) {
    if (isCollapsed) this.#collapseAll(changes);
    else this.#change({ ...changes, collapsed: [] });
  }

  // Collapses the outermost sections. Their values are counted, because only some are loaded.
  #collapseAll(changes) {
    const { pane, controller: { notices } } = this;
    const { session } = pane;
    const before = session.view;
    const view = fittingView({ ...before, ...changes }, session.table.columns);
    const leave = notices.show(phrase('Collapsing…'));
    askValues({ table: view.table, column: session.wireGroup(view)[0], query: session.narrowed(view) }, ({ values, note, isCounting }) => {
      if (isCounting) return;
      leave();
      const now = session.view;
      if (now.table !== view.table || now.group[0] !== before.group[0] || JSON.stringify(now.ranges) !== JSON.stringify(before.ranges)) return;
      if (values.length === 0 && changes.group !== undefined) return void this.#change({ ...changes, collapsed: [] });
      if (values.length === 0) return void notices.show(phrase('The sections could not be collapsed. Try again.'), false);
      // The largest sections come last, because only the last ones may fit.
      const collapsed = shortCollapsed(values.map(([value]) => [value]).toReversed());
      this.#change({ ...changes, collapsed });
      if (note !== null || collapsed.length < values.length) notices.show(phrase('{count} sections are collapsed; there are more.', { count: collapsed.length }));
    });
  }
}
