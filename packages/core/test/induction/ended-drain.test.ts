import { expect, it } from 'vitest';
import { MembershipShell } from '../../src/engine/membership-shell.ts';
import type { Beat } from '../../src/induction/beat.ts';
import { type DriverContext, PartitionDriver } from '../../src/induction/partition-driver.ts';
import { inductionRules } from '../../src/induction/protocol/rules.ts';
import { drainingHost } from '../support/draining-host.ts';
import { turn } from '../support/manual-clock.ts';

const thresholdMs = 1000;

/** A member that leads in its second term, while the drain of its first term has not ended. */
async function inItsSecondTerm() {
  const host = drainingHost();
  const nothing = (): void => undefined;
  const { timer } = new MembershipShell({ host, thresholdMs, refused: nothing });
  const returned = (beat: Beat): void =>
    driver.feed({ kind: 'beat', beat, receivedAt: host.clock.now() });
  const world: DriverContext = {
    ...{
      rules: inductionRules,
      host,
      timer,
      decline: nothing,
      broken: nothing,
      measured: nothing,
    },
    send(beat, settled) {
      queueMicrotask(() => {
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
  };
  const driver = new PartitionDriver(world, { ...self, promise: 'continuous', beats: 'owner' }, 0);
  driver.feed({ kind: 'assigned', mine: true, generation: 1, alone: true });
  await host.clock.pass(thresholdMs);
  driver.feed({ kind: 'campaign', on: false });
  host.clock.block(2 * thresholdMs);
  await host.clock.pass(10);
  driver.feed({ kind: 'campaign', on: true });
  await host.clock.pass(thresholdMs);
  expect(host.told).toEqual(['granted', 'lost', 'granted']);
  return { driver, host };
}

it.each(['drained', 'fenced'] as const)(
  'a drain whose term has ended does not end the next term: %s (H2)',
  async (end) => {
    const { host } = await inItsSecondTerm();
    host.drains[0]?.(end);
    await host.clock.pass(3 * thresholdMs);
    expect(host.told).toEqual(['granted', 'lost', 'granted']);
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
    expect(host.told).toEqual(['granted', 'lost', 'granted']);
    host.drains[1]?.('drained');
    await turn();
    expect(host.told).toEqual(['granted', 'lost', 'granted', 'released']);
  },
);
