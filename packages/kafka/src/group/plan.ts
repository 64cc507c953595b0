// The user data of the consumer group. Each member joins with its incarnation and with the partitions
// that it holds; the member that assigns returns to each member its own
// partitions. Kafka's own assignment names no partitions: KafkaJS would look up the offsets of
// partitions that no member consumes, and leave the group whenever a broker that leads one of them
// is away. A coordinator keeps a group in one record, so each member receives its own share only:
// otherwise large groups could not form.

import { jsonFields } from '@leadership/core/adapter';
import { balance, type Holding } from '@leadership/core/internal/engine';

/** The user data that a member joins with. */
export interface MemberInfo {
  readonly incarnation: string;
  /**
   * Counts the member's sessions in the group, or its joins: of two from one incarnation, the greater
   * is the later.
   */
  readonly session: number;
  /** The group assigns partitions by it. Absent of a member of the first releases that held leases. */
  readonly standing?: Standing;
}

/** A member's partitions. */
interface Standing {
  /** The number of the plan that assigned its partitions. */
  readonly plan: number;
  readonly holds: readonly number[];
  /** The partitions that the member does not want. */
  readonly declines: readonly number[];
}

/** The assignment of one member. */
export interface Share {
  /** The count with which this member joined for this plan. */
  readonly session: number;
  /** Each plan has a greater number than those its members knew. */
  readonly plan: number;
  readonly partitions: readonly number[];
}

/** The plan of the group, for one of its members. */
export interface Plan {
  /** The members of this election: incarnation → the count with which it joined for this plan. */
  readonly members: ReadonlyMap<string, number>;
  /** The assignment of this member. */
  readonly share: Share | undefined;
  /** Clients in the consumer group that take no part in this election, by name. */
  readonly strangers: readonly string[];
}

/** User data has no term tokens. */
const anyTerm = 0n;

/** A larger plan is invalid: a group's M has the same limit. */
const partitionsMax = 65_536;

/**
 * Assigns the partitions evenly, with few moves (L9), by the partitions that the members hold:
 * incarnation → its share. If two members claim to hold a partition, the one with the later plan
 * does.
 */
export function sharesFor(
  partitions: number,
  joined: readonly MemberInfo[],
): ReadonlyMap<string, Share> {
  const members = latestOf(joined).flatMap(({ incarnation, session, standing }) =>
    standing ? [{ incarnation, session, ...standing }] : [],
  );
  const held = new Map<number, Holding & { readonly plan: number }>();
  for (const { incarnation, plan, holds } of members.sort((a, b) =>
    a.incarnation < b.incarnation ? -1 : 1,
  )) {
    for (const partition of holds) {
      if (plan > (held.get(partition)?.plan ?? -1))
        held.set(partition, { incarnation, plan, token: anyTerm });
    }
  }
  const plan = 1 + Math.max(0, ...members.map((member) => member.plan));
  const shares = new Map(
    members.map(({ incarnation, session }) => [
      incarnation,
      { session, plan, partitions: [] as number[] },
    ]),
  );
  const declines = new Map(
    members.map(({ incarnation, declines }) => [incarnation, new Set(declines)]),
  );
  for (const [partition, order] of balance(partitions, takersOf(partitions, declines), held)) {
    // A member that declines a partition has it only if no other member is left.
    const owner = order.find((member) => !declines.get(member)?.has(partition)) ?? order[0];
    shares.get(owner ?? '')?.partitions.push(partition);
  }
  return shares;
}

/**
 * A member that declines all partitions has no share: the others divide them evenly, unless all members
 * decline them.
 */
function takersOf(
  partitions: number,
  declines: ReadonlyMap<string, ReadonlySet<number>>,
): readonly string[] {
  const takers = [...declines].flatMap(([one, { size }]) => (size < partitions ? [one] : []));
  return takers.length > 0 ? takers : [...declines.keys()];
}

/**
 * The last user data of each member: one that joins again before its session has ended is in the
 * group twice for a while.
 */
export function latestOf(joined: readonly MemberInfo[]): readonly MemberInfo[] {
  const members = new Map<string, MemberInfo>();
  for (const one of joined)
    if (one.session >= (members.get(one.incarnation)?.session ?? 0))
      members.set(one.incarnation, one);
  return [...members.values()];
}

export function formatMemberInfo(info: MemberInfo): Buffer {
  return Buffer.from(JSON.stringify(info));
}

/** Parses user data; returns `undefined` if it is not a member's of such an election. */
export function parseMemberInfo(data: Uint8Array): MemberInfo | undefined {
  const { incarnation, session, standing } = fieldsIn(data);
  if (typeof incarnation !== 'string' || !isIndex(session)) return undefined;
  if (standing === undefined) return { incarnation, session };
  const { plan, holds, declines } = fieldsOf(standing);
  return isIndex(plan) && isIndexes(holds) && isIndexes(declines)
    ? { incarnation, session, standing: { plan, holds, declines } }
    : undefined;
}

export function formatShare(share: Share): Buffer {
  return Buffer.from(JSON.stringify(share));
}

/** Parses the share in an assignment; returns `undefined` if there is none. */
export function parseShare(data: Uint8Array): Share | undefined {
  const { session, plan, partitions } = fieldsIn(data);
  return isIndex(session) && isIndex(plan) && isIndexes(partitions)
    ? { session, plan, partitions }
    : undefined;
}

function fieldsIn(data: Uint8Array): Readonly<Record<string, unknown>> {
  return jsonFields(Buffer.from(data).toString('utf8')) ?? {};
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

function isIndexes(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length <= partitionsMax && value.every(isIndex);
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
