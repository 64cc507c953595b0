// Determines when a beat was published, by this member's own clock (I2). The broker stamps every
// beat by a clock that members cannot read. A member's own beat was published between sending and
// receiving it, and the member knows both instants. Each own beat therefore relates the two clocks
// at one point; between such points both run within ρ of real time.
import { after } from '@leadership/core/internal/engine';
import type { InductionRules } from './rules.ts';
import type { Bracket, BrokerClock, Sample } from './state.ts';

/**
 * The resolution of broker stamps in milliseconds; the difference of two stamps may be wrong by
 * this much.
 */
const stampStepMs = 1;

/** Returns the known bounds of the instant at which the broker put a stamp. */
export function bracketOf(
  rules: InductionRules,
  { floor, ceiling }: BrokerClock,
  stampedMs: number,
  driftRate: number,
): Bracket {
  const sinceFloorMs = stampedMs - floor.stampedMs - stampStepMs;
  const sinceCeilingMs = stampedMs - ceiling.stampedMs + stampStepMs;
  return {
    earliest: after(floor.sentAt, rules.leastElapsedMs(sinceFloorMs, driftRate)),
    latest: after(ceiling.receivedAt, -rules.leastElapsedMs(-sinceCeilingMs, driftRate)),
  };
}

/**
 * Adds an own beat to the known relation of the clocks. Returns the new relation, and whether the
 * sample agreed with the old one.
 */
export function withSample(
  rules: InductionRules,
  clock: BrokerClock | undefined,
  sample: Sample,
  driftRate: number,
): { readonly clock: BrokerClock; readonly agrees: boolean } {
  const alone = { floor: sample, ceiling: sample };
  if (clock === undefined) return { clock: alone, agrees: true };
  const known = bracketOf(rules, clock, sample.stampedMs, driftRate);
  if (!rules.agrees(known, sample)) return { clock: alone, agrees: false };
  const floor = sample.sentAt >= known.earliest ? sample : clock.floor;
  const ceiling = sample.receivedAt <= known.latest ? sample : clock.ceiling;
  return { clock: { floor, ceiling }, agrees: true };
}
