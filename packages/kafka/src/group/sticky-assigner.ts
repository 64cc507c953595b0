// The assigner of the consumer group: a member keeps the partitions that it holds, as far as the
// shares stay even.
import {
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
  type Subscription,
} from './consumer-protocol.ts';
import type { DescribedMember, GroupAssigner, MemberShare } from './group-client.ts';
import {
  formatMemberInfo,
  formatShare,
  latestOf,
  type MemberInfo,
  type Plan,
  parseMemberInfo,
  parseShare,
  sharesFor,
} from './plan.ts';

/** The member whose assigner this is. */
export interface StickyAssignerOptions {
  readonly topic: string;
  /** The number of partitions that the group assigns. */
  readonly partitions: number;
  /**
   * The information that this member joins with; `undefined` for a guest, which reads the plan and
   * is assigned nothing.
   */
  readonly memberInfo: () => MemberInfo | undefined;
}

/**
 * The name of the protocol. A member of another kind cannot join the group: the coordinator
 * requires a protocol that all members know.
 */
const name = 'leadership-held';
const version = 1;

/** Returns the assigner of one member. */
export function stickyAssigner({
  topic,
  partitions,
  memberInfo,
}: StickyAssignerOptions): GroupAssigner {
  return {
    name,
    version,
    protocol({ topics }) {
      const own = memberInfo();
      const userData = own ? formatMemberInfo(own) : Buffer.alloc(0);
      return { name, metadata: encodeSubscription(version, { topics, userData }) };
    },
    assign({ members }) {
      const joined = members.map(({ memberId, memberMetadata }) => ({
        memberId,
        info: memberInfoIn(memberMetadata, topic),
      }));
      const known = joined.flatMap(({ info }) => (typeof info === 'object' ? [info] : []));
      const shares = sharesFor(partitions, known);
      return Promise.resolve(
        joined.map(({ memberId, info }): MemberShare => {
          const share = typeof info === 'object' ? shares.get(info.incarnation) : undefined;
          const userData =
            share && typeof info === 'object' && share.session === info.session
              ? formatShare(share)
              : Buffer.alloc(0);
          return { memberId, memberAssignment: encodeAssignment(version, userData) };
        }),
      );
    },
  };
}

/** The member and the election whose plan is read. */
interface PlanOf {
  readonly memberId: string;
  readonly topic: string;
}

/**
 * Returns the plan of the group by the description of its coordinator; `undefined` while the group
 * is planning.
 */
export function planIn(
  members: readonly DescribedMember[],
  { memberId, topic }: PlanOf,
): Plan | undefined {
  const own = members.find((member) => member.memberId === memberId);
  // The coordinator describes neither user data nor assignments until every member has its
  // assignment.
  const assigned = own && decode(() => decodeAssignment(own.memberAssignment));
  if (assigned === undefined) return undefined;
  const takesPart = (info: ReturnType<typeof memberInfoIn>): info is MemberInfo =>
    typeof info === 'object' && info.standing !== undefined;
  const all = members.map((member) => ({
    member,
    info: memberInfoIn(member.memberMetadata, topic),
  }));
  const present = latestOf(all.flatMap(({ info }) => (takesPart(info) ? [info] : [])));
  return {
    members: new Map(present.map(({ incarnation, session }) => [incarnation, session])),
    share: parseShare(assigned),
    strangers: all
      .filter(({ info }) => info !== 'guest' && !takesPart(info))
      .map(({ member: { clientId, clientHost } }) => `client "${clientId}" at ${clientHost}`),
  };
}

/**
 * Returns the user data of a member; `'guest'` for one that only reads the plan, `undefined` for
 * one of another election.
 */
function memberInfoIn(memberMetadata: Buffer, topic: string): MemberInfo | 'guest' | undefined {
  const { topics = [], userData = Buffer.alloc(0) }: Partial<Subscription> =
    decode(() => decodeSubscription(memberMetadata)) ?? {};
  if (!topics.includes(topic)) return undefined;
  return userData.length === 0 ? 'guest' : parseMemberInfo(userData);
}

/** Untrusted input: any client can join the group and send arbitrary bytes. */
function decode<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
