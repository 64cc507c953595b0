// Makes a backend with the guarantee `continuous` of a broker, for Kafka and Kinesis.
import type { Backend, Host, ResolvedOptions } from '@leadership/core/adapter';
import { InductionMembership } from './membership.ts';
import type {
  InductionOptions,
  InductionParts,
  InductionTraits,
  ResolvedInductionOptions,
} from './options.ts';
import { type InductionRules, inductionRules } from './protocol/rules.ts';
import { inductionGuarantees, inductionSettings } from './settings.ts';

/**
 * Creates the backend over a broker that assigns partitions and keeps a log of beats on each (I).
 * `open` is called once, when the source starts; it must not throw.
 *
 * @throws LeadershipError `invalid-options` if T, the session timeout and the beat interval cannot
 * provide the guarantee; the message contains the numbers
 */
export function inductionBackend(
  options: ResolvedOptions & InductionOptions,
  open: (host: Host) => InductionParts,
  traits: InductionTraits,
): Backend {
  return inductionBackendUnder(inductionRules, options, open, traits);
}

/**
 * Creates the same backend with other rules than the protocol's. Tests use it to show the effect of
 * a missing rule.
 */
export function inductionBackendUnder(
  rules: InductionRules,
  options: ResolvedInductionOptions,
  open: (host: Host) => InductionParts,
  traits: InductionTraits,
): Backend {
  const settings = inductionSettings(options, traits);
  return {
    guarantees: inductionGuarantees(options, settings, traits),
    start: (host) => new InductionMembership(rules, options, settings, open(host), host),
  };
}
