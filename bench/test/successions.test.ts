import { describe, expect, it } from 'vitest';
import { goneliLeaderlessMs } from '../src/goneli/joins.ts';
import { leaderlessMs } from '../src/kafka/leader-tracker.ts';
import { take } from '../src/measure/take.ts';
import { successions } from '../src/process/successions.ts';
import type { MemberMessage } from '../src/process/tracked-member.ts';

/** An election within this process: the oldest member leads. */
function queueElection({ timed = true } = {}) {
  const members: {
    readonly say: (said: MemberMessage) => void;
    readonly kill: () => Promise<void>;
  }[] = [];
  let [now, started, rests] = [1_000_000n, 0, 0];
  const lead = (): void =>
    members[0]?.say({ kind: 'leading', ...(timed && { atNs: String(now) }) });
  const leave = (member: unknown): void => {
    const place = members.findIndex((one) => Object.is(one, member));
    if (place >= 0) members.splice(place, 1);
  };
  return {
    started: () => started,
    left: () => members.length,
    rests: () => rests,
    election: {
      members: 3,
      start() {
        const listeners = new Set<(said: MemberMessage) => void>();
        const member = {
          say: (said: MemberMessage) => listeners.forEach((listener) => listener(said)),
          listen(listener: (message: MemberMessage) => void) {
            listeners.add(listener);
            return { [Symbol.dispose]: () => void listeners.delete(listener) };
          },
          kill: () => Promise.resolve(leave(member)),
        };
        started += 1;
        members.push(member);
        setImmediate(() => member.say({ kind: 'ready' }));
        return member;
      },
      rest() {
        rests += 1;
        // No member leads before the second pause.
        if (rests === 2) lead();
        return Promise.resolve();
      },
      remove(leader: unknown) {
        const wentNs = now;
        leave(leader);
        now += 2_500_000n;
        setImmediate(lead);
        return Promise.resolve(wentNs);
      },
    },
  };
}

describe('successions', () => {
  it('measure each outage from the removal of the leader to the next leader, and replace the removed member', async () => {
    const { election, started, left, rests } = queueElection();
    expect(await take(successions(election), 4)).toEqual([2.5, 2.5, 2.5, 2.5]);
    expect(rests()).toBe(5);
    expect([started(), left()]).toEqual([6, 0]);
  });

  it('reject if no member begins to lead', async () => {
    const { election } = queueElection();
    await expect(
      take(successions({ ...election, rest: () => Promise.resolve() }), 1),
    ).rejects.toThrow('members began to lead');
  });

  it('reject if the message of the next leader has no time', async () => {
    const { election } = queueElection({ timed: false });
    await expect(take(successions(election), 1)).rejects.toThrow('message "leading" has no atNs');
  });
});

describe('time without a leader', () => {
  const change = (kind: 'leading' | 'fenced' | 'waiting', partition: number, ms: number) => ({
    kind,
    partition,
    atNs: String(ms * 1e6),
  });

  it('is counted for each partition that moved', () => {
    const changes = [
      change('waiting', 3, 10),
      change('fenced', 5, 11),
      change('leading', 3, 14),
      change('leading', 5, 21),
      change('leading', 7, 30),
    ];
    expect(leaderlessMs(changes)).toEqual([4, 10]);
  });

  it('is summed over all gaps of a single partition, in chronological order', () => {
    const said = [
      { kind: 'leading', atNs: '5000000' },
      { kind: 'revoked', atNs: '2000000' },
      { kind: 'ready' },
      { kind: 'revoked', atNs: '8000000' },
      { kind: 'leading', atNs: '9500000' },
    ];
    expect(goneliLeaderlessMs(said)).toBe(4.5);
  });
});
