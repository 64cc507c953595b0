// Measures the cost of notifying a subscriber that this member leads: from the host's `granted` to
// the subscriber of `leadership$`. The baseline is `next` of a BehaviorSubject with one subscriber.
// No code reads the term's signal.
//
// A partition can be granted only while it is vacant, so a round grants a batch of vacant partitions,
// each with its own subscriber. Only the batch is timed; the partitions are released before the next
// one. The baseline uses equal batches, over as many subjects. Both kinds of subscribers count into
// the same variable, and each round checks the count.
//
// The memory layout of a process affects the results more than anything within it. Both are
// therefore measured in several processes, one after the other, and all rounds are evaluated
// together.
import type { Host } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import { BehaviorSubject } from 'rxjs';
import { inOwnProcess } from '../measure/own-process.ts';
import { interleave, type Pairs, type Times } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import { costOf } from '../report/costs.ts';
import type { Report } from '../report/figures.ts';
import { manualSource } from './manual-source.ts';

/**
 * Emissions per batch: enough to make reading the clock negligible, and few enough to stay in the
 * cache.
 */
const partitions = 64;
/**
 * Batches per round: about a tenth of a millisecond, so that the scheduler interrupts few rounds.
 */
const batches = 12;
/** The length of a term, in milliseconds. Longer than any run. */
const termMs = 3_600_000;

/** Values like the ones that `leadership$` emits. */
const values = [{ state: 'waiting' }, { state: 'leading' }] as const;
type Value = (typeof values)[number];

/** The number of processes, and the rounds in each. */
export interface EmissionOptions extends Times {
  readonly processes: number;
}

const inChild = inOwnProcess(import.meta.url, emissionRounds);

/** Runs the benchmark. */
export async function emission(
  { processes, ...times }: EmissionOptions,
  measure: typeof emissionRounds = inChild,
): Promise<Report> {
  const measured: Pairs[] = [];
  while (measured.length < processes) measured.push(await measure(times));
  const ratios = measured.map(({ ours, baseline }) => median(ours) / median(baseline));
  const pairs = {
    ours: measured.flatMap(({ ours }) => ours),
    baseline: measured.flatMap(({ baseline }) => baseline),
    pairedRatio: median(measured.map(({ pairedRatio }) => pairedRatio)),
  };
  const notes = [
    `median of the rounds' own ratios: ${pairs.pairedRatio.toFixed(3)}`,
    `${processes} processes with ratios from ${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`,
  ];
  return {
    figures: costOf('emission', 'ns', 2, pairs),
    against: 'BehaviorSubject.next with one subscriber',
    notes,
  };
}

/** Measures the cost of an emission and of its baseline, in nanoseconds. */
export async function emissionRounds(times: Times): Promise<Pairs> {
  const { source, host } = manualSource(partitions);
  const reported = { count: 0 };
  for (let partition = 0; partition < partitions; partition += 1) {
    source.role(partition).leadership$.subscribe(({ state }) => {
      if (state === 'leading') reported.count += 1;
    });
  }
  const subjects = Array.from({ length: partitions }, () => subjectFor(reported));
  const tokens = { last: 0n };
  const pairs = interleave(
    () => grantAll(host, tokens, reported),
    () => nextAll(subjects, reported),
    times,
  );
  await source.close();
  return pairs;
}

function subjectFor(reported: { count: number }): BehaviorSubject<Value> {
  const subject = new BehaviorSubject<Value>(values[0]);
  subject.subscribe(({ state }) => {
    if (state === 'leading') reported.count += 1;
  });
  return subject;
}

function grantAll(host: Host, tokens: { last: bigint }, reported: { count: number }): number {
  const sentAt = host.clock.now();
  const until = after(sentAt, termMs);
  reported.count = 0;
  let ms = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    tokens.last += 1n;
    const grants = Array.from({ length: partitions }, (_, partition) => ({
      partition,
      token: tokens.last,
      until,
      sentAt,
    }));
    const began = performance.now();
    for (const grant of grants) host.granted(grant);
    ms += performance.now() - began;
    for (let partition = 0; partition < partitions; partition += 1) host.released(partition);
  }
  return perEmission(ms, reported.count);
}

function nextAll(subjects: readonly BehaviorSubject<Value>[], reported: { count: number }): number {
  reported.count = 0;
  let ms = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    const began = performance.now();
    for (const subject of subjects) subject.next(values[1]);
    ms += performance.now() - began;
    for (const subject of subjects) subject.next(values[0]);
  }
  return perEmission(ms, reported.count);
}

/** Returns the nanoseconds per emission. Throws if emissions are missing. */
function perEmission(ms: number, count: number): number {
  if (count !== partitions * batches)
    throw new RangeError(`${count} emissions instead of ${partitions * batches}`);
  return (ms * 1e6) / count;
}
