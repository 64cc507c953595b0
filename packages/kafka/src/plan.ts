// What members exchange through the consumer group. Each tells who it is; under induction (I) also what it holds, and the member that
// assigns answers each with its own partitions. All of it travels as user data beside Kafka's own assignment, which names no
// partitions: KafkaJS would look up offsets of partitions that nobody consumes, and leave the group whenever a broker that leads one
// of them is away. A coordinator keeps a group in one record: nobody is told what concerns others, or large groups could not form.
import { balance, type Holding } from '@leadership/core/ledger';

/** What a member tells when it joins. */
export interface Told {
  readonly incarnation: string;
  /** Counts its stays in the group, or how often it joined: of what it told twice, the greater is the later. */
  readonly stay: number;
  /** Under induction alone: what the group assigns partitions by. */
  readonly standing?: Standing;
}

/** What a member has that the group assigns partitions to. */
interface Standing {
  /** The number of the plan that it holds its partitions by. */
  readonly plan: number;
  readonly holds: readonly number[];
  /** The partitions that it asks to be spared. */
  readonly declines: readonly number[];
}

/** What the group assigned to one member. */
export interface Share {
  /** The count that this member told for this plan. */
  readonly stay: number;
  /** Each plan has a greater number than those its members knew. */
  readonly plan: number;
  readonly partitions: readonly number[];
}

/** What the group agreed on, as one of its members sees it. */
export interface Plan {
  /** The members of this election: incarnation → its count, as it told it for this plan. */
  readonly members: ReadonlyMap<string, number>;
  /** What is assigned to this member. */
  readonly share: Share | undefined;
  /** Clients in the consumer group that take no part in this election, by name. */
  readonly strangers: readonly string[];
}

/** What a member tells of itself says nothing of terms. */
const anyTerm = 0n;

/** More than this is no plan of ours: a group's M has the same limit. */
const partitionsMax = 65_536;

/**
 * Assigns the partitions evenly, with few moves (L9), once all have told what they hold: incarnation → its share. Where two say that
 * they hold a partition, the one with the later plan does.
 */
export function sharesFor(partitions: number, told: readonly Told[]): ReadonlyMap<string, Share> {
  const members = latestOf(told).flatMap(({ incarnation, stay, standing }) => (standing ? [{ incarnation, stay, ...standing }] : []));
  const held = new Map<number, Holding & { readonly plan: number }>();
  for (const { incarnation, plan, holds } of members.sort((a, b) => (a.incarnation < b.incarnation ? -1 : 1))) {
    for (const partition of holds) {
      if (plan > (held.get(partition)?.plan ?? -1)) held.set(partition, { incarnation, plan, token: anyTerm });
    }
  }
  const plan = 1 + Math.max(0, ...members.map((member) => member.plan));
  const shares = new Map(members.map(({ incarnation, stay }) => [incarnation, { stay, plan, partitions: [] as number[] }]));
  const declines = new Map(members.map(({ incarnation, declines }) => [incarnation, new Set(declines)]));
  for (const [partition, order] of balance(partitions, [...shares.keys()], held)) {
    // A member that asks to be spared has the partition only where no other is left.
    const owner = order.find((member) => !declines.get(member)?.has(partition)) ?? order[0];
    shares.get(owner ?? '')?.partitions.push(partition);
  }
  return shares;
}

/** What each told last: a member that joins anew before it was missed is there twice for a while. */
export function latestOf(told: readonly Told[]): readonly Told[] {
  const members = new Map<string, Told>();
  for (const one of told) if (one.stay >= (members.get(one.incarnation)?.stay ?? 0)) members.set(one.incarnation, one);
  return [...members.values()];
}

export function formatTold(told: Told): Buffer {
  return Buffer.from(JSON.stringify(told));
}

/** What a member told, or `undefined` where that is no member of ours. */
export function parseTold(data: Uint8Array): Told | undefined {
  const { incarnation, stay, standing } = fieldsIn(data);
  if (typeof incarnation !== 'string' || !isIndex(stay)) return undefined;
  if (standing === undefined) return { incarnation, stay };
  const { plan, holds, declines } = fieldsOf(standing);
  return isIndex(plan) && isIndexes(holds) && isIndexes(declines) ? { incarnation, stay, standing: { plan, holds, declines } } : undefined;
}

export function formatShare(share: Share): Buffer {
  return Buffer.from(JSON.stringify(share));
}

/** The share in an assignment, or `undefined` where there is none. */
export function parseShare(data: Uint8Array): Share | undefined {
  const { stay, plan, partitions } = fieldsIn(data);
  return isIndex(stay) && isIndex(plan) && isIndexes(partitions) ? { stay, plan, partitions } : undefined;
}

function fieldsIn(data: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(Buffer.from(data).toString('utf8')));
  } catch {
    return {};
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function isIndexes(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length <= partitionsMax && value.every(isIndex);
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
