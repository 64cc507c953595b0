import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

// Checks that each lint rule of the configuration works. Every entry of `wrong` is a file that its
// rule must report. Every entry of `right` is a file without a report, so that a rule that reports
// every file fails too.
const repository = resolve(import.meta.dirname, '../..');
const biome = join(repository, 'node_modules/@biomejs/biome/bin/biome');

const purity = 'lint/style/noRestrictedGlobals';
const random = 'plugin';
const importing = (name: string): string =>
  `import * as it from '${name}';\nexport const x: unknown = it;\n`;
const exporting = (expression: string): string => `export const x: unknown = ${expression};\n`;
const lines = (count: number): string => '  x += 1;\n'.repeat(count);
const statements = (count: number): string =>
  Array.from({ length: count }, (_, n) => `export const x${n}: number = ${n};\n`).join('');
const decisions = (count: number): string => 'if (x > 1) {\n'.repeat(count) + '}\n'.repeat(count);

const wrong: readonly (readonly [promise: string, path: string, text: string, rule: string])[] = [
  [
    'core declares what it imports',
    'packages/core/src/source/c.ts',
    importing('kafkajs'),
    'lint/correctness/noUndeclaredDependencies',
  ],
  [
    'core does not import dependencies of its tests',
    'packages/core/src/source/d.ts',
    importing('vitest'),
    'lint/correctness/noUndeclaredDependencies',
  ],
  [
    'the protocol reads no monotonic clock',
    'packages/core/src/lease/performance.ts',
    exporting('performance.now()'),
    purity,
  ],
  [
    'the protocol reads no wall clock',
    'packages/core/src/lease/date.ts',
    exporting('Date.now()'),
    purity,
  ],
  [
    'the protocol creates no date',
    'packages/core/src/lease/new-date.ts',
    exporting('new Date()'),
    purity,
  ],
  [
    'the protocol sets no timer',
    'packages/core/src/lease/timer.ts',
    exporting('setTimeout(() => 1, 1)'),
    purity,
  ],
  [
    'the protocol sets no interval',
    'packages/core/src/lease/interval.ts',
    exporting('setInterval(() => 1, 1)'),
    purity,
  ],
  [
    'the protocol reads no clock through globalThis',
    'packages/core/src/lease/global.ts',
    exporting('globalThis.performance.now()'),
    purity,
  ],
  [
    'the protocol calls no Math.random',
    'packages/core/src/lease/random.ts',
    exporting('Math.random()'),
    random,
  ],
  [
    'the protocol does not pass Math.random on',
    'packages/core/src/lease/dice.ts',
    exporting('[Math.random]'),
    random,
  ],
  [
    'the protocol of induction reads no clock',
    'packages/induction/src/protocol/date.ts',
    exporting('Date.now()'),
    purity,
  ],
  [
    'the engine reads no clock',
    'packages/core/src/engine/date.ts',
    exporting('Date.now()'),
    purity,
  ],
  [
    'the driver reads no clock',
    'packages/core/src/lease/some-driver.ts',
    exporting('performance.now()'),
    purity,
  ],
  [
    'the simulation reads no clock',
    'simulation/src/nerio/clock.ts',
    exporting('performance.now()'),
    purity,
  ],
  [
    'the simulation uses only seeded randomness',
    'simulation/src/rows/dice.ts',
    exporting('Math.random()'),
    random,
  ],
  [
    'a protocol of an adapter reads no clock',
    'packages/nerio/src/protocol/clock.ts',
    exporting('performance.now()'),
    purity,
  ],
  [
    'a protocol of an adapter calls no Math.random',
    'packages/nerio/src/protocol/dice.ts',
    exporting('Math.random()'),
    random,
  ],
  [
    "Scuttlebutt's protocol reads no clock",
    'packages/scuttlebutt/src/protocol/election/clock.ts',
    exporting('performance.now()'),
    purity,
  ],
  [
    'files do not import each other in a cycle (first file)',
    'packages/core/src/source/left.ts',
    "export { b as c } from './right.ts';\nexport const a: number = 1;\n",
    'lint/suspicious/noImportCycles',
  ],
  [
    'files do not import each other in a cycle (second file)',
    'packages/core/src/source/right.ts',
    "export { a as d } from './left.ts';\nexport const b: number = 1;\n",
    'lint/suspicious/noImportCycles',
  ],
  [
    'file names are kebab-case',
    'packages/core/src/source/camelCase.ts',
    exporting('1'),
    'lint/style/useFilenamingConvention',
  ],
  [
    'a file has at most 400 lines',
    'packages/core/src/source/long.ts',
    statements(401),
    'lint/style/noExcessiveLinesPerFile',
  ],
  [
    'a function has at most 60 lines',
    'packages/core/src/source/tall.ts',
    `export function f(): void {\n  let x = 1;\n${lines(61)}}\n`,
    'lint/complexity/noExcessiveLinesPerFunction',
  ],
  [
    'a function has a cognitive complexity of at most 10',
    'packages/core/src/source/maze.ts',
    `export function f(x: number): void {\n${decisions(5)}}\n`,
    'lint/complexity/noExcessiveCognitiveComplexity',
  ],
  [
    'no type is any',
    'packages/core/src/source/any.ts',
    'export const x: any = 1;\n',
    'lint/suspicious/noExplicitAny',
  ],
  [
    'no value is asserted to be non-null',
    'packages/core/src/source/bang.ts',
    'export const x = (y?: number): number => y!;\n',
    'lint/style/noNonNullAssertion',
  ],
  [
    'no export is a default export',
    'packages/core/src/source/default.ts',
    'export default 1;\n',
    'lint/style/noDefaultExport',
  ],
  [
    'an entry point exports by name',
    'packages/core/src/face.ts',
    "export * from './source/long.ts';\n",
    'lint/performance/noReExportAll',
  ],
  [
    'no promise is left without a handler',
    'packages/core/src/source/floats.ts',
    'async function f(): Promise<void> {}\nexport function g(): void {\n  f();\n}\n',
    'lint/nursery/noFloatingPromises',
  ],
];

