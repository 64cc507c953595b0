// The backend of leases by session: its guarantees, for the factory of each store over rows.
import type { Backend, Host } from '../contract/backend.ts';
import type { Guarantees } from '../contract/guarantees.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import { exclusiveGuarantees, type StoreTraits } from '../engine/exclusive-guarantees.ts';
import type { Rows } from '../rows/rows.ts';
import { KeptTexts } from './kept-texts.ts';
import { type LeaseRules, leaseRules } from './rules.ts';
import { type Shards, shardedMembership } from './sharded.ts';
import { type LeaseMembership, leaseMembership } from './shell.ts';

/** The properties in which a store differs from the default. */
export interface LeaseTraits extends StoreTraits {
  /**
   * The longest time until a member sees the renewal of another one, if it is not that between two
   * readings of the member. Milliseconds.
   */
  readonly sightMs?: number;
  /** Whether notifications show a member each renewal. */
  readonly showsRenewals?: boolean;
  /** Values beside M and T_max that the pin of the group keeps, by option (R3). */
  readonly pinned?: Readonly<Record<string, string>>;
}

/**
 * The longest time between two readings, in T. A member without a session needs to read where renewals
 * are shown; one with a session reads with each renewal of its own.
 */
const readingThresholds = { shown: 0.275, read: 1 / 3 } as const;

/**
 * Returns for how long a member may rely on a change that its store has lost: a reader that finds such
 * a store doubts it that long (M6). Milliseconds.
 */
export function doubtMsOf({ thresholdMsMax, driftRate }: ResolvedOptions): number {
  return leaseRules.doubtMs(thresholdMsMax) * (1 + driftRate);
}

/** A backend whose members own partitions by sessions. */
interface LeaseBackend extends Backend {
  start(host: Host): LeaseMembership;
}

/**
 * Creates the exclusive backend over rows (M): one leader at a time, ordered tokens and drained
 * hand-overs. `open` is called when the source starts, and returns the rows of the group `options.group`
 * for this member; it must not throw, and what it returns has sent nothing yet. It is called once more
 * if a package keeps texts in the group, such as the ticks of a schedule.
 */
export function leaseBackend(
  options: ResolvedOptions,
  open: (host: Host) => Rows,
  traits?: LeaseTraits,
): Backend {
  return leaseBackendUnder(leaseRules, options, open, traits);
}

/**
 * Creates the same backend with other rules. Tests use them to show the effect of a missing rule, and
 * call the membership directly.
 */
export function leaseBackendUnder(
  rules: LeaseRules,
  options: ResolvedOptions,
  open: (host: Host) => Rows,
  traits: LeaseTraits = {},
): LeaseBackend {
  const { pinned } = traits;
  return {
    guarantees: guaranteesOf(options, traits),
    start: (host) => {
      const openRows = (): Rows => open(host);
      const kept = keptTexts(options, host, openRows);
      const part = { ...(pinned && { pinned }) };
      return leaseMembership(rules, options, openRows(), host, part, kept);
    },
  };
}

/**
 * Creates the exclusive backend over several stores that fail independently (M12). `open` is called
 * once, when the source starts; it must not throw.
 */
export function shardedBackend(
  options: ResolvedOptions,
  open: (host: Host) => Shards,
  traits: LeaseTraits = {},
  rules: LeaseRules = leaseRules,
): Backend {
  return {
    guarantees: guaranteesOf(options, traits),
    start(host) {
      const shards = open(host);
      // In the first store, because all members know it.
      const kept = keptTexts(options, host, () => shards.open(0));
      return shardedMembership(rules, options, shards, host, kept);
    },
  };
}

function keptTexts({ thresholdMs }: ResolvedOptions, host: Host, open: () => Rows): KeptTexts {
  return new KeptTexts({ host, thresholdMs, open });
}

function guaranteesOf(options: ResolvedOptions, traits: LeaseTraits): Guarantees {
  const reading = readingThresholds[traits.showsRenewals === true ? 'shown' : 'read'];
  const { sightMs = reading * options.thresholdMs } = traits;
  return exclusiveGuarantees(options, traits, sightMs);
}
