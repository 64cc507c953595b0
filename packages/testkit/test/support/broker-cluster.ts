import type { LeadershipSource } from '@leadership/core';
import { openSource, resolveOptions } from '@leadership/core/adapter';
import {
  type InductionOptions,
  type InductionTraits,
  inductionBackend,
} from '@leadership/induction';
import type { Cluster, MemberOptions } from '../../src/conformance/cluster.ts';
import { type Broker, memoryBroker } from './broker/broker.ts';
import { type Connection, connect } from './broker/connection.ts';
import type { CoordinatorSettings } from './broker/coordinator.ts';

/**
 * T in milliseconds, long enough for a starved event loop that all members share. T covers a session, a
 * rebalance, two beats and stalls, so that a cut causes no gap (I4).
 */
export type BrokerTimes = CoordinatorSettings & { readonly thresholdMs: number };
const usual: BrokerTimes = { thresholdMs: 600, sessionTimeoutMs: 150, rebalanceTimeoutMs: 50 };

/** Returns the settings of the in-process broker that a backend needs. */
export function brokerTraits({
  sessionTimeoutMs,
  rebalanceTimeoutMs,
}: BrokerTimes = usual): InductionTraits {
  return { sessionTimeoutMs, rebalanceTimeoutMs, stamps: 'broker', numbered: true };
}

/** Opens a member that uses the given connection. */
export type OpenOver = (
  options: MemberOptions,
  connected: (connection: Connection) => void,
  broker: Broker,
) => LeadershipSource;

/**
 * Creates a cluster that uses induction over an in-process broker. It prefers two leaders to none.
 */
export function brokerCluster(options: InductionOptions = {}): Cluster {
  return brokerClusterOf((member, connected, broker) =>
    openOver(member, options, connected, broker),
  );
}

/** Creates such a cluster with a custom function that opens the members. */
export function brokerClusterOf(open: OpenOver, times: BrokerTimes = usual): Cluster {
  const broker = memoryBroker(times);
  const connections = new Map<LeadershipSource, Connection>();
  return {
    name: 'broker',
    thresholdMs: times.thresholdMs,
    cannot: { members: 'a member of a continuous group is known by the beats of its terms' },
    open(options) {
      let own: Connection | undefined;
      const connected = (connection: Connection): void => {
        own = connection;
      };
      const source = open(options, connected, broker);
      if (own) connections.set(source, own);
      return source;
    },
    cut: (source) => connections.get(source)?.cut() ?? { [Symbol.dispose]: () => undefined },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function openOver(
  options: MemberOptions,
  induction: InductionOptions,
  connected: (connection: Connection) => void,
  broker: Broker,
): LeadershipSource {
  const resolved = resolveOptions(options);
  const open = (host: Parameters<typeof connect>[2]): Connection => {
    const connection = connect(broker, resolved, host);
    connected(connection);
    return connection;
  };
  return openSource(
    inductionBackend({ ...resolved, ...induction }, open, brokerTraits()),
    resolved,
  );
}
