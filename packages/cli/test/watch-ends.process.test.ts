// `watch --json` says how each term ended, and how long nobody led: with real members, which hand over,
// are killed, and are proved dead.
import process from 'node:process';
import type { LeadershipEvent } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { type Command, killWithChildren, startCommand } from './support/command.ts';
import { temporaryGroup } from './support/group.ts';
import { Scene } from './support/scene.ts';

/** T. Long enough for a member on a machine that tests keep busy. Milliseconds. */
const thresholdMs = 3000;

/** The events of leaders that a `watch --json` has printed. */
function leadersOf(watch: Command): readonly LeadershipEvent[] {
  const lines = watch.stdout().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'leader');
}

/** Resolves with the first event that names this leader. */
function leads(watch: Command, leader: string): Promise<LeadershipEvent> {
  return eventually(`watch names ${leader}`, () =>
    leadersOf(watch).find((event) => event.leader === leader),
  );
}

/** Starts a member whose work lasts until it is ended. */
function member(url: string, name: string): Command {
  const work = [process.execPath, '-e', 'setInterval(() => undefined, 1000)'];
  return startCommand(['run', `${url}&member=${name}`, '--role', 'job', '--', ...work]);
}

describe('watch --json', () => {
  it('says that a leader handed over, and that the lease lapsed of one that was killed with its watchdog', async () => {
    await using group = await temporaryGroup(thresholdMs);
    await using alice = member(group.url, 'alice');
    await using watch = startCommand(['watch', group.url, '--json']);
    await leads(watch, 'alice');
    await using bob = member(group.url, 'bob');
    alice.process.kill('SIGTERM');
    expect(await leads(watch, 'bob')).toMatchObject({ ended: 'handed-over' });
    expect((await leads(watch, 'bob')).leaderlessMs).toBeGreaterThanOrEqual(0);
    await using carol = member(group.url, 'carol');
    killWithChildren(bob.pid);
    expect(await leads(watch, 'carol'), carol.stderr()).toMatchObject({ ended: 'lapsed' });
    const first = leadersOf(watch).find(({ leader }) => leader === 'alice');
    expect(first, 'no term is known before').not.toHaveProperty('ended');
    watch.process.kill('SIGTERM');
    await watch.ended;
  }, 120_000);

  it.runIf(process.platform === 'linux')(
    'says that a guard has proved the death of a leader',
    async () => {
      await using scene = new Scene();
      await scene.guard();
      const url = scene.url('first');
      const first = scene.start('first', 'main', [url]);
      await scene.noted('first', 'lead');
      await using watch = startCommand(['watch', url, '--json']);
      await leads(watch, 'first');
      scene.start('second', 'main', [url]);
      await scene.noted('second', 'ready', 'first');
      await scene.age();
      first.process.kill('SIGKILL');
      expect(await leads(watch, 'second')).toMatchObject({ ended: 'proved-dead' });
    },
    120_000,
  );
});
