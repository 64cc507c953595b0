import type { Backend, Host } from '../contract/backend.ts';
import { induce } from './induce.ts';
import type { InducedOptions, InductionParts, InductionTraits } from './options.ts';
import { type InductionRules, inductionRules } from './rules.ts';
import { inductionGuarantees, inductionSettings } from './settings.ts';

/**
 * The backend over a broker that assigns partitions and keeps a log of beats on each (I). `open` is called once, when the source
 * starts; it must not throw.
 *
 * @throws LeadershipError `invalid-options` where T, the session and the beats cannot keep the promise together; says their numbers
 */
export function inductionBackend(options: InducedOptions, open: (host: Host) => InductionParts, traits: InductionTraits): Backend {
  return inductionBackendUnder(inductionRules, options, open, traits);
}

/** The same under rules other than the protocol's: what a test does to see a rule's absence. */
export function inductionBackendUnder(
  rules: InductionRules,
  options: InducedOptions,
  open: (host: Host) => InductionParts,
  traits: InductionTraits,
): Backend {
  const settings = inductionSettings(options, traits);
  return {
    guarantees: inductionGuarantees(options, settings, traits),
    start: (host) => induce(rules, options, settings, open(host), host),
  };
}
