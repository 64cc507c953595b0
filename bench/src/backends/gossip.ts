// The gossip backend as the benchmarks of elections use it: starts the voters (the first few
// members, whose votes elect the leaders) and the other members on this host.
import type { Backend } from './backend.ts';
import { addresses } from './nerio.ts';

/**
 * The intervals until a dead member is suspected (S2), and those for the votes, the claim and the
 * votes that accept it. They come on top of P, which is T.
 */
const [detectionIntervals, messageIntervals] = [4, 3];

/** The size of a group, and the rate of its gossip. */
export interface GossipOptions {
  readonly voters: number;
  readonly intervalMs: number;
  readonly thresholdMs: number;
}

/** Returns the backend with this number of voters and this interval. */
export function gossip({ voters, intervalMs, thresholdMs }: GossipOptions): Backend {
  return {
    name: 'gossip',
    isOffered: () => Promise.resolve(true),
    failover: {
      thresholds: 1 + ((detectionIntervals + messageIntervals) * intervalMs) / thresholdMs,
      by: 'p50',
      // A new member supports no leader for P, because it does not know its earlier votes (S4).
      rest: { least: 5 / 3, spread: 1 },
    },
    async open({ members }) {
      const names = await addresses(members);
      const hosts = names.slice(0, voters).join();
      const query = `membersMax=${members}&intervalMs=${intervalMs}`;
      return {
        place: `${members} members of one host, of which ${voters} vote; intervals of ${intervalMs} ms`,
        names,
        address: (group) => ({ url: `gossip://${hosts}/${group}?${query}` }),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
    },
  };
}
