// Moves a member from one epoch to the next (N13): an epoch is the time with the same members of
// the group. A member takes part in one epoch at a time, and informs a member that still sends in
// an earlier one.

import { type Epoch, electorateOf } from './electorate.ts';
import { persist } from './hard-state.ts';
import { newClaims, newGrants, newPeers } from './initial-state.ts';
import { nothingLearnt } from './learning.ts';
import { fence } from './lease-state.ts';
import type { Sender } from './message.ts';
import { unmeasured } from './round-trip.ts';
import { claimOf, isBelieving, type StepContext } from './step-context.ts';

/**
 * Enters an epoch that runs. All earlier ones have ended, so everything known about their leases is
 * discarded.
 */
export function enterEpoch(context: StepContext, epoch: Epoch): void {
  const { rules, state, outputs, now } = context;
  if (epoch.number <= state.electorate.number) return;
  for (let partition = 0; partition < state.self.partitions; partition += 1) {
    if (isBelieving(claimOf(context, partition).leaseState))
      fence(context, partition, 'superseded');
  }
  const { edicts, lastLeaders } = carried(context);
  const electorate = electorateOf(epoch);
  const isNew = rules.isNew(epoch.number, state.forgotThrough);
  context.own = undefined;
  context.grantDrafts = undefined;
  context.claimDrafts = undefined;
  Object.assign(state, {
    electorate,
    index: electorate.names.indexOf(state.self.member),
    // Grants of earlier epochs have ended with them. But a member that does not know its epochs may
    // have granted in this one.
    mutedUntil: isNew ? now : state.mutedUntil,
    learning: isNew ? undefined : nothingLearnt(now),
    hardStateStatus: isNew && state.hardStateStatus === 'lost' ? 'kept' : state.hardStateStatus,
    forgotWith: [],
    wedge: undefined,
    pendingWedge: undefined,
    proposal: undefined,
    acceptances: undefined,
    saidToRun: [],
    knownRound: 0,
    grants: newGrants(state.self, epoch),
    claims: newClaims(state.self).map((claim, partition) => ({
      ...claim,
      edicts: edicts[partition] ?? 0,
      lastLeader: lastLeaders[partition],
    })),
    peers: newPeers(electorate),
    pingAt: now,
    ringDueAt: now,
    stands: state.stands.map(() => -1),
    roundTrip: unmeasured,
    queries: [],
  });
  persist(context);
  outputs.push({ kind: 'epoch', epoch });
}

function carried({ state }: StepContext): {
  readonly edicts: readonly number[];
  readonly lastLeaders: readonly unknown[];
} {
  return {
    edicts: state.claims.map(({ edicts }) => edicts),
    lastLeaders: state.claims.map(({ lastLeader }) => lastLeader),
  };
}

/**
 * A message of another epoch arrived. Informs the sender if it is behind, or asks it to inform this
 * member.
 */
export function receiveFromOtherEpoch(
  { state, outputs }: StepContext,
  from: Sender,
  epoch: number,
): void {
  const { electorate } = state;
  const to = [from.member];
  if (epoch < electorate.number)
    outputs.push({
      kind: 'send-by-name',
      epoch: electorate.number,
      to,
      item: { kind: 'running', epoch: electorate.epoch },
    });
  else
    outputs.push({
      kind: 'send-by-name',
      epoch: electorate.number,
      to,
      item: { kind: 'ping', beat: 0 },
    });
}
