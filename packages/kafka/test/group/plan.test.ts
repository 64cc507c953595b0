import fc from 'fast-check';
import { AssignerProtocol, type GroupDescription } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { groupIdOf } from '../../src/group/group-sessions.ts';
import {
  formatMemberInfo,
  formatShare,
  type MemberInfo,
  parseMemberInfo,
  parseShare,
  sharesFor,
} from '../../src/group/plan.ts';
import { planIn, stickyAssigner } from '../../src/group/sticky-assigner.ts';

const memberLists: fc.Arbitrary<readonly MemberInfo[]> = fc.uniqueArray(
  fc.record({
    incarnation: fc.string({ minLength: 1, maxLength: 3 }),
    session: fc.nat(5),
    standing: fc.record({
      plan: fc.nat(5),
      holds: fc.uniqueArray(fc.nat(19)),
      declines: fc.constant<number[]>([]),
    }),
  }),
  { minLength: 1, maxLength: 6, selector: ({ incarnation }) => incarnation },
);
const partitions = fc.integer({ min: 1, max: 20 });

const member = (
  incarnation: string,
  holds: readonly number[],
  plan = 1,
  declines: readonly number[] = [],
): MemberInfo => ({
  incarnation,
  session: 1,
  standing: { plan, holds, declines },
});

function ownersOf(count: number, members: readonly MemberInfo[]): (string | undefined)[] {
  const shares = [...sharesFor(count, members)];
  return Array.from(
    { length: count },
    (_, partition) => shares.find(([, share]) => share.partitions.includes(partition))?.[0],
  );
}

