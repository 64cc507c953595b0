// What a member knows before its first input. A process that starts has lost at least its leadership; what it granted it may have on
// disk (N4); what it bound itself to for ever it must have there (N13).
import type { Electorate, Epoch } from './electorate.ts';
import { electorateOf } from './electorate.ts';
import { nothingLearnt } from './learning.ts';
import type { Memory } from './memory.ts';
import { unwatched } from './ring.ts';
import { unmeasured } from './round-trip.ts';
import type { NerioRules } from './rules.ts';
import { noSample } from './sample.ts';
import type { Claim, Grant, MemberState, Moment, Self, Vow } from './state.ts';
import { takeOverMsOf } from './wedging.ts';

/** Where an index says for whom a lease is left. */
const nobodyInParticular = -1;

const longAgo = Number.NEGATIVE_INFINITY;

/** With what a process starts. */
export interface Birth {
  readonly vow: Vow;
  /** Whether the disk that vows are kept on was lost: then the member grants in no epoch that may have ended with its help. */
  readonly isVowLost?: boolean;
  /** What it granted in its former life. Without it, it grants nothing for a while. */
  readonly memory?: Memory | undefined;
}

/** One life of a member begins. */
export function newMember(rules: NerioRules, self: Self, { vow, isVowLost, memory }: Birth, moment: Moment): MemberState {
  const now = rules.clock(moment);
  const electorate = electorateOf(vow.epoch);
  const index = electorate.names.indexOf(self.member);
  const kept = memory?.epoch === electorate.number ? memory : undefined;
  const nothing = { ...nothingLearnt(electorate.number), askAt: now, beat: 0, met: [] };
  return {
    self,
    lastSample: noSample,
    electorate,
    index,
    campaigning: true,
    barredThrough: isVowLost ? Number.POSITIVE_INFINITY : -1,
    mutedUntil: kept ? now : now + rules.muteMs(self),
    learning: kept ? undefined : nothing,
    forgotWith: [],
    wedge: rules.remembered(vow.wedge),
    wedgeAsked: undefined,
    proposal: undefined,
    takeOverAt: now + takeOverMsOf(self, index),
    grants: kept
      ? kept.grants.map((grant) => ({ ...grant, until: rules.restoredUntil(grant.leftMs, grant.until, now) }))
      : newGrants(self, electorate.epoch),
    claims: newClaims(self),
    peers: electorate.names.map(() => unwatched),
    beat: 0,
    beatAt: now,
    pingAt: now,
    ringDueAt: now,
    stands: Array.from({ length: self.partitions }, () => -1),
    roundTrip: unmeasured,
    shareAt: now + self.spacingMs,
    queries: [],
    seekers: [],
  };
}

/** Nothing has been granted in the epoch. */
export function newGrants({ partitions }: Self, { tokens }: Epoch): readonly Grant[] {
  return Array.from({ length: partitions }, (_, partition) => ({
    holder: undefined,
    until: longAgo,
    start: noSample,
    isLeaving: false,
    successor: nobodyInParticular,
    keptUntil: longAgo,
    released: [],
    queue: [],
    token: tokens[partition] ?? 0n,
    tokenBy: undefined,
    leader: undefined,
    leaderUntil: longAgo,
  }));
}

/** Nothing has been asked for. */
export function newClaims({ partitions }: Self): readonly Claim[] {
  return Array.from({ length: partitions }, () => ({
    tenure: { kind: 'follower' },
    round: undefined,
    lastStart: undefined,
    renewAt: longAgo,
    yieldUntil: longAgo,
    failures: 0,
    abstainUntil: longAgo,
    lapseUntil: longAgo,
    wantedBy: nobodyInParticular,
    isUrged: false,
    edicts: 0,
    ownToken: 0n,
    toldLeader: undefined,
    toldWeak: -1,
  }));
}

/** Nobody is listened to yet. */
export function newPeers({ names }: Electorate): MemberState['peers'] {
  return names.map(() => unwatched);
}
