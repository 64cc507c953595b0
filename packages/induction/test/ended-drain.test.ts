import { after, MembershipShell } from '@leadership/core/internal/engine';
import { expect, it } from 'vitest';
import { drainingHost } from '../../core/test/support/draining-host.ts';
import { turn } from '../../core/test/support/manual-clock.ts';
import type { Beat } from '../src/beat.ts';
import { type DriverContext, PartitionDriver } from '../src/partition-driver.ts';
import { inductionRules } from '../src/protocol/rules.ts';
import type { MemberConfig } from '../src/protocol/state.ts';

const thresholdMs = 1000;

/** A partition of a member whose beats return once they were written, which takes `writeMs`. */
function partition(change: Partial<MemberConfig> = {}, writeMs = 0) {
  const host = drainingHost();
  const nothing = (): void => undefined;
  const { timer } = new MembershipShell({ host, thresholdMs, refused: nothing });
  const returned = (beat: Beat): void =>
    driver.feed({ kind: 'beat', beat, receivedAt: host.clock.now() });
  const world: DriverContext = {
    rules: inductionRules,
    host,
    timer,
    decline: nothing,
    unreturned: nothing,
    broken: nothing,
    measured: nothing,
    send(beat, settled) {
      host.clock.wake(after(host.clock.now(), writeMs), () => {
        settled(true);
        returned(beat);
      });
    },
  };
  const self = {
    group: 'g',
    member: 'a',
    incarnation: 'a',
    partitions: 1,
    thresholdMs,
    driftRate: 0,
    beatMs: 100,
    numbered: true,
    settles: true,
    promise: 'continuous',
    beats: 'owner',
    ...change,
  } as const;
  const driver = new PartitionDriver(world, self, 0);
  return { driver, host };
}

/** A member that leads in its second term, while the drain of its first term has not ended. */
async function inItsSecondTerm() {
  const { driver, host } = partition();
  driver.feed({ kind: 'assigned', mine: true, generation: 1, alone: true });
  await host.clock.pass(thresholdMs);
  driver.feed({ kind: 'campaign', on: false });
  host.clock.block(2 * thresholdMs);
  await host.clock.pass(10);
  driver.feed({ kind: 'campaign', on: true });
  await host.clock.pass(thresholdMs);
  expect(host.reported).toEqual(['granted', 'lost', 'granted']);
  return { driver, host };
}

it.each(['drained', 'fenced'] as const)(
  'a drain whose term has ended does not end the next term: %s (H2)',
  async (end) => {
    const { host } = await inItsSecondTerm();
    host.drains[0]?.(end);
    await host.clock.pass(3 * thresholdMs);
    expect(host.reported).toEqual(['granted', 'lost', 'granted']);
  },
);

it.each(['drained', 'fenced'] as const)(
  'a drain whose term has ended does not end the drain of the next term: %s (H2)',
  async (end) => {
    const { driver, host } = await inItsSecondTerm();
    driver.feed({ kind: 'campaign', on: false });
    expect(host.drains).toHaveLength(2);
    host.drains[0]?.(end);
    await turn();
    expect(host.reported).toEqual(['granted', 'lost', 'granted']);
    host.drains[1]?.('drained');
    await turn();
    expect(host.reported).toEqual(['granted', 'lost', 'granted', 'released']);
  },
);

it('a term has ended once its beats are written, although beats of a member that does not lead are always in flight (I3)', async () => {
  const { driver, host } = partition({ beats: 'all' }, 130);
  driver.feed({ kind: 'assigned', mine: true, generation: 1, alone: true });
  await host.clock.pass(thresholdMs);
  const settled: string[] = [];
  const note = (what: string) => () => void settled.push(what);
  const never = new AbortController().signal;
  void driver.ended(never).then(note('the term has ended'));
  driver.feed({ kind: 'resign', atLeastMs: 0 });
  driver.feed({ kind: 'assigned', mine: false, generation: 2, alone: false });
  await host.clock.pass(50);
  host.drains[0]?.('drained');
  await turn();
  expect(host.reported.at(-1)).toBe('released');
  expect(settled).toEqual([]);
  await host.clock.pass(thresholdMs / 2);
  expect(settled).toEqual(['the term has ended']);
  void driver.ended(never).then(note('nothing was to end'));
  await turn();
  expect(settled).toEqual(['the term has ended', 'nothing was to end']);
});
