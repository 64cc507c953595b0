import type { MemberEvent } from '../faults/process-member.ts';

/** One term of one member process, as its log shows it. */
export interface Reign {
  readonly member: string;
  readonly life: string;
  readonly partition: number;
  readonly token: bigint;
  /** When it was first, and last, seen to lead: it believed in between, and may have believed longer. */
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

/** The terms in the logs of member processes, in the order in which they began. */
export function reignsOf(events: readonly MemberEvent[]): readonly Reign[] {
  const reigns = new Map<string, Reign>();
  for (const { partition, token, ...event } of [...events].sort(byTime)) {
    if (partition === undefined || token === undefined) continue;
    const key = `${event.life}/${partition}/${token}`;
    const reign = reigns.get(key) ?? begun(event, partition, token);
    if (reign) reigns.set(key, seen(reign, event));
  }
  return [...reigns.values()];
}

type Event = Omit<MemberEvent, 'partition' | 'token'>;

function begun({ kind, member, life, atNs }: Event, partition: number, token: bigint): Reign | undefined {
  return kind === 'acquired' ? { member, life, partition, token, fromNs: atNs, toNs: atNs } : undefined;
}

/** The reign, as far as the event shows that its member led. */
function seen(reign: Reign, { kind, detail, atNs, ledNs }: Event): Reign {
  const toNs = kind === 'prolonged' || (kind === 'first-statement' && detail === 'true') ? atNs : ledNs;
  return toNs !== undefined && toNs > reign.toNs ? { ...reign, toNs } : reign;
}

/** Two terms of one partition that overlapped, in words. */
export function overlapIn(reigns: readonly Reign[]): string | undefined {
  for (const [index, one] of reigns.entries()) {
    const other = reigns.slice(index + 1).find(({ partition, fromNs }) => partition === one.partition && fromNs < one.toNs);
    if (other)
      return `${other.member} led partition ${one.partition} ${msBetween(other.fromNs, one.toNs)} ms before ${one.member} had ended`;
  }
  return undefined;
}

/** A term whose token is not greater than that of one before it, in words. */
export function smallerTokenIn(reigns: readonly Reign[]): string | undefined {
  for (const [index, { partition, token, member }] of reigns.entries()) {
    const before = reigns.slice(0, index).find((earlier) => earlier.partition === partition && earlier.token >= token);
    if (before) return `${member} led partition ${partition} with token ${token}, after ${before.member} had led with ${before.token}`;
  }
  return undefined;
}

/** Milliseconds from one instant to another. */
export function msBetween(fromNs: bigint, toNs: bigint): number {
  return Number(toNs - fromNs) / 1e6;
}

function byTime(a: MemberEvent, b: MemberEvent): number {
  return a.atNs < b.atNs ? -1 : Number(a.atNs > b.atNs);
}
