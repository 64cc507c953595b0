import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerWatch } from './answer-watch.ts';
import type { Environment } from './environment.ts';
import { localAddresses } from './local-addresses.ts';
import { memberNames } from './member-names.ts';
import { startProcessMember } from './process-member.ts';

/**
 * Members that elect a leader among themselves, on local ports. Each member writes its votes to
 * disk, so that it may vote again at once after a restart.
 */
export async function nerioEnvironment(): Promise<Environment> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-demo-'));
  const addresses = await localAddresses();
  const answers = answerWatch(() => keep(directory));
  return {
    backend: 'nerio',
    url: `nerio://${memberNames.join()}/demo?restart=state&stateDirectory=${encodeURIComponent(directory)}`,
    start: (config, onMessage) =>
      startProcessMember({ ...config, peers: { over: 'tcp', addresses } }, onMessage),
    crashed: 'killed (SIGKILL)',
    home: 'separate processes, without a store',
    answers,
    async [Symbol.asyncDispose]() {
      answers[Symbol.dispose]();
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/**
 * Writes and syncs a file. A member does the same before each grant, so this measures the delay
 * that the disk adds.
 */
async function keep(directory: string): Promise<void> {
  const file = await open(join(directory, 'probe'), 'w');
  try {
    await file.writeFile('kept');
    await file.sync();
  } finally {
    await file.close();
  }
}
