// Finds out the current members of the group for a member that was away when they changed (N13).
// The statement of one member proves nothing. Either a quorum of voters has accepted the epoch in
// one ballot; or every voter of a quorum has accepted it or states that it runs, and at least one
// of them states that it runs.
import { isOutranked, isSameBallot } from './ballot.ts';
import { type Epoch, isSameEpoch } from './electorate.ts';
import { enterEpoch } from './epochs.ts';
import { includes, type Members, nobody, only } from './members.ts';
import type { AcceptedReply, Sender } from './message.ts';
import type { StepContext } from './step-context.ts';

/**
 * A voter has accepted a next epoch. With a quorum of acceptances a member of this epoch enters it.
 * A member outside this epoch cannot verify who its members are: a few of them might pose as a
 * quorum. It waits for a member that states that the epoch runs.
 */
export function noteAccepted(
  context: StepContext,
  index: number,
  { ballot, next }: AcceptedReply,
): void {
  const { state, rules } = context;
  const { acceptances: before, electorate } = state;
  if (!includes(electorate.voters, index) || next.number !== electorate.number + 1) return;
  const isSame =
    before !== undefined && isSameBallot(before.ballot, ballot) && isSameEpoch(before.next, next);
  if (before !== undefined && !isSame && isOutranked(ballot, before.ballot)) return;
  const by = (isSame ? before.by : nobody) | only(index);
  state.acceptances = { ballot, next, by };
  if (state.index >= 0 && rules.terminates(electorate.quorums, by)) enterEpoch(context, next);
}

/**
 * Receives a member's statement that a later epoch runs. Asks the voters for theirs until enough
 * agree.
 */
export function receiveRunning(context: StepContext, from: Sender, epoch: Epoch): void {
  const { state, rules } = context;
  const { electorate } = state;
  if (epoch.number <= electorate.number) return;
  const index = electorate.names.indexOf(from.member);
  if (includes(electorate.voters, index)) {
    const saidToRun = state.saidToRun.slice();
    saidToRun[index] = epoch;
    state.saidToRun = saidToRun;
  }
  const saying = state.saidToRun.reduce(
    (set, said, at) => (said && isSameEpoch(said, epoch) ? set | only(at) : set),
    nobody,
  );
  const isProven = rules.isProven(electorate.quorums, saying, acceptedBy(context, epoch));
  if (isProven) enterEpoch(context, epoch);
  else inquire(context);
}

/**
 * The voters that have accepted the epoch, this one included. With a voter that states that it
 * runs, they are evidence too.
 */
function acceptedBy({ state }: StepContext, epoch: Epoch): Members {
  const { acceptances, wedge, index } = state;
  const others = acceptances && isSameEpoch(acceptances.next, epoch) ? acceptances.by : nobody;
  const isMine = wedge?.accepted !== undefined && isSameEpoch(wedge.accepted.next, epoch);
  return isMine ? others | only(index) : others;
}

/**
 * Asks the voters for their epoch. A voter in a later epoch answers a message of this one with its
 * own epoch.
 */
function inquire({ state, outputs, now }: StepContext): void {
  const { electorate, self, index } = state;
  if (now < state.inquireAt) return;
  state.inquireAt = now + self.pingMs;
  const to = electorate.names.filter((_, at) => at !== index && includes(electorate.voters, at));
  outputs.push({
    kind: 'send-by-name',
    epoch: electorate.number,
    to,
    item: { kind: 'ping', beat: 0 },
  });
}
