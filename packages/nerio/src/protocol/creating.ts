import { changeClaim, claimOf, isBelieving, sample, type Turn } from './turn.ts';

/** Creates an edict if this member leads at this reading of its clock (N8). */
export function create(turn: Turn, partition: number, id: number): void {
  const { rules, state, outputs } = turn;
  const { tenure } = claimOf(turn, partition);
  const { at } = sample(turn);
  if (!isBelieving(tenure) || !rules.mayCreate(at, tenure.until)) {
    outputs.push({ kind: 'void', id });
    return;
  }
  const claim = changeClaim(turn, partition);
  claim.edicts += 1;
  const stamp = {
    partition,
    epoch: state.electorate.number,
    quorum: tenure.timestamp,
    counter: claim.edicts,
  };
  outputs.push({ kind: 'stamped', id, stamp, until: tenure.deadline });
}
