import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wrongImports } from '../src/arrows/check-arrows.ts';

type Import = readonly [file: string, imported: string];

/** Files, and what each must not import. */
const wrong: readonly Import[] = [
  ['packages/postgres/src/engine.ts', '@leadership/core/internal/engine'],
  ['packages/http/src/rows.ts', '@leadership/core/internal/rows'],
  ['packages/core/src/source/a.ts', '@leadership/testkit'],
  ['packages/core/src/source/b.ts', 'node:fs'],
  ['packages/core/src/time/a.ts', '@leadership/file'],
  ['packages/cli/src/a.ts', '@leadership/file'],
  ['packages/nestjs/src/a.ts', '@leadership/file'],
  ['packages/core/src/lease/io.ts', 'node:fs'],
  ['packages/core/src/lease/rx.ts', 'rxjs'],
  ['packages/core/src/lease/operators.ts', 'rxjs/operators'],
  ['packages/induction/src/protocol/around.ts', '../membership.ts'],
  ['packages/core/src/contract/up.ts', '../source/a.ts'],
  ['packages/core/src/async/up.ts', '../engine/troubles.ts'],
  ['packages/core/src/engine/up.ts', '../lease/step.ts'],
  ['packages/core/src/source/lease.ts', '../lease/step.ts'],
  ['packages/core/src/source/up.ts', '../combine/combine.ts'],
  ['packages/core/src/combine/lease.ts', '../lease/step.ts'],
  ['packages/core/src/lease/up.ts', '../source/a.ts'],
  ['packages/core/src/lease/driver.ts', 'node:timers'],
  ['packages/file/src/testkit.ts', '@leadership/testkit'],
  ['packages/file/src/around.ts', '../../core/src/index.ts'],
  ['packages/kafka/src/file.ts', '@leadership/file'],
  ['packages/kafka/src/client.ts', 'kafkajs'],
  ['packages/kafka/src/second.ts', '@platformatic/kafka'],
  ['packages/kafka/src/connection/up.ts', '../topic/reader.ts'],
  ['packages/kafka/src/connection/client.ts', '../kafkajs/log.ts'],
  ['packages/kafka/src/topic/up.ts', '../group/plan.ts'],
  ['packages/kafka/src/group/client.ts', '../platformatic/group.ts'],
  ['packages/kafka/src/group/kafkajs.ts', 'kafkajs'],
  ['packages/kafka/src/kafkajs/up.ts', '../topic/reader.ts'],
  ['packages/kafka/src/platformatic/first.ts', '../kafkajs/log.ts'],
  ['packages/kafka/src/kafkajs-patches/up.ts', '../kafkajs/log.ts'],
  ['packages/kinesis/src/client/up.ts', '../table/store.ts'],
  ['packages/kinesis/src/table/up.ts', '../stream/beats.ts'],
  ['packages/kinesis/src/table/sdk.ts', '@aws-sdk/client-kinesis'],
  ['packages/file/src/disk/up.ts', '../rows/rows.ts'],
  ['packages/file/src/mount/up.ts', '../rows/rows.ts'],
  ['packages/nerio/src/transport/up.ts', '../source/member-driver.ts'],
  ['packages/nerio/src/transport/tcp/up.ts', '../../source/member-driver.ts'],
  ['packages/nerio/src/transport/codec/up.ts', '../frames/frame.ts'],
  ['packages/nerio/src/transport/codec/io.ts', 'node:net'],
  ['packages/scuttlebutt/src/transport/codec/io.ts', 'node:net'],
  ['packages/nerio/src/transport/frames/up.ts', '../tcp/wire.ts'],
  ['packages/nerio/src/transport/frames/io.ts', 'node:net'],
  ['packages/nerio/src/source/tcp.ts', '../transport/tcp/link.ts'],
  ['packages/file/src/reach.ts', '../test/a.ts'],
  ['packages/testkit/src/file.ts', '@leadership/file'],
  ['packages/testkit/src/checks.ts', 'vitest'],
  ['packages/testkit/src/vitest.ts', '@leadership/file'],
  ['simulation/src/kernel/io.ts', 'node:fs'],
  ['simulation/src/induction/rx.ts', 'rxjs'],
  ['simulation/src/search/testkit.ts', '@leadership/testkit'],
  ['simulation/src/rows/up.ts', '../cli/settings.ts'],
  ['packages/nerio/src/protocol/io.ts', 'node:net'],
  ['packages/nerio/src/protocol/rx.ts', 'rxjs'],
  ['packages/nerio/src/protocol/up.ts', '../transport.ts'],
  ['packages/nerio/src/protocol/file.ts', '@leadership/file'],
  ['packages/scuttlebutt/src/protocol/gossip/side.ts', '../election/state.ts'],
  ['examples/src/a.ts', '@leadership/testkit'],
  ['packages/file/test/a.test.ts', '../../core/src/index.ts'],
];

/** Files, and what each may import. */
const right: readonly Import[] = [
  ['packages/core/src/source/rx-ok.ts', 'rxjs'],
  ['packages/core/src/time/platform-ok.ts', 'node:perf_hooks'],
  ['packages/core/src/process/platform-ok.ts', 'node:os'],
  ['packages/file/src/core-ok.ts', '@leadership/core/adapter'],
  ['packages/file/src/io-ok.ts', 'node:fs/promises'],
  ['packages/kafka/src/kafkajs-patches/kafkajs-ok.ts', 'kafkajs'],
  ['packages/kafka/src/group/down-ok.ts', '../topic/leave-notice.ts'],
  ['packages/kinesis/src/stream/down-ok.ts', '../table/store.ts'],
  ['packages/file/src/rows/down-ok.ts', '../disk/disk.ts'],
  ['packages/nerio/src/source/port-ok.ts', '../transport/transport.ts'],
  ['packages/nerio/src/transport/tcp/io-ok.ts', 'node:net'],
  ['packages/file/test/testkit-ok.test.ts', '@leadership/testkit/vitest'],
  ['packages/file/test/deep/own-ok.test.ts', '../../src/core-ok.ts'],
  ['packages/file/test/deep/er/own-ok.test.ts', '../../../src/core-ok.ts'],
];

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'leadership-arrows-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Returns what is wrong with a file that imports this module. */
async function judged([file, imported]: Import): Promise<readonly string[]> {
  await mkdir(dirname(join(root, file)), { recursive: true });
  await writeFile(join(root, file), `import * as it from '${imported}';\nexport const x = it;\n`);
  return wrongImports(root, [file]);
}

describe('the table of arrows', () => {
  it.each(wrong)('does not let %s import %s', async (...one) => {
    expect(await judged(one)).toHaveLength(1);
  });

  it.each(right)('lets %s import %s', async (...one) => {
    expect(await judged(one)).toEqual([]);
  });
});
