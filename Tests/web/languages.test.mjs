// Languages: every text of the page has a translation, and texts and numbers follow the language.

import test, { afterEach } from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { isEnglish, isRightToLeft, keyText, locale, number, phrase, plural, setLanguage } from '../../web/model/language.js';
import { formatter, rowsText, titleOf } from '../../web/model/columns.js';
import { KEYS } from '../../web/model/keys.js';
import { spanFrom } from '../../web/model/spans.js';
import { Search } from '../../web/model/search.js';
import { age, ago } from '../../web/model/times.js';
import { countOf } from '../../web/model/targets.js';
import { columnMenu } from '../../web/panels/columnmenu.js';
import { isToggle } from '../../web/input/folds.js';

const folder = new URL('../../web/', import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), 'utf8');
const scripts = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.js')).map((name) => [name.replaceAll('\\', '/'), read(name)]);
const names = scripts.map(([name]) => name).filter((name) => name.startsWith('languages/'));
const languages = await Promise.all(names.map(async (name) => [name, (await import(new URL(name, folder))).default]));
const { default: german } = await import('../../web/languages/de.js');

afterEach(() => setLanguage(null, undefined));

// The texts in the code, by the calls that translate them.

const literal = String.raw`'((?:[^'\\]|\\.)*)'`;
const unescaped = (text) => JSON.parse(`"${text.replaceAll("\\'", "'").replaceAll('"', '\\"')}"`);

/** The texts that count something, with their English form for one. @type {Map<string, string>} */
const counted = new Map();
/** All other texts. @type {Set<string>} */
const plain = new Set();

for (const [name, code] of scripts.filter(([file]) => !file.startsWith('languages/'))) {
  for (const [, text] of code.matchAll(new RegExp(String.raw`\bphrase(?:Key)?\(${literal}`, 'g'))) plain.add(unescaped(text));
  for (const [, one, other] of code.matchAll(new RegExp(String.raw`\bplural\([^']*?${literal}, ${literal}`, 'g'))) counted.set(unescaped(other), unescaped(one));
  const calls = code.match(/\bplural\((?!count, one, other)/g)?.length ?? 0;
  const found = code.match(new RegExp(String.raw`\bplural\([^']*?${literal}, ${literal}`, 'g'))?.length ?? 0;
  assert.equal(found, calls, `${name}: the texts of \`plural\` must be literals`);
}
for (const [title, keys] of KEYS) for (const text of [title, ...keys.map(([, meaning]) => meaning)]) plain.add(text);

const page = read('index.html').replace(/<head>[^]*<\/head>|<svg[^]*?<\/svg>|<noscript>.*<\/noscript>/g, '');
const inPage = [...page.matchAll(/\b(?:aria-label|title|placeholder)="([^"]*)"/g), ...page.replace(/"[^"]*"/g, '').matchAll(/>([^<]+)</g)]
  .map(([, text]) => text.trim()).filter((text) => /[a-z]/i.test(text) && text !== 'Rowcast');
for (const text of inPage) plain.add(text);

const placeholders = (text) => (text.match(/\{\w+\}/g) ?? []).toSorted();

test('each language has a translation of every text and no others', () => {
  assert.ok(plain.size > 500 && counted.size > 20 && inPage.length > 30, `${plain.size}, ${counted.size} and ${inPage.length} texts are found`);
  for (const [name, { texts }] of languages) {
    const own = Object.keys(texts);
    assert.deepEqual([...plain, ...counted.keys()].filter((text) => !Object.hasOwn(texts, text)), [], `${name} lacks these`);
    assert.deepEqual(own.filter((text) => !plain.has(text) && !counted.has(text)), [], `${name} has these, which the page does not use`);
  }
});

