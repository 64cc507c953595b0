// States what Nerio guarantees under the options of a member, for `source.guarantees`.
import type { Guarantees } from '@leadership/core';
import type { Settings } from './settings.ts';

/** Returns the guarantees of a member under these options. */
export function guaranteesOf({ options, skewMs, stateDirectory }: Settings): Guarantees {
  const { thresholdMsMax, driftRate } = options;
  return {
    exclusive: true,
    tokens: 'ordered',
    handover: 'drained',
    assumes: [
      'drift',
      ...(skewMs > 0 ? (['skew'] as const) : []),
      'no-suspend',
      ...(stateDirectory === undefined ? [] : (['durable-store'] as const)),
    ],
    overlapMsMax: 0,
    failoverMsMax: Math.ceil((thresholdMsMax * (1 + driftRate)) / (1 - driftRate) + 2 * skewMs),
  };
}
