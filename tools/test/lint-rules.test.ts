import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

// A rule that cannot fail is a defect: every wrong line below, put where it does not belong, must be named by the rule that guards the place;
// every right one must pass, so that no rule is proved by firing everywhere.
const repository = resolve(import.meta.dirname, '../..');
const biome = join(repository, 'node_modules/@biomejs/biome/bin/biome');

const arrows = 'lint/style/noRestrictedImports';
const purity = 'lint/style/noRestrictedGlobals';
const random = 'plugin';
const importing = (name: string): string => `import * as it from '${name}';\nexport const x: unknown = it;\n`;
const saying = (expression: string): string => `export const x: unknown = ${expression};\n`;
const lines = (count: number): string => '  x += 1;\n'.repeat(count);
const statements = (count: number): string => Array.from({ length: count }, (_, n) => `export const x${n}: number = ${n};\n`).join('');
const decisions = (count: number): string => 'if (x > 1) {\n'.repeat(count) + '}\n'.repeat(count);

const wrong: readonly (readonly [promise: string, path: string, text: string, rule: string])[] = [
  ['core knows no other package', 'packages/core/src/source/a.ts', importing('@leadership/testkit'), arrows],
  ['core asks the platform in time/ and process/ only (H6)', 'packages/core/src/source/b.ts', importing('node:fs'), arrows],
  ['core/time knows no other package', 'packages/core/src/time/a.ts', importing('@leadership/file'), arrows],
  ['core declares what it imports', 'packages/core/src/source/c.ts', importing('kafkajs'), 'lint/correctness/noUndeclaredDependencies'],
  [
    'core imports nothing meant for its tests',
    'packages/core/src/source/d.ts',
    importing('vitest'),
    'lint/correctness/noUndeclaredDependencies',
  ],
  ['the protocol does no IO', 'packages/core/src/ledger/io.ts', importing('node:fs'), arrows],
  ['the protocol knows no Rx', 'packages/core/src/ledger/rx.ts', importing('rxjs'), arrows],
  ['the protocol knows no operators', 'packages/core/src/ledger/operators.ts', importing('rxjs/operators'), arrows],
  ['the protocol does not know who drives it', 'packages/core/src/ledger/up.ts', importing('../source/a.ts'), arrows],
  ['the protocol reads no monotonic clock', 'packages/core/src/ledger/performance.ts', saying('performance.now()'), purity],
  ['the protocol reads no wall clock', 'packages/core/src/ledger/date.ts', saying('Date.now()'), purity],
  ['the protocol makes no wall-clock moment', 'packages/core/src/ledger/new-date.ts', saying('new Date()'), purity],
  ['the protocol sets no timer', 'packages/core/src/ledger/timer.ts', saying('setTimeout(() => 1, 1)'), purity],
  ['the protocol sets no interval', 'packages/core/src/ledger/interval.ts', saying('setInterval(() => 1, 1)'), purity],
  ['the protocol reads no clock round the corner', 'packages/core/src/ledger/global.ts', saying('globalThis.performance.now()'), purity],
  ['the protocol rolls no dice', 'packages/core/src/ledger/random.ts', saying('Math.random()'), random],
  ['the protocol does not lend its dice', 'packages/core/src/ledger/dice.ts', saying('[Math.random]'), random],
  ['the other engine is as pure', 'packages/core/src/induction/date.ts', saying('Date.now()'), purity],
  ['the driver still asks no platform', 'packages/core/src/ledger/driver.ts', importing('node:timers'), arrows],
  ['an adapter knows core only', 'packages/file/src/testkit.ts', importing('@leadership/testkit'), arrows],
  ['an adapter reaches no other through its files', 'packages/file/src/around.ts', importing('../../core/src/index.ts'), arrows],
  ['an adapter to come knows core only', 'packages/kafka/src/file.ts', importing('@leadership/file'), arrows],
  ['the Kafka adapter imports no client outside the folder of the client', 'packages/kafka/src/client.ts', importing('kafkajs'), arrows],
  ['nor the other client', 'packages/kafka/src/second.ts', importing('@platformatic/kafka'), arrows],
  ['no source reaches a test', 'packages/file/src/reach.ts', importing('../test/a.ts'), arrows],
  ['the testkit knows core only', 'packages/testkit/src/file.ts', importing('@leadership/file'), arrows],
  ['the checks know no runner', 'packages/testkit/src/checks.ts', importing('vitest'), arrows],
  ['the binding knows no adapter', 'packages/testkit/src/vitest.ts', importing('@leadership/file'), arrows],
  ['the simulated world does no IO', 'packages/testkit/src/simulation/io.ts', importing('node:fs'), arrows],
  ['the simulated world reads no clock', 'packages/testkit/src/simulation/clock.ts', saying('performance.now()'), purity],
  ['the simulated world rolls seeded dice only', 'packages/testkit/src/simulation/dice.ts', saying('Math.random()'), random],
  ['a protocol of an adapter reads no clock', 'packages/nerio/src/protocol/clock.ts', saying('performance.now()'), purity],
  ['a protocol of an adapter rolls no dice', 'packages/nerio/src/protocol/dice.ts', saying('Math.random()'), random],
  ['a protocol of an adapter does no IO', 'packages/nerio/src/protocol/io.ts', importing('node:net'), arrows],
  ['a protocol of an adapter knows no Rx', 'packages/nerio/src/protocol/rx.ts', importing('rxjs'), arrows],
  ['a protocol of an adapter does not know who drives it', 'packages/nerio/src/protocol/up.ts', importing('../transport.ts'), arrows],
  ['a protocol of an adapter knows core only', 'packages/nerio/src/protocol/file.ts', importing('@leadership/file'), arrows],
  ["Nerio's simulated world reads no clock", 'tools/src/simulate/nerio/clock.ts', saying('Date.now()'), purity],
  ["Nerio's simulated world rolls seeded dice only", 'tools/src/simulate/nerio/dice.ts', saying('Math.random()'), random],
  ['an example shows what a user has', 'examples/src/a.ts', importing('@leadership/testkit'), arrows],
  ['a test names other packages', 'packages/file/test/a.test.ts', importing('../../core/src/index.ts'), arrows],
  [
    'no cycle of files (one half)',
    'packages/core/src/source/left.ts',
    "export { b as c } from './right.ts';\nexport const a: number = 1;\n",
    'lint/suspicious/noImportCycles',
  ],
  [
    'no cycle of files (the other)',
    'packages/core/src/source/right.ts',
    "export { a as d } from './left.ts';\nexport const b: number = 1;\n",
    'lint/suspicious/noImportCycles',
  ],
  ['file names are kebab-case', 'packages/core/src/source/camelCase.ts', saying('1'), 'lint/style/useFilenamingConvention'],
  ['a file has at most 300 lines', 'packages/core/src/source/long.ts', statements(301), 'lint/style/noExcessiveLinesPerFile'],
  [
    'a function has at most 40 lines',
    'packages/core/src/source/tall.ts',
    `export function f(): void {\n  let x = 1;\n${lines(41)}}\n`,
    'lint/complexity/noExcessiveLinesPerFunction',
  ],
  [
    'a function decides at most 10 times',
    'packages/core/src/source/maze.ts',
    `export function f(x: number): void {\n${decisions(5)}}\n`,
    'lint/complexity/noExcessiveCognitiveComplexity',
  ],
  ['nothing is any', 'packages/core/src/source/any.ts', 'export const x: any = 1;\n', 'lint/suspicious/noExplicitAny'],
  [
    'nothing is asserted not to be null',
    'packages/core/src/source/bang.ts',
    'export const x = (y?: number): number => y!;\n',
    'lint/style/noNonNullAssertion',
  ],
  ['nothing is exported by default', 'packages/core/src/source/default.ts', 'export default 1;\n', 'lint/style/noDefaultExport'],
  [
    'a public face names what it exports',
    'packages/core/src/face.ts',
    "export * from './source/long.ts';\n",
    'lint/performance/noReExportAll',
  ],
  [
    'no promise floats',
    'packages/core/src/source/floats.ts',
    'async function f(): Promise<void> {}\nexport function g(): void {\n  f();\n}\n',
    'lint/nursery/noFloatingPromises',
  ],
];

