// scripts/failures: the summary of failed tests, short enough for the end of a long output.

import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../scripts/failures', import.meta.url));

/** Returns the lines that the script prints for an output. */
function failures(...output) {
  const { status, stdout, stderr } = spawnSync(script, { input: output.flat().join('\n') + '\n', encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.equal(status, 0);
  return stdout.split('\n').slice(0, -1);
}

const well = [
  '◇ Test run started.',
  '↳ Testing Library Version: 6.3.1',
  '◇ Test fine() started.',
  '✔ Test fine() passed after 0.002 seconds.',
  '2026-11-22T06:55:03+0000 error recording: writing the recording failed: No space left on device; retrying now',
];

test('prints nothing if all tests pass', () => {
  assert.deepEqual(failures(well), []);
});

test('prints an issue with its own details only', () => {
  const issue = [
    '✘ Test short() recorded an issue at F.swift:4:37: Expectation failed: (a → [1]) == [1, 2]',
    '± removed [2]',
    '↳ the list is short',
  ];
  const several = ['✘ Test two(_:) recorded an issue with 1 argument s → "a', 'b" at F.swift:5:66: Issue recorded'];
  const after = [
    '✘ Test short() failed after 0.002 seconds with 1 issue.',
    '↳ which is no news',
    '✘ Test run with 2 tests in 1 suite failed after 0.003 seconds with 2 issues.',
    'error: Exited with unexpected signal code 6',
  ];
  assert.deepEqual(failures(well, issue, well, several, after), [...issue, ...several, after[3]]);
});

test('prints compiler errors and crashes once', () => {
  const lines = ['A.swift:3:4: error: cannot find b in scope', 'Server/A.swift:12: Fatal error: 3 ranks for 4 rows'];
  assert.deepEqual(failures(lines, '[4/5] Compiling A.swift', lines), lines);
});

test('prints the name and exception of a Python test', () => {
  const output = [
    '======================================================================',
    'FAIL: test_one (test_a.A.test_one)',
    '----------------------------------------------------------------------',
    'Traceback (most recent call last):',
    '  File "test_a.py", line 3, in test_one',
    'AssertionError: 0 != 1',
    '',
    '----------------------------------------------------------------------',
    'Ran 3 tests in 0.005s',
    'FAILED (failures=1)',
    'OK',
  ];
  assert.deepEqual(failures(output), [output[1], output[5]]);
  assert.deepEqual(failures('BROKEN: reset: 3 pages were lost', 'FAILED: reset'), ['BROKEN: reset: 3 pages were lost', 'FAILED: reset']);
});

test('prints the place, name and reason of a web test', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowcast-'));
  try {
    const file = join(folder, 'a.test.mjs');
    writeFileSync(file, "import test from 'node:test';\ntest('one', () => {});\n"
      + "test('two', () => { throw new Error('why not'); });\n");
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('NODE_')));
    const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', file], { encoding: 'utf8', env: environment });
    const [place, name, reason] = failures(stdout.split('\n'));
    assert.match(place, /^test at .*a\.test\.mjs:3:1$/);
    assert.match(name, /^✖ two/);
    assert.match(reason, /why not/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('prints at most sixteen lines, names first', () => {
  const issue = (n) => [`✘ Test t${n}() recorded an issue at F.swift:${n}:1: Issue recorded`, '↳ why', '↳ not'];
  const issues = (n) => Array.from({ length: n }, (_, i) => issue(i));
  assert.deepEqual(failures(issues(5).flat()), issues(5).flat());
  assert.deepEqual(failures(issues(6).flat()), issues(6).map(([name]) => name));
  assert.equal(failures(issues(16).flat()).at(-1), issue(15)[0]);
  const many = failures(issues(17).flat());
  assert.equal(many.length, 16);
  assert.equal(many.at(-2), issue(14)[0]);
  assert.equal(many.at(-1), '... and 2 more');
});

test('shortens a long line in the middle', () => {
  const line = (length) => '✘ Test a() recorded an issue with 1 argument b → '.padEnd(length - 12, 'c') + ' at F.swift:1';
  const [stored] = failures(line(5000));
  assert.ok(stored.startsWith('✘ Test a() recorded') && stored.endsWith(' at F.swift:1'), stored);
  assert.ok(Buffer.byteLength(stored) <= 300, `${Buffer.byteLength(stored)} bytes`);
  assert.deepEqual(failures(line(280)), [line(280)]);
});

test('prints at most five lines of details per failure', () => {
  const name = '✘ Test a() recorded an issue at F.swift:1:1: Issue recorded';
  const details = ['1', '2', '3', '4', '5', '6'];
  assert.deepEqual(failures(name, details), [name, ...details.slice(0, 5)]);
});

test('prints what the lines before a crash give as its reason', () => {
  const crash = [
    '✔ Test fine() passed after 0.002 seconds.',
    'free(): double free detected in tcache 2',
    '',
    '*** Signal 6: Backtracing from 0x7fc93eccfeec... done ***',
    '',
    'Thread 1 "oot.default-qos" crashed:',
    'error: Process rowcastPackageTests.xctest exited with unexpected signal code 6',
  ];
  assert.deepEqual(failures(well, crash), [crash[3], crash[1], crash[6]]);
});
