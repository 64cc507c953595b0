// Spreads the partitions over the candidates (L9). A candidate that should lead a partition of
// another one asks for it in its declaration, and a leader that agrees hands it over in order. The
// request shows that its sender receives news of the leader. It proves nothing: the term moves by
// drain and horizon as always.
import { changeCandidateState, type ElectionContext, isAbstaining } from './context.ts';
import { resign } from './leading.ts';
import { balanceOf, candidatesOf } from './placement.ts';

/** Asks for partitions, and hands over those that others should lead and ask for. */
export function share(context: ElectionContext): void {
  const { config, state } = context;
  if (state.candidateStates.length === 0 || !state.isAdmitted) return;
  const members = candidatesOf(context);
  const balance = isUneven(context, members) ? balanceOf(context, members) : undefined;
  for (let partition = 0; partition < state.candidateStates.length; partition += 1) {
    const preferred = balance?.at(partition, 0);
    request(context, partition, preferred === config.member);
    if (preferred !== undefined && isAskedBy(context, partition, preferred))
      handOver(context, partition);
  }
}

/** Whether a candidate leads two partitions more than another: the balance would move some. */
function isUneven({ state }: ElectionContext, members: readonly string[]): boolean {
  const counts = new Map(members.map((member) => [member, 0]));
  for (const leader of state.leaders) {
    const count = leader && counts.get(leader.member);
    if (leader && count !== undefined) counts.set(leader.member, count + 1);
  }
  return Math.max(...counts.values()) > Math.min(...counts.values()) + 1;
}

function request(context: ElectionContext, partition: number, isPreferred: boolean): void {
  const { state, clock, config } = context;
  const own = state.candidateStates[partition];
  const leader = state.leaders[partition];
  const isLed = leader !== undefined && !leader.isLeaving && leader.member !== config.member;
  if (own === undefined) return;
  const mayAsk = own.isCampaigning && clock > own.horizon && clock >= own.asksFrom;
  const isRequesting = isPreferred && isLed && mayAsk;
  if (own.isRequesting === isRequesting) return;
  changeCandidateState(context, partition, { isRequesting });
  context.hasChanged = true;
}

function isAskedBy({ roster }: ElectionContext, partition: number, member: string): boolean {
  const peer = roster.get(member);
  if (peer?.isAlive !== true || isAbstaining(peer, partition)) return false;
  return peer.declaration?.candidacy?.wants[partition] === true;
}

/** Ends a term that is old enough, and stays out for the same time (L9). */
function handOver(context: ElectionContext, partition: number): void {
  const { rules, state, clock, config } = context;
  const term = state.candidateStates[partition]?.term;
  const settleMs = rules.settleMs(config.thresholdMs);
  if (term && clock - term.since >= settleMs) resign(context, partition, settleMs);
}
