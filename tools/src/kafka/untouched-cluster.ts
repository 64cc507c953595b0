import type { KafkaCluster } from './cluster.ts';
import { whereabouts } from './whereabouts.ts';

/** A cluster that can be used, and nothing can be done to it. */
export interface UntouchedParts {
  readonly name: string;
  /** Why its brokers are out of reach, after "broker 1 is". */
  readonly whose: string;
  readonly addresses: readonly string[];
  dispose(): Promise<void>;
}

/** The cluster at these addresses, as it is. */
export function untouchedCluster({ name, whose, addresses, dispose }: UntouchedParts): KafkaCluster {
  const { leaderOf, coordinatorOf } = whereabouts(addresses);
  return {
    name,
    can: { brokers: false, connections: false },
    bootstrap: addresses,
    direct: addresses,
    brokers: [],
    client: () => ({ brokers: [...addresses] }),
    broker(id) {
      throw new Error(`broker ${id} is ${whose}: nothing can be done to it`);
    },
    leaderOf,
    coordinatorOf,
    [Symbol.asyncDispose]: dispose,
  };
}
