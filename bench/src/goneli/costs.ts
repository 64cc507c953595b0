import type { Ground } from '../kafka/ground.ts';
import { openTally } from '../kafka/tally.ts';
import { cpuMsPerSecondOf } from '../process/asked-cpu.ts';
import { type Attended, joined, soleLeader } from '../process/attended.ts';
import type { GoneliGroup, GoneliMeasure } from './beside.ts';
import type { GoneliMember } from './member.ts';
import { settled } from './settling.ts';

/** Measures the CPU time of an idle leader in a group of two members. */
export function goneliIdleCpu(windowMs: number): GoneliMeasure {
  return {
    what: 'CPU of an idle leader',
    unit: 'ms CPU/s',
    values: (group) => withPair(group, (leader) => cpuMsPerSecondOf(leader, windowMs)),
  };
}

/** Measures the records that a group of two members writes for its single partition. */
export function goneliRecords(ground: Ground, windowMs: number): GoneliMeasure {
  return {
    what: 'records for its one partition',
    unit: 'records/s',
    async *values(group) {
      await using tally = await openTally(ground, group.topic);
      yield* withPair(group, () => tally.perSecond(windowMs));
    },
  };
}

async function* withPair(
  { sessionMs, start }: GoneliGroup,
  measure: (leader: GoneliMember) => Promise<number>,
): AsyncGenerator<number, void> {
  const pair: Attended<GoneliMember>[] = [];
  try {
    while (pair.length < 2) {
      pair.push(await joined(start));
      await settled(sessionMs);
    }
    for (;;) {
      const leader = soleLeader(pair);
      if (leader) yield await measure(leader.member);
      else await settled(sessionMs);
    }
  } finally {
    await Promise.all(pair.map(({ member }) => member.kill()));
  }
}
