import { type ElectionRules, electionRules } from './election/rules.ts';
import { type GossipRules, gossipRules } from './gossip/rules.ts';

/** Every rule of the protocol that is a number or a comparison. */
export interface ScuttlebuttRules extends ElectionRules, GossipRules {
  /** R4: whether a newcomer that receives another pin refuses to take part. */
  readonly refuses: boolean;
}

/** The rules of the protocol. */
export const scuttlebuttRules: ScuttlebuttRules = {
  ...electionRules,
  ...gossipRules,
  refuses: true,
};
