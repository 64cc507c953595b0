import type { Size } from '@leadership/testkit/simulation';
import type { FaultKind, Scenario } from './scenario.ts';

/** The size the command simulates unless told otherwise: T as members have it unless they are told otherwise. */
export const usualSize: Size = { nodes: 5, partitions: 1, thresholdMs: 3000 };

/** What the scenarios are written down for. */
const written = { nodes: 5, partitions: 1, thresholdMs: 1000 };

/**
 * The same scenario in another size. Everything that is long or short, frequent or rare in terms of a lease stays so; a scenario that is
 * about few members, or about several partitions, stays about them.
 */
export function sized(scenario: Scenario, { nodes, partitions, thresholdMs }: Size): Scenario {
  const factor = thresholdMs / written.thresholdMs;
  const { network, draining, wallOffsetMsMax, leaseMs, leaseMsMax, skewMs, perMinute, otherConfigs } = scenario;
  const kinds = Object.keys(perMinute) as FaultKind[];
  return {
    ...scenario,
    nodes: scenario.nodes === written.nodes ? nodes : Math.min(scenario.nodes, nodes),
    partitions: Math.max(scenario.partitions, partitions),
    leaseMs: leaseMs * factor,
    leaseMsMax: leaseMsMax * factor,
    otherConfigs: otherConfigs.map((config) => ({ ...config, leaseMsMax: config.leaseMsMax * factor })),
    skewMs: skewMs * factor,
    network: { ...network, delayMs: [network.delayMs[0] * factor, network.delayMs[1] * factor], lateMsMax: network.lateMsMax * factor },
    draining: { ...draining, ms: [draining.ms[0] * factor, draining.ms[1] * factor], timeoutMs: draining.timeoutMs * factor },
    wallOffsetMsMax: wallOffsetMsMax * factor,
    perMinute: Object.fromEntries(kinds.map((kind) => [kind, (perMinute[kind] ?? 0) / factor])),
  };
}
