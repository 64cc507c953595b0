import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import type { Host, Membership } from '../../src/contract/backend.ts';
import type { SourceOptions } from '../../src/contract/options.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { ledgerBackendUnder } from '../../src/ledger/backend.ts';
import { ledgerRules } from '../../src/ledger/protocol/rules.ts';
import { openSource } from '../../src/source/open-source.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { type SteeredLedger, steeredLedger } from './steered-ledger.ts';

/** A source over the real engine, with a manual clock and a store that the test controls. */
export interface ElectionUnderTest {
  readonly source: LeadershipSource;
  readonly membership: Membership;
  readonly host: Host;
  readonly clock: ManualClock;
  readonly store: SteeredLedger;
}

export const thresholdMs = 1200;

/** Opens a source. `prepare` can modify the store before the source starts. */
export function electionOf(
  options: SourceOptions = {},
  prepare: (store: SteeredLedger) => void = () => undefined,
): ElectionUnderTest {
  const clock = manualClock();
  const held: { host?: Host; membership?: Membership } = {};
  const store = steeredLedger(clock, () => held.host?.incarnation ?? '');
  prepare(store);
  const resolved = resolveOptions({
    group: 'g',
    member: 'a',
    partitions: 2,
    thresholdMs,
    driftRate: 0,
    ...options,
  });
  const open = (host: Host): { ledger: typeof store.ledger; placement: typeof store.placement } => {
    held.host = host;
    return { ledger: store.ledger, placement: store.placement };
  };
  const backend = ledgerBackendUnder({ ...ledgerRules, emptyMs: () => 0 }, resolved, open, {
    assumes: [],
  });
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
  return { source, membership, host, clock, store };
}
