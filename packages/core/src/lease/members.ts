// The present members as people see them. The placement decides by what it reads itself.
import type { KnownMember } from '../contract/backend.ts';
import { type Presence, publicationFields } from '../engine/presence.ts';
import { after, type Instant } from '../time/instant.ts';
import type { MemberState, Note } from './state.ts';
import type { Input, LeaseConfig } from './types.ts';

/** How long a note counts after it was read, in T: it is written every T. */
const noteThresholds = 2;

/** Returns until when a note counts. */
export function noteEndsAt({ arrivedAt, isOutdated }: Note, { thresholdMs }: LeaseConfig): Instant {
  return isOutdated ? arrivedAt : after(arrivedAt, noteThresholds * thresholdMs);
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
  const { listing } = state;
  if (!listing.isStale) return;
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
    if (now < noteEndsAt(note, config) && !dead.has(incarnation))
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
