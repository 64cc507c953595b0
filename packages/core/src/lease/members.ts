// The present members as people see them. The placement decides by what it reads itself.
import type { KnownMember } from '../contract/backend.ts';
import { type Presence, publicationFields } from '../engine/presence.ts';
import type { Instant } from '../time/instant.ts';
import { isAlive } from './owners.ts';
import type { NoteRecord } from './records.ts';
import type { MemberState, Note } from './state.ts';
import type { Input } from './types.ts';

/**
 * The share of T by which the wall clocks of two hosts may differ: then nothing that is older than T counts
 * as young. A renewal is T/3 old at most, and a note little more than T/2, so that the rest is enough.
 */
const skewShare = 1 / 4;

/** Returns until when a note lists its process as present. */
export function listedUntil({ rules, config }: MemberState, note: Note): Instant {
  const { arrivedAt, thresholdMs, isOutdated } = note;
  if (isOutdated) return arrivedAt;
  return rules.waitsUntil(arrivedAt, rules.notedMs(thresholdMs), config.driftRate);
}

/**
 * Returns whether a text was written so long ago, by the wall clocks, that its process may be gone: longer
 * than T, if the clock of its writer is ahead. One that is ahead by more says nothing either.
 */
export function isOld(
  { wallMicros }: MemberState,
  { at, thresholdMs }: Pick<NoteRecord, 'at' | 'thresholdMs'>,
): boolean {
  const ageMs = wallMicros / 1000 - (at ?? Number.NEGATIVE_INFINITY);
  return ageMs > (1 - skewShare) * thresholdMs || ageMs < -skewShare * thresholdMs;
}

/**
 * Returns whether this member lists a member, or reports a leader, of which it has only read what was
 * written long ago: until it reads another text, or none for T, that one may be gone.
 */
export function isUnsure(state: MemberState, now: Instant): boolean {
  for (const session of state.sessions.values())
    if (session.isUnheard && isAlive(session)) return true;
  for (const note of state.notes.values())
    if (note.isUnheard && now < listedUntil(state, note)) return true;
  return false;
}

/** Returns what this member publishes with its next renewal or note. */
export function ownPresence({ config, listing }: MemberState): Presence {
  const { member, metadata } = config;
  const { since, publication } = listing;
  return { member, metadata, since, ...publication };
}

/** Takes what this member publishes. It waits for the next renewal or note, and asks for none. */
export function publish(state: MemberState, input: Input & { readonly kind: 'publish' }): void {
  state.listing.publication = publicationFields(input);
  state.listing.isStale = true;
}

/** Reports the present members, if they are others than before. */
export function reportMembers(state: MemberState): void {
  const { listing, flight } = state;
  // In a part of an answer, the note of a member may be gone whose session is in the next one.
  const isPart = flight !== undefined && flight.shown.size > 0;
  if (!listing.isStale || isPart) return;
  listing.isStale = false;
  const members = [...present(state).values()];
  const report = JSON.stringify(members);
  if (report === listing.report) return;
  listing.report = report;
  state.outputs.push({ kind: 'members', members });
}

/** Returns the present members by incarnation. A session says more than a note of the same process. */
function present(state: MemberState): ReadonlyMap<string, KnownMember> {
  const { notes, sessionOf, dead, config, now } = state;
  const members = new Map<string, KnownMember>();
  for (const [incarnation, note] of notes)
    if (now < listedUntil(state, note) && !dead.has(incarnation))
      members.set(incarnation, { incarnation, ...note.presence, isCandidate: true });
  for (const [incarnation, { presence, isStanding }] of sessionOf)
    members.set(incarnation, { incarnation, ...presence, isCandidate: isStanding });
  const { incarnation } = config;
  members.delete(incarnation);
  if (isPresent(state))
    members.set(incarnation, {
      incarnation,
      ...ownPresence(state),
      isCandidate: state.isCampaigning,
    });
  return members;
}

/** Whether others see this member: an observer writes nothing. */
function isPresent({ own, isCampaigning, phase }: MemberState): boolean {
  return own !== undefined || (isCampaigning && phase === 'running');
}
