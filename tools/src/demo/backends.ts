import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StartActor } from './actor.ts';
import { inProcessActor } from './in-process-actor.ts';
import { processActor } from './process-actor.ts';

/** Where the demo takes place. Disposing removes everything it left there. */
export interface Venue extends AsyncDisposable {
  readonly backend: string;
  /** What the members open. */
  readonly url: string;
  readonly start: StartActor;
  /** How a leader is made to crash here, as a verb in the past. */
  readonly crashed: string;
  /** Where the members live. */
  readonly home: string;
}

/** The backends the demo runs on. */
export const venues: Readonly<Record<string, () => Promise<Venue>>> = { file, memory };

/** Backends that are designed and not built yet. */
export const comingBackends: readonly string[] = ['kafka', 'kinesis', 'nerio', 'gossip'];

async function file(): Promise<Venue> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-demo-'));
  return {
    backend: 'file',
    url: `file:${encodeURIComponent(directory)}?group=demo`,
    start: processActor,
    crashed: 'killed (SIGKILL)',
    home: 'processes of their own',
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 3 }),
  };
}

function memory(): Promise<Venue> {
  return Promise.resolve({
    backend: 'memory',
    url: `memory:demo-${randomUUID()}`,
    start: inProcessActor,
    crashed: 'cut off (closed without release)',
    home: 'one process',
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}
