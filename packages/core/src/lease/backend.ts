// The backend of leases by session: its guarantees, for the factory of each store over rows.
import type { Backend, Host } from '../contract/backend.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import { exclusiveGuarantees, type StoreTraits } from '../engine/exclusive-guarantees.ts';
import type { Rows } from '../rows/rows.ts';
import { type LeaseRules, leaseRules } from './rules.ts';
import { type LeaseMembership, leaseMembership } from './shell.ts';

/** The properties in which a store differs from the default. */
export interface LeaseTraits extends StoreTraits {
  /**
   * The longest time until a member sees the renewal of another one: the time between two readings,
   * or less if the store shows renewals at once. Default: T/3. Milliseconds.
   */
  readonly sightMs?: number;
}

/**
 * The longest time between two readings of a member without a session, in T. One with a session reads
 * less often: where notifications show it each renewal, this is the time until a member sees one.
 */
export const readingThresholds: number = 0.275;

/** A backend whose members own partitions by sessions. */
export interface LeaseBackend extends Backend {
  start(host: Host): LeaseMembership;
}

/**
 * Creates the exclusive backend over rows (M). `open` is called once, when the source starts; it must
 * not throw. Tests pass other rules than the protocol's to show the effect of a missing rule.
 */
export function leaseBackend(
  options: ResolvedOptions,
  open: (host: Host) => Rows,
  traits: LeaseTraits = {},
  rules: LeaseRules = leaseRules,
): LeaseBackend {
  // A member with a session reads with each renewal, the others more often.
  const { sightMs = options.thresholdMs / 3 } = traits;
  return {
    guarantees: exclusiveGuarantees(options, traits, sightMs),
    start: (host) => leaseMembership(rules, options, open(host), host),
  };
}
