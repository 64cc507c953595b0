import type { KafkaCluster } from './cluster.ts';
import { whereabouts } from './whereabouts.ts';

/** A cluster that somebody else runs: it can be used, and nothing can be done to it. */
export function givenCluster(addresses: readonly string[], brokers: number): KafkaCluster {
  const { leaderOf, coordinatorOf } = whereabouts(addresses);
  return {
    name: `the ${brokers === 1 ? 'broker' : `${brokers} brokers`} of KAFKA_BROKERS`,
    can: { brokers: false, connections: false },
    bootstrap: addresses,
    direct: addresses,
    brokers: [],
    client: () => ({ brokers: [...addresses] }),
    broker(id) {
      throw new Error(`broker ${id} is not ours: KAFKA_BROKERS names it`);
    },
    leaderOf,
    coordinatorOf,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
