import { LeadershipError } from '@leadership/core';
import { type Host, type ResolvedOptions, raised } from '@leadership/core/backend';
import type { InductionParts, InductionTraits } from '@leadership/core/induction';
import { ledgerBackend } from '@leadership/core/ledger';
import { streamBeats } from './beats.ts';
import { streamCredentials } from './credentials.ts';
import type { Continuous } from './election.ts';
import { leaseAssignment, type StartLeases } from './lease-assignment.ts';
import { leaseParts } from './lease-parts.ts';
import { openStream, openTable } from './open-place.ts';
import type { PlaceOptions } from './options.ts';
import { pollMsOf, storeOf } from './store.ts';

/** Others learn of a lease that was let go of within a quarter of it, and stand-ins wait for as long again. In leases. */
const graceThresholds = 0.75;

/** Where it takes place. */
export type ContinuousPlace = PlaceOptions & Continuous & { readonly stream: string };

/** Induction over beats on a stream, where leases in a table say who should lead (I). */
export function continuousParts(place: ContinuousPlace, options: ResolvedOptions, host: Host): InductionParts {
  const { leaseMs } = place;
  const { group } = options;
  const tables = openTable(place);
  const store = storeOf({ table: tables.table, group, thresholdMs: leaseMs, guarantee: 'continuous' }, host);
  // Beats go over the stream: where it takes no request, a leader is not proven.
  const reports = { troubles: raised(host, 'trouble'), warnings: raised(host, 'warning') };
  const kept = streamCredentials(place.stream, { clock: host.clock, thresholdMs: options.thresholdMs }, reports);
  const streams = openStream(place, tables.table, kept);
  const users = new Set(['leases', 'beats']);
  const unused = (user: string): void => {
    users.delete(user);
    if (users.size > 0) return;
    kept.close();
    streams.close();
  };
  const { beats, wakeUps } = streamBeats(store, streams.stream, { ...options, closed: () => unused('beats') });
  const crowd = crowdWatch(place, host);
  // A lease is as the assignment of a broker: whose it is counts, and work is not its business.
  const leases = { ...options, thresholdMs: leaseMs, metadata: {} };
  const start: StartLeases = (inner, alone) => {
    const seen = (present: readonly string[]): void => {
      crowd(present.length);
      alone(present.every((incarnation) => incarnation === host.incarnation));
    };
    const close = (): void => {
      tables.close();
      unused('leases');
    };
    return ledgerBackend(leases, () => leaseParts(store, place, options, { wakeUps, seen, credentials: tables.credentials, close })).start(
      inner,
    );
  };
  return { beats, assignment: leaseAssignment(host, start, graceThresholds * leaseMs) };
}

/** A lease that lapsed is seen at the next look at the table, after the stagger; a beat is heard at the next reading of the stream. */
export function continuousTraits({ leaseMs, newsDelayMs }: Continuous, { driftRate }: Pick<ResolvedOptions, 'driftRate'>): InductionTraits {
  const stagger = 0.04;
  const rebalanceTimeoutMs = leaseMs * (driftRate + stagger) + pollMsOf(leaseMs);
  return { sessionTimeoutMs: leaseMs, rebalanceTimeoutMs, stamps: 'none', numbered: true, newsDelayMs };
}

/** More members than were reckoned with read the stream less often than was promised. */
function crowdWatch({ stream, membersMax }: ContinuousPlace, host: Host): (members: number) => void {
  const warnings = raised(host, 'warning');
  return (members) => {
    if (members <= membersMax) return warnings.mend('crowd');
    const sentence = `stream "${stream}": ${members} members read it, and membersMax is ${membersMax}: Kinesis answers five readings a second for each shard, so fail-over takes longer than guarantees say; raise membersMax, and thresholdMs with it`;
    warnings.raise('crowd', new LeadershipError('misconfigured-backend', sentence));
  };
}
