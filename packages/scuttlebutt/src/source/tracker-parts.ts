// The parts with which trackers of a member report: those of its connectivity and of wall clocks.
import type { HealthReporter, MembershipShell } from '@leadership/core/internal/engine';

/** The parts of a tracker. */
export interface TrackerParts {
  readonly shell: MembershipShell;
  readonly warnings: HealthReporter;
  /** T. Milliseconds. */
  readonly thresholdMs: number;
}

/** A warning about a moment lasts this number of T. */
export const shownThresholds = 10;
