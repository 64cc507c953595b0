import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type FencedStore,
  fileFencedStore,
  fileUnfencedStore,
  type MemberEvent,
  type ProcessMember,
  spawnMember,
} from '@leadership/testkit/faults';
import { expect, test } from 'vitest';

/** Long enough that a starved machine does not end a term by itself. Milliseconds. */
const thresholdMs = 1000;
/** Long enough to be stopped in for sure, short enough to be within the term. Milliseconds. */
const latencyMs = 300;

interface Ending {
  /** What the zombie was told of its write. */
  readonly told: MemberEvent['kind'];
  /** What the store holds: who wrote it. */
  readonly holds: 'the leader' | 'the zombie';
}

/** Stops a leader while its write is on its way, lets another take over and write, and lets the zombie's write go on. */
async function zombieWrites(fenced: boolean): Promise<Ending> {
  const home = await mkdtemp(join(tmpdir(), 'leadership-zombie-'));
  const directory = join(home, 'store');
  const start = (member: string): Promise<ProcessMember> =>
    spawnMember({
      url: `file:${encodeURI(home)}?group=zombie`,
      options: { member, partitions: 1, thresholdMs },
      work: { kind: 'write', store: directory, fenced, latencyMs },
    });
  try {
    await using zombie = await start('zombie');
    const inFlight = await zombie.until(({ kind }) => kind === 'writing');
    zombie.pause();
    await using leader = await start('leader');
    const next = await leader.until(({ kind }) => kind === 'wrote');
    // The last word before the zombie's is the leader's: it writes no more.
    leader.pause();
    expect(next.token).toBeGreaterThan(inFlight.token ?? 0n);
    expect(zombie.events.filter(({ kind }) => kind === 'wrote')).toEqual([]);
    zombie.resume();
    const { kind: told } = await zombie.until(isTold(inFlight));
    const stored = await storeAt(directory, fenced).read('partition-0');
    return { told, holds: stored?.token === inFlight.token ? 'the zombie' : 'the leader' };
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function storeAt(directory: string, fenced: boolean): FencedStore {
  return fenced ? fileFencedStore(directory) : fileUnfencedStore(directory);
}

function isTold({ detail }: MemberEvent): (event: MemberEvent) => boolean {
  return (event) => event.detail === detail && event.kind !== 'writing';
}

test('a fenced store refuses the write of a leader that was stopped on its way, once another has written (T2)', async () => {
  expect(await zombieWrites(true)).toEqual({ told: 'write-refused', holds: 'the leader' });
});

test('a store without the fence takes it, and what the leader wrote is lost: the fence is what protects (T2)', async () => {
  expect(await zombieWrites(false)).toEqual({ told: 'wrote', holds: 'the zombie' });
});
