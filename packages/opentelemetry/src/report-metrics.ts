// The metrics of a source.
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { LeadershipEvent, LeadershipSource } from '@leadership/core';
import type { Attributes, BatchObservableResult, Meter } from '@opentelemetry/api';

/** A shorter stall costs no lease. Milliseconds. */
const stallResolutionMs = 20;

/**
 * Reports the state of a source at each collection, and counts its terms and losses. A gauge that an
 * event sets would show a leader whose event loop is blocked.
 */
export function reportMetrics(source: LeadershipSource, meter: Meter): Disposable {
  const attributes = { 'leadership.group': source.group, 'leadership.member': source.member };
  const gauges = gaugesOf(meter);
  const stalls = monitorEventLoopDelay({ resolution: stallResolutionMs });
  stalls.enable();
  const observe = (result: BatchObservableResult): void => {
    observeStalls(stalls, gauges, attributes, result);
    observeTerms(source, gauges, attributes, result);
    observeHealth(source, gauges, attributes, result);
    observeMembers(source, gauges, attributes, result);
  };
  const observables = Object.values(gauges);
  meter.addBatchObservableCallback(observe, observables);
  const counting = countEvents(source, meter, attributes);
  return {
    [Symbol.dispose]() {
      stalls.disable();
      meter.removeBatchObservableCallback(observe, observables);
      counting.unsubscribe();
    },
  };
}

function gaugesOf(meter: Meter) {
  const gauge = (name: string, description: string, unit = '') =>
    meter.createObservableGauge(`leadership.${name}`, { description, unit });
  return {
    leading: gauge('leading', '1 if this member leads the partition, otherwise 0', '{member}'),
    remaining: gauge('lease.remaining', 'Time until the lease of a led partition expires', 's'),
    healthy: gauge('healthy', '1 if health().ok, otherwise 0', '{member}'),
    troubles: gauge('troubles', 'Current troubles, by their code', '{trouble}'),
    margin: gauge(
      'lease.margin',
      'Shortest time that was left of a lease when it was renewed',
      's',
    ),
    renewal: gauge(
      'renewal.duration',
      'Longest time from the request of a renewal to its arrival',
      's',
    ),
    stall: gauge(
      'stall.duration',
      'Longest stall of the event loop since the last collection',
      's',
    ),
    confirmed: gauge('confirmed.age', 'Time since the backend last confirmed anything', 's'),
    members: gauge('members', 'Present members of the group, candidates or not', '{member}'),
    standbys: gauge('standbys', 'Candidates that may fail while another one remains', '{member}'),
    measured: gauge('measured', 'Measurements of the backend, by their name'),
  };
}

type Gauges = ReturnType<typeof gaugesOf>;

/** A stalled leader renews late. The histogram counts nanoseconds, and its own interval as well. */
function observeStalls(
  stalls: IntervalHistogram,
  { stall }: Gauges,
  attributes: Attributes,
  result: BatchObservableResult,
): void {
  const stallMs = stalls.count === 0 ? 0 : Math.max(0, stalls.max / 1e6 - stallResolutionMs);
  stalls.reset();
  result.observe(stall, stallMs / 1000, attributes);
}

function observeTerms(
  source: LeadershipSource,
  { leading, remaining }: Gauges,
  attributes: Attributes,
  result: BatchObservableResult,
): void {
  const held = source.held();
  for (let partition = 0; partition < source.partitions; partition += 1) {
    const term = held.get(partition);
    const here = { ...attributes, 'leadership.partition': partition };
    result.observe(leading, term === undefined ? 0 : 1, here);
    if (term !== undefined) result.observe(remaining, term.remainingMs() / 1000, here);
  }
}

/** A backend that does not list its members reports neither metric. */
function observeMembers(
  source: LeadershipSource,
  { members, standbys }: Gauges,
  attributes: Attributes,
  result: BatchObservableResult,
): void {
  const present = source.members();
  if (present.length === 0) return;
  const candidates = present.filter(({ isCandidate }) => isCandidate).length;
  result.observe(members, present.length, attributes);
  result.observe(standbys, Math.max(0, candidates - 1), attributes);
}

function observeHealth(
  source: LeadershipSource,
  { healthy, troubles, confirmed, measured, margin, renewal }: Gauges,
  attributes: Attributes,
  result: BatchObservableResult,
): void {
  const health = source.health();
  result.observe(healthy, health.ok ? 1 : 0, attributes);
  const counts = new Map<string, number>();
  for (const { code } of health.troubles) counts.set(code, (counts.get(code) ?? 0) + 1);
  for (const [code, count] of counts)
    result.observe(troubles, count, { ...attributes, 'leadership.code': code });
  if (health.confirmedMsAgo !== undefined)
    result.observe(confirmed, health.confirmedMsAgo / 1000, attributes);
  const { leaseMarginMs, renewalMs } = health.measured;
  if (leaseMarginMs !== undefined) result.observe(margin, leaseMarginMs / 1000, attributes);
  if (renewalMs !== undefined) result.observe(renewal, renewalMs / 1000, attributes);
  for (const [name, value] of Object.entries(health.measured))
    result.observe(measured, value, { ...attributes, 'leadership.measurement': name });
}

/** The upper bounds of the buckets for drains. Seconds. */
const drainBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60];

function countEvents(source: LeadershipSource, meter: Meter, attributes: Attributes) {
  const terms = meter.createCounter('leadership.terms', {
    description: 'Terms that this member began',
    unit: '{term}',
  });
  const losses = meter.createCounter('leadership.losses', {
    description: 'Terms that ended without a hand-over, by reason',
    unit: '{term}',
  });
  const drains = meter.createHistogram('leadership.drain.duration', {
    description: 'Time from the start of an orderly end until the work has settled',
    unit: 's',
    advice: { explicitBucketBoundaries: drainBuckets },
  });
  const revokedAt = new Map<number, number>();
  const drained = (partition: number, here: Attributes): void => {
    const beganAt = revokedAt.get(partition);
    if (beganAt === undefined) return;
    revokedAt.delete(partition);
    drains.record((performance.now() - beganAt) / 1000, here);
  };
  return source.events$.subscribe(({ kind, partition, reason }: LeadershipEvent) => {
    if (partition === undefined) return;
    const here = { ...attributes, 'leadership.partition': partition };
    switch (kind) {
      case 'acquired':
        return terms.add(1, here);
      case 'revoked':
        return void revokedAt.set(partition, performance.now());
      case 'released':
        return drained(partition, here);
      case 'fenced':
        losses.add(1, { ...here, 'leadership.reason': reason });
        return drained(partition, here);
      default:
        return undefined;
    }
  });
}
