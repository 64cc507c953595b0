import { setTimeout as pause } from 'node:timers/promises';
import type { MemberEvent } from '@leadership/testkit/faults';
import { describe, expect, it } from 'vitest';
import { isEven, isShared, leadersOf } from '../src/election/leaders.ts';
import { resign, successions } from '../src/election/successions.ts';
import { take } from '../src/measure/take.ts';

/** A member within this process, which logs the calls that it receives. */
class Member {
  readonly events: MemberEvent[] = [];
  readonly name: string;
  readonly #waiting = new Set<() => void>();
  onResign = (): void => undefined;
  onKill = (): void => undefined;

  constructor(name: string) {
    this.name = name;
  }

  log(kind: MemberEvent['kind'], atNs = process.hrtime.bigint()): void {
    this.events.push({ kind, atNs, member: this.name, life: '', partition: 0 });
    for (const look of this.#waiting) look();
  }

  until(matches: (event: MemberEvent) => boolean): Promise<MemberEvent> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.events.find(matches);
        if (found) resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  kill(): Promise<void> {
    return Promise.resolve(this.onKill());
  }

  resign(): void {
    this.onResign();
  }
}

/** An election within this process: the oldest member leads, 2.5 ms after another one went. */
function queueElection() {
  const members: Member[] = [];
  const started: Member[] = [];
  let rests = 0;
  const leave = (member: Member): void => {
    if (members.includes(member)) members.splice(members.indexOf(member), 1);
  };
  const leadAfter = (wentNs: bigint): void => {
    setImmediate(() => members[0]?.log('acquired', wentNs + 2_500_000n));
  };
  return {
    started,
    members,
    rests: () => rests,
    group: {
      members: 3,
      start() {
        const member = new Member(`m${started.length + 1}`);
        member.onKill = () => leave(member);
        member.onResign = () => {
          const wentNs = process.hrtime.bigint();
          member.log('resigning', wentNs);
          member.log('released');
          leave(member);
          members.push(member);
          leadAfter(wentNs);
        };
        started.push(member);
        members.push(member);
        return Promise.resolve(member);
      },
      rest() {
        rests += 1;
        // No member leads before the second pause.
        if (rests === 2) members[0]?.log('acquired');
        return Promise.resolve();
      },
      remove(leader: Member) {
        const wentNs = process.hrtime.bigint();
        leave(leader);
        leadAfter(wentNs);
        return Promise.resolve(wentNs);
      },
    },
  };
}

describe('successions', () => {
  it('measure each outage from the removal of the leader to the next leader, and replace the removed member', async () => {
    const { group, started, members, rests } = queueElection();
    expect(await take(successions(group), 4)).toEqual([2.5, 2.5, 2.5, 2.5]);
    expect(rests()).toBe(5);
    expect([started.length, members.length]).toEqual([6, 0]);
  });

  it('reject if no member begins to lead', async () => {
    const { group } = queueElection();
    const never = successions({ ...group, rest: () => Promise.resolve() });
    await expect(take(never, 1)).rejects.toThrow('members began to lead');
  });
});

describe('hand-overs', () => {
  it('are measured from the resignation to the other leader', async () => {
    const { group, started, members } = queueElection();
    // Longer than the members take to elect, so that an old leader does not count as a new one.
    const rest = () => group.rest().then(() => pause(5));
    expect(
      await take(successions({ ...group, rest, remove: resign, leaderStays: true }), 3),
    ).toEqual([2.5, 2.5, 2.5]);
    expect([started.length, members.length]).toEqual([3, 0]);
  });
});

describe('the leaders of a group', () => {
  const event = (
    kind: 'acquired' | 'released' | 'fenced',
    member: string,
    partition: number,
    ms: number,
  ): MemberEvent => ({ kind, member, partition, life: '', atNs: BigInt(ms) * 1_000_000n });
  const of = (...events: readonly MemberEvent[]) => leadersOf([{ events }]);

  it('are shared once each partition has one, and no member leads more than its share', () => {
    const size = { partitions: 3, members: 2 };
    const two = [event('acquired', 'a', 0, 1), event('acquired', 'b', 1, 2)];
    expect([isShared(of(...two), size), of(...two).led]).toEqual([false, 2]);
    const three = of(...two, event('acquired', 'a', 2, 5));
    expect([isShared(three, size), isEven(three, size), three.led]).toEqual([true, true, 3]);
    expect([three.terms, three.changedNs]).toEqual([3, 5_000_000n]);
  });

  it('are not shared where one member leads more than its share, or two lead one partition', () => {
    const size = { partitions: 2, members: 2 };
    const events = [event('acquired', 'a', 0, 1), event('acquired', 'a', 1, 2)];
    expect(isShared(of(...events), size)).toBe(false);
    events.push(event('acquired', 'b', 1, 3));
    expect(isShared(of(...events), size)).toBe(false);
    events.push(event('released', 'a', 1, 4));
    expect([isShared(of(...events), size), of(...events).terms]).toEqual([true, 3]);
  });

  it('are not even where a member leads less than its share', () => {
    const events = [0, 1, 2].map((partition) => event('acquired', 'a', partition, partition));
    const found = of(...events, event('acquired', 'b', 3, 4));
    expect(isEven(found, { partitions: 4, members: 2 })).toBe(false);
    expect(isEven(found, { partitions: 4, members: 3 })).toBe(false);
  });

  it('are known whatever the order in which events arrive', () => {
    const late = [{ events: [event('acquired', 'b', 0, 20)] }];
    const early = { events: [event('acquired', 'a', 0, 10), event('released', 'a', 0, 15)] };
    expect(leadersOf([...late, early])).toMatchObject({ single: 1, gapsMs: [5] });
  });

  it('leave a gap in each partition that moves, from the end of its term to the next one', () => {
    const events = [
      event('acquired', 'a', 3, 1),
      event('acquired', 'a', 5, 2),
      event('released', 'a', 3, 10),
      event('fenced', 'a', 5, 11),
      event('acquired', 'b', 3, 14),
      event('acquired', 'b', 5, 21),
      event('acquired', 'b', 7, 30),
      // Its holder notices the end of a term after another member has acquired the partition.
      event('acquired', 'c', 7, 40),
      event('fenced', 'b', 7, 41),
    ];
    expect(of(...events)).toMatchObject({ gapsMs: [4, 10], fenced: 2, terms: 6 });
    expect(leadersOf([{ events }], 14_000_000n)).toMatchObject({ gapsMs: [4, 10], terms: 4 });
    expect(leadersOf([{ events }], 15_000_000n)).toMatchObject({ gapsMs: [10], terms: 3 });
  });
});
