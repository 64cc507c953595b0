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

const arrows = 'lint/style/noRestrictedImports';
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
    'core imports no other package',
    'packages/core/src/source/a.ts',
    importing('@leadership/testkit'),
    arrows,
  ],
  [
    'core imports the platform only in time/ and process/ (H6)',
    'packages/core/src/source/b.ts',
    importing('node:fs'),
    arrows,
  ],
  [
    'core/time imports no other package',
    'packages/core/src/time/a.ts',
    importing('@leadership/file'),
    arrows,
  ],
  [
    'the command imports no backend',
    'packages/cli/src/a.ts',
    importing('@leadership/file'),
    arrows,
  ],
  [
    'the module for NestJS imports no backend',
    'packages/nestjs/src/a.ts',
    importing('@leadership/file'),
    arrows,
  ],
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
    'the protocol does no IO',
    'packages/core/src/ledger/protocol/io.ts',
    importing('node:fs'),
    arrows,
  ],
  [
    'the protocol does not import Rx',
    'packages/core/src/ledger/protocol/rx.ts',
    importing('rxjs'),
    arrows,
  ],
  [
    'the protocol does not import Rx operators',
    'packages/core/src/ledger/protocol/operators.ts',
    importing('rxjs/operators'),
    arrows,
  ],
  [
    'the protocol does not import the source',
    'packages/core/src/ledger/protocol/up.ts',
    importing('../../source/a.ts'),
    arrows,
  ],
  [
    'the protocol does not import its driver',
    'packages/core/src/ledger/protocol/around.ts',
    importing('../register-driver.ts'),
    arrows,
  ],
  [
    'the protocol does not import its membership',
    'packages/core/src/induction/protocol/around.ts',
    importing('../membership.ts'),
    arrows,
  ],
  [
    'the protocol does not import the engine',
    'packages/core/src/ledger/protocol/engine.ts',
    importing('../../engine/troubles.ts'),
    arrows,
  ],
  [
    'the protocol reads no monotonic clock',
    'packages/core/src/ledger/protocol/performance.ts',
    exporting('performance.now()'),
    purity,
  ],
  [
    'the protocol reads no wall clock',
    'packages/core/src/ledger/protocol/date.ts',
    exporting('Date.now()'),
    purity,
  ],
  [
    'the protocol creates no date',
    'packages/core/src/ledger/protocol/new-date.ts',
    exporting('new Date()'),
    purity,
  ],
  [
    'the protocol sets no timer',
    'packages/core/src/ledger/protocol/timer.ts',
    exporting('setTimeout(() => 1, 1)'),
    purity,
  ],
  [
    'the protocol sets no interval',
    'packages/core/src/ledger/protocol/interval.ts',
    exporting('setInterval(() => 1, 1)'),
    purity,
  ],
  [
    'the protocol reads no clock through globalThis',
    'packages/core/src/ledger/protocol/global.ts',
    exporting('globalThis.performance.now()'),
    purity,
  ],
  [
    'the protocol calls no Math.random',
    'packages/core/src/ledger/protocol/random.ts',
    exporting('Math.random()'),
    random,
  ],
  [
    'the protocol does not pass Math.random on',
    'packages/core/src/ledger/protocol/dice.ts',
    exporting('[Math.random]'),
    random,
  ],
  [
    'the protocol of induction reads no clock',
    'packages/core/src/induction/protocol/date.ts',
    exporting('Date.now()'),
    purity,
  ],
  [
    'the contract does not import the source',
    'packages/core/src/contract/up.ts',
    importing('../source/a.ts'),
    arrows,
  ],
  [
    'async/ does not import the engine',
    'packages/core/src/async/up.ts',
    importing('../engine/troubles.ts'),
    arrows,
  ],
  [
    'the engine does not import a protocol',
    'packages/core/src/engine/up.ts',
    importing('../ledger/ledger.ts'),
    arrows,
  ],
  [
    'the engine reads no clock',
    'packages/core/src/engine/date.ts',
    exporting('Date.now()'),
    purity,
  ],
  [
    'a source does not import a protocol',
    'packages/core/src/source/ledger.ts',
    importing('../ledger/ledger.ts'),
    arrows,
  ],
  [
    'a source does not import a combination',
    'packages/core/src/source/up.ts',
    importing('../combine/combine.ts'),
    arrows,
  ],
  [
    'a combination does not import a protocol',
    'packages/core/src/combine/ledger.ts',
    importing('../ledger/ledger.ts'),
    arrows,
  ],
  [
    'the driver does not import the source',
    'packages/core/src/ledger/up.ts',
    importing('../source/a.ts'),
    arrows,
  ],
  [
    'the driver reads no clock',
    'packages/core/src/ledger/some-driver.ts',
    exporting('performance.now()'),
    purity,
  ],
  [
    'the driver does not import the platform',
    'packages/core/src/ledger/driver.ts',
    importing('node:timers'),
    arrows,
  ],
  [
    'the ledger over rows imports no machine',
    'packages/core/src/adapter/rows/machine.ts',
    importing('../../ledger/protocol/step.ts'),
    arrows,
  ],
  [
    'the ledger over rows imports no source',
    'packages/core/src/adapter/rows/source.ts',
    importing('../../source/role.ts'),
    arrows,
  ],
  [
    'the ledger over rows knows nothing of URLs and options',
    'packages/core/src/adapter/rows/options.ts',
    importing('../address.ts'),
    arrows,
  ],
  [
    'an adapter imports core only',
    'packages/file/src/testkit.ts',
    importing('@leadership/testkit'),
    arrows,
  ],
  [
    'an adapter does not import the files of another package',
    'packages/file/src/around.ts',
    importing('../../core/src/index.ts'),
    arrows,
  ],
  [
    'an adapter does not import another adapter',
    'packages/kafka/src/file.ts',
    importing('@leadership/file'),
    arrows,
  ],
  [
    'the Kafka adapter imports KafkaJS only in its own directory',
    'packages/kafka/src/client.ts',
    importing('kafkajs'),
    arrows,
  ],
  [
    'the Kafka adapter imports the second client only in its own directory',
    'packages/kafka/src/second.ts',
    importing('@platformatic/kafka'),
    arrows,
  ],
  [
    "Kafka's connections do not import the records",
    'packages/kafka/src/connection/up.ts',
    importing('../topic/reader.ts'),
    arrows,
  ],
  [
    "Kafka's connections do not import a client",
    'packages/kafka/src/connection/client.ts',
    importing('../kafkajs/log.ts'),
    arrows,
  ],
  [
    "Kafka's records do not import the group",
    'packages/kafka/src/topic/up.ts',
    importing('../group/plan.ts'),
    arrows,
  ],
  [
    "Kafka's group does not import a client",
    'packages/kafka/src/group/client.ts',
    importing('../platformatic/group.ts'),
    arrows,
  ],
  [
    "Kafka's group does not import KafkaJS",
    'packages/kafka/src/group/kafkajs.ts',
    importing('kafkajs'),
    arrows,
  ],
  [
    'a client of Kafka does not import the records',
    'packages/kafka/src/kafkajs/up.ts',
    importing('../topic/reader.ts'),
    arrows,
  ],
  [
    'the second client does not import the first',
    'packages/kafka/src/platformatic/first.ts',
    importing('../kafkajs/log.ts'),
    arrows,
  ],
  [
    'a patch of KafkaJS does not import its client',
    'packages/kafka/src/kafkajs-patches/up.ts',
    importing('../kafkajs/log.ts'),
    arrows,
  ],
  [
    "Kinesis' clients do not import the table",
    'packages/kinesis/src/client/up.ts',
    importing('../table/store.ts'),
    arrows,
  ],
  [
    "Kinesis' table does not import the stream",
    'packages/kinesis/src/table/up.ts',
    importing('../stream/beats.ts'),
    arrows,
  ],
  [
    "Kinesis' table does not import the stream's SDK",
    'packages/kinesis/src/table/sdk.ts',
    importing('@aws-sdk/client-kinesis'),
    arrows,
  ],
  [
    "a file's disk calls do not import the registers",
    'packages/file/src/disk/up.ts',
    importing('../register/layout.ts'),
    arrows,
  ],
  [
    "a file's mount checks do not import the registers",
    'packages/file/src/mount/up.ts',
    importing('../register/layout.ts'),
    arrows,
  ],
  [
    "a file's registers do not import the members",
    'packages/file/src/register/side.ts',
    importing('../members/presence.ts'),
    arrows,
  ],
  [
    "a file's members do not import the registers",
    'packages/file/src/members/side.ts',
    importing('../register/put.ts'),
    arrows,
  ],
  [
    "Nerio's transport does not import the source",
    'packages/nerio/src/transport/up.ts',
    importing('../source/member-driver.ts'),
    arrows,
  ],
  [
    "Nerio's TCP does not import the source",
    'packages/nerio/src/transport/tcp/up.ts',
    importing('../../source/member-driver.ts'),
    arrows,
  ],
  [
    "Nerio's codec does not import frames",
    'packages/nerio/src/transport/codec/up.ts',
    importing('../frames/frame.ts'),
    arrows,
  ],
  [
    "Nerio's codec opens no socket",
    'packages/nerio/src/transport/codec/io.ts',
    importing('node:net'),
    arrows,
  ],
  [
    "Scuttlebutt's codec opens no socket",
    'packages/scuttlebutt/src/transport/codec/io.ts',
    importing('node:net'),
    arrows,
  ],
  [
    "Nerio's frames do not import TCP",
    'packages/nerio/src/transport/frames/up.ts',
    importing('../tcp/wire.ts'),
    arrows,
  ],
  [
    "Nerio's frames open no socket",
    'packages/nerio/src/transport/frames/io.ts',
    importing('node:net'),
    arrows,
  ],
  [
    "Nerio's source does not import TCP",
    'packages/nerio/src/source/tcp.ts',
    importing('../transport/tcp/link.ts'),
    arrows,
  ],
  ['no source imports a test', 'packages/file/src/reach.ts', importing('../test/a.ts'), arrows],
  [
    'the testkit imports core only',
    'packages/testkit/src/file.ts',
    importing('@leadership/file'),
    arrows,
  ],
  [
    'the checks do not import a test runner',
    'packages/testkit/src/checks.ts',
    importing('vitest'),
    arrows,
  ],
  [
    'the vitest binding does not import an adapter',
    'packages/testkit/src/vitest.ts',
    importing('@leadership/file'),
    arrows,
  ],
  ['the simulation does no IO', 'simulation/src/kernel/io.ts', importing('node:fs'), arrows],
  [
    'the simulation reads no clock',
    'simulation/src/nerio/clock.ts',
    exporting('performance.now()'),
    purity,
  ],
  [
    'the simulation uses only seeded randomness',
    'simulation/src/ledger/dice.ts',
    exporting('Math.random()'),
    random,
  ],
  [
    'the simulation does not import Rx',
    'simulation/src/induction/rx.ts',
    importing('rxjs'),
    arrows,
  ],
  [
    'the simulation does not import the testkit',
    'simulation/src/search/testkit.ts',
    importing('@leadership/testkit'),
    arrows,
  ],
  [
    'the simulation does not import its command',
    'simulation/src/ledger/up.ts',
    importing('../cli/settings.ts'),
    arrows,
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
    'a protocol of an adapter does no IO',
    'packages/nerio/src/protocol/io.ts',
    importing('node:net'),
    arrows,
  ],
  [
    'a protocol of an adapter does not import Rx',
    'packages/nerio/src/protocol/rx.ts',
    importing('rxjs'),
    arrows,
  ],
  [
    'a protocol of an adapter does not import its driver',
    'packages/nerio/src/protocol/up.ts',
    importing('../transport.ts'),
    arrows,
  ],
  [
    'a protocol of an adapter imports core only',
    'packages/nerio/src/protocol/file.ts',
    importing('@leadership/file'),
    arrows,
  ],
  [
    "Scuttlebutt's protocol reads no clock",
    'packages/scuttlebutt/src/protocol/election/clock.ts',
    exporting('performance.now()'),
    purity,
  ],
  [
    'the gossip does not import the election',
    'packages/scuttlebutt/src/protocol/gossip/side.ts',
    importing('../election/state.ts'),
    arrows,
  ],
  [
    'an example imports only public packages',
    'examples/src/a.ts',
    importing('@leadership/testkit'),
    arrows,
  ],
  [
    'a test imports other packages by their name',
    'packages/file/test/a.test.ts',
    importing('../../core/src/index.ts'),
    arrows,
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
  ['core import Rx', 'packages/core/src/source/rx-ok.ts', importing('rxjs')],
  [
    'core import the platform in time/',
    'packages/core/src/time/platform-ok.ts',
    importing('node:perf_hooks'),
  ],
  [
    'core import the platform in process/',
    'packages/core/src/process/platform-ok.ts',
    importing('node:os'),
  ],
  [
    'the protocol use Math.max',
    'packages/core/src/ledger/protocol/max-ok.ts',
    exporting('Math.max(1, 2)'),
  ],
  [
    'the ledger over rows import the ports of the ledger',
    'packages/core/src/adapter/rows/ports-ok.ts',
    importing('../../ledger/ledger.ts'),
  ],
  [
    'the ledger over rows import the hash of role names',
    'packages/core/src/adapter/rows/hash-ok.ts',
    importing('../../source/murmur2.ts'),
  ],
  ['an adapter import core', 'packages/file/src/core-ok.ts', importing('@leadership/core/adapter')],
  ['an adapter do IO', 'packages/file/src/io-ok.ts', importing('node:fs/promises')],
  [
    'a patch import KafkaJS',
    'packages/kafka/src/kafkajs-patches/kafkajs-ok.ts',
    importing('kafkajs'),
  ],
  [
    "Kafka's group import the records",
    'packages/kafka/src/group/down-ok.ts',
    importing('../topic/leave-notice.ts'),
  ],
  [
    "Kinesis' stream import the table",
    'packages/kinesis/src/stream/down-ok.ts',
    importing('../table/store.ts'),
  ],
  [
    "a file's registers import the disk",
    'packages/file/src/register/down-ok.ts',
    importing('../disk/disk.ts'),
  ],
  [
    "Nerio's source import the transport's port",
    'packages/nerio/src/source/port-ok.ts',
    importing('../transport/transport.ts'),
  ],
  ["Nerio's TCP open sockets", 'packages/nerio/src/transport/tcp/io-ok.ts', importing('node:net')],
  [
    "an adapter's test import the testkit",
    'packages/file/test/testkit-ok.test.ts',
    importing('@leadership/testkit/vitest'),
  ],
  [
    'a test import its own sources',
    'packages/file/test/deep/own-ok.test.ts',
    importing('../../src/core-ok.ts'),
  ],
  [
    'a test in a deeper folder import its own sources',
    'packages/file/test/deep/er/own-ok.test.ts',
    importing('../../../src/core-ok.ts'),
  ],
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
