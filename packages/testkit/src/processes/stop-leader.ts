// Stops leaders at chosen moments, for tests whose leaders are voters in processes of their own.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { keyOf } from './keep-writing.ts';
import type { MemberEvent, ProcessMember } from './process-member.ts';
import { valuesIn } from './store-versions.ts';

/** The event after which a leader is stopped. */
const eventAt = {
  'its term begins': 'acquired',
  'its lease was renewed': 'prolonged',
  'a write is on its way': 'writing',
  'it resigns': 'resigning',
} as const;

/** When a leader is stopped. */
type StopMoment = keyof typeof eventAt;

/** All moments at which a leader is stopped. */
export const stopMoments: readonly StopMoment[] = Object.keys(eventAt) as StopMoment[];

/** How much longer than T a leader is stopped at least. */
const stopThresholds = 1.1;

/** How long each event may take: a starved machine needs long to elect a leader. Milliseconds. */
const withinMs = 120_000;

/**
 * Stops the leader of partition 0 at that moment, for longer than T and until a successor has written.
 * The work of the members is `write`. Resolves with what the leader then reports in its first statement
 * on whether it leads: `true` or `false`.
 */
export async function stopLeader(
  members: readonly ProcessMember[],
  moment: StopMoment,
  thresholdMs: number,
): Promise<string | undefined> {
  const leader = await leaderAt(members, moment);
  leader.member.pause();
  const { token = 0n } = leader.event;
  const others = members.filter((member) => member !== leader.member);
  await Promise.all([
    pause(stopThresholds * thresholdMs),
    first(others, (event) => event.kind === 'wrote' && (event.token ?? 0n) > token),
  ]);
  const sinceNs = process.hrtime.bigint();
  leader.member.block(1);
  leader.member.resume();
  const isStatement = ({ kind, atNs }: MemberEvent): boolean =>
    kind === 'first-statement' && atNs > sinceNs;
  return (await leader.member.until(isStatement, withinMs)).detail;
}

interface Reported {
  readonly member: ProcessMember;
  readonly event: MemberEvent;
}

/** Resolves with a leader right after the event of that moment, and with its last event of a term. */
async function leaderAt(members: readonly ProcessMember[], moment: StopMoment): Promise<Reported> {
  const leader = await next(members, moment === 'a write is on its way' ? 'writing' : 'prolonged');
  if (moment !== 'its term begins' && moment !== 'it resigns') return leader;
  const reported = next(members, eventAt[moment]);
  leader.member.resign(0);
  const { member, event } = await reported;
  return { member, event: moment === 'it resigns' ? leader.event : event };
}

/** Resolves with the first member that reports an event of that kind from now on. */
function next(members: readonly ProcessMember[], kind: MemberEvent['kind']): Promise<Reported> {
  const sinceNs = process.hrtime.bigint();
  return first(members, (event) => event.kind === kind && event.atNs > sinceNs);
}

function first(
  members: readonly ProcessMember[],
  matches: (event: MemberEvent) => boolean,
): Promise<Reported> {
  return Promise.any(
    members.map(async (member) => ({ member, event: await member.until(matches, withinMs) })),
  );
}

/** Resolves with the tokens of all writes to partition 0 in a store of members, in their order. */
export async function writtenTokens(store: string): Promise<readonly bigint[]> {
  const values = await valuesIn(join(store, keyOf(0)));
  return values.map((value) => BigInt(value.split('/')[0] ?? ''));
}
