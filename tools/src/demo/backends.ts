import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StartActor } from './actor.ts';
import type { AnswerWatch } from './answer-watch.ts';
import { inProcessActor } from './in-process-actor.ts';
import { kafkaVenue } from './kafka-venue.ts';
import { kinesisVenue } from './kinesis-venue.ts';
import { nerioVenue } from './nerio-venue.ts';
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
  /** How long the store takes to answer, where it is not this very host's: guarantees leave round trips out. */
  readonly answers?: AnswerWatch;
}

/** The backends the demo runs on. Opening one is given up when the signal aborts, where it takes long. */
export const venues: Readonly<Record<string, (signal: AbortSignal) => Promise<Venue>>> = {
  file,
  memory,
  kafka: kafkaVenue,
  kinesis: kinesisVenue,
  nerio: nerioVenue,
};

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
