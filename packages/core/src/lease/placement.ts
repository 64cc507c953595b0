// The present members, and which partitions each of them should lead.
import { after, earliest, type Instant, latest, never } from '../time/instant.ts';
import { limitOf } from './limit.ts';
import { listedUntil, reportMembers } from './members.ts';
import { isAlive } from './owners.ts';
import { noteName } from './records.ts';
import { partitionsIn } from './shard.ts';
import { isOfThisProcess, type MemberState, type Note, type Partition } from './state.ts';
import type { LeaseConfig } from './types.ts';

/** Gives the members to the placement, and looks at the partitions whose preferred member changes. */
export function place(state: MemberState): void {
  if (!state.hasRead) return;
  if (state.areMembersStale || state.now >= state.noteExpiresAt) placeMembers(state);
  reportMembers(state);
  if (!state.balance.isChanged) return;
  for (const index of state.balance.settle()) {
    state.todo.add(index);
    const partition = state.partitions[index];
    if (partition && state.limits.size > 0) partition.placedAt = state.now;
  }
  rankAgain(state);
}

/** A stand-in whose rank is another one claims at another time, though the preferred member stays. */
function rankAgain(state: MemberState): void {
  for (const [index, rank] of state.standIns) {
    const partition = state.partitions[index];
    if (partition && rankOf(state, partition) !== rank) state.todo.add(index);
  }
}

function placeMembers(state: MemberState): void {
  state.areMembersStale = false;
  state.listing.isStale = true;
  const { config, isCampaigning } = state;
  const members = new Set([...standing(state), ...noted(state)]);
  if (isCampaigning) members.add(config.incarnation);
  else members.delete(config.incarnation);
  const sorted = [...members].sort();
  const limits = new Map(sorted.flatMap((id) => limitedTo(state, id)));
  reportCapacity(state, sorted, limits);
  if (sorted.join() === state.members.join() && isSame(limits, state.limits)) return;
  state.members = sorted;
  state.limits = limits;
  state.balance.members(sorted, firstOf(config, sorted.length), limits);
  // Every rank may be another one.
  for (const { index } of state.partitions) state.todo.add(index);
}

/** Returns a member and the limit by which partitions are placed, if it has one (M13). */
function limitedTo(state: MemberState, id: string): readonly (readonly [string, number])[] {
  const { config, sessionOf, notes, rules } = state;
  const other = sessionOf.get(id) ?? notes.get(id);
  const own = id === config.incarnation ? limitOf(config) : undefined;
  const limit = rules.placedLimit(own ?? other?.partitionsMax ?? Number.POSITIVE_INFINITY);
  return limit === Number.POSITIVE_INFINITY ? [] : [[id, limit]];
}

function isSame(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  return one.size === other.size && [...one].every(([id, limit]) => other.get(id) === limit);
}

/** Reports how many partitions the candidates may lead, if that is not all of them. */
function reportCapacity(
  state: MemberState,
  members: readonly string[],
  limits: ReadonlyMap<string, number>,
): void {
  const { partitions } = state.config;
  const led = [...limits.values()].reduce((sum, limit) => sum + limit, 0);
  const isLimited = limits.size > 0 && limits.size === members.length && led < partitions;
  const capacity = isLimited ? { members: members.length, partitions: led } : undefined;
  const report = JSON.stringify(capacity) ?? '';
  if (report === state.capacity) return;
  state.capacity = report;
  state.outputs.push({ kind: 'capacity', capacity });
}

/**
 * Returns which of the members gets the first partition of this shard: the one after that which gets
 * the last one of the shard before, so that the shares of all shards together are even (M12). A single
 * shard needs no such order: its remainder stays where it is.
 */
function firstOf({ shard }: LeaseConfig, members: number): number | undefined {
  if (shard === undefined || shard.shards === 1) return undefined;
  const { index, shards, partitions } = shard;
  let before = 0;
  for (let other = 0; other < index; other += 1) before += partitionsIn(other, shards, partitions);
  return before % Math.max(1, members);
}

