import type { Scenario } from './scenario.ts';

/** How large a world is, and how slow its leases. */
export interface Size {
  readonly nodes: number;
  readonly partitions: number;
  /** T where a scenario has one alone; the others in proportion. Milliseconds. */
  readonly thresholdMs: number;
}

/** The size all scenarios are written down in. */
export const usualSize: Size = { nodes: 3, partitions: 4, thresholdMs: 1000 };

/** The same scenario in another size. Everything that is long or short in terms of T stays so. */
export function sized(scenario: Scenario, { nodes, partitions, thresholdMs }: Size): Scenario {
  const factor = thresholdMs / usualSize.thresholdMs;
  const { members, network, draining, wallOffsetMsMax } = scenario;
  return {
    ...scenario,
    members: Array.from({ length: nodes }, (_, index) => members[index] ?? `m${index}`),
    partitions,
    thresholdsMs: scenario.thresholdsMs.map((ms) => ms * factor),
    thresholdMsMax: scenario.thresholdMsMax * factor,
    network: { ...network, lateMsMax: network.lateMsMax * factor },
    draining: { ...draining, ms: [draining.ms[0] * factor, draining.ms[1] * factor], timeoutMs: draining.timeoutMs * factor },
    wallOffsetMsMax: wallOffsetMsMax * factor,
  };
}
