// Makes a backend of a ledger: any store that keeps one lease record per partition and replaces it
// by compare-and-set.
import type { Backend, Host } from '../contract/backend.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import { exclusiveGuarantees, type StoreTraits } from '../engine/exclusive-guarantees.ts';
import { ledgerMembership } from './membership.ts';
import type { LedgerParts } from './placement.ts';
import type { LedgerRules } from './protocol/rules.ts';

/** The properties in which a store differs from the default. */
export interface LedgerTraits extends StoreTraits {
  /** The longest delay of a reader by design, usually its poll period. Milliseconds. Default 0. */
  readonly deliveryDelayMs?: number;
}

/**
 * Creates the exclusive backend over a ledger (L), with the rules of the protocol or others. `open` is
 * called once, when the source starts; it must not throw.
 */
export function ledgerBackendUnder(
  rules: LedgerRules,
  options: ResolvedOptions,
  open: (host: Host) => LedgerParts,
  traits: LedgerTraits = {},
): Backend {
  return {
    guarantees: exclusiveGuarantees(options, traits, traits.deliveryDelayMs ?? 0),
    start: (host) => ledgerMembership(rules, options, open(host), host),
  };
}
