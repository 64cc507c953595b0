import type { Environment } from '../kafka/environment.ts';
import { openRecordRate } from '../kafka/record-rate.ts';
import { cpuMsPerSecondOf } from '../process/child-cpu.ts';
import { soleLeader, startTracked, type TrackedMember } from '../process/tracked-member.ts';
import type { GoneliGroup, GoneliMeasure } from './measure-beside.ts';
import type { GoneliMember } from './member.ts';
import { settled } from './pause-after-join.ts';

/** Measures the CPU time of an idle leader in a group of two members. */
export function goneliIdleCpu(windowMs: number): GoneliMeasure {
  return {
    what: 'CPU of an idle leader',
    unit: 'ms CPU/s',
    values: (group) => withPair(group, (leader) => cpuMsPerSecondOf(leader, windowMs)),
  };
}

/** Measures the records that a group of two members writes for its single partition. */
export function goneliRecords(environment: Environment, windowMs: number): GoneliMeasure {
  return {
    what: 'records for its one partition',
    unit: 'records/s',
    async *values(group) {
      await using rate = await openRecordRate(environment, group.topic);
      yield* withPair(group, () => rate.perSecond(windowMs));
    },
  };
}

async function* withPair(
  { sessionMs, start }: GoneliGroup,
  measure: (leader: GoneliMember) => Promise<number>,
): AsyncGenerator<number, void> {
  const pair: TrackedMember<GoneliMember>[] = [];
  try {
    while (pair.length < 2) {
      pair.push(await startTracked(start));
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
