// The consumer group's assignment: what a member holds it keeps, as far as shares stay even.
import { decodeAssignment, decodeSubscription, encodeAssignment, encodeSubscription, type Subscription } from './consumer-protocol.ts';
import type { DescribedMember, GroupAssigner, MemberShare } from './group-port.ts';
import { formatShare, formatTold, latestOf, type Plan, parseShare, parseTold, type Share, sharesFor, type Told } from './plan.ts';

/** What the assigner asks of the member it is in. */
export interface HeldAssignerOptions {
  readonly topic: string;
  /** How many partitions the group assigns; `undefined`: none, it only knows who is there. */
  readonly partitions?: number;
  /** What this member tells when it joins; `undefined`: it joins to be told, and no partition is for it. */
  readonly told: () => Told | undefined;
}

/** Members of another kind cannot share the group: the coordinator looks for a protocol that all of them know. */
const name = 'leadership-held';
const version = 1;

/** The assigner of one member. */
export function heldAssigner({ topic, partitions, told }: HeldAssignerOptions): GroupAssigner {
  return {
    name,
    version,
    protocol({ topics }) {
      const own = told();
      const userData = own ? formatTold(own) : Buffer.alloc(0);
      return { name, metadata: encodeSubscription(version, { topics, userData }) };
    },
    assign({ members }) {
      const tellers = members.map(({ memberId, memberMetadata }) => ({ memberId, own: toldIn(memberMetadata, topic) }));
      const known = tellers.flatMap(({ own }) => (typeof own === 'object' ? [own] : []));
      const shares: ReadonlyMap<string, Share> = partitions === undefined ? new Map() : sharesFor(partitions, known);
      return Promise.resolve(
        tellers.map(({ memberId, own }): MemberShare => {
          const share = typeof own === 'object' ? shares.get(own.incarnation) : undefined;
          const userData = share && typeof own === 'object' && share.stay === own.stay ? formatShare(share) : Buffer.alloc(0);
          return { memberId, memberAssignment: encodeAssignment(version, userData) };
        }),
      );
    },
  };
}

/** Whose plan is read, and of which election. */
export interface PlanOf {
  readonly memberId: string;
  readonly topic: string;
  /** Whether the group assigns partitions (I), or only knows who is there. */
  readonly assigns: boolean;
}

/** What the group agreed on, as its coordinator describes it; `undefined` while it is at it. */
export function planIn(members: readonly DescribedMember[], { memberId, topic, assigns }: PlanOf): Plan | undefined {
  const own = members.find((member) => member.memberId === memberId);
  // A coordinator keeps what members told, and were told, to itself until all of them were told.
  const assigned = own && decode(() => decodeAssignment(own.memberAssignment));
  if (assigned === undefined) return undefined;
  const takesPart = (told: ReturnType<typeof toldIn>): told is Told =>
    typeof told === 'object' && (told.standing !== undefined) === assigns;
  const all = members.map((member) => ({ member, told: toldIn(member.memberMetadata, topic) }));
  const present = latestOf(all.flatMap(({ told }) => (takesPart(told) ? [told] : [])));
  return {
    members: new Map(present.map(({ incarnation, stay }) => [incarnation, stay])),
    share: parseShare(assigned),
    strangers: all
      .filter(({ told }) => told !== 'guest' && !takesPart(told))
      .map(({ member: { clientId, clientHost } }) => `client "${clientId}" at ${clientHost}`),
  };
}

/** What the member told of itself. A guest came to be told, and takes no part; anything else is of no member of this election. */
function toldIn(memberMetadata: Buffer, topic: string): Told | 'guest' | undefined {
  const { topics = [], userData = Buffer.alloc(0) }: Partial<Subscription> = decode(() => decodeSubscription(memberMetadata)) ?? {};
  if (!topics.includes(topic)) return undefined;
  return userData.length === 0 ? 'guest' : parseTold(userData);
}

/** Whoever joins a group may send anything. */
function decode<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
