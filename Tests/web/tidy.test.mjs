// Rules for the content of the page's files.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../web/', import.meta.url);
const files = readdirSync(folder, { recursive: true }).filter((name) => /\.\w+$/.test(name)).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]);
const scripts = files.filter(([name]) => name.endsWith('.js'));

test('no code turns text into markup or code', () => {
  const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|DOMParser|createContextualFragment/;
  for (const [name, text] of scripts) assert.ok(!forbidden.test(text), name);
});

test('the HTML has no inline styles, scripts or handlers', () => {
  const [, html] = files.find(([name]) => name === 'index.html');
  assert.ok(!/\sstyle=|\son\w+=|<style|<script(?![^>]*\ssrc=)/.test(html));
});

test('nothing is loaded from other hosts', () => {
  for (const [name, text] of files) {
    const addresses = (text.match(/(https?:|['\"(])\/\/[a-z0-9-]+\.[a-z0-9./-]+/gi) ?? []).filter((address) => !address.startsWith('http://www.w3.org/'));
    assert.deepEqual(addresses, [], name);
    for (const [, from] of text.matchAll(/from '([^']+)'/g)) assert.match(from, /^\.(?:\/|\.\/[a-z]+\/)[a-z]+\.js$/, name);
  }
});

/** Returns the path in web/ of a module that another one imports by a relative path. */
function pathOf(from, importer) {
  return new URL(from, new URL(importer, 'file:///')).pathname.slice(1);
}

const layers = ['languages', 'protocol', 'model', 'grid', 'panels', 'input', 'app'];

test('modules import from their own layer and those below it', () => {
  for (const [name, text] of scripts) {
    const own = layers.indexOf(name.split('/')[0]);
    assert.ok(own >= 0 || name === 'start.js', name);
    for (const [, from] of text.matchAll(/^(?:import|export) [^;]*?from '([^']+)';/gm)) {
      assert.ok(layers.indexOf(pathOf(from, name).split('/')[0]) <= own, `${name} imports ${from}`);
    }
  }
});

/** Returns these modules and all that they import statically. */
function needed(...names) {
  const found = new Set(names);
  for (const name of found) {
    const [, text] = files.find(([file]) => file === name);
    for (const [, from] of text.matchAll(/^(?:import|export) [^;]*?from '([^']+)';/gm)) found.add(pathOf(from, name));
  }
  return found;
}

test('preloads exactly the modules that the first rows need', () => {
  const [, html] = files.find(([name]) => name === 'index.html');
  const started = [...html.matchAll(/<script type="module" src="([a-z/]+\.js)" blocking="render">/g)].map(([, name]) => name);
  const ahead = [...html.matchAll(/<link rel="modulepreload" href="([a-z/]+\.js)">/g)].map(([, name]) => name);
  assert.deepEqual(started, ['app/main.js']);
  assert.equal(new Set(ahead).size, ahead.length, 'one is named twice');
  assert.deepEqual([...ahead, ...started].toSorted(), [...needed('app/main.js')].toSorted());
});

test('start.js sends the same messages as the modules', async () => {
  const { hello, SUBPROTOCOL } = await import('../../web/protocol/wire.js');
  const { DENSITIES } = await import('../../web/grid/browser.js');
  const [, start] = files.find(([name]) => name === 'start.js');
  assert.ok(start.includes(`socket.send('${JSON.stringify(hello('rowcast page'))}')`));
  assert.ok(start.includes(`'${SUBPROTOCOL}')`));
  assert.ok(start.includes(`{ compact: ${DENSITIES.compact}, roomy: ${DENSITIES.roomy} }[stored('density')] ?? ${DENSITIES.normal}`));
});

test('every module is loaded at once, later, or by a worker', () => {
  const later = scripts.flatMap(([name, text]) => [...text.matchAll(/(?:import\(|beside\(|: \['[^']+', )'([a-z./]+\.js)'/g)].map(([, from]) => pathOf(from, name)));
  const reached = needed('app/main.js', 'start.js', ...later);
  assert.deepEqual(scripts.map(([name]) => name).filter((name) => !reached.has(name)), []);
});

test('pure modules use no document, socket or clock', () => {
  const pure = ['protocol/wire.js', 'model/viewport.js', 'model/language.js', 'languages/de.js', 'model/query.js', 'model/session.js', 'model/columns.js', 'model/times.js', 'model/display.js', 'panels/displaymenu.js', 'model/keys.js', 'panels/columnmenu.js', 'model/selection.js', 'input/clipboard.js', 'panels/gauges.js', 'model/source.js', 'model/values.js', 'panels/tableprobe.js', 'model/acts.js', 'model/targets.js', 'grid/picturesize.js', 'model/exporting.js', 'panels/sidequeries.js', 'protocol/pieces.js', 'model/loads.js', 'model/seek.js', 'model/finding.js', 'model/parse.js', 'model/spans.js', 'model/places.js', 'model/exact.js', 'model/steps.js', 'model/saved.js', 'model/palette.js', 'model/sums.js', 'panels/commands.js', 'model/narrowing.js', 'panels/cellmenu.js', 'model/tiles.js', 'panels/tilemenu.js', 'model/filtertext.js', 'protocol/tiles.js', 'model/where.js', 'model/parsing.js', 'model/totals.js', 'panels/sectionmenu.js', 'model/facets.js', 'model/ranges.js', 'model/widths.js', 'model/highlights.js', 'model/bounds.js'];
  for (const [name, text] of scripts.filter(([file]) => pure.includes(file))) {
    const code = text.replace(/\/\/.*$|\/\*[^]*?\*\//gm, '');
    assert.ok(!/\b(document|window|self|WebSocket|performance|setTimeout|setInterval|requestAnimationFrame|Math\.random|Date\.now)\b\s*[.(]/.test(
      code.replace(/#?\bwindow\(m\)/g, '')), name);
  }
});

test('files are short, but startup modules may be longer', () => {
  const started = needed('app/main.js');
  for (const [name, text] of files) assert.ok(text.split('\n').length <= (started.has(name) ? 600 : 400), name);
});

test('the style sheet and the geometry agree', async () => {
  const [, css] = files.find(([name]) => name === 'style.css');
  const { FOOT_HEIGHT } = await import('../../web/model/totals.js');
  const { BARS_HEIGHT, HEAD_HEIGHT, ROW_HEIGHT } = await import('../../web/model/viewport.js');
  const { FONT } = await import('../../web/model/columns.js');
  const { LINE_HEIGHT } = await import('../../web/model/display.js');
  assert.ok(css.includes(`--row: ${ROW_HEIGHT}px;`));
  assert.ok(files.find(([name]) => name === 'wrapping.css')[1].includes(`--line: ${LINE_HEIGHT}px;`));
  assert.ok(css.includes(`--head: ${HEAD_HEIGHT}px;`));
  assert.ok(files.find(([name]) => name === 'totals.css')[1].includes(`--foot: ${FOOT_HEIGHT}px;`));
  const [, above, below] = /grid-template: (\d+)px auto minmax\(0, 1fr\) (\d+)px/.exec(css);
  assert.equal(Number(above) + Number(below), BARS_HEIGHT);
  const [, start] = files.find(([name]) => name === 'start.js');
  assert.ok(start.includes(`screen.availHeight - ${BARS_HEIGHT + HEAD_HEIGHT}) / rowHeight`));
  assert.ok(css.includes(`font: 13px/1.4 ${FONT};`));
  assert.ok(start.includes(`\`\${font} ${FONT}\``));
});
