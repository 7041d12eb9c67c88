"""The accessibility rules of axe-core."""

import pathlib


def axe_source():
    """Returns the script of axe-core, or None where the package is not installed."""
    try:
        import axe_playwright_python
    except ImportError:
        return None
    return (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def violations(page, axe):
    """Returns a line for each rule that the page violates in its present state."""
    page.evaluate(axe)
    return page.evaluate("""() => axe.run(document, { resultTypes: ['violations'], preload: false,
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations.map(({ id, help, nodes }) => {
        const first = nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 200)} ${any[0]?.message}`);
        return `axe ${id}: ${help}: ${first.join(' | ')} (${nodes.length})`;
      }))""")
