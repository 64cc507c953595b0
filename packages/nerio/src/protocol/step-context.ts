// The data and functions that the files of the machine in `step.ts` share while one step runs.
import type { Draft, Moment } from '@leadership/core/internal/engine';
import type { Believing, Claim, Grant, LeaseState } from './lease.ts';
import { includes, type Members, nobody, only } from './members.ts';
import type { Item, Sender } from './message.ts';
import type { NerioOutput } from './output.ts';
import type { NerioRules } from './rules.ts';
import { nextSample, type Sample } from './sample.ts';
import type { MemberState } from './state.ts';

/**
 * The context of one step: a draft of the next state, and the outputs so far. It does not outlive the
 * step.
 */
export interface StepContext {
  readonly rules: NerioRules;
  /** The state before the step. */
  readonly before: MemberState;
  readonly state: Draft<MemberState>;
  readonly outputs: NerioOutput[];
  /** The messages of this member to itself that it has not processed yet. */
  own: Item[] | undefined;
  readonly moment: Moment;
  /** C, read once. */
  readonly now: number;
  /** Whether the member that stands may have changed. */
  isRingStale: boolean;
  /** By partition: the copies that this step has made and may change. */
  grantDrafts: (Draft<Grant> | undefined)[] | undefined;
  claimDrafts: (Draft<Claim> | undefined)[] | undefined;
}

export function beginStep(rules: NerioRules, state: MemberState, moment: Moment): StepContext {
  const now = rules.clock(moment);
  return {
    rules,
    before: state,
    state: draftOf(state),
    outputs: [],
    own: undefined,
    moment,
    now,
    isRingStale: false,
    grantDrafts: undefined,
    claimDrafts: undefined,
  };
}

/**
 * Copies field by field: spreading an object of this size is many times slower, and every step
 * copies one.
 */
function draftOf(state: MemberState): Draft<MemberState> {
  return {
    self: state.self,
    lastSample: state.lastSample,
    electorate: state.electorate,
    index: state.index,
    campaigning: state.campaigning,
    newcomer: state.newcomer,
    hardStateStatus: state.hardStateStatus,
    forgotThrough: state.forgotThrough,
    mutedUntil: state.mutedUntil,
    learning: state.learning,
    forgotWith: state.forgotWith,
    wedge: state.wedge,
    pendingWedge: state.pendingWedge,
    proposal: state.proposal,
    acceptances: state.acceptances,
    saidToRun: state.saidToRun,
    inquireAt: state.inquireAt,
    knownRound: state.knownRound,
    takeOverAt: state.takeOverAt,
    grants: state.grants,
    claims: state.claims,
    peers: state.peers,
    beat: state.beat,
    beatsAt: state.beatsAt,
    pingAt: state.pingAt,
    ringDueAt: state.ringDueAt,
    stands: state.stands,
    roundTrip: state.roundTrip,
    shareAt: state.shareAt,
    queries: state.queries,
    seekers: state.seekers,
  };
}

/** The voter's knowledge of a partition's lease. */
export function grantOf({ state }: StepContext, partition: number): Grant {
  return known(state.grants[partition]);
}

/** The candidate's state for a partition. */
export function claimOf({ state }: StepContext, partition: number): Claim {
  return known(state.claims[partition]);
}

/** Returns a mutable copy of `grantOf` for this step. */
export function changeGrant(context: StepContext, partition: number): Draft<Grant> {
  const { state } = context;
  if (context.grantDrafts === undefined) {
    context.grantDrafts = [];
    state.grants = state.grants.slice();
  }
  const drafted = context.grantDrafts[partition];
  if (drafted) return drafted;
  const draft = copyGrant(known(state.grants[partition]));
  context.grantDrafts[partition] = draft;
  (state.grants as Grant[])[partition] = draft;
  return draft;
}

