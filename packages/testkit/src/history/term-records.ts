// Reads terms from the logs of member processes.
import type { MemberEvent } from '../processes/process-member.ts';
import type { TermRecord } from './term-record.ts';

/**
 * Returns the terms in the logs of one or more members. The events of each member must be in order.
 */
export function termRecordsOf(events: Iterable<MemberEvent>): readonly TermRecord[] {
  const byTerm = new Map<string, MemberEvent[]>();
  for (const event of events) {
    if (event.token === undefined) continue;
    const key = `${event.life}/${event.partition}/${event.token}`;
    const known = byTerm.get(key);
    if (known) known.push(event);
    else byTerm.set(key, [event]);
  }
  return [...byTerm.values()].flatMap(toTermRecord);
}

function toTermRecord(events: readonly MemberEvent[]): readonly TermRecord[] {
  const [acquired, revived] = events.filter(({ kind }) => kind === 'acquired');
  if (acquired?.partition === undefined || acquired.token === undefined) return [];
  const { member, life, partition, token, atNs } = acquired;
  const end = events.find(isEnd);
  return [
    {
      member,
      life,
      partition,
      token,
      notifiedAtNs: atNs,
      belief: beliefIn(events),
      end: end && { kind: end.kind, atNs: end.atNs },
      workedFromNs: events.find(({ kind }) => kind === 'working')?.atNs,
      settledAtNs: events.find(({ kind }) => kind === 'settled')?.atNs,
      revivedAtNs: revived?.atNs,
    },
  ];
}

/**
 * Returns the period from the first to the last instant at which the member was observed to lead.
 * If the term expired, or the log lacks its end, the period lasts until the deadline, because
 * nothing else can have ended it.
 */
function beliefIn(events: readonly MemberEvent[]): TermRecord['belief'] {
  const led = events.flatMap(ledAt);
  const [fromNs] = led;
  if (fromNs === undefined) return undefined;
  const lasted =
    events.some(isEnd) && !events.some(hasExpired) ? [] : events.map(({ untilNs = 0n }) => untilNs);
  const toNs = [...led, ...lasted].reduce((last, atNs) => (atNs > last ? atNs : last));
  const firstUntilNs = events.find(({ kind }) => kind === 'acquired')?.untilNs;
  return { fromNs, toNs, firstUntilNs };
}

/** Returns the instants at which the event shows its member to lead. */
function ledAt({ kind, atNs, untilNs, ledNs, detail }: MemberEvent): readonly bigint[] {
  if (ledNs !== undefined) return [ledNs];
  const isSeen = untilNs !== undefined || (kind === 'first-statement' && detail === 'true');
  return isSeen ? [atNs] : [];
}

function isEnd(
  event: MemberEvent,
): event is MemberEvent & { readonly kind: 'released' | 'fenced' } {
  return event.kind === 'released' || event.kind === 'fenced';
}

function hasExpired({ kind, detail }: MemberEvent): boolean {
  return kind === 'fenced' && detail === 'expired';
}
