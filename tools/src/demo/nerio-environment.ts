import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diskAnswers } from './disk-answers.ts';
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
  const answers = diskAnswers(directory);
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
