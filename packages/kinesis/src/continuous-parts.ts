// The parts of a source with `guarantee: 'continuous'`, which uses a stream and a table.
import { LeadershipError } from '@leadership/core';
import type { Host, ResolvedOptions } from '@leadership/core/adapter';
import { HealthReporter } from '@leadership/core/internal/engine';
import { ledgerBackend, readingMsMax } from '@leadership/core/internal/lease';
import type { InductionParts, InductionTraits } from '@leadership/induction';
import { streamCredentials } from './client/credentials.ts';
import type { Continuous } from './election.ts';
import type { PlaceOptions } from './options.ts';
import { streamBeats } from './stream/beats.ts';
import { openStream } from './stream/open-stream.ts';
import { leaseAssignment, type StartLeases } from './table/lease-assignment.ts';
import { leaseParts } from './table/lease-parts.ts';
import { openTable } from './table/open-table.ts';
import { answerMsOf, pollMsOf, storeOf } from './table/store.ts';

/**
 * How long a declined lease may stay vacant. The other members learn of a release within a quarter
 * of the lease, and stand-ins wait equally long before they claim. In leases.
 */
const graceThresholds = 0.75;

/** The place of a group with continuous leadership: it always has a stream. */
export type ContinuousPlace = PlaceOptions & Continuous & { readonly stream: string };

/**
 * Creates the parts of continuous leadership: beats on a stream prove who leads, and leases in a
 * table decide who should lead (I).
 */
export function continuousParts(
  place: ContinuousPlace,
  options: ResolvedOptions,
  host: Host,
): InductionParts {
  const { leaseMs } = place;
  const { group } = options;
  const tables = openTable(place);
  const store = storeOf(
    {
      table: tables.table,
      group,
      thresholdMs: leaseMs,
      guarantee: 'continuous',
      homeRegion: place.homeRegion,
    },
    host,
  );
  // Beats go over the stream. While it takes no requests, no leader is proven: that is a problem,
  // not just a warning.
  const reports = {
    troubles: new HealthReporter(host),
    warnings: new HealthReporter(host, 'warning'),
  };
  const kept = streamCredentials(place.stream, {
    clock: host.clock,
    slowMs: answerMsOf(options.thresholdMs),
    ...reports,
  });
  const streams = openStream(place, tables.table, kept);
  const users = new Set(['leases', 'beats']);
  const unused = (user: string): void => {
    users.delete(user);
    if (users.size > 0) return;
    kept.close();
    streams.close();
  };
  const { beats, notifications } = streamBeats(store, streams.stream, {
    ...options,
    closed: () => unused('beats'),
  });
  const memberCount = memberCountWatch(place, host);
  // A lease stands in for the assignment of a broker. Only its owner matters, so it carries no
  // metadata.
  const leases = { ...options, thresholdMs: leaseMs, metadata: {} };
  const start: StartLeases = (inner, alone) => {
    const seen = (present: readonly string[]): void => {
      memberCount(present.length);
      alone(present.every((incarnation) => incarnation === host.incarnation));
    };
    const close = (): void => {
      tables.close();
      unused('leases');
    };
    return ledgerBackend(leases, () =>
      leaseParts(store, place, options, {
        notifications,
        seen,
        credentials: tables.credentials,
        close,
      }),
    ).start(inner);
  };
  return { beats, assignment: leaseAssignment(host, start, graceThresholds * leaseMs) };
}

/**
 * Describes the timing of this backend. A candidate sees a lapsed lease at its next read of the
 * table, after the stagger. It receives a beat at its next read of the stream.
 */
export function continuousTraits(
  { leaseMs, deliveryDelayMs }: Continuous,
  { driftRate }: Pick<ResolvedOptions, 'driftRate'>,
): InductionTraits {
  const stagger = 0.04;
  const rebalanceTimeoutMs = leaseMs * (driftRate + stagger) + readingMsMax(pollMsOf(leaseMs));
  return {
    sessionTimeoutMs: leaseMs,
    rebalanceTimeoutMs,
    stamps: 'none',
    numbered: true,
    deliveryDelayMs,
  };
}

/** Warns while there are more members than `membersMax`: each then reads the stream less often. */
function memberCountWatch(
  { stream, membersMax }: ContinuousPlace,
  host: Host,
): (members: number) => void {
  const warnings = new HealthReporter(host, 'warning');
  return (members) => {
    if (members <= membersMax) return warnings.mend('memberCount');
    const sentence = `stream "${stream}": ${members} members read it, but membersMax is ${membersMax}: Kinesis allows five reads per second and shard, so fail-over takes longer than \`guarantees\` states; raise membersMax, and thresholdMs with it`;
    warnings.raise('memberCount', new LeadershipError('misconfigured-backend', sentence));
  };
}
