// The state of a member before its first input. A process that starts has lost at least its
// leadership. It may load its grants from disk (N4); it must load its permanent commitments (N13).
import type { Moment } from '@leadership/core/internal/engine';
import type { Electorate, Epoch } from './electorate.ts';
import { electorateOf } from './electorate.ts';
import { nothingLearnt } from './learning.ts';
import type { Claim, Grant } from './lease.ts';
import type { Memory } from './memory.ts';
import { newNewcomer } from './newcomer.ts';
import { unwatched } from './ring.ts';
import { unmeasured } from './round-trip.ts';
import type { NerioRules } from './rules.ts';
import { noSample } from './sample.ts';
import type { HardState, MemberState, Newcomer, Self } from './state.ts';
import { takeOverMsOf } from './wedging.ts';

/** In an index of a successor: any member may follow. */
const nobodyInParticular = -1;

const longAgo = Number.NEGATIVE_INFINITY;

/** The input of a starting process. */
export interface InitialInput {
  readonly hardState: HardState;
  /**
   * Whether the member stores its hard state. If not, it makes no permanent commitments and does not know in
   * which epochs it took part. Default `true`.
   */
  readonly storesHardState?: boolean;
  /** The grants of its previous incarnation. Without them it grants nothing for a while (N4). */
  readonly memory?: Memory | undefined;
  /**
   * Whether this incarnation knows that its pin is the group's. If not, it is a newcomer (R4).
   * Default `true`.
   */
  readonly knowsPin?: boolean;
  /**
   * Whether other members can connect from the start. If not, a newcomer waits for the input
   * `listening`. Default `true`.
   */
  readonly isListening?: boolean;
}

/**
 * Returns the hard state of a member whose own was lost or restored from an older copy: it may have made
 * commitments in any epoch.
 */
export function afterLoss({ epoch }: HardState): HardState {
  return { epoch, wedge: undefined, lostThrough: Number.POSITIVE_INFINITY };
}

/** Returns the initial state of an incarnation. */
export function newMember(
  rules: NerioRules,
  self: Self,
  birth: InitialInput,
  moment: Moment,
): MemberState {
  const { hardState } = birth;
  const now = rules.clock(moment);
  const electorate = electorateOf(hardState.epoch);
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
    wedge: rules.remembered(hardState.wedge),
    pendingWedge: undefined,
    proposal: undefined,
    acceptances: undefined,
    saidToRun: [],
    inquireAt: now,
    knownRound: 0,
    takeOverAt: now + takeOverMsOf(self, index),
    grants: kept
      ? restored(rules, kept, newGrants(self, electorate.epoch), now)
      : newGrants(self, electorate.epoch),
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
 * A member without memory is silent for a while anyway, and tries the others meanwhile. A member
 * with memory has belonged to this group, so it waits only for a time that still allows the renewal
 * of a lease.
 */
function newcomerAt(
  rules: NerioRules,
  self: Self,
  birth: InitialInput,
  now: number,
): Newcomer | undefined {
  const { knowsPin = true, isListening = true } = birth;
  return knowsPin
    ? undefined
    : newNewcomer(
        now,
        keptIn(birth) ? self.spacingMs * triesShare : rules.muteMs(self),
        isListening,
      );
}

/**
 * The longest time for which a member with memory tries the others, as a share of the usual lease.
 */
const triesShare = 1 / 2;

/**
 * Returns the stored grants if they are complete: not from before a loss, and not of another epoch.
 */
function keptIn({ hardState: { epoch, lostThrough }, memory }: InitialInput): Memory | undefined {
  return memory?.epoch === epoch.number && lostThrough !== Number.POSITIVE_INFINITY
    ? memory
    : undefined;
}

/** Returns the assumptions about earlier incarnations of which a member knows nothing. */
function forgottenAt(birth: InitialInput): Pick<MemberState, 'hardStateStatus' | 'forgotThrough'> {
  const { hardState, storesHardState = true } = birth;
  const { epoch, lostThrough } = hardState;
  if (!storesHardState) return { hardStateStatus: 'none', forgotThrough: Number.POSITIVE_INFINITY };
  if (lostThrough !== undefined && epoch.number <= lostThrough)
    return { hardStateStatus: 'lost', forgotThrough: lostThrough };
  return { hardStateStatus: 'kept', forgotThrough: keptIn(birth) ? -1 : epoch.number };
}

/**
 * Restores the grants of an earlier incarnation. All other fields came from messages, or from the
 * clock of the earlier process.
 */
function restored(
  rules: NerioRules,
  { grants }: Memory,
  fresh: readonly Grant[],
  now: number,
): readonly Grant[] {
  return fresh.map((grant, partition) => {
    const before = grants[partition];
    if (before === undefined) return grant;
    const { holder, until, start, released, token, tokenBy, leftMs } = before;
    return {
      ...grant,
      holder,
      until: rules.restoredUntil(leftMs, until, now),
      start,
      released,
      token,
      tokenBy,
    };
  });
}

/** Returns the grants of a new epoch. */
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

/** Returns the claims of a new epoch. */
export function newClaims({ partitions }: Self): readonly Claim[] {
  return Array.from({ length: partitions }, () => ({
    leaseState: { kind: 'follower' },
    round: undefined,
    lastStart: undefined,
    renewAt: longAgo,
    yieldUntil: longAgo,
    failures: 0,
    abstainUntil: longAgo,
    lapseUntil: longAgo,
    abstainMs: 0,
    requestedBy: nobodyInParticular,
    isUrged: false,
    edicts: 0,
    ownToken: 0n,
    lastLeader: undefined,
    lastWeak: -1,
  }));
}

/** Returns the peers of a new epoch. */
export function newPeers({ names }: Electorate): MemberState['peers'] {
  return names.map(() => unwatched);
}