/** Returns a mutable copy of `claimOf` for this step. */
export function changeClaim(context: StepContext, partition: number): Draft<Claim> {
  const { state } = context;
  if (context.claimDrafts === undefined) {
    context.claimDrafts = [];
    state.claims = state.claims.slice();
  }
  const drafted = context.claimDrafts[partition];
  if (drafted) return drafted;
  const draft = copyClaim(known(state.claims[partition]));
  context.claimDrafts[partition] = draft;
  (state.claims as Claim[])[partition] = draft;
  return draft;
}

function copyGrant(grant: Grant): Draft<Grant> {
  return {
    holder: grant.holder,
    until: grant.until,
    start: grant.start,
    isLeaving: grant.isLeaving,
    successor: grant.successor,
    keptUntil: grant.keptUntil,
    released: grant.released,
    queue: grant.queue,
    token: grant.token,
    tokenBy: grant.tokenBy,
    leader: grant.leader,
    leaderUntil: grant.leaderUntil,
  };
}

function copyClaim(claim: Claim): Draft<Claim> {
  return {
    leaseState: claim.leaseState,
    round: claim.round,
    lastStart: claim.lastStart,
    renewAt: claim.renewAt,
    yieldUntil: claim.yieldUntil,
    failures: claim.failures,
    abstainUntil: claim.abstainUntil,
    lapseUntil: claim.lapseUntil,
    abstainMs: claim.abstainMs,
    requestedBy: claim.requestedBy,
    isUrged: claim.isUrged,
    edicts: claim.edicts,
    ownToken: claim.ownToken,
    lastLeader: claim.lastLeader,
    lastWeak: claim.lastWeak,
  };
}

/** Asserts that a value that must exist does. */
export function known<T>(value: T | undefined): T {
  if (value === undefined)
    throw new Error(
      'Broken invariant: a member of this epoch, or a partition of this group, is unknown',
    );
  return value;
}

/** Takes the next sample of the clock (N1). */
export function sample({ state, now }: StepContext): Sample {
  state.lastSample = nextSample(state.lastSample, now);
  return state.lastSample;
}

/**
 * Sends to these members of the epoch. A message of the member to itself is processed within the
 * same step.
 */
export function send(context: StepContext, to: Members, item: Item): void {
  const { state } = context;
  const self = state.index < 0 ? nobody : only(state.index);
  const others = to & ~self;
  if (others !== nobody)
    context.outputs.push({ kind: 'send', electorate: state.electorate, to: others, item });
  if ((to & self) === nobody) return;
  context.own ??= [];
  context.own.push(item);
}

/** Sends to all members of the epoch. */
export function broadcast(context: StepContext, item: Item): void {
  send(context, context.state.electorate.all, item);
}

/** Sends to one member of this epoch; ignores a member outside it. */
export function reply(context: StepContext, to: Pick<Sender, 'member'>, item: Item): void {
  const index = context.state.electorate.names.indexOf(to.member);
  if (index >= 0) send(context, only(index), item);
}

export function isBelieving(leaseState: LeaseState): leaseState is Believing {
  return leaseState.kind === 'leading' || leaseState.kind === 'revoking';
}

/** Whether this member grants leases in this epoch. */
export function isVoter({ index, electorate }: Pick<MemberState, 'index' | 'electorate'>): boolean {
  return includes(electorate.voters, index);
}

/** Whether this member may be elected in this epoch. */
export function isCandidate({
  index,
  electorate,
}: Pick<MemberState, 'index' | 'electorate'>): boolean {
  return includes(electorate.candidates, index);
}

/** Whether this voter's grant is held by another member. */
export function isLentToAnother(
  { rules, state, now }: StepContext,
  { holder, until }: Grant,
): boolean {
  return holder !== undefined && now < until && !rules.isHolder(holder, state.self);
}

/** Whether the epoch is about to end, or has ended: then no new candidate gets a lease (N13). */
export function isEnding({
  wedge,
  pendingWedge,
}: Pick<MemberState, 'wedge' | 'pendingWedge'>): boolean {
  return wedge !== undefined || pendingWedge !== undefined;
}
