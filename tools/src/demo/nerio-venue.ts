import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@leadership/testkit/faults';
import { answerWatch } from './answer-watch.ts';
import type { Venue } from './backends.ts';
import { members } from './members.ts';
import { processActor } from './process-actor.ts';

/** Members that elect among themselves, on ports of this host. Each keeps what it granted on disk, so that it votes again as soon as it is back. */
export async function nerioVenue(): Promise<Venue> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-demo-'));
  const ports = await freePorts(members.length);
  const addresses = Object.fromEntries(members.map((member, index) => [member, `127.0.0.1:${ports[index]}`]));
  const answers = answerWatch(() => keep(directory));
  return {
    backend: 'nerio',
    url: `nerio://${members.join()}/demo?restart=state&stateDirectory=${encodeURIComponent(directory)}`,
    start: (part, tell) => processActor({ ...part, addresses }, tell),
    crashed: 'killed (SIGKILL)',
    home: 'processes of their own, and nothing beside them',
    answers,
    async [Symbol.asyncDispose]() {
      answers[Symbol.dispose]();
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** A grant is on disk before it is answered: what that takes now. */
async function keep(directory: string): Promise<void> {
  const file = await open(join(directory, 'probe'), 'w');
  try {
    await file.writeFile('kept');
    await file.sync();
  } finally {
    await file.close();
  }
}
