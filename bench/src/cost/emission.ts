// Measures the cost of notifying a subscriber that this member leads: from the host's `granted` to
// the subscriber of `leadership$`. The baseline is `next` of a BehaviorSubject with one subscriber.
// No code reads the term's signal.
//
// The memory layout of a process affects the results more than anything within it. Both are
// therefore measured in several processes, one after the other, and all rounds are evaluated
// together.

import { type Message, startChild } from '@leadership/tools/processes';
import type { Pairs, Times } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import { costOf } from '../report/costs.ts';
import type { Report } from '../report/figures.ts';

/** The message of the child process. */
export interface Emitted extends Message {
  readonly kind: 'emitted';
  readonly pairs: Pairs;
}

/** The number of processes, and the rounds in each. */
export interface EmissionOptions extends Times {
  readonly processes: number;
}

/** Runs the rounds of one process. */
type Measuring = (times: Times) => Promise<Pairs>;

/** Runs the benchmark. */
export async function emission(
  { processes, ...times }: EmissionOptions,
  measure: Measuring = inChild,
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

async function inChild(times: Times): Promise<Pairs> {
  await using child = startChild<Emitted>(new URL('../programs/emission.js', import.meta.url), {
    input: times,
  });
  return (await child.next('emitted')).pairs;
}
