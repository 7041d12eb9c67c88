// Rules that no reader should have to watch over: what the page's files may hold.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../web/', import.meta.url);
const files = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]);
const scripts = files.filter(([name]) => name.endsWith('.js'));

test('text stays text: nothing turns a string into markup or code', () => {
  const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|DOMParser|createContextualFragment/;
  for (const [name, text] of scripts) assert.ok(!forbidden.test(text), name);
});

test('no style, script or handler stands in the markup', () => {
  const [, html] = files.find(([name]) => name === 'index.html');
  assert.ok(!/\sstyle=|\son\w+=|<style|<script(?![^>]*\ssrc=)/.test(html));
});

test('nothing is loaded from elsewhere', () => {
  for (const [name, text] of files) {
    const addresses = (text.match(/(https?:|['\"(])\/\/[a-z0-9-]+\.[a-z0-9./-]+/gi) ?? []).filter((address) => !address.startsWith('http://www.w3.org/'));
    assert.deepEqual(addresses, [], name);
    for (const [, from] of text.matchAll(/from '([^']+)'/g)) assert.match(from, /^\.\/[a-z]+\.js$/, name);
  }
});

/** All modules that those named need before they run, and those themselves. */
function needed(...names) {
  const found = new Set(names);
  for (const name of found) {
    const [, text] = files.find(([file]) => file === name);
    for (const [, from] of text.matchAll(/^(?:import|export) [^;]*?from '\.\/([a-z]+\.js)';|^import '\.\/([a-z]+\.js)';/gm)) found.add(from);
  }
  return found;
}

test('every module that the first rows need is asked for at once, and no other', () => {
  const [, html] = files.find(([name]) => name === 'index.html');
  const started = [...html.matchAll(/<script type="module" src="([a-z]+\.js)" blocking="render">/g)].map(([, name]) => name);
  const ahead = [...html.matchAll(/<link rel="modulepreload" href="([a-z]+\.js)">/g)].map(([, name]) => name);
  assert.deepEqual(started, ['main.js']);
  assert.equal(new Set(ahead).size, ahead.length, 'one is named twice');
  assert.deepEqual([...ahead, ...started].toSorted(), [...needed('main.js')].toSorted());
});

test('what is said before the modules are there is what they would say', async () => {
  const { hello, SUBPROTOCOL } = await import('../../web/wire.js');
  const { DENSITIES } = await import('../../web/reader.js');
  const [, start] = files.find(([name]) => name === 'start.js');
  assert.ok(start.includes(`socket.send('${JSON.stringify(hello('rowcast page'))}')`));
  assert.ok(start.includes(`'${SUBPROTOCOL}')`));
  assert.ok(start.includes(`{ compact: ${DENSITIES.compact}, roomy: ${DENSITIES.roomy} }[kept('density')] ?? ${DENSITIES.normal}`));
});

test('no module is forgotten: each is needed at once, later, or by a worker', () => {
  const later = scripts.flatMap(([, text]) => [...text.matchAll(/(?:import\('\.\/|beside\(')([a-z]+\.js)'/g)].map(([, name]) => name));
  const reached = needed('main.js', 'start.js', ...later);
  assert.deepEqual(scripts.map(([name]) => name).filter((name) => !reached.has(name)), []);
});

test('pure modules know no document, socket or clock', () => {
  const pure = ['wire.js', 'viewport.js', 'query.js', 'session.js', 'columns.js', 'keys.js', 'columnmenu.js', 'chosen.js', 'clipboard.js', 'gauges.js', 'source.js', 'values.js', 'glance.js', 'acts.js', 'targets.js', 'picturesize.js', 'exporting.js', 'aside.js', 'pieces.js', 'loads.js', 'seek.js', 'parse.js', 'spans.js', 'places.js', 'exact.js'];
  for (const [name, text] of scripts.filter(([file]) => pure.includes(file))) {
    const code = text.replace(/\/\/.*$|\/\*[^]*?\*\//gm, '');
    assert.ok(!/\b(document|window|self|WebSocket|performance|setTimeout|setInterval|requestAnimationFrame|Math\.random|Date\.now)\b\s*[.(]/.test(
      code.replace(/#?\bwindow\(m\)/g, '')), name);
  }
});

test('files are short; those that the first rows wait for may be longer, for each of them costs time', () => {
  const started = needed('main.js');
  for (const [name, text] of files) assert.ok(text.split('\n').length <= (started.has(name) ? 600 : 400), name);
});

test('the style sheet and the geometry agree', async () => {
  const [, css] = files.find(([name]) => name === 'style.css');
  const { BARS_HEIGHT, HEAD_HEIGHT, ROW_HEIGHT } = await import('../../web/viewport.js');
  const { FONT } = await import('../../web/columns.js');
  assert.ok(css.includes(`--row: ${ROW_HEIGHT}px;`));
  assert.ok(css.includes(`--head: ${HEAD_HEIGHT}px;`));
  const [, above, below] = /grid-template: (\d+)px auto minmax\(0, 1fr\) (\d+)px/.exec(css);
  assert.equal(Number(above) + Number(below), BARS_HEIGHT);
  const [, start] = files.find(([name]) => name === 'start.js');
  assert.ok(start.includes(`screen.availHeight - ${BARS_HEIGHT + HEAD_HEIGHT}) / rowHeight`));
  assert.ok(css.includes(`font: 13px/1.4 ${FONT};`));
  assert.ok(start.includes(`\`\${font} ${FONT}\``));
});
