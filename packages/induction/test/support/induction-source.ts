import type { LeadershipSource, SourceOptions } from '@leadership/core';
import { type Host, type Membership, openSource, resolveOptions } from '@leadership/core/adapter';
import type { ManualClock } from '../../../core/test/support/manual-clock.ts';
import { inductionBackend } from '../../src/backend.ts';
import type { InductionOptions, InductionTraits } from '../../src/options.ts';
import type { SteeredBroker, SteeredMember } from './steered-broker.ts';

/** A source over the real engine, with a manual clock and a broker that the test controls. */
export interface InductionUnderTest extends SteeredMember {
  readonly source: LeadershipSource;
  readonly membership: Membership;
  readonly host: Host;
  readonly clock: ManualClock;
}

export const thresholdMs = 3000;
const sessionTimeoutMs = 1000;
const traits: InductionTraits = {
  sessionTimeoutMs,
  rebalanceTimeoutMs: 500,
  stamps: 'broker',
  numbered: true,
  settles: true,
};

/** Opens a source. `prepare` can modify the broker before the source starts. */
export function inductionOf(
  broker: SteeredBroker,
  clock: ManualClock,
  {
    beats,
    beatMs,
    promise,
    ...options
  }: SourceOptions & InductionOptions & { readonly numbered?: boolean } = {},
  prepare: (member: SteeredMember) => void = () => undefined,
): InductionUnderTest {
  const { numbered = true, ...common } = options;
  const member = broker.join();
  prepare(member);
  const held: { host?: Host; membership?: Membership } = {};
  const resolved = resolveOptions({
    group: 'g',
    member: 'a',
    partitions: 2,
    thresholdMs,
    driftRate: 0,
    ...common,
  });
  const induced = {
    ...resolved,
    ...(beats && { beats }),
    ...(beatMs && { beatMs }),
    ...(promise && { promise }),
  };
  const session = promise === 'exclusive' ? { sessionTimeoutMs: 2 * thresholdMs } : {};
  const open = (host: Host): SteeredMember => {
    held.host = host;
    return member;
  };
  const backend = inductionBackend(induced, open, { ...traits, numbered, ...session });
  const start = (host: Host): Membership => {
    held.membership = backend.start(host);
    return held.membership;
  };
  const source = openSource({ guarantees: backend.guarantees, start }, resolved, {
    clock,
    random: () => 0.5,
  });
  const { host, membership } = held;
  if (host === undefined || membership === undefined)
    throw new Error('the source did not start its backend');
  return Object.assign(member, { source, membership, host, clock });
}
