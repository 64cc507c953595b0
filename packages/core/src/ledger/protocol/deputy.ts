// How the guard of a host releases the lease of a dead process (L16), so that no member waits for a
// lease whose holder will never act again. A deputy is a member with proof of that death, which
// releases in the dead one's name. The release changes nothing for its readers: they have followed
// such releases from the first version on (L1, L6).
import { after, type Instant, never } from '../../time/instant.ts';
import type { LedgerRecord } from '../record.ts';
import { latest, trustedAt } from './claiming.ts';
import type { LedgerRules } from './rules.ts';
import type { PartitionState } from './state.ts';
import { type StepContext, write } from './step-context.ts';

/** How many deaths are remembered: a late request of the dead may still take effect (L4). */
const deathsMax = 64;

/** Notes that an incarnation was proved dead. It needs no lease that it has requested (L7). */
export function learnDeath({ state, now }: StepContext, incarnation: string): void {
  if (state.deaths.some((death) => death.incarnation === incarnation)) return;
  state.deaths = [...state.deaths.slice(1 - deathsMax), { incarnation, at: now }];
  state.pendingRequests = state.pendingRequests.filter(
    ({ request }) => request.incarnation !== incarnation,
  );
}

/**
 * Returns whether a lease is left that this member is going to release for its dead holder, or
 * whether that is not known yet.
 */
export function isDeputy(rules: LedgerRules, state: PartitionState): boolean {
  return state.fold.kind === 'reading' || leaseOfTheDead(rules, state) !== undefined;
}

/** Returns the record in effect if its holder died, and not so early that others wait (L13). */
function leaseOfTheDead(
  rules: LedgerRules,
  { fold, deaths, termSince }: PartitionState,
): LedgerRecord | undefined {
  if (deaths.length === 0 || fold.kind !== 'following' || fold.effect === null) return undefined;
  const death = rules.deathOf(fold.effect, deaths);
  const isOld = death && death.at >= after(termSince, rules.youngMs(fold.effect.thresholdMs));
  return isOld ? fold.effect : undefined;
}

/**
 * Releases a lease whose holder is dead, with the token and the T of the record in effect. The
 * release names that record, so it has no effect on any later one. Returns when to try next.
 */
export function releaseForDead(context: StepContext): Instant {
  const { state, rules, now } = context;
  const lease = leaseOfTheDead(rules, state);
  if (lease === undefined || state.fold.kind !== 'following') return never;
  const { token, thresholdMs } = lease;
  const trusted = rules.deputesAt(trustedAt(context, state.fold.waits));
  const dueAt = latest(trusted, state.writeAt);
  if (now < dueAt) return dueAt;
  write(context, { kind: 'release', token, thresholdMs });
  return state.writeAt;
}
