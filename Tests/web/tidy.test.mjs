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

test('every module that the page needs is loaded ahead', () => {
  const [, html] = files.find(([name]) => name === 'index.html');
  // What comes after the first rows, or when it is asked for.
  const later = ['later.js', 'columnhands.js', 'asking.js', 'values.js', 'columnmenu.js', 'drag.js', 'filterbox.js', 'menu.js', 'valuelist.js', 'options.js', 'help.js', 'panel.js', 'gauges.js'];
  const apart = ['main.js', 'worker.js', 'backoff.js', 'link.js', 'theme.js'];  // the worker's own, and what index.html starts itself
  for (const [name] of scripts) assert.ok(apart.includes(name) || later.includes(name) || html.includes(`<link rel="modulepreload" href="${name}">`), name);
});

test('pure modules know no document, socket or clock', () => {
  const pure = ['wire.js', 'rows.js', 'viewport.js', 'format.js', 'backoff.js', 'query.js', 'session.js', 'columns.js', 'keys.js', 'aggregates.js', 'filter.js', 'layout.js', 'columnmenu.js', 'chosen.js', 'clipboard.js', 'sideways.js', 'place.js', 'motion.js', 'gauges.js', 'source.js', 'values.js', 'glance.js'];
  for (const [name, text] of scripts.filter(([file]) => pure.includes(file))) {
    const code = text.replace(/\/\/.*$|\/\*[^]*?\*\//gm, '');
    assert.ok(!/\b(document|window|self|WebSocket|performance|setTimeout|setInterval|requestAnimationFrame|Math\.random|Date\.now)\b\s*[.(]/.test(
      code.replace(/#?\bwindow\(m\)/g, '')), name);
  }
});

test('files are short', () => {
  for (const [name, text] of files) assert.ok(text.split('\n').length <= 400, name);
});

test('the style sheet and the geometry agree', async () => {
  const [, css] = files.find(([name]) => name === 'style.css');
  const [, main] = files.find(([name]) => name === 'main.js');
  const { ROW_HEIGHT } = await import('../../web/viewport.js');
  assert.ok(css.includes(`--row: ${ROW_HEIGHT}px;`));
  assert.equal(css.match(/--head: (\d+)px;/)[1], main.match(/headHeight = (\d+);/)[1]);
});