describe('the plan of a group that assigns partitions', () => {
  it('gives every member the same number of partitions, within one, and each partition to one member (L9)', () => {
    fc.assert(
      fc.property(partitions, memberLists, (count, members) => {
        const shares = [...sharesFor(count, members).values()].map((share) => share.partitions);
        const counts = shares.map(({ length }) => length);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        expect(shares.flat().sort((a, b) => a - b)).toEqual(
          Array.from({ length: count }, (_, partition) => partition),
        );
      }),
    );
  });

  it('does not depend on the order of the members', () => {
    fc.assert(
      fc.property(partitions, memberLists, (count, members) => {
        expect(ownersOf(count, [...members].reverse())).toEqual(ownersOf(count, members));
      }),
    );
  });

  it("keeps a member's partitions, up to its share (L9)", () => {
    fc.assert(
      fc.property(partitions, memberLists, (count, members) => {
        const owners = ownersOf(count, members);
        const held = members.flatMap(({ standing }) => standing?.holds ?? []);
        const once = held.filter(
          (partition) =>
            held.filter((other) => other === partition).length === 1 && partition < count,
        );
        for (const { incarnation, standing } of members) {
          const holds = (standing?.holds ?? []).filter((partition) => partition < count);
          const alone = holds.filter((partition) => once.includes(partition));
          const kept = alone.filter((partition) => owners[partition] === incarnation);
          expect(kept.length).toBeGreaterThanOrEqual(
            Math.min(alone.length, Math.floor(count / members.length)) -
              (holds.length - alone.length),
          );
        }
      }),
    );
  });

  it('follows the later plan if two members claim to hold a partition', () => {
    expect(ownersOf(2, [member('a', [0], 2), member('b', [0], 1)])[0]).toBe('a');
    expect(ownersOf(2, [member('a', [0], 1), member('b', [0], 2)])[0]).toBe('b');
  });

  it('has a greater number than every plan of its members', () => {
    const shares = sharesFor(2, [member('a', [0], 7), member('b', [], 0)]);
    expect([...shares.values()].map(({ plan }) => plan)).toEqual([8, 8]);
  });

  it('assigns a declined partition to another member if there is one', () => {
    const asking = [member('a', [0, 1], 1, [1]), member('b', [2, 3])];
    expect(ownersOf(4, asking)).toEqual(['a', 'b', 'b', 'b']);
    expect(ownersOf(2, asking.slice(0, 1))).toEqual(['a', 'a']);
  });

  it('gives no share to a member that declines all partitions, and the others even shares', () => {
    const all = [0, 1, 2, 3];
    const mute = member('a', [0, 1, 2, 3], 1, all);
    expect(ownersOf(4, [mute, member('b', []), member('c', [])]).sort()).toEqual([
      'b',
      'b',
      'c',
      'c',
    ]);
    const none = [member('a', [0, 1], 1, all), member('b', [2, 3], 1, all)];
    expect(ownersOf(4, none)).toEqual(['a', 'a', 'b', 'b']);
  });

  it('uses the last user data of a member that is listed twice', () => {
    const before = { ...member('a', [0, 1], 1, [3]), session: 1 };
    const after = { ...member('a', [2, 3]), session: 2 };
    const other = { ...member('b', []), session: 7 };
    for (const members of [
      [before, after, other],
      [after, other, before],
    ]) {
      expect(
        [...sharesFor(4, members)]
          .map(([incarnation, { session }]) => [incarnation, session])
          .sort(),
      ).toEqual([
        ['a', 2],
        ['b', 7],
      ]);
      expect(ownersOf(4, members).slice(2)).toEqual(['a', 'a']);
    }
  });

  it('survives formatting and parsing', () => {
    fc.assert(
      fc.property(partitions, memberLists, (count, members) => {
        for (const share of sharesFor(count, members).values())
          expect(parseShare(formatShare(share))).toEqual(share);
        for (const one of members) expect(parseMemberInfo(formatMemberInfo(one))).toEqual(one);
      }),
    );
    expect(parseMemberInfo(formatMemberInfo({ incarnation: 'a', session: 1 }))).toEqual({
      incarnation: 'a',
      session: 1,
    });
  });

  it('is not parsed from other data', () => {
    fc.assert(
      fc.property(
        fc.uint8Array(),
        (data) => parseShare(data) === undefined && parseMemberInfo(data) === undefined,
      ),
    );
    fc.assert(fc.property(fc.json(), (text) => parseMemberInfo(Buffer.from(text)) === undefined));
    for (const text of [
      '{"session":1,"plan":-1,"partitions":[]}',
      '{"session":1,"plan":1,"partitions":["0"]}',
      '{"session":1,"plan":1}',
      '[]',
    ]) {
      expect(parseShare(Buffer.from(text)), text).toBeUndefined();
    }
    expect(
      parseMemberInfo(Buffer.from('{"incarnation":"a","session":1,"standing":null}')),
    ).toBeUndefined();
  });
});

interface Joined {
  readonly memberId: string;
  readonly memberMetadata: Buffer;
}

const topic = 't';
const stranger = (memberId: string, memberMetadata: Buffer): Joined => ({
  memberId,
  memberMetadata,
});
const metadataOf = (info: MemberInfo | undefined, topics = [topic]): Buffer =>
  stickyAssigner({ topic, partitions: 1, memberInfo: () => info }).protocol({ topics }).metadata;

/** Returns the coordinator's description of a group whose first member assigned. */
async function described(
  members: readonly Joined[],
  partitions = 1,
): Promise<GroupDescription['members']> {
  const assigner = stickyAssigner({ topic, partitions, memberInfo: () => undefined });
  const assigned = await assigner.assign({ members });
  return members.map(({ memberId, memberMetadata }) => {
    const memberAssignment =
      assigned.find((one) => one.memberId === memberId)?.memberAssignment ?? Buffer.alloc(0);
    return {
      memberId,
      clientId: memberId,
      clientHost: '/10.0.0.1',
      memberMetadata,
      memberAssignment,
    };
  });
}

