import type { Size } from '../kernel/size.ts';
import type { Scenario } from './scenario.ts';

/** The size that all scenarios are written for. */
export const usualSize: Size = { nodes: 3, partitions: 4, thresholdMs: 1000 };

/** Returns the scenario in another size. Durations that depend on T scale with T. */
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
    draining: {
      ...draining,
      ms: [draining.ms[0] * factor, draining.ms[1] * factor],
      timeoutMs: draining.timeoutMs * factor,
    },
    wallOffsetMsMax: wallOffsetMsMax * factor,
  };
}
