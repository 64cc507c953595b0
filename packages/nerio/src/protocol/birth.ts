// What a member knows before its first input. A process that starts has lost at least its leadership; what it granted it may have on
// disk (N4); what it bound itself to for ever it must have there (N13).
import type { Electorate, Epoch } from './electorate.ts';
import { electorateOf } from './electorate.ts';
import { nothingLearnt } from './learning.ts';
import type { Memory } from './memory.ts';
import { type Newcomer, newNewcomer } from './newcomer.ts';
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
  /** Whether vows are kept at all. Who keeps none binds itself to nothing for ever, and does not know which epochs it took part in. Default `true`. */
  readonly keepsVows?: boolean;
  /** What it granted in its former life. Without it, it grants nothing for a while. */
  readonly memory?: Memory | undefined;
  /** Whether this life knows that its pin is the group's. Without that it is a newcomer (R4). Default `true`. */
  readonly knowsPin?: boolean;
}

/** What a member goes by whose vows were lost, or are those of an older copy: an epoch that ran, and that it may have been bound in any. */
export function afterLoss({ epoch }: Vow): Vow {
  return { epoch, wedge: undefined, lostThrough: Number.POSITIVE_INFINITY };
}

/** One life of a member begins. */
export function newMember(rules: NerioRules, self: Self, birth: Birth, moment: Moment): MemberState {
  const { vow } = birth;
  const now = rules.clock(moment);
  const electorate = electorateOf(vow.epoch);
  const index = electorate.names.indexOf(self.member);
  const kept = keptIn(birth);
  return {
    self,
    lastSample: noSample,
    electorate,
    index,
    campaigning: true,
    newcomer: newcomerAt(rules, self, birth, now),
    ...forgottenAt(birth),
    mutedUntil: kept ? now : now + rules.muteMs(self),
    learning: kept ? undefined : nothingLearnt(now),
    forgotWith: [],
    wedge: rules.remembered(vow.wedge),
    wedgeAsked: undefined,
    proposal: undefined,
    acceptances: undefined,
    saidToRun: [],
    inquireAt: now,
    knownRound: 0,
    takeOverAt: now + takeOverMsOf(self, index),
    grants: kept ? restored(rules, kept, newGrants(self, electorate.epoch), now) : newGrants(self, electorate.epoch),
    claims: newClaims(self),
    peers: electorate.names.map(() => unwatched),
    beat: 0,
    beatsAt: [],
    pingAt: now,
    ringDueAt: now,
    stands: Array.from({ length: self.partitions }, () => -1),
    roundTrip: unmeasured,
    shareAt: now + self.spacingMs,
    queries: [],
    seekers: [],
  };
}

/**
 * A member without memory is silent for a while in any case, and tries the others meanwhile. One that remembers has been of this group,
 * and waits only for as long as a lease leaves time to renew.
 */
function newcomerAt(rules: NerioRules, self: Self, birth: Birth, now: number): Newcomer | undefined {
  const { knowsPin = true } = birth;
  return knowsPin ? undefined : newNewcomer(now, keptIn(birth) ? self.spacingMs * triesShare : rules.muteMs(self));
}

/** How long a member that remembers tries the others at most, as a share of the usual lease. */
const triesShare = 1 / 2;

/** What was kept of grants, where it tells what there is to know: not from before a loss, nor of another epoch. */
function keptIn({ vow: { epoch, lostThrough }, memory }: Birth): Memory | undefined {
  return memory?.epoch === epoch.number && lostThrough !== Number.POSITIVE_INFINITY ? memory : undefined;
}

/** What a member has to assume of lives of which it knows nothing. */
function forgottenAt(birth: Birth): Pick<MemberState, 'vows' | 'forgotThrough'> {
  const { vow, keepsVows = true } = birth;
  const { epoch, lostThrough } = vow;
  if (!keepsVows) return { vows: 'none', forgotThrough: Number.POSITIVE_INFINITY };
  if (lostThrough !== undefined && epoch.number <= lostThrough) return { vows: 'lost', forgotThrough: lostThrough };
  return { vows: 'kept', forgotThrough: keptIn(birth) ? -1 : epoch.number };
}

/** What was granted in a former life. Everything else was said to it, or measured by its clock. */
function restored(rules: NerioRules, { grants }: Memory, fresh: readonly Grant[], now: number): readonly Grant[] {
  return fresh.map((grant, partition) => {
    const before = grants[partition];
    if (before === undefined) return grant;
    const { holder, until, start, released, token, tokenBy, leftMs } = before;
    return { ...grant, holder, until: rules.restoredUntil(leftMs, until, now), start, released, token, tokenBy };
  });
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
    abstainMs: 0,
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
