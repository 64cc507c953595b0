// Which epoch has followed, as a member finds out that has not ended the last one itself (N13). The word of one member proves nothing.
// Either a quorum of voters says that each has accepted the epoch, in one ballot; or a quorum says that it runs, each voter of which had
// such evidence, or has at least accepted it.
import { isOutranked, isSameBallot } from './ballot.ts';
import { type Epoch, isSameEpoch } from './electorate.ts';
import { enterEpoch } from './epochs.ts';
import { includes, type Members, nobody, only } from './members.ts';
import type { AcceptedReply, Ballot, Sender } from './message.ts';
import type { Turn } from './turn.ts';

/** Voters that have accepted an epoch to follow, in the greatest ballot that was heard of. */
export interface Acceptances {
  readonly ballot: Ballot;
  readonly next: Epoch;
  readonly by: Members;
}

/**
 * A voter has accepted what is to follow. Once a quorum has, it does. A member that is none of the epoch was told who its members are, not
 * shown: to it a few of them may look like a quorum. It waits for one that says that the epoch runs.
 */
export function noteAccepted(turn: Turn, index: number, { ballot, next }: AcceptedReply): void {
  const { state, rules } = turn;
  const { acceptances: before, electorate } = state;
  if (!includes(electorate.voters, index) || next.number !== electorate.number + 1) return;
  const isSame = before !== undefined && isSameBallot(before.ballot, ballot) && isSameEpoch(before.next, next);
  if (before !== undefined && !isSame && isOutranked(ballot, before.ballot)) return;
  const by = (isSame ? before.by : nobody) | only(index);
  state.acceptances = { ballot, next, by };
  if (state.index >= 0 && rules.terminates(electorate.quorums, by)) enterEpoch(turn, next);
}

/** Someone says that a later epoch runs. Until enough voters say the same, they are asked. */
export function hearRunning(turn: Turn, from: Sender, epoch: Epoch): void {
  const { state, rules } = turn;
  const { electorate } = state;
  if (epoch.number <= electorate.number) return;
  const index = electorate.names.indexOf(from.member);
  if (includes(electorate.voters, index)) {
    const saidToRun = state.saidToRun.slice();
    saidToRun[index] = epoch;
    state.saidToRun = saidToRun;
  }
  const saying = state.saidToRun.reduce((set, said, at) => (said && isSameEpoch(said, epoch) ? set | only(at) : set), nobody);
  const isProven = rules.isProven(electorate.quorums, saying, acceptedBy(turn, epoch));
  if (isProven) enterEpoch(turn, epoch);
  else inquire(turn);
}

/** Voters that have accepted the epoch, this one included: with the word of a voter that it runs, they are evidence too. */
function acceptedBy({ state }: Turn, epoch: Epoch): Members {
  const { acceptances, wedge, index } = state;
  const others = acceptances && isSameEpoch(acceptances.next, epoch) ? acceptances.by : nobody;
  const isMine = wedge?.accepted !== undefined && isSameEpoch(wedge.accepted.next, epoch);
  return isMine ? others | only(index) : others;
}

/** Voters that are in a later epoch say so to whoever speaks in this one. */
function inquire({ state, outputs, now }: Turn): void {
  const { electorate, self, index } = state;
  if (now < state.inquireAt) return;
  state.inquireAt = now + self.pingMs;
  const to = electorate.names.filter((_, at) => at !== index && includes(electorate.voters, at));
  outputs.push({ kind: 'tell', epoch: electorate.number, to, item: { kind: 'ping', beat: 0 } });
}
