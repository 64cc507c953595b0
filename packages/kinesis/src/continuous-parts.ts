// The parts of a source with `guarantee: 'continuous'`, which uses a stream and a table.
import { LeadershipError } from '@leadership/core';
import { type Host, leaseBackend, type ResolvedOptions } from '@leadership/core/adapter';
import { HealthReporter } from '@leadership/core/internal/engine';
import type { InductionParts, InductionTraits } from '@leadership/induction';
import { streamCredentials } from './client/credentials.ts';
import type { Continuous } from './election.ts';
import type { PlaceOptions } from './options.ts';
import { streamBeats } from './stream/beats.ts';
import { openStream } from './stream/open-stream.ts';
import { leaseAssignment, type StartLeases } from './table/lease-assignment.ts';
import { openTable } from './table/open-table.ts';
import { sessionRows } from './table/session-rows.ts';
import { answerMsOf, storeOf } from './table/store.ts';
import { tableCredentials } from './table/table-credentials.ts';

/**
 * How long a declined lease may stay vacant. The other members learn of a release within a third of
 * the lease, and stand-ins wait almost as long before they claim. In leases.
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
  const { leaseMs, homeRegion, create } = place;
  const { group, thresholdMsMax } = options;
  const { table, credentials, close: closeTable } = openTable(place);
  const memberCount = memberCountWatch(place, host);
  let alone: (isAlone: boolean) => void = () => undefined;
  const present = (incarnations: readonly string[]): void => {
    memberCount(incarnations.length);
    alone(incarnations.every((incarnation) => incarnation === host.incarnation));
  };
  const store = storeOf({ table, group, thresholdMs: leaseMs, homeRegion, present }, host);
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
  const streams = openStream(place, table, kept);
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
  const start: StartLeases = (inner, reportAlone) => {
    alone = reportAlone;
    const renewed = tableCredentials(store, credentials);
    const close = (): void => {
      renewed.close();
      closeTable();
      unused('leases');
    };
    const open = () => sessionRows(store, { thresholdMsMax, create, notifications, close });
    return leaseBackend(leasesOf(options, leaseMs), open, {
      pinned: { guarantee: 'continuous', ...(homeRegion !== undefined && { homeRegion }) },
    }).start(inner);
  };
  return { beats, assignment: leaseAssignment(host, start, graceThresholds * leaseMs) };
}

/**
 * Returns the options of the leases, which stand in for the assignment of a broker. Only their owner
 * matters, so they carry no metadata.
 */
function leasesOf(options: ResolvedOptions, leaseMs: number): ResolvedOptions {
  return { ...options, thresholdMs: leaseMs, metadata: {} };
}

/** The greatest delay of a stand-in, and the longest time between two readings of the table. In leases. */
const [staggerThresholds, readingThresholds] = [0.04, 1 / 3];

/**
 * Describes the timing of this backend. A candidate sees a lapsed lease at its next read of the
 * table, after the stagger. It receives a beat at its next read of the stream.
 */
export function continuousTraits(
  { leaseMs, deliveryDelayMs }: Continuous,
  { driftRate }: Pick<ResolvedOptions, 'driftRate'>,
): InductionTraits {
  return {
    sessionTimeoutMs: leaseMs,
    rebalanceTimeoutMs: leaseMs * (driftRate + staggerThresholds + readingThresholds),
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
