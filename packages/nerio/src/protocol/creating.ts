// Lets the application's leader create edicts: commands that all members can put in order. Part of
// the machine in `step.ts`.
import { changeClaim, claimOf, isBelieving, type StepContext, sample } from './step-context.ts';

/** Creates an edict if this member leads at this reading of its clock (N8). */
export function create(context: StepContext, partition: number, id: number): void {
  const { rules, state, outputs } = context;
  const { leaseState } = claimOf(context, partition);
  const { at } = sample(context);
  if (!isBelieving(leaseState) || !rules.mayCreate(at, leaseState.until)) {
    outputs.push({ kind: 'void', id });
    return;
  }
  const claim = changeClaim(context, partition);
  claim.edicts += 1;
  const stamp = {
    partition,
    epoch: state.electorate.number,
    quorum: leaseState.timestamp,
    counter: claim.edicts,
  };
  outputs.push({ kind: 'stamped', id, stamp, until: leaseState.deadline });
}
