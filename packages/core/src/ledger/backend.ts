import type { Backend, Host } from '../contract/backend.ts';
import type { Assumption } from '../contract/guarantees.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import { contend } from './contest.ts';
import type { Ledger } from './ledger.ts';
import type { Placement } from './placement.ts';
import { type LedgerRules, ledgerRules } from './rules.ts';

/** What a store brings: its registers, and who should hold them. */
export interface LedgerParts {
  readonly ledger: Ledger;
  readonly placement: Placement;
}

/** What about a store differs from the default. */
export interface LedgerTraits {
  /** What the store's exclusivity rests on beside clocks that run at ρ. Default: `durable-store`, `no-suspend`. */
  readonly assumes?: readonly Assumption[];
  /** The longest a reader may be behind by design: its poll period. Milliseconds. Default 0. */
  readonly newsDelayMs?: number;
}

/** The exclusive backend over a ledger (L). `open` is called once, when the source starts; it must not throw. */
export function ledgerBackend(options: ResolvedOptions, open: (host: Host) => LedgerParts, traits: LedgerTraits = {}): Backend {
  return ledgerBackendUnder(ledgerRules, options, open, traits);
}

/** The same under rules other than the protocol's: what a test does to see a rule's absence. */
export function ledgerBackendUnder(
  rules: LedgerRules,
  options: ResolvedOptions,
  open: (host: Host) => LedgerParts,
  traits: LedgerTraits = {},
): Backend {
  const { thresholdMs, driftRate } = options;
  const { assumes = ['durable-store', 'no-suspend'], newsDelayMs = 0 } = traits;
  const staggerMsMax = 0.04 * thresholdMs;
  return {
    guarantees: {
      exclusive: true,
      tokens: 'ordered',
      handover: 'drained',
      assumes: ['drift', ...assumes],
      overlapMsMax: 0,
      failoverMsMax: Math.ceil(thresholdMs * (1 + driftRate) + staggerMsMax + newsDelayMs),
    },
    start: (host) => contend(rules, options, open(host), host),
  };
}
