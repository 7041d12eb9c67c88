// Contrast of texts and marks in both themes (WCAG 2.2 AA), from the style sheet's tokens.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { contrast, css, over, tokens } from './contrast.mjs';

const hues = ['good', 'bad', 'warn', 'quiet', 'hue0', 'hue1', 'hue2', 'hue3', 'hue4', 'hue5'];

for (const theme of ['light', 'dark']) {
  const t = tokens(theme);
  const chosen = (back) => over(t['accent-wash'], back);

  const check = (name, front, back, least) => {
    const found = contrast(front, back);
    assert.ok(found >= least, `${theme}: ${name} has ${found.toFixed(2)}, needs ${least}`);
  };

  test(`black on white is 21, and all tokens exist, ${theme}`, () => {
    assert.equal(contrast([0, 0, 0], [1, 1, 1]), 21);
    for (const name of [...hues, 'page', 'raised', 'text', 'accent', 'line', 'faint', 'section', 'hover', 'bar', 'found', 'fresh']) assert.ok(t[name], name);
  });

  test(`text has contrast 4.5 on every background, ${theme}`, () => {
    const backs = ['page', 'raised', 'hover', 'section', 'found'];
    for (const back of backs) check(`text on ${back}`, t.text, t[back], 4.5);
    for (const back of ['page', 'hover']) {
      check(`text on a selected ${back}`, t.text, chosen(t[back]), 4.5);
      check(`text on a bar on ${back}`, t.text, over(t.bar, t[back]), 4.5);
      check(`text on a selected bar on ${back}`, t.text, over(t.bar, chosen(t[back])), 4.5);
      check(`fresh text on ${back}`, t.fresh, t[back], 4.5);
      check(`fresh text on a bar on ${back}`, t.fresh, over(t.bar, t[back]), 4.5);
    }
  });

  test(`quiet text has contrast 4.5, ${theme}`, () => {
    for (const back of ['page', 'raised', 'hover', 'section', 'line']) check(`quiet on ${back}`, t.quiet, t[back], 4.5);
    check('quiet on a selected row', t.quiet, chosen(t.page), 4.5);
    // Rows that are out of date or removed are quiet as a whole.
    for (const back of ['page', 'hover']) {
      check(`quiet on a bar on ${back}`, t.quiet, over(t.bar, t[back]), 4.5);
      check(`quiet on a selected ${back}`, t.quiet, chosen(t[back]), 4.5);
    }
  });

  test(`links, marks and errors have contrast 4.5, ${theme}`, () => {
    for (const name of ['accent', 'bad', 'warn', 'good']) for (const back of ['page', 'raised', 'hover']) check(`${name} on ${back}`, t[name], t[back], 4.5);
    check('page on accent', t.page, t.accent, 4.5);
    check('a link in a selected row', t.accent, chosen(t.page), 4.5);
  });

  test(`badges have contrast 4.5, ${theme}`, () => {
    for (const hue of hues) {
      for (const back of ['page', 'hover', 'raised']) check(`the badge ${hue} on ${back}`, t[hue], over(t[hue], t[back], 0.13), 4.5);
      check(`the badge ${hue} in a selected row`, t[hue], over(t[hue], chosen(t.page), 0.13), 4.5);
    }
  });

  test(`highlighted cells have contrast 4.5, and their marks 3, ${theme}`, () => {
    const css = readFileSync(new URL('../../web/highlights.css', import.meta.url), 'utf8');
    assert.ok(css.includes('color-mix(in srgb, var(--mark) 15%, transparent)') && css.includes('.cell[data-heat="8"] { --heat: 33%; }'));
    for (const back of [t.page, t.hover, chosen(t.page)]) {
      for (const mark of ['bad', 'warn', 'good', 'accent']) {
        const tinted = over(t[mark], back, 0.15);
        check(`text on the tint ${mark}`, t.text, tinted, 4.5);
        check(`the mark ${mark} on its tint`, t[mark], tinted, 3);
      }
      check('text on the warmest heat', t.text, over(t.accent, back, 0.33), 4.5);
    }
  });

  test(`changed cells have contrast 4.5, ${theme}`, () => {
    for (const [kind, token] of [['better', 'good'], ['worse', 'bad']]) {
      assert.ok(css.includes(`.cell.${kind} { color: var(--${token}); background-color: color-mix(in srgb, var(--${token}) 8%, transparent); }`), kind);
    }
    assert.ok(css.includes('.cell.bar:is(.better, .worse, .other) { background-color: transparent; }'));
    assert.ok(css.includes('.cell.other { color: var(--fresh); background-color: var(--accent-wash); }'));
    for (const back of ['page', 'hover']) {
      for (const name of ['good', 'bad', 'fresh']) check(`${name} on a bar on ${back}`, t[name], over(t.bar, t[back]), 4.5);
      for (const [name, under] of [['plain', t[back]], ['selected', chosen(t[back])]]) {
        check(`a neutral change on ${back}, ${name}`, t.fresh, over(t['accent-wash'], under), 4.5);
        check(`a better value on ${back}, ${name}`, t.good, over(t.good, under, 0.08), 4.5);
        check(`a worse value on ${back}, ${name}`, t.bad, over(t.bad, under, 0.08), 4.5);
      }
    }
  });

  test(`tiles have contrast 4.5, also while pressed, ${theme}`, () => {
    for (const name of ['text', 'quiet', 'bad', 'warn']) check(`${name} on a pressed tile`, t[name], chosen(t.raised), 4.5);
    for (const name of ['bad', 'warn']) check(`the mark ${name} of a row`, t[name], t.hover, 3);
  });

  test(`focus rings and faint marks have contrast 3, ${theme}`, () => {
    for (const back of ['page', 'raised', 'section']) check(`the focus on ${back}`, t.accent, t[back], 3);
    for (const back of ['page', 'raised', 'section']) check(`faint on ${back}`, t.faint, t[back], 3);
  });
}