const right: readonly (readonly [promise: string, path: string, text: string])[] = [
  ['core stand on Rx', 'packages/core/src/source/rx-ok.ts', importing('rxjs')],
  ['core ask the platform in time/', 'packages/core/src/time/platform-ok.ts', importing('node:perf_hooks')],
  ['core ask the platform in process/', 'packages/core/src/process/platform-ok.ts', importing('node:os')],
  ['the driver read the clock', 'packages/core/src/ledger/driver-ok.ts', saying('performance.now()')],
  ['another driver do so too', 'packages/core/src/induction/beats-driver.ts', saying('Date.now()')],
  ['the protocol compute', 'packages/core/src/ledger/max-ok.ts', saying('Math.max(1, 2)')],
  ['an adapter stand on core', 'packages/file/src/core-ok.ts', importing('@leadership/core/ledger')],
  ['an adapter do IO', 'packages/file/src/io-ok.ts', importing('node:fs/promises')],
  ['an adapter be tested with the testkit', 'packages/file/test/testkit-ok.test.ts', importing('@leadership/testkit/vitest')],
  ['a test import its own sources', 'packages/file/test/deep/own-ok.test.ts', importing('../../src/core-ok.ts')],
  ['a test be long', 'packages/core/test/long-ok.test.ts', statements(301)],
];

interface Report {
  readonly diagnostics: readonly { readonly category: string; readonly location: { readonly path: string } }[];
}

/** The rules that fired, per file, in a house of its own under the repository's configuration. */
async function lint(
  files: readonly (readonly [promise: string, path: string, text: string, ...rest: unknown[]])[],
): Promise<Map<string, string[]>> {
  await using house = await temporaryHouse();
  for (const [, path, text] of files) {
    await mkdir(dirname(join(house.path, path)), { recursive: true });
    await writeFile(join(house.path, path), text);
  }
  const { diagnostics } = await report(house.path);
  const fired = new Map<string, string[]>();
  for (const { category, location } of diagnostics) fired.set(location.path, [...(fired.get(location.path) ?? []), category]);
  return fired;
}

async function temporaryHouse(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'leadership-lint-'));
  const manifests = ['core', 'file', 'testkit'].map((name) => `packages/${name}/package.json`);
  for (const part of ['biome.json', '.gitignore', 'tools/lint', ...manifests])
    await cp(join(repository, part), join(path, part), { recursive: true });
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Biome exits with 1 when it finds something: its report is what counts. */
async function report(cwd: string): Promise<Report> {
  const asked = promisify(execFile)(process.execPath, [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.'], { cwd });
  const { stdout } = await asked.catch((failed: { stdout: string }) => failed);
  return JSON.parse(stdout) as Report;
}

describe('the lint rules', () => {
  let fired: Map<string, string[]>;

  beforeAll(async () => {
    fired = await lint([...wrong, ...right]);
  });

  it.each(wrong)('hold: %s', (_promise, path, _text, rule) => {
    expect(fired.get(path) ?? []).toContain(rule);
  });

  it.each(right)('let %s', (_promise, path) => {
    expect(fired.get(path) ?? []).toEqual([]);
  });
});
