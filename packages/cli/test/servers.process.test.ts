// The promises of `guard` and `run` on backends with a server. Each server is started once.
import process from 'node:process';
import { eventually } from '@leadership/testkit/adapter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCommand } from './support/command.ts';
import { temporaryGroup } from './support/group.ts';
import { journalIn } from './support/journal.ts';
import { Scene, thresholdMs } from './support/scene.ts';
import { hasBroker, kafkaServer, type Server, stores } from './support/servers.ts';
import {
  disturb,
  everyDeath,
  everyMistake,
  expectProof,
  startSuccessor,
  startVictims,
  type Victim,
} from './support/victims.ts';

/** In the soak, one of the servers has the whole proof. Its processes take most of the time. */
const isThorough = process.env['SOAK'] !== undefined;

const offered: (() => Promise<Server | readonly Server[]>)[] = [];
if (await hasBroker()) offered.push(kafkaServer);
for (const [isThere, start] of stores) if (await isThere()) offered.push(start);

describe.runIf(process.platform === 'linux' && offered.length > 0)('on servers', () => {
  const servers: Server[] = [];
  beforeAll(async () => {
    const started = await Promise.all(offered.map((start) => start()));
    servers.push(...started.flat());
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  });

  it('guard releases the lease of a dead process at once, and of no other process early (L13 to L16)', async () => {
    await using scene = new Scene(Object.assign({}, ...servers.map((one) => one.environment)));
    await scene.guard();
    const groups = servers.map(({ name, url }) => ({
      prefix: `${name}-`,
      url: (group: string) => url(group, thresholdMs),
      // The backend has no part in most of the proof: `guard.process.test.ts` has all of it on files.
      deaths: isThorough && name === 'kafka' ? everyDeath : oneDeath,
      mistakes: isThorough && name === 'kafka' ? everyMistake : oneMistake,
    }));
    const started = await startVictims(scene, groups);
    await startSuccessor(scene, groups);
    await scene.age();
    await disturb(scene, groups, started);
    await expectProof(scene, groups);
  }, 240_000);

  it('run kills a command that ignores SIGTERM before a process of another host leads', async () => {
    await Promise.all(
      servers
        .filter(({ name }) => name === 'kafka' || name === 'postgres')
        .map(async ({ url, environment }) => {
          await using group = await temporaryGroup(thresholdMs);
          const journal = journalIn(group);
          const run = (worker: readonly string[]) =>
            startCommand(
              [
                'run',
                url('run', thresholdMs),
                '--role',
                'job',
                '--stop-timeout',
                '2',
                '--',
                ...worker,
              ],
              environment,
            );
          await using first = run(journal.worker('a', 'stubborn'));
          await journal.noted('a', 'start');
          await using _second = run(journal.worker('b'));
          first.process.kill('SIGTERM');
          expect(await first.ended).toBe(137);
          // A worker that still ran beside the next one would act meanwhile.
          await eventually('the next worker acts', () => journal.lines('b').length > 5);
          journal.expectExclusive();
          expect(journal.lines('a').some(({ kind }) => kind === 'SIGTERM')).toBe(true);
        }),
    );
  }, 120_000);
});

const oneDeath: readonly Victim[] = [['killed', 'main']];
const oneMistake: readonly Victim[] = [['close-connection', 'main']];
