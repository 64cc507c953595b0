import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnswerWatch } from './answer-watch.ts';
import { startInProcessMember } from './in-process-member.ts';
import { kafkaEnvironment } from './kafka-environment.ts';
import { kinesisEnvironment } from './kinesis-environment.ts';
import type { StartMember } from './member-handle.ts';
import { nerioEnvironment } from './nerio-environment.ts';
import { startProcessMember } from './process-member.ts';

/**
 * The backend that the demo runs on, and how to start members there. Disposing removes everything
 * that it created.
 */
export interface Environment extends AsyncDisposable {
  readonly backend: string;
  /** The URL that the members open. */
  readonly url: string;
  readonly start: StartMember;
  /** How the demo crashes a leader on this backend, as a past participle for the output. */
  readonly crashed: string;
  /** Where the members run, in words for the output. */
  readonly home: string;
  /**
   * Measures the response time of the store. Guarantees exclude store round trips, so the demo adds
   * this time to the bound. Absent if the store is part of this host.
   */
  readonly answers?: AnswerWatch;
}

/** Opens the environment of each backend. The signal aborts an opening that takes long. */
export const environments: Readonly<Record<string, (signal: AbortSignal) => Promise<Environment>>> =
  {
    file,
    memory,
    kafka: kafkaEnvironment,
    kinesis: kinesisEnvironment,
    nerio: nerioEnvironment,
  };

async function file(): Promise<Environment> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-demo-'));
  return {
    backend: 'file',
    url: `file:${encodeURIComponent(directory)}?group=demo`,
    start: startProcessMember,
    crashed: 'killed (SIGKILL)',
    home: 'separate processes',
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 3 }),
  };
}

function memory(): Promise<Environment> {
  return Promise.resolve({
    backend: 'memory',
    url: `memory:demo-${randomUUID()}`,
    start: startInProcessMember,
    crashed: 'cut off (closed without release)',
    home: 'one process',
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}