const right: readonly (readonly [promise: string, path: string, text: string])[] = [
  ['the protocol use Math.max', 'packages/core/src/lease/max-ok.ts', exporting('Math.max(1, 2)')],
  ['a test file have more than 400 lines', 'packages/core/test/long-ok.test.ts', statements(401)],
];

interface Report {
  readonly diagnostics: readonly {
    readonly category: string;
    readonly location: { readonly path: string };
  }[];
}

/**
 * Lints the files in a temporary copy of the repository's configuration. Resolves with the rules
 * reported per file.
 */
async function lint(
  files: readonly (readonly [promise: string, path: string, text: string, ...rest: unknown[]])[],
): Promise<Map<string, string[]>> {
  await using directory = await temporaryDirectory();
  for (const [, path, text] of files) {
    await mkdir(dirname(join(directory.path, path)), { recursive: true });
    await writeFile(join(directory.path, path), text);
  }
  const { diagnostics } = await report(directory.path);
  const rules = new Map<string, string[]>();
  for (const { category, location } of diagnostics)
    rules.set(location.path, [...(rules.get(location.path) ?? []), category]);
  return rules;
}

async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'leadership-lint-'));
  const manifests = ['core', 'file', 'kafka', 'testkit'].map(
    (name) => `packages/${name}/package.json`,
  );
  for (const part of ['biome.json', '.gitignore', 'tools/lint', ...manifests])
    await cp(join(repository, part), join(path, part), { recursive: true });
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/**
 * Resolves with Biome's report. Biome exits with 1 if it reports anything, which is not an error
 * here.
 */
async function report(cwd: string): Promise<Report> {
  const asked = promisify(execFile)(
    process.execPath,
    [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.'],
    { cwd },
  );
  const { stdout } = await asked.catch((failed: { stdout: string }) => failed);
  return JSON.parse(stdout) as Report;
}

describe('the lint rules', () => {
  let fired: Map<string, string[]>;

  beforeAll(async () => {
    fired = await lint([...wrong, ...right]);
  });

  it.each(wrong)('ensure: %s', (_promise, path, _text, rule) => {
    expect(fired.get(path) ?? []).toContain(rule);
  });

  it.each(right)('let %s', (_promise, path) => {
    expect(fired.get(path) ?? []).toEqual([]);
  });
});
