import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wrongImports } from '../src/arrows/check-arrows.ts';

type Import = readonly [promise: string, file: string, imported: string];

const wrong: readonly Import[] = [
  [
    'the adapter of a store uses what authors of adapters have',
    'packages/postgres/src/engine.ts',
    '@leadership/core/internal/engine',
  ],
  [
    'a package for applications does not use the lease',
    'packages/http/src/lease.ts',
    '@leadership/core/internal/lease',
  ],
  ['core imports no other package', 'packages/core/src/source/a.ts', '@leadership/testkit'],
  [
    'core imports the platform only in time/ and process/ (H6)',
    'packages/core/src/source/b.ts',
    'node:fs',
  ],
  ['core/time imports no other package', 'packages/core/src/time/a.ts', '@leadership/file'],
  ['the command imports no backend', 'packages/cli/src/a.ts', '@leadership/file'],
  ['the module for NestJS imports no backend', 'packages/nestjs/src/a.ts', '@leadership/file'],
  ['the protocol does no IO', 'packages/core/src/ledger/protocol/io.ts', 'node:fs'],
  ['the protocol does not import Rx', 'packages/core/src/ledger/protocol/rx.ts', 'rxjs'],
  [
    'the protocol does not import Rx operators',
    'packages/core/src/ledger/protocol/operators.ts',
    'rxjs/operators',
  ],
  [
    'the protocol does not import the source',
    'packages/core/src/ledger/protocol/up.ts',
    '../../source/a.ts',
  ],
  [
    'the protocol does not import its driver',
    'packages/core/src/ledger/protocol/around.ts',
    '../register-driver.ts',
  ],
  [
    'the protocol does not import its membership',
    'packages/core/src/induction/protocol/around.ts',
    '../membership.ts',
  ],
  [
    'the protocol does not import the engine',
    'packages/core/src/ledger/protocol/engine.ts',
    '../../engine/troubles.ts',
  ],
  ['the contract does not import the source', 'packages/core/src/contract/up.ts', '../source/a.ts'],
  ['async/ does not import the engine', 'packages/core/src/async/up.ts', '../engine/troubles.ts'],
  [
    'the engine does not import a protocol',
    'packages/core/src/engine/up.ts',
    '../ledger/ledger.ts',
  ],
  [
    'a source does not import a protocol',
    'packages/core/src/source/ledger.ts',
    '../ledger/ledger.ts',
  ],
  [
    'a source does not import a combination',
    'packages/core/src/source/up.ts',
    '../combine/combine.ts',
  ],
  [
    'a combination does not import a protocol',
    'packages/core/src/combine/ledger.ts',
    '../ledger/ledger.ts',
  ],
  ['the driver does not import the source', 'packages/core/src/ledger/up.ts', '../source/a.ts'],
  ['the driver does not import the platform', 'packages/core/src/ledger/driver.ts', 'node:timers'],
  [
    'the ledger over rows imports no machine',
    'packages/core/src/adapter/rows/machine.ts',
    '../../ledger/protocol/step.ts',
  ],
  [
    'the ledger over rows imports no source',
    'packages/core/src/adapter/rows/source.ts',
    '../../source/role.ts',
  ],
  [
    'the ledger over rows knows nothing of URLs and options',
    'packages/core/src/adapter/rows/options.ts',
    '../address.ts',
  ],
  ['an adapter imports core only', 'packages/file/src/testkit.ts', '@leadership/testkit'],
  [
    'an adapter does not import the files of another package',
    'packages/file/src/around.ts',
    '../../core/src/index.ts',
  ],
  ['an adapter does not import another adapter', 'packages/kafka/src/file.ts', '@leadership/file'],
  [
    'the Kafka adapter imports KafkaJS only in its own directory',
    'packages/kafka/src/client.ts',
    'kafkajs',
  ],
  [
    'the Kafka adapter imports the second client only in its own directory',
    'packages/kafka/src/second.ts',
    '@platformatic/kafka',
  ],
  [
    "Kafka's connections do not import the records",
    'packages/kafka/src/connection/up.ts',
    '../topic/reader.ts',
  ],
  [
    "Kafka's connections do not import a client",
    'packages/kafka/src/connection/client.ts',
    '../kafkajs/log.ts',
  ],
  ["Kafka's records do not import the group", 'packages/kafka/src/topic/up.ts', '../group/plan.ts'],
  [
    "Kafka's group does not import a client",
    'packages/kafka/src/group/client.ts',
    '../platformatic/group.ts',
  ],
  ["Kafka's group does not import KafkaJS", 'packages/kafka/src/group/kafkajs.ts', 'kafkajs'],
  [
    'a client of Kafka does not import the records',
    'packages/kafka/src/kafkajs/up.ts',
    '../topic/reader.ts',
  ],
  [
    'the second client does not import the first',
    'packages/kafka/src/platformatic/first.ts',
    '../kafkajs/log.ts',
  ],
  [
    'a patch of KafkaJS does not import its client',
    'packages/kafka/src/kafkajs-patches/up.ts',
    '../kafkajs/log.ts',
  ],
  [
    "Kinesis' clients do not import the table",
    'packages/kinesis/src/client/up.ts',
    '../table/store.ts',
  ],
  [
    "Kinesis' table does not import the stream",
    'packages/kinesis/src/table/up.ts',
    '../stream/beats.ts',
  ],
  [
    "Kinesis' table does not import the stream's SDK",
    'packages/kinesis/src/table/sdk.ts',
    '@aws-sdk/client-kinesis',
  ],
  [
    "a file's disk calls do not import the registers",
    'packages/file/src/disk/up.ts',
    '../register/layout.ts',
  ],
  [
    "a file's mount checks do not import the registers",
    'packages/file/src/mount/up.ts',
    '../register/layout.ts',
  ],
  [
    "a file's registers do not import the members",
    'packages/file/src/register/side.ts',
    '../members/presence.ts',
  ],
  [
    "a file's members do not import the registers",
    'packages/file/src/members/side.ts',
    '../register/put.ts',
  ],
  [
    "Nerio's transport does not import the source",
    'packages/nerio/src/transport/up.ts',
    '../source/member-driver.ts',
  ],
  [
    "Nerio's TCP does not import the source",
    'packages/nerio/src/transport/tcp/up.ts',
    '../../source/member-driver.ts',
  ],
  [
    "Nerio's codec does not import frames",
    'packages/nerio/src/transport/codec/up.ts',
    '../frames/frame.ts',
  ],
  ["Nerio's codec opens no socket", 'packages/nerio/src/transport/codec/io.ts', 'node:net'],
  [
    "Scuttlebutt's codec opens no socket",
    'packages/scuttlebutt/src/transport/codec/io.ts',
    'node:net',
  ],
  [
    "Nerio's frames do not import TCP",
    'packages/nerio/src/transport/frames/up.ts',
    '../tcp/wire.ts',
  ],
  ["Nerio's frames open no socket", 'packages/nerio/src/transport/frames/io.ts', 'node:net'],
  [
    "Nerio's source does not import TCP",
    'packages/nerio/src/source/tcp.ts',
    '../transport/tcp/link.ts',
  ],
  ['no source imports a test', 'packages/file/src/reach.ts', '../test/a.ts'],
  ['the testkit imports core only', 'packages/testkit/src/file.ts', '@leadership/file'],
  ['the checks do not import a test runner', 'packages/testkit/src/checks.ts', 'vitest'],
  [
    'the vitest binding does not import an adapter',
    'packages/testkit/src/vitest.ts',
    '@leadership/file',
  ],
  ['the simulation does no IO', 'simulation/src/kernel/io.ts', 'node:fs'],
  ['the simulation does not import Rx', 'simulation/src/induction/rx.ts', 'rxjs'],
  [
    'the simulation does not import the testkit',
    'simulation/src/search/testkit.ts',
    '@leadership/testkit',
  ],
  [
    'the simulation does not import its command',
    'simulation/src/ledger/up.ts',
    '../cli/settings.ts',
  ],
  ['a protocol of an adapter does no IO', 'packages/nerio/src/protocol/io.ts', 'node:net'],
  ['a protocol of an adapter does not import Rx', 'packages/nerio/src/protocol/rx.ts', 'rxjs'],
  [
    'a protocol of an adapter does not import its driver',
    'packages/nerio/src/protocol/up.ts',
    '../transport.ts',
  ],
  [
    'a protocol of an adapter imports core only',
    'packages/nerio/src/protocol/file.ts',
    '@leadership/file',
  ],
  [
    'the gossip does not import the election',
    'packages/scuttlebutt/src/protocol/gossip/side.ts',
    '../election/state.ts',
  ],
  ['an example imports only public packages', 'examples/src/a.ts', '@leadership/testkit'],
  [
    'a test imports other packages by their name',
    'packages/file/test/a.test.ts',
    '../../core/src/index.ts',
  ],
];

