// The consumer group's assignment: what a member holds it keeps, as far as shares stay even.
import { type Assigner, AssignerProtocol, type GroupMember, type GroupMemberAssignment } from 'kafkajs';
import { formatPlan, formatTold, type Plan, parsePlan, parseTold, planFor, type Told } from './plan.ts';

/** What the assigner asks of the member it is in. */
export interface HeldAssignerOptions {
  readonly partitions: number;
  /** What this member tells when it joins; `undefined`: it joins to be told, and no partition is for it. */
  readonly told: () => Told | undefined;
  /** partition → incarnation, as far as is known. */
  readonly holders: () => ReadonlyMap<number, string>;
}

/** Members of another kind cannot share the group: the coordinator looks for a protocol that all of them know. */
const name = 'leadership-held';
const version = 1;

/** The assigner of one member. */
export function heldAssigner({ partitions, told, holders }: HeldAssignerOptions): Assigner {
  return {
    name,
    version,
    protocol({ topics }) {
      const own = told();
      return {
        name,
        metadata: AssignerProtocol.MemberMetadata.encode({ version, topics, userData: own ? formatTold(own) : Buffer.alloc(0) }),
      };
    },
    assign({ members }) {
      const userData = formatPlan(planFor(partitions, members.flatMap(toldBy), holders()));
      const assignment = AssignerProtocol.MemberAssignment.encode({ version, assignment: {}, userData });
      return Promise.resolve(members.map(({ memberId }): GroupMemberAssignment => ({ memberId, memberAssignment: assignment })));
    },
  };
}

/** The plan in what the group assigned to a member. */
export function planIn(memberAssignment: Buffer): Plan | undefined {
  const decoded = decode(() => AssignerProtocol.MemberAssignment.decode(memberAssignment));
  return decoded ? parsePlan(decoded.userData) : undefined;
}

function toldBy({ memberMetadata }: GroupMember): readonly Told[] {
  const decoded = decode(() => AssignerProtocol.MemberMetadata.decode(memberMetadata));
  const told = decoded ? parseTold(decoded.userData) : undefined;
  return told ? [told] : [];
}

/** Whoever joins a group may send anything. */
function decode<T>(act: () => T | null): T | undefined {
  try {
    return act() ?? undefined;
  } catch {
    return undefined;
  }
}
