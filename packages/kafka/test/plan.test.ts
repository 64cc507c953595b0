import fc from 'fast-check';
import { AssignerProtocol } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { heldAssigner, planIn } from '../src/held-assigner.ts';
import { formatPlan, formatTold, parsePlan, parseTold, planFor, type Told } from '../src/plan.ts';

const told = fc.uniqueArray(
  fc.record({ incarnation: fc.string({ minLength: 1, maxLength: 3 }), stay: fc.nat(5), holds: fc.uniqueArray(fc.nat(19)) }),
  { minLength: 1, maxLength: 6, selector: ({ incarnation }) => incarnation },
);
const partitions = fc.integer({ min: 1, max: 20 });

const preferred = (partition: number, ranks: ReturnType<typeof planFor>['ranks']): string | undefined => ranks.get(partition)?.[0];

function sharesOf(count: number, members: readonly Told[], plan = planFor(count, members, new Map())): number[] {
  const first = Array.from({ length: count }, (_, partition) => preferred(partition, plan.ranks));
  return members.map(({ incarnation }) => first.filter((one) => one === incarnation).length);
}

describe('the plan of a group', () => {
  it('gives every member the same number of partitions, give or take one (L9)', () => {
    fc.assert(
      fc.property(partitions, told, (count, members) => {
        const shares = sharesOf(count, members);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
        expect(shares.reduce((sum, share) => sum + share)).toBe(count);
      }),
    );
  });

  it('is the same in whichever order the members are told of', () => {
    fc.assert(
      fc.property(partitions, told, (count, members) => {
        expect(planFor(count, [...members].reverse(), new Map()).ranks).toEqual(planFor(count, members, new Map()).ranks);
      }),
    );
  });

  it('leaves a member what it holds, as far as its share goes (L9)', () => {
    fc.assert(
      fc.property(partitions, told, (count, members) => {
        const plan = planFor(count, members, new Map());
        const once = members
          .flatMap(({ holds }) => holds)
          .filter((partition, _index, all) => all.filter((other) => other === partition).length === 1);
        for (const { incarnation, holds } of members) {
          const alone = holds.filter((partition) => partition < count && once.includes(partition));
          const kept = alone.filter((partition) => preferred(partition, plan.ranks) === incarnation);
          expect(kept.length).toBeGreaterThanOrEqual(
            Math.min(alone.length, Math.floor(count / members.length)) - (holds.length - alone.length),
          );
        }
      }),
    );
  });

  it('believes what was read where two say that they hold a partition', () => {
    const members = ['a', 'b'].map((incarnation) => ({ incarnation, stay: 1, holds: [0] }));
    for (const holder of ['a', 'b']) expect(preferred(0, planFor(2, members, new Map([[0, holder]])).ranks)).toBe(holder);
  });

  it('spares who asks for it, where others can have the partition', () => {
    const asking = [
      { incarnation: 'a', stay: 0, holds: [0, 1], declines: [1] },
      { incarnation: 'b', stay: 0, holds: [2, 3] },
    ];
    const plan = planFor(4, asking, new Map());
    expect([0, 1, 2, 3].map((partition) => preferred(partition, plan.ranks))).toEqual(['a', 'b', 'b', 'b']);
    const alone = planFor(2, asking.slice(0, 1), new Map());
    expect([0, 1].map((partition) => preferred(partition, alone.ranks))).toEqual(['a', 'a']);
  });

  it('takes who is there twice by what it told last', () => {
    const before = { incarnation: 'a', stay: 1, holds: [0, 1], declines: [3] };
    const after = { incarnation: 'a', stay: 2, holds: [2, 3] };
    const other = { incarnation: 'b', stay: 7, holds: [] };
    for (const members of [
      [before, after, other],
      [after, other, before],
    ]) {
      const { members: present, ranks } = planFor(4, members, new Map());
      expect(present).toEqual(
        new Map([
          ['a', 2],
          ['b', 7],
        ]),
      );
      expect([2, 3].map((partition) => preferred(partition, ranks))).toEqual(['a', 'a']);
    }
  });

  it('travels whole', () => {
    fc.assert(
      fc.property(partitions, told, (count, members) => {
        const plan = planFor(count, members, new Map());
        expect(parsePlan(formatPlan(plan))).toEqual(plan);
        for (const one of members) expect(parseTold(formatTold(one))).toEqual(one);
      }),
    );
  });

  it('is not read from anything else', () => {
    fc.assert(fc.property(fc.uint8Array(), (data) => parsePlan(data) === undefined && parseTold(data) === undefined));
    fc.assert(fc.property(fc.json(), (text) => parseTold(Buffer.from(text)) === undefined));
    for (const text of ['{"members":[["a",-1]],"ranks":[]}', '{"members":[],"ranks":[["a"]]}', '{"members":[["a",1]]}', '[]']) {
      expect(parsePlan(Buffer.from(text)), text).toBeUndefined();
    }
  });

  it('comes to everyone through the group, whoever else is in it', async () => {
    const assigners = ['a', 'b'].map((incarnation) =>
      heldAssigner({ partitions: 2, told: () => ({ incarnation, stay: 3, holds: [1] }), holders: () => new Map([[1, incarnation]]) }),
    );
    const members = assigners.map((assigner, index) => ({
      memberId: `m${index}`,
      memberMetadata: assigner.protocol({ topics: ['t'] }).metadata,
    }));
    const stranger = AssignerProtocol.MemberMetadata.encode({ version: 9, topics: [], userData: Buffer.from('?') });
    const everyone = [...members, { memberId: 's', memberMetadata: stranger }, { memberId: 'x', memberMetadata: Buffer.from([1]) }];
    const assigned = await assigners[0]?.assign({ members: everyone, topics: ['t'] });
    expect(assigned?.map(({ memberId }) => memberId)).toEqual(['m0', 'm1', 's', 'x']);
    for (const { memberAssignment } of assigned ?? []) {
      const plan = planIn(memberAssignment);
      expect(plan?.members).toEqual(
        new Map([
          ['a', 3],
          ['b', 3],
        ]),
      );
      expect(plan && preferred(1, plan.ranks)).toBe('a');
    }
    expect(planIn(Buffer.from([]))).toBeUndefined();
  });
});
