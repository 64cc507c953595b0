import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryGroup } from '@leadership/core/memory';
import { diskAnswers } from './disk-answers.ts';
import type { Environment } from './environment.ts';
import { gossipEnvironment } from './gossip-environment.ts';
import { startInProcessMember } from './in-process-member.ts';
import { kafkaEnvironment } from './kafka-environment.ts';
import { kinesisEnvironment } from './kinesis-environment.ts';
import { nerioEnvironment } from './nerio-environment.ts';
import { startProcessMember } from './process-member.ts';

/** Opens the environment of each backend. The signal aborts an opening that takes long. */
export const environments: Readonly<Record<string, (signal: AbortSignal) => Promise<Environment>>> =
  {
    file,
    memory,
    kafka: kafkaEnvironment,
    kinesis: kinesisEnvironment,
    nerio: nerioEnvironment,
    gossip: gossipEnvironment,
  };

async function file(): Promise<Environment> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-demo-'));
  const answers = diskAnswers(directory);
  return {
    backend: 'file',
    url: `file:${encodeURIComponent(directory)}?group=demo`,
    start: startProcessMember,
    crashed: 'killed (SIGKILL)',
    noCut: 'the members share a directory of this host, so there is no network',
    home: 'separate processes',
    answers,
    async [Symbol.asyncDispose]() {
      answers[Symbol.dispose]();
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function memory(): Promise<Environment> {
  const group = `demo-${randomUUID()}`;
  return Promise.resolve({
    backend: 'memory',
    url: `memory:${group}`,
    start: (config, onMessage) => startInProcessMember(config, onMessage, memoryGroup(group)),
    crashed: 'cut off (closed without release)',
    home: 'one process',
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}
