// A directory that was lost, or restored from an older copy: a reported loss is remembered (N13).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type NerioOptions, type NerioSource, nerioLeadership } from '../../src/index.ts';
import { stateStoreIn } from '../../src/source/state-store.ts';
import type { StoredState } from '../../src/source/stored-state.ts';
import { memoryNetwork } from '../support/memory-network.ts';
import { epochOf } from '../support/test-members.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'leadership-nerio-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A starved machine may pause for seconds; the awaited conditions take milliseconds. */
const soon = { timeout: 30_000, interval: 5 };

const members = ['a', 'b', 'c'];
const onDisk = (): Promise<StoredState | undefined> => stateStoreIn(directory, 'g', 'a').read();

/** One incarnation of the member, from the moment at which it is on disk until it is closed. */
async function live(options: Partial<NerioOptions>): Promise<StoredState | undefined> {
  const before = await onDisk();
  const { open: transport } = memoryNetwork();
  const source: NerioSource = nerioLeadership({
    group: 'g',
    member: 'a',
    members,
    stateDirectory: directory,
    transport,
    ...options,
  });
  await vi.waitFor(async () => expect((await onDisk())?.life).not.toBe(before?.life), soon);
  await source.close();
  return await onDisk();
}

test('a loss is on disk before the member sends anything, and need not be reported again', async () => {
  const unknown = Number.POSITIVE_INFINITY;
  expect((await live({}))?.hardState.lostThrough).toBeUndefined();
  expect((await live({ stateLost: true }))?.hardState.lostThrough).toBe(unknown);
  expect((await live({}))?.hardState.lostThrough).toBe(unknown);
});

test('a member does not rely on the grants and wedges in an older copy', async () => {
  const epoch = epochOf(members);
  const ballot = { round: 1, member: 'b', incarnation: 'b0' };
  const wedge = {
    promised: ballot,
    accepted: undefined,
    proposed: { ...epoch, number: 1 },
    tokens: [1n],
  };
  const copy: StoredState = {
    format: 1,
    group: 'g',
    member: 'a',
    life: 7,
    hardState: { epoch, wedge },
    memory: { epoch: 0, grants: [] },
  };
  await stateStoreIn(directory, 'g', 'a').write(copy);
  const after = await live({ stateLost: true, restart: 'state' });
  expect(after).toMatchObject({ hardState: { epoch, lostThrough: Number.POSITIVE_INFINITY } });
  expect(after?.memory ?? after?.hardState.wedge).toBeUndefined();
});
