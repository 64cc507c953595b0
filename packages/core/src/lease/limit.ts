// The limits of members: none leads more partitions at once than it says (M13).
import { type Instant, never } from '../time/instant.ts';
import type { Flight, MemberState, Session } from './state.ts';
import type { LeaseConfig } from './types.ts';

const unlimited = Number.POSITIVE_INFINITY;

/** Returns the greatest number of partitions that this member leads at once. */
export function limitOf({ partitionsMax = unlimited }: LeaseConfig): number {
  return partitionsMax;
}

/** Returns whether this member may claim that partition, or ask for it, beside what it has. */
export function hasRoom(state: MemberState, index: number): boolean {
  const limit = limitOf(state.config);
  return limit === unlimited || state.rules.mayTake(takenBeside(state, index), limit);
}

/** Returns whether this member may begin one more term. */
export function mayBegin({ led, rules, config }: MemberState): boolean {
  return rules.mayBegin(led.size, limitOf(config));
}

/**
 * Returns how many partitions this member has or may get, beside that one: those that it leads or asks
 * for, those whose records name its session, and those whose claims are on their way.
 */
function takenBeside({ own, led, wants, claims, rules }: MemberState, index?: number): number {
  const sent = rules.countsClaims() ? claims : [];
  const taken = new Set([...(own?.row.owns ?? []), ...led, ...wants, ...sent]);
  if (index !== undefined) taken.delete(index);
  return taken.size;
}

/** Lets a partition wait until this member has room for it. */
export function waitForLimit({ overLimit }: MemberState, index: number): Instant {
  overLimit.add(index);
  return never;
}

/**
 * Puts the partitions that have waited for room into `todo`, once there is some. Returns whether there
 * were any.
 */
export function lookForRoom(state: MemberState): boolean {
  const { overLimit, todo, config } = state;
  if (takenBeside(state) >= limitOf(config)) return false;
  for (const index of overLimit) todo.add(index);
  overLimit.clear();
  return true;
}

/** Asks for no more partitions than this member has room for: it may have received others unasked. */
export function trimWants(state: MemberState): void {
  const { wants, config } = state;
  const limit = limitOf(config);
  if (limit === unlimited) return;
  for (const index of [...wants].reverse()) {
    if (takenBeside(state) <= limit) return;
    wants.delete(index);
    waitForLimit(state, index);
  }
}

/** Notes a claim that is sent. It may take effect until an answer shows the partition. */
export function noteClaim({ claims, config }: MemberState, index: number): void {
  if (limitOf(config) !== unlimited) claims.add(index);
}

/**
 * Forgets the claims that an answer has settled, and the releases that were refused. A store that reads
 * first shows what was made only later.
 */
export function settleSent(
  { claims, handed, own }: MemberState,
  { about }: Flight,
  outcomes: readonly boolean[],
): void {
  about.forEach((partition, at) => {
    if (partition !== undefined && outcomes[at] !== true) handed.delete(partition.index);
  });
  const made = about.filter(
    (partition, at) =>
      outcomes[at] === true && partition !== undefined && partition.owner !== own?.row,
  );
  const unseen = new Set(made.map((partition) => partition?.index));
  for (const index of claims) if (!unseen.has(index)) claims.delete(index);
}

/** Returns whether a session may receive that partition, as far as this member has read (M8). */
export function canReceive(
  { handed, rules }: MemberState,
  session: Session,
  index: number,
): boolean {
  const { partitionsMax, owns } = session;
  if (partitionsMax === unlimited) return true;
  const sent = [...handed].filter(([one, to]) => to === session && one !== index && !owns.has(one));
  return rules.mayReceive(owns.size + sent.length, partitionsMax);
}

/** Looks again at what a session asks for, because it may have room again. */
export function lookForHeir({ led, todo }: MemberState, { partitionsMax, wants }: Session): void {
  if (partitionsMax === unlimited) return;
  for (const index of wants) if (led.has(index)) todo.add(index);
}

/** Notes that a release to a session is sent. */
export function noteHanded({ handed }: MemberState, index: number, to: Session | undefined): void {
  if (to === undefined || to.partitionsMax === unlimited) handed.delete(index);
  else handed.set(index, to);
}
