// Members of this host that elect by gossip, of which the first few vote.
import type { Backend } from './backend.ts';
import { addresses } from './nerio.ts';

/**
 * How much time detection takes at most beside P (phi of 10 after two intervals), and the messages
 * to and from the voters. In intervals.
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
