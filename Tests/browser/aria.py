"""Checks the whole page against the rules of the ARIA grid pattern and for accessible names."""

FAULTS = """
() => {
  const faults = [];
  const say = (what, element) => faults.push(`${what}: ${element.outerHTML.slice(0, 120)}`);
  const isShown = (element) => element.checkVisibility ? element.checkVisibility() : element.offsetParent !== null;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)].filter(isShown);

  // Names and ids.
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) faults.push(`the id ${id} is there twice`);
  for (const element of document.querySelectorAll('[aria-labelledby], [aria-controls], [aria-describedby]')) {
    for (const name of ['aria-labelledby', 'aria-controls', 'aria-describedby']) {
      for (const id of (element.getAttribute(name) ?? '').split(' ').filter(Boolean))
        if (!document.getElementById(id)) say(`${name} leads nowhere`, element);
    }
  }
  const nameOf = (element) => (element.getAttribute('aria-label')
    ?? (element.getAttribute('aria-labelledby') ?? '').split(' ').filter(Boolean)
    .map((id) => document.getElementById(id)?.textContent).join(' '))
      || [...(element.labels ?? [])].map((label) => label.textContent).join(' ')
    || element.textContent.trim() || element.title;
  for (const element of all('button, a[href], input, select, [role=tab], [role=grid], '
      + '[role=menu], [role=menuitem], dialog, [role=columnheader], aside, [role=group], [role=toolbar]')) {
    if (!nameOf(element)?.trim()) say('it has no name', element);
  }
  for (const hidden of document.querySelectorAll('[aria-hidden=true]')) {
    if (hidden.querySelector('button, a[href], input, select, [tabindex="0"]'))
      say('something in it can have the focus', hidden);
  }
  for (const element of document.querySelectorAll('[tabindex]')) if (element.tabIndex > 0)
    say('it jumps the queue', element);
  const roles = new Set(['grid', 'row', 'rowgroup', 'columnheader', 'rowheader', 'gridcell',
    'presentation', 'tab', 'tablist', 'tabpanel', 'menu', 'menuitem',
    'menuitemradio', 'menuitemcheckbox', 'separator', 'slider', 'status', 'alert', 'group', 'search',
    'dialog', 'combobox', 'listbox', 'option', 'img', 'region', 'toolbar', 'none']);
  for (const element of document.querySelectorAll('[role]'))
    if (!roles.has(element.getAttribute('role'))) say('an unknown role', element);

  // The grid.
  for (const grid of all('[role=grid]')) {
    const rowCount = Number(grid.getAttribute('aria-rowcount'));
    const columnCount = Number(grid.getAttribute('aria-colcount'));
    if (!(rowCount >= 1)) say('aria-rowcount', grid);
    const reachable = [...grid.querySelectorAll('[tabindex="0"]')].filter(isShown).length
      + (grid.tabIndex === 0 ? 1 : 0);
    if (reachable !== 1) say(`${reachable} places can be reached with Tab`, grid);
    if (!document.activeElement.closest('[role=grid], body')) say('the focus is lost', document.activeElement);
    const seen = new Set();
    for (const row of all('[role=row]', grid)) {
      const up = row.parentElement.closest('[role]:not([role=presentation])');
      if (!['rowgroup', 'grid'].includes(up?.getAttribute('role'))) say('a row outside of a group', row);
      const index = Number(row.getAttribute('aria-rowindex'));
      if (row.hasAttribute('aria-rowindex') && (!(index >= 1) || index > rowCount))
        say(`aria-rowindex beyond ${rowCount}`, row);
      if (row.hasAttribute('aria-rowindex') && seen.has(index)) say('aria-rowindex twice', row);
      seen.add(index);
      const cells = [...row.querySelectorAll('[role=gridcell], [role=rowheader], [role=columnheader]')];
      if (cells.length === 0) say('a row without cells', row);
      let before = 0;
      for (const cell of cells) {
        if (cell.getAttribute('role') === 'rowheader') {
          // The label spans the columns before the first one with totals.
          const span = Number(cell.getAttribute('aria-colspan') ?? 1);
          if (!(span >= 1 && span <= columnCount) || (cells.length === 1 && span !== columnCount))
            say('a header that does not span its columns', cell);
          const isSection = row.matches('.section');
          if (isSection && !['true', 'false'].includes(cell.getAttribute('aria-expanded'))) say('aria-expanded', cell);
          before = span;
          continue;
        }
        const column = Number(cell.getAttribute('aria-colindex'));
        if (!(column > before && column <= columnCount)) say(`aria-colindex, after ${before} of ${columnCount}`, cell);
        before = column;
      }
    }
    for (const head of all('[role=columnheader]', grid)) {
      if (!['none', 'ascending', 'descending'].includes(head.getAttribute('aria-sort'))) say('aria-sort', head);
    }
  }
  if (document.documentElement.lang === '') faults.push('the page has no language');
  if (document.title === '') faults.push('the page has no title');
  if (document.querySelectorAll('[role=status], [aria-live]').length === 0) faults.push('nothing is spoken');
  return faults;
}
"""