const right: readonly Import[] = [
  ['core import Rx', 'packages/core/src/source/rx-ok.ts', 'rxjs'],
  ['core import the platform in time/', 'packages/core/src/time/platform-ok.ts', 'node:perf_hooks'],
  ['core import the platform in process/', 'packages/core/src/process/platform-ok.ts', 'node:os'],
  [
    'the ledger over rows import the ports of the ledger',
    'packages/core/src/adapter/rows/ports-ok.ts',
    '../../ledger/ledger.ts',
  ],
  [
    'the ledger over rows import the hash of role names',
    'packages/core/src/adapter/rows/hash-ok.ts',
    '../../source/murmur2.ts',
  ],
  ['an adapter import core', 'packages/file/src/core-ok.ts', '@leadership/core/adapter'],
  ['an adapter do IO', 'packages/file/src/io-ok.ts', 'node:fs/promises'],
  ['a patch import KafkaJS', 'packages/kafka/src/kafkajs-patches/kafkajs-ok.ts', 'kafkajs'],
  [
    "Kafka's group import the records",
    'packages/kafka/src/group/down-ok.ts',
    '../topic/leave-notice.ts',
  ],
  [
    "Kinesis' stream import the table",
    'packages/kinesis/src/stream/down-ok.ts',
    '../table/store.ts',
  ],
  [
    "a file's registers import the disk",
    'packages/file/src/register/down-ok.ts',
    '../disk/disk.ts',
  ],
  [
    "Nerio's source import the transport's port",
    'packages/nerio/src/source/port-ok.ts',
    '../transport/transport.ts',
  ],
  ["Nerio's TCP open sockets", 'packages/nerio/src/transport/tcp/io-ok.ts', 'node:net'],
  [
    "an adapter's test import the testkit",
    'packages/file/test/testkit-ok.test.ts',
    '@leadership/testkit/vitest',
  ],
  [
    'a test import its own sources',
    'packages/file/test/deep/own-ok.test.ts',
    '../../src/core-ok.ts',
  ],
  [
    'a test in a deeper folder import its own sources',
    'packages/file/test/deep/er/own-ok.test.ts',
    '../../../src/core-ok.ts',
  ],
];

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'leadership-arrows-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Returns what is wrong with a file that imports this module. */
async function judged([, file, imported]: Import): Promise<readonly string[]> {
  await mkdir(dirname(join(root, file)), { recursive: true });
  await writeFile(join(root, file), `import * as it from '${imported}';\nexport const x = it;\n`);
  return wrongImports(root, [file]);
}

describe('the table of arrows', () => {
  it.each(wrong)('ensures: %s', async (...one) => {
    expect(await judged(one)).toHaveLength(1);
  });

  it.each(right)('lets %s', async (...one) => {
    expect(await judged(one)).toEqual([]);
  });
});
