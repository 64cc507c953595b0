// All rules of gossip and its election in one record: the simulation replaces one by a mistake.
// Rule numbers such as R4: docs/reference/rules.md.
import { type ElectionRules, electionRules } from './election/rules.ts';
import { type GossipRules, gossipRules } from './gossip/rules.ts';

/** Every rule of the protocol that is a number or a comparison. */
export interface ScuttlebuttRules extends ElectionRules, GossipRules {
  /** R4: whether a newcomer that receives another pin refuses to take part. */
  readonly refuses: boolean;
  /**
   * R4: whether a member takes part, once it has voted, claimed or led. A claim that no voter of its
   * configuration can have received has no effect.
   */
  takesPart(hasActed: boolean, hasVoters: boolean): boolean;
  /** R4: whether a voter shows that it has received something also if its vote was forwarded. */
  readonly countsForwarded: boolean;
  /** S3, H6: whether a member whose clock had stopped starts again with a new generation. */
  readonly renewsAfterStop: boolean;
  /** S3: whether a bound that others published on the own clock shows that it had stopped. */
  showsClockStop(bound: number, clock: number): boolean;
}

/** The rules of the protocol. */
export const scuttlebuttRules: ScuttlebuttRules = {
  ...electionRules,
  ...gossipRules,
  refuses: true,
  takesPart: (hasActed, hasVoters) => hasActed && hasVoters,
  countsForwarded: true,
  renewsAfterStop: true,
  showsClockStop: (bound, clock) => bound > clock,
};
