// States what gossip guarantees under the options of a member, for `source.guarantees`. Rule
// numbers such as S2: docs/reference/rules.md.
import type { Guarantees } from '@leadership/core';
import type { Settings } from '../options.ts';

/** A silent member is suspected after about this number of intervals (S2). */
const detectionIntervals = 4;
/** P until the voters are free, and twice P if their votes were split (S4). */
const thresholdsToElect = 3;

/**
 * Returns the guarantees of a member under these options. The time of a fail-over is in real time
 * by the slowest clock. It does not count messages that are lost, nor the time of messages, which is
 * that of a crossing of the group where members reach each other only through others (S6).
 */
export function guaranteesOf({ options, intervalMs }: Settings): Guarantees {
  const { thresholdMsMax, driftRate } = options;
  const waitMs = detectionIntervals * intervalMs + thresholdsToElect * thresholdMsMax;
  return {
    exclusive: true,
    tokens: 'ordered',
    handover: 'drained',
    assumes: ['drift', 'wall-clocks', 'no-suspend'],
    overlapMsMax: 0,
    failoverMsMax: Math.ceil(waitMs / (1 - driftRate)),
  };
}