describe('a consumer group', () => {
  const ours = ['a', 'b'].map((incarnation) => ({
    memberId: `m-${incarnation}`,
    memberMetadata: metadataOf({
      incarnation,
      session: 3,
      standing: { plan: 1, holds: [1], declines: [] },
    }),
  }));
  const strangers = [
    stranger('nobody', Buffer.from([1])),
    stranger(
      'other',
      AssignerProtocol.MemberMetadata.encode({
        version: 9,
        topics: [topic],
        userData: Buffer.from('?'),
      }),
    ),
    stranger(
      'elsewhere',
      metadataOf(
        { incarnation: 'x', session: 1, standing: { plan: 9, holds: [0], declines: [] } },
        ['a.b'],
      ),
    ),
    stranger('exclusive', metadataOf({ incarnation: 'y', session: 1 })),
  ];
  const guest = stranger('guest', metadataOf(undefined));

  it('gives every member its own share, and names and ignores strangers', async () => {
    const members = await described([...ours, ...strangers, guest], 2);
    const plans = ours.map(({ memberId }) => planIn(members, { memberId, topic }));
    for (const plan of plans) {
      expect(plan?.members).toEqual(
        new Map([
          ['a', 3],
          ['b', 3],
        ]),
      );
      expect(plan?.strangers).toEqual(
        ['nobody', 'other', 'elsewhere', 'exclusive'].map(
          (clientId) => `client "${clientId}" at /10.0.0.1`,
        ),
      );
    }
    expect(plans.flatMap((plan) => plan?.share?.partitions ?? []).sort()).toEqual([0, 1]);
  });

  it('has no plan while its members join', () => {
    const joining = ours.map((one) => ({
      ...one,
      clientId: '',
      clientHost: '',
      memberAssignment: Buffer.alloc(0),
    }));
    expect(planIn(joining, { memberId: 'm-a', topic })).toBeUndefined();
    expect(planIn([], { memberId: 'm-a', topic })).toBeUndefined();
  });

  it('of 200 members and 512 partitions takes less than 256 KiB in all: the coordinator keeps it in one record', async () => {
    const incarnation = (index: number): string => `${index}`.padStart(22, 'i');
    const sizeOf = async (
      infoOf: (index: number) => MemberInfo,
      count?: number,
    ): Promise<number> => {
      const joined = Array.from({ length: 200 }, (_, index) =>
        stranger(`leadership-${index}`, metadataOf(infoOf(index))),
      );
      const members = await described(joined, count);
      return members.reduce(
        (sum, { memberMetadata, memberAssignment }) =>
          sum + memberMetadata.length + memberAssignment.length,
        0,
      );
    };
    const holds = (index: number): number[] => [
      index,
      index + 200,
      ...(index < 112 ? [index + 400] : []),
    ];
    const assigning = await sizeOf(
      (index) => ({
        incarnation: incarnation(index),
        session: 1,
        standing: { plan: 1, holds: holds(index), declines: [] },
      }),
      512,
    );
    const present = await sizeOf((index) => ({ incarnation: incarnation(index), session: 1 }));
    expect(assigning).toBeLessThan(64 * 1024);
    expect(present).toBeLessThan(32 * 1024);
  });

  it('has a unique id for each election: topic names contain no colon', () => {
    expect(groupIdOf({ topic: 'a', group: 'b.c' })).not.toBe(
      groupIdOf({ topic: 'a.b', group: 'c' }),
    );
    const topics = fc.stringMatching(/^[a-zA-Z0-9._-]{1,9}$/);
    const groups = fc.oneof(
      fc.string({ minLength: 1, maxLength: 9 }),
      fc.stringMatching(/^[a.:]{1,9}$/),
    );
    fc.assert(
      fc.property(topics, groups, topics, groups, (topic, group, otherTopic, otherGroup) => {
        const isSame = topic === otherTopic && group === otherGroup;
        expect(
          groupIdOf({ topic, group }) === groupIdOf({ topic: otherTopic, group: otherGroup }),
        ).toBe(isSame);
      }),
    );
  });
});
