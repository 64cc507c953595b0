// A cluster for induction over a broker in this process, in which rules can be replaced by wrong
// ones.
import { openSource, resolveOptions } from '@leadership/core/adapter';
import {
  type InductionRules,
  inductionBackendUnder,
  inductionRules,
} from '@leadership/induction/internal/protocol';
import type { Cluster } from '../../src/index.ts';
import { connect } from '../support/broker/connection.ts';
import { type BrokerTimes, brokerClusterOf, brokerTraits } from '../support/broker-cluster.ts';

export function looseBroker(rules: Partial<InductionRules>, times?: BrokerTimes): Cluster {
  return brokerClusterOf((options, connected, broker) => {
    const resolved = resolveOptions(options);
    const backend = inductionBackendUnder(
      { ...inductionRules, ...rules },
      resolved,
      (host) => {
        const connection = connect(broker, resolved, host);
        connected(connection);
        return connection;
      },
      brokerTraits(times),
    );
    return openSource(backend, resolved);
  }, times);
}