test('translations have the placeholders of their text, and all plural forms of their language', () => {
  for (const [name, { texts }] of languages) {
    const { pluralCategories } = new Intl.PluralRules(/(\w+)\.js$/.exec(name)[1]).resolvedOptions();
    for (const [text, translated] of Object.entries(texts)) {
      if (!counted.has(text)) {
        assert.deepEqual([typeof translated, placeholders(String(translated))], ['string', placeholders(text)], `${name}: ${text}`);
        continue;
      }
      assert.deepEqual(Object.keys(translated).toSorted(), pluralCategories.toSorted(), `${name}: ${text}`);
      for (const [form, words] of Object.entries(translated)) {
        assert.deepEqual(placeholders(words), placeholders(form === 'one' ? counted.get(text) : text), `${name}: ${words}`);
      }
    }
  }
});

test('translations begin and end like their text', () => {
  const ends = (text) => [/^\s/.test(text), /\s$/.test(text), /…$/.test(text), /\.$/.test(text)];
  for (const [name, { texts }] of languages) {
    for (const [text, translated] of Object.entries(texts)) {
      for (const words of typeof translated === 'string' ? [translated] : Object.values(translated)) {
        if (text !== 'different') assert.deepEqual(ends(words), ends(text), `${name}: ${words}`);
      }
    }
  }
});

test('each language names the keys of the keyboard', () => {
  const hints = scripts.flatMap(([, code]) => [...code.matchAll(new RegExp(String.raw`\bkeyText\(${literal}`, 'g'))].map(([, keys]) => keys));
  const listed = KEYS.flatMap(([, keys]) => keys.map(([key]) => key));
  const parts = new Set([...hints, ...listed].flatMap((keys) => keys.split(/\+|, /)).filter((part) => /^[A-Z]?[a-z]|\w \w/.test(part)));
  assert.ok(hints.length > 8 && parts.size > 12);
  for (const [name, { keys }] of languages) assert.deepEqual(Object.keys(keys).toSorted(), [...parts].toSorted(), name);
});

test('start.js knows every language file', () => {
  const start = read('start.js');
  for (const name of names) assert.equal(start.split(`'${name}'`).length, 2, name);
  for (const [name, { direction }] of languages) assert.match(direction, /^(ltr|rtl)$/, name);
});

// English texts outside of the calls that translate them.

// By module: names for the browser and the server, and parts of the server's English sentences.
const allowed = {
  'app/main.js': ['Rowcast'], 'grid/cells.js': ['noopener noreferrer'], 'grid/headers.js': ['Texts as they are in cells'],
  'grid/pictureworker.js': ['the server answers'], 'model/filtertext.js': ['is empty'], 'model/refusals.js': ['The value'], 'model/values.js': ['rowcast values', 'rowcast bounds'],
  'panels/actform.js': ['main danger'], 'panels/tableprobe.js': ['rowcast glance'], 'panels/menu.js': ['choice danger'], 'panels/signin.js': ['rowcast url'],
};

// Names of keys and of the platform.
const known = new Set(['English', 'Enter', 'Escape', 'Delete', 'Home', 'End', 'Tab', 'ContextMenu', 'Content-Type', 'Control']);

/** Returns the string literals of a module without those that are translated. */
function untranslated(code) {
  const plainCode = code.replace(/\/\*[^]*?\*\//g, '').replace(/^\s*\/\/.*$|[ ;,{]\s\/\/ .*$/gm, '')
    .replace(new RegExp(String.raw`\b(?:phrase|phraseKey|keyText)\(${literal}`, 'g'), '(')
    .replace(new RegExp(String.raw`\bplural\([^']*?${literal}, ${literal}`, 'g'), '(')
    .replace(new RegExp(String.raw`\bmake\(${literal}(, ${literal})?`, 'g'), '(')  // tags and classes
    .replace(new RegExp(String.raw`\b(?:import|querySelector|querySelectorAll|closest|matches|className = |classList\.\w+)\(?${literal}`, 'g'), '(')
    .replace(/^(?:import|export) [^;]* from .*$/gm, '');
  return [...plainCode.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)].flatMap(([, text, template]) => text ?? template.split(/\$\{[^]*?\}/));
}

