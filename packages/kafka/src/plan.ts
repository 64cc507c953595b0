// What members tell one another through the consumer group: each what it holds, and the one that assigns what it planned. Both
// travel as user data beside Kafka's own assignment, which names no partitions: KafkaJS would look up offsets of partitions that
// nobody consumes, and leave the group whenever a broker that leads one of them is away.
import { balance, type Holding } from '@leadership/core/ledger';

type Ranks = readonly string[];

/** What a member tells when it joins. */
export interface Told {
  readonly incarnation: string;
  /** Counts its stays in the group, or how often it joined: of what it told twice, the greater is the later. */
  readonly stay: number;
  /** The partitions that it holds. */
  readonly holds: readonly number[];
  /** Those that it asks to be spared. */
  readonly declines?: readonly number[];
}

/** What the group agreed on. */
export interface Plan {
  /** incarnation → its count, as it told it for this plan. */
  readonly members: ReadonlyMap<string, number>;
  /** Who should lead what: partition → incarnations, best first. */
  readonly ranks: ReadonlyMap<number, Ranks>;
}

/** What a member tells of itself says nothing of terms. */
const anyTerm = 0n;

/** More than this is no plan of ours: a group's M has the same limit. */
const partitionsMax = 65_536;

/**
 * Who should lead what, once all have told what they hold: partitions evenly over members, few moves (L9). Where two say that they
 * hold a partition, `holders`, what was read, decides.
 */
export function planFor(partitions: number, told: readonly Told[], holders: ReadonlyMap<number, string>): Plan {
  const members = latestOf(told);
  const held = new Map<number, Holding>();
  for (const { incarnation, holds } of [...members].sort(byIncarnation)) {
    for (const partition of holds)
      if (!held.has(partition) || holders.get(partition) === incarnation) held.set(partition, { incarnation, token: anyTerm });
  }
  const present = new Map(members.map(({ incarnation, stay }) => [incarnation, stay]));
  const ranks = balance(partitions, [...present.keys()], held);
  return { members: present, ranks: new Map([...ranks].map(([partition, order]) => [partition, sparing(members, partition, order)])) };
}

/** Who joins anew before it was missed is there twice for a while. */
function latestOf(told: readonly Told[]): readonly Told[] {
  const members = new Map<string, Told>();
  for (const one of told) if (one.stay >= (members.get(one.incarnation)?.stay ?? 0)) members.set(one.incarnation, one);
  return [...members.values()];
}

/** Who asks to be spared comes last, and so has the partition only where nobody else is left. */
function sparing(members: readonly Told[], partition: number, order: Ranks): Ranks {
  const declines = members.filter(({ declines = [] }) => declines.includes(partition)).map(({ incarnation }) => incarnation);
  const isSpared = (member: string): boolean => declines.includes(member);
  return [...order.filter((member) => !isSpared(member)), ...order.filter(isSpared)];
}

export function formatTold(told: Told): Buffer {
  return Buffer.from(JSON.stringify(told));
}

/** What a member told, or `undefined` where that is no member of ours. */
export function parseTold(data: Uint8Array): Told | undefined {
  const { incarnation, stay, holds, declines } = fieldsIn(data);
  if (typeof incarnation !== 'string' || !isIndex(stay) || !isIndexes(holds)) return undefined;
  return { incarnation, stay, holds, ...(isIndexes(declines) && { declines }) };
}

/** The plan with every incarnation named once: groups of many partitions have few members. */
export function formatPlan({ members, ranks }: Plan): Buffer {
  const indexes = new Map([...members.keys()].map((member, index) => [member, index]));
  const orders = [...ranks].sort(([a], [b]) => a - b).map(([, order]) => order.map((member) => indexes.get(member)));
  return Buffer.from(JSON.stringify({ members: [...members], ranks: orders }));
}

/** The plan in an assignment, or `undefined` where there is none. */
export function parsePlan(data: Uint8Array): Plan | undefined {
  const { members, ranks } = fieldsIn(data);
  if (!isMembers(members) || !Array.isArray(ranks) || ranks.length > partitionsMax || !ranks.every(isIndexes)) return undefined;
  const named = (order: readonly number[]): Ranks => order.flatMap((index) => members[index]?.[0] ?? []);
  return { members: new Map(members), ranks: new Map(ranks.map((order, partition) => [partition, named(order)])) };
}

function byIncarnation(a: Told, b: Told): number {
  return a.incarnation < b.incarnation ? -1 : 1;
}

function fieldsIn(data: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(data).toString('utf8'));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

function isMembers(value: unknown): value is readonly (readonly [string, number])[] {
  return Array.isArray(value) && value.every((item) => Array.isArray(item) && typeof item[0] === 'string' && isIndex(item[1]));
}

function isIndexes(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length <= partitionsMax && value.every(isIndex);
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