/** Returns the other members with a session that are candidates, and notes those sessions. */
function standing(state: MemberState): readonly string[] {
  const { dead, sessionOf } = state;
  noteLatest(state);
  outdateNotes(state);
  for (const [id, session] of sessionOf)
    if (!isAlive(session) || dead.has(id)) sessionOf.delete(id);
  return [...sessionOf].filter(([, { isStanding }]) => isStanding).map(([id]) => id);
}

/** An earlier session of a process is over (M2), though it may not have lapsed yet. */
function noteLatest(state: MemberState): void {
  const { sessions, sessionOf } = state;
  sessionOf.clear();
  for (const session of sessions.values()) {
    const { incarnation, number } = session;
    if (session.state === 'absent' || isOfThisProcess(state, session)) continue;
    if (number >= (sessionOf.get(incarnation)?.number ?? 0)) sessionOf.set(incarnation, session);
  }
  lookAtAsked(state);
}

/** If the row of the latest session of a process was removed, what the one before asks for counts again. */
function lookAtAsked({ sessionOf, led, todo }: MemberState): void {
  for (const { wants } of sessionOf.values())
    for (const index of wants) if (led.has(index)) todo.add(index);
}

/**
 * A member with a session leaves no notes. If it ends before it has removed the last one, the others do
 * not wait for it to claim anything.
 */
function outdateNotes({ notes, sessionOf }: MemberState): void {
  for (const [id, note] of notes) {
    const session = sessionOf.get(id);
    note.isOutdated ||= session?.state === 'live' && session.readAt >= note.arrivedAt;
  }
}

/**
 * How long a note counts for the placement, in its T. Longer than lists of members show its
 * process: a note that is late would move partitions.
 */
const placedThresholds = 2;

/** Returns the members with a note that is not too old, and notes when to look at the notes again. */
function noted(state: MemberState): readonly string[] {
  const present: string[] = [];
  state.noteExpiresAt = never;
  for (const [id, note] of state.notes) {
    const { arrivedAt, thresholdMs, isOutdated } = note;
    const goesAt = isOutdated ? arrivedAt : after(arrivedAt, placedThresholds * thresholdMs);
    if (state.now < goesAt) present.push(id);
    for (const at of [listedUntil(state, note), goesAt, sweepNote(state, id, note)])
      if (state.now < at) state.noteExpiresAt = earliest(state.noteExpiresAt, at);
  }
  return present;
}

/** Removes the note of another process that is over (M11). Returns when to look again. */
function sweepNote(state: MemberState, id: string, note: Note): Instant {
  const { config, rules, now, candidacies, chores, own } = state;
  if (id === config.incarnation || candidacies === 0) return never;
  const ms = rules.noteSweepMs(own?.isValid === true, note.thresholdMs, config.jitter);
  const at = latest(rules.waitsUntil(note.arrivedAt, ms, config.driftRate), note.sweptAt);
  if (now < at) return at;
  note.sweptAt = after(now, note.thresholdMs);
  // It matters only to members that list it.
  chores.push({ name: noteName(id), expected: note.text, text: null, isAnnounced: true });
  return note.sweptAt;
}

/**
 * Returns how many members may claim a partition before this one; -1 if this one may not. The last
 * owner does not count, and who has just given it up, because no member waits for them.
 */
export function rankOf(
  state: MemberState,
  partition: Partition,
  lastOwner: string | undefined = partition.lastOwner,
): number {
  const { balance, config } = state;
  const { index, releasers } = partition;
  const rank = balance.indexOf(index, config.incarnation);
  if (rank <= 0) return rank;
  const passed = new Set(releasers?.keys());
  for (const one of passed) if (!mayAbstain(state, partition, one)) passed.delete(one);
  if (lastOwner !== undefined) passed.add(lastOwner);
  const isBefore = (one: string): boolean => {
    const other = balance.indexOf(index, one);
    return other >= 0 && other < rank;
  };
  return rank - [...passed].filter(isBefore).length;
}

/** Whether that member has released the partition so recently that it may not claim it yet. */
export function mayAbstain(
  { now }: MemberState,
  { releasers }: Partition,
  member: string,
): boolean {
  const until = releasers?.get(member);
  return until !== undefined && now < until;
}