const looksEnglish = (text) => /^[A-Z][a-z]+(?:[ ….:?!]|$)/.test(text) || /^[a-z’]+(?: [a-z’]+)+[.…:?!]?$/.test(text) || / [a-z]+ [a-z]+/.test(text);

test('the finder of untranslated texts finds some', () => {
  const code = "const a = make('p', 'box wide', 'Nothing here'); el.title = `Remove ${name}`; say('no more rows'); phrase('This is fine'); el.className = 'one two';";
  assert.deepEqual(untranslated(code).filter(looksEnglish), ['Nothing here', 'Remove ', 'no more rows']);
});

test('visible texts are translated', () => {
  const drawn = scripts.filter(([name]) => /^(?:panels|input|app|grid|model)\//.test(name) && name !== 'model/keys.js');
  const found = drawn.flatMap(([name, code]) => untranslated(code).map((text) => text.trim())
    .filter((text) => looksEnglish(text) && !known.has(text) && !(allowed[name] ?? []).includes(text)).map((text) => `${name}: ${text}`));
  assert.deepEqual(found, []);
});


// The texts and numbers of a language.

test('a text without a translation stays English', () => {
  setLanguage({ direction: 'ltr', keys: {}, texts: { Rows: 'Zeilen' } }, 'de');
  assert.equal(phrase('Rows'), 'Zeilen');
  assert.equal(phrase('No such text'), 'No such text');
  assert.equal(phrase('constructor'), 'constructor');
  assert.equal(plural(2, '{count} horse', '{count} horses'), '2 horses');
  assert.equal(plural(1, '{count} horse', '{count} horses'), '1 horse');
});

test('placeholders take texts as they are and numbers in the notation of the language', () => {
  assert.equal(phrase('{a} of {b}', { a: '{b}', b: 1_234.5 }, 'en'), '{b} of 1,234.5');
  assert.equal(phrase('{missing} {a}', { a: '$&' }), '{missing} $&');
  setLanguage(german, 'de-AT');
  assert.equal(locale(), 'de-AT');
  assert.equal(phrase('{place} of {count}', { place: 1_234_567n, count: '1234' }), `${(1_234_567).toLocaleString('de-AT')} von 1234`);
  assert.equal(number(0.5), '0,5');
});

test('plural forms follow the rules of the language', () => {
  assert.equal(plural(1, '{count} row', '{count} rows'), '1 row');
  assert.equal(plural(0, '{count} row', '{count} rows'), '0 rows');
  setLanguage(german, 'de');
  assert.deepEqual([0, 1, 2, 1_234].map((count) => plural(count, '{count} row', '{count} rows')), ['0 Zeilen', '1 Zeile', '2 Zeilen', '1.234 Zeilen']);
  const polish = { few: '{count} wiersze', many: '{count} wierszy', one: '{count} wiersz', other: '{count} wiersza' };
  setLanguage({ direction: 'ltr', keys: {}, texts: { '{count} rows': polish } }, 'pl');
  assert.deepEqual([1, 3, 5, 22].map((count) => plural(count, '{count} row', '{count} rows')), ['1 wiersz', '3 wiersze', '5 wierszy', '22 wiersze']);
});

test('keys have the names on the keyboards of the language', () => {
  assert.equal(keyText('Ctrl+Shift+←'), 'Ctrl+Shift+←');
  setLanguage(german, 'de');
  assert.equal(keyText('Ctrl+Shift+←'), 'Strg+Umschalt+←');
  assert.equal(keyText('Home, End'), 'Pos1, Ende');
  assert.equal(keyText('Alt+Enter, Delete, Alt+click'), 'Alt+Eingabe, Entf, Alt+Klick');
});

test('without a language, the texts are English and the numbers those of the browser', () => {
  setLanguage(german, 'de');
  assert.equal(isEnglish(), false);
  setLanguage(null, undefined);
  assert.equal(isEnglish(), true);
  assert.equal(phrase('Close'), 'Close');
  assert.equal(locale(), undefined);
  assert.equal(number(1_234.5), (1_234.5).toLocaleString());
});

test('counts, ages and truth values of cells are in the language', () => {
  setLanguage(german, 'de');
  assert.equal(rowsText({ rows: 1_234, accuracy: 'estimated' }), '≈ 1.234 Zeilen');
  assert.equal(age(0), 'jetzt');
  assert.equal(ago(200), 'vor\u00a03\u202fmin');
  assert.equal(age(-7_300), 'in 2\u202fh');
  assert.equal(countOf(3, { name: 'processes' }), '3 Zeilen');
  assert.equal(formatter({ type: 'boolean', style: 'plain' })(true, 0), 'ja');
  assert.equal(formatter({ type: 'number', style: 'duration' }, { locale: locale() })(1.5, 0), '1,50\u202fs');
});

test('an age that is typed in the language is read', () => {
  const now = Date.UTC(2026, 10, 23, 12);
  const column = { name: 'started', type: 'timestamp', style: 'age', isAgo: true };
  const spec = { column, format: formatter(column) };
  const english = spanFrom('3 min ago', spec, { now });
  setLanguage(german, 'de');
  assert.deepEqual(spanFrom('vor 3 min', spec, { now }), english);
  assert.deepEqual(spanFrom('Vor\u00a03\u202fmin', spec, { now }), english);
  assert.deepEqual(spanFrom('3 min ago', spec, { now }), english, 'English is read in every language');
  assert.match(spanFrom('vor langem', spec, { now }).fault, /^„vor langem“ ist kein Alter/);
  assert.equal(spanFrom('jetzt', spec, { now }).fault, undefined);
});

test('a search finds truth values by the word that their cells show', () => {
  const column = { name: 'done', type: 'boolean', style: 'plain' };
  const spec = { column, format: formatter(column), index: 0 };
  const finds = (text) => new Search(text, [spec], { isTextOnly: false, now: 0 }).finds(true, spec);
  assert.deepEqual([finds('yes'), finds('ja')], [true, false]);
  setLanguage(german, 'de');
  assert.deepEqual([finds('ja'), finds('nein'), finds('true')], [true, false, true]);
  assert.equal(titleOf(column), 'done', 'names of the source stay as sent');
});

test('in a language from right to left, left and right are those of the screen', () => {
  const columns = ['a', 'b', 'c'].map((name) => ({ name, type: 'text' }));
  const view = { columns: [], sort: [], group: [], filters: [], aggregates: [], collapsed: [] };
  const order = (label) => {
    let next = null;
    const item = columnMenu(columns[1], columns, view, { change: ({ columns: places }) => { next = places.map(({ column }) => column).join(''); } }).find((one) => one?.label === label);
    item?.run();
    return next;
  };
  assert.deepEqual([order('Move left'), order('Move right'), order('Pin left'), order('Pin right')], ['bac', 'acb', 'bac', null]);
  assert.deepEqual([isToggle('ArrowRight', true), isToggle('ArrowLeft', true)], [true, false]);
  setLanguage({ direction: 'rtl', keys: {}, texts: {} }, 'he');
  assert.equal(isRightToLeft(), true);
  assert.deepEqual([order('Move left'), order('Move right'), order('Pin left'), order('Pin right')], ['acb', 'bac', null, 'bac']);
  assert.deepEqual([isToggle('ArrowRight', true, true), isToggle('ArrowLeft', true, true), isToggle('ArrowRight', false, true)], [false, true, true]);
});

test('no module reads a text while it loads, because the language may not be set yet', () => {
  for (const [name, code] of scripts) {
    const statements = code.match(/^(?:export )?(?:const|let) [^]*?;$(?=\n\S|\n\n|\n?$)/gm) ?? [];
    for (const statement of statements) {
      const isRead = /\b(?:phrase|plural|keyText)\(/.test(statement) && !/=>|\bfunction\b/.test(statement);
      assert.ok(!isRead, `${name}: ${statement.slice(0, 100)}`);
    }
  }
});
