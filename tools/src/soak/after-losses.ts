// Separates violations of a soak test from losses of a store that its backend cannot rule out.
import type { Violation } from '@leadership/testkit/faults';
import type { LossyPeriod } from './environment.ts';

/**
 * Returns whether the store does not exclude this violation, because it may have lost writes that it
 * had acknowledged: two members led, or worked, at once in such a period, or two claims were on
 * their way at once, to two servers that both accepted them.
 */
export function isAfterLoss(
  violation: Violation,
  lossy: readonly LossyPeriod[],
  thresholdMs: number,
): boolean {
  const { rule, overlapMs, atNs } = violation;
  const inOnePeriod = (...instants: readonly bigint[]): boolean =>
    lossy.some(({ fromNs, toNs = atNs }) => instants.every((ns) => fromNs <= ns && ns <= toNs));
  if (rule !== 'tokens-grow') return overlapMs > 0 && inOnePeriod(atNs);
  const claims = claimsOf(violation, thresholdMs);
  return claims !== undefined && claims.sentNs < claims.earlierFromNs && inOnePeriod(...claims.all);
}

/**
 * Returns how long the term with the greater token had lasted when the one with the lower token
 * began. Milliseconds.
 */
export function behindMs({ atNs, terms: { earlier } }: Violation): number {
  return earlier?.belief === undefined ? 0 : Number(atNs - earlier.belief.fromNs) / 1e6;
}

/**
 * A claim that was sent after the other term had begun is later in every order, and needs a greater
 * token whatever the store has lost. A lease ends T after its claim was sent, and a little earlier
 * because of the drift of clocks, so this returns an instant that is a little too early.
 */
function claimsOf({ terms: { earlier, later }, atNs }: Violation, thresholdMs: number) {
  const { firstUntilNs } = later.belief ?? {};
  if (earlier?.belief === undefined || firstUntilNs === undefined) return undefined;
  const sentNs = firstUntilNs - BigInt(thresholdMs) * 1_000_000n;
  const earlierFromNs = earlier.belief.fromNs;
  return { sentNs, earlierFromNs, all: [earlierFromNs, atNs] };
}
