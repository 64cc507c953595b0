// When a beat was published, on this member's own clock (I2). A broker stamps every beat by a clock that nobody here can read;
// but a beat of one's own was published between its sending and its receipt, and both of those one knows. So each own beat is
// a point where the two clocks can be compared, and between such points both run within ρ of real time.
import { after, type Instant } from '../time/instant.ts';
import type { InductionRules } from './rules.ts';

/** One beat of our own, heard: by the broker's clock it was published at `stampedMs`, by ours between the two others. */
export interface Sample {
  readonly sentAt: Instant;
  readonly stampedMs: number;
  readonly receivedAt: Instant;
}

/**
 * Of all samples since the clock was last known to be another, the two that tell most: the one that puts a stamp latest at the
 * earliest, and the one that puts it earliest at the latest. All fade alike, so that which two they are never has to be looked
 * up again, and an old one gives way by itself.
 */
export interface BrokerClock {
  readonly floor: Sample;
  readonly ceiling: Sample;
}

/** Between which own instants the broker stamped something with `stampedMs`. */
export interface Bracket {
  readonly earliest: Instant;
  readonly latest: Instant;
}

/** Brokers stamp in whole milliseconds: two stamps may each hide up to one. */
const stampStepMs = 1;

/** Between which own instants a stamp was put, as far as is known. */
export function bracketOf(rules: InductionRules, { floor, ceiling }: BrokerClock, stampedMs: number, driftRate: number): Bracket {
  const sinceFloorMs = stampedMs - floor.stampedMs - stampStepMs;
  const sinceCeilingMs = stampedMs - ceiling.stampedMs + stampStepMs;
  return {
    earliest: after(floor.sentAt, rules.leastElapsedMs(sinceFloorMs, driftRate)),
    latest: after(ceiling.receivedAt, -rules.leastElapsedMs(-sinceCeilingMs, driftRate)),
  };
}

/** What is known of the clock once a beat of our own was heard; and whether that agrees with what was known before. */
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
