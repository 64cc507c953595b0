// The data and functions that the files of the machine in `step.ts` share while one step runs.
import type { Draft } from '../../engine/draft.ts';
import type { Moment } from '../../time/clock.ts';
import { after } from '../../time/instant.ts';
import { heightAfter, holderOf, type LedgerRecord } from '../record.ts';
import { inEffect } from './fold.ts';
import type { LedgerRules } from './rules.ts';
import type { Believing, LeaseState, LedgerOutput, PartitionState } from './state.ts';

/**
 * The context of one step: a draft of the next state, and the outputs so far. It does not outlive
 * the step.
 */
export interface StepContext extends Moment {
  readonly rules: LedgerRules;
  readonly state: Draft<PartitionState>;
  readonly outputs: LedgerOutput[];
}

/** Begins a step with a copy of the state, which the step may change. */
export function beginStep(
  rules: LedgerRules,
  state: PartitionState,
  { now, wallMicros }: Moment,
): StepContext {
  return { rules, state: draftOf(state), outputs: [], now, wallMicros };
}

/**
 * Copies the state field by field. V8 takes twenty times as long to spread an object of this size,
 * and every step copies one.
 */
function draftOf(state: PartitionState): Draft<PartitionState> {
  return {
    self: state.self,
    partition: state.partition,
    fold: state.fold,
    leaseState: state.leaseState,
    seenToken: state.seenToken,
    floor: state.floor,
    ledToken: state.ledToken,
    pin: state.pin,
    campaigning: state.campaigning,
    abstention: state.abstention,
    attempts: state.attempts,
    sequence: state.sequence,
    writeAt: state.writeAt,
    ownRequests: state.ownRequests,
    requestAt: state.requestAt,
    unproven: state.unproven,
    pendingRequests: state.pendingRequests,
    ranks: state.ranks,
    movedAt: state.movedAt,
    termSince: state.termSince,
    deaths: state.deaths,
    unanswered: state.unanswered,
    refusedOver: state.refusedOver,
    rereading: state.rereading,
    lastLeader: state.lastLeader,
  };
}

/**
 * Returns whether the record in effect names this incarnation as the holder (L2). The lease may
 * have expired nevertheless.
 */
export function isHeldHere({ rules, state }: StepContext): boolean {
  const holder = holderOf(inEffect(state.fold));
  return holder !== undefined && rules.isMine(holder, state.self);
}

/** Returns whether this member believes that it leads, if the lease has not expired meanwhile. */
export function isBelieving(leaseState: LeaseState): leaseState is Believing {
  return leaseState.kind === 'leading' || leaseState.kind === 'revoking';
}

/**
 * The variable part of a record. The other fields follow from the member and from the record in
 * effect.
 */
type Change = Pick<LedgerRecord, 'kind' | 'token'> &
  Partial<Pick<LedgerRecord, 'to' | 'thresholdMs'>>;

/** Sends an attempt that names the record in effect, and sets when the next write may follow. */
export function write(context: StepContext, change: Change): void {
  const { state, now, rules } = context;
  const { self } = state;
  state.sequence += 1;
  const record = recordOf(state, change);
  state.attempts = [
    ...state.attempts.filter((attempt) => attempt.sentAt > now - self.thresholdMs),
    { id: record.id, sentAt: now },
  ];
  state.writeAt = after(now, rules.renewMs(self.thresholdMs));
  const raises =
    self.hasFloor === true &&
    rules.raisesFloor(record.token, state.seenToken, context.wallMicros) &&
    // A release for a dead holder repeats its token, which may leave no room (T1, L16).
    rules.leavesRoom(record.token, context.wallMicros);
  context.outputs.push(
    raises ? { kind: 'write', record, raisesFloor: true } : { kind: 'write', record },
  );
}

function recordOf(
  { self, partition, sequence, fold }: PartitionState,
  { kind, token, to, thresholdMs }: Change,
): LedgerRecord {
  const { group, member, incarnation, metadata } = self;
  const current = inEffect(fold);
  const record: Draft<LedgerRecord> = {
    group,
    partition,
    id: `${member}/${incarnation}/${partition}.${sequence}`,
    after: current === null ? null : current.id,
    height: heightAfter(current),
    member,
    incarnation,
    kind,
    token,
    thresholdMs: thresholdMs ?? self.thresholdMs,
  };
  if (to) record.to = to;
  if (metadata && kind === 'hold') record.metadata = metadata;
  return record;
}

/**
 * T1: Notes a token that was read, so that tokens that this member issues exceed it. One that leaves
 * no room for later ones is counted, and not adopted.
 */
export function adoptToken(
  { rules, state, outputs, wallMicros }: StepContext,
  token: bigint,
): void {
  if (rules.leavesRoom(token, wallMicros))
    state.seenToken = rules.knownToken(state.seenToken, token);
  else outputs.push({ kind: 'ignored', what: 'token-without-room' });
}
