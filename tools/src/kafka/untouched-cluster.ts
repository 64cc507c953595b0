// A Kafka cluster that this repository did not start as processes: it can be used, but not killed.
import { brokerLookup } from './broker-lookup.ts';
import type { KafkaCluster } from './cluster.ts';

/** A cluster that supports no faults. */
export interface UntouchedParts {
  readonly name: string;
  /** Why faults are not supported, as a continuation of "broker 1 is". */
  readonly whose: string;
  readonly addresses: readonly string[];
  dispose(): Promise<void>;
}

/** Returns the cluster at these addresses, without support for faults. */
export function untouchedCluster({
  name,
  whose,
  addresses,
  dispose,
}: UntouchedParts): KafkaCluster {
  const { leaderOf, coordinatorOf } = brokerLookup(addresses);
  return {
    name,
    can: { brokers: false, connections: false },
    bootstrap: addresses,
    direct: addresses,
    brokers: [],
    client: () => ({ brokers: [...addresses] }),
    broker(id) {
      throw new Error(`broker ${id} is ${whose}: faults cannot be injected`);
    },
    leaderOf,
    coordinatorOf,
    [Symbol.asyncDispose]: dispose,
  };
}
