import type { Size } from '../kernel/size.ts';
import type { FaultKind, Scenario } from './scenario.ts';

/** The default size of the command, with the default T of members. */
export const usualSize: Size = { nodes: 5, partitions: 1, thresholdMs: 3000 };

/** The size that the scenarios are written for. */
const written = { nodes: 5, partitions: 1, thresholdMs: 1000 };

/**
 * Returns the scenario in another size. Durations and rates scale with the lease. A scenario with
 * few members or several partitions keeps that property.
 */
export function sized(scenario: Scenario, { nodes, partitions, thresholdMs }: Size): Scenario {
  const factor = thresholdMs / written.thresholdMs;
  const {
    network,
    draining,
    wallOffsetMsMax,
    leaseMs,
    leaseMsMax,
    skewMs,
    perMinute,
    otherConfigs,
  } = scenario;
  const kinds = Object.keys(perMinute) as FaultKind[];
  return {
    ...scenario,
    nodes: scenario.nodes === written.nodes ? nodes : Math.min(scenario.nodes, nodes),
    partitions: Math.max(scenario.partitions, partitions),
    leaseMs: leaseMs * factor,
    leaseMsMax: leaseMsMax * factor,
    otherConfigs: otherConfigs.map((config) => ({
      ...config,
      leaseMsMax: config.leaseMsMax * factor,
    })),
    skewMs: skewMs * factor,
    network: {
      ...network,
      delayMs: [network.delayMs[0] * factor, network.delayMs[1] * factor],
      lateMsMax: network.lateMsMax * factor,
    },
    draining: {
      ...draining,
      ms: [draining.ms[0] * factor, draining.ms[1] * factor],
      timeoutMs: draining.timeoutMs * factor,
    },
    wallOffsetMsMax: wallOffsetMsMax * factor,
    perMinute: Object.fromEntries(kinds.map((kind) => [kind, (perMinute[kind] ?? 0) / factor])),
  };
}
