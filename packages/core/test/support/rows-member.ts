// A member over rows: its machine, its shell and its source are the real ones, and a test can
// replace its requests.
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import type { Host } from '../../src/contract/backend.ts';
import type { SourceOptions } from '../../src/contract/options.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { leaseBackendUnder } from '../../src/lease/backend.ts';
import { leaseRules } from '../../src/lease/rules.ts';
import type { LeaseMembership } from '../../src/lease/shell.ts';
import { MemoryRows, MemoryStore } from '../../src/memory/memory-rows.ts';
import type { Exchange, Rows } from '../../src/rows/rows.ts';
import { openSource } from '../../src/source/open-source.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';

/** T of the members, unless a test sets another one. Milliseconds. */
export const thresholdMs: number = 1000;

/** A member whose requests a test can replace. */
export interface RowsMember {
  readonly source: LeadershipSource;
  readonly membership: LeaseMembership;
  readonly clock: ManualClock;
  readonly rows: Rows & { exchange: Rows['exchange']; open?: Rows['open'] };
  /** The deadlines that the host has received. */
  readonly proofs: readonly number[];
  readonly sent: readonly Exchange[];
  /** Whether the host refuses proofs. */
  refuses: boolean;
}

/** Starts a member of group `g` over rows in memory, or others, on a clock that the test moves; on its own by default. */
export function rowsMember(
  store: MemoryStore | Rows,
  options: SourceOptions = {},
  prepare: (rows: RowsMember['rows']) => void = () => undefined,
  clock: ManualClock = manualClock(),
): RowsMember {
  const rows: RowsMember['rows'] = store instanceof MemoryStore ? new MemoryRows(store) : store;
  const exchange = rows.exchange.bind(rows);
  const sent: Exchange[] = [];
  const proofs: number[] = [];
  rows.exchange = (request, signal) => {
    sent.push(request);
    return exchange(request, signal);
  };
  prepare(rows);
  const resolved = resolveOptions({
    group: 'g',
    member: 'a',
    partitions: 1,
    thresholdMs,
    driftRate: 0,
    ...options,
  });
  const rules = { ...leaseRules, emptyMs: () => 0 };
  const backend = leaseBackendUnder(rules, resolved, () => rows);
  const held: { membership?: LeaseMembership } = {};
  const member = { clock, rows, proofs, sent, refuses: false };
  const start = (host: Host): LeaseMembership => {
    const granted: Host['granted'] = (grant) => (member.refuses ? 'over' : host.granted(grant));
    const prolonged: Host['prolonged'] = (until, sentAt) => {
      proofs.push(until);
      return member.refuses ? 'over' : host.prolonged(until, sentAt);
    };
    held.membership = backend.start({ ...host, granted, prolonged });
    return held.membership;
  };
  const source = openSource({ guarantees: backend.guarantees, start }, resolved, {
    clock,
    random: () => 0.5,
  });
  if (held.membership === undefined) throw new Error('the source did not start its backend');
  return Object.assign(member, { source, membership: held.membership });
}
