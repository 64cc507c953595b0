// What it costs to tell a subscriber that this member leads now: from the host's `granted` to the subscriber of
// `leadership$`, beside `next` of a BehaviorSubject with one subscriber. Nobody touches a signal.
//
// Where a process happens to have its memory makes more of a difference than anything within it: both are measured in
// several processes, one after the other, and all rounds are looked at together.
import type { Pairs, Times } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import { startChild, type Told } from '../process/child.ts';
import { costOf } from '../report/costs.ts';
import type { Report } from '../report/figures.ts';

/** What the child says. */
export interface Emitted extends Told {
  readonly kind: 'emitted';
  readonly pairs: Pairs;
}

/** How often, in each of how many processes. */
export interface EmissionOptions extends Times {
  readonly processes: number;
}

/** Runs the rounds of one process. */
type Measuring = (times: Times) => Promise<Pairs>;

/** Runs it. */
export async function emission({ processes, ...times }: EmissionOptions, measure: Measuring = inChild): Promise<Report> {
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
    `${processes} processes, whose own ratios went from ${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`,
  ];
  return { figures: costOf('emission', 'ns', 2, pairs), against: 'BehaviorSubject.next with one subscriber', notes };
}

async function inChild(times: Times): Promise<Pairs> {
  await using child = startChild<Emitted>(new URL('../programs/emission.js', import.meta.url), { input: times });
  return (await child.next('emitted')).pairs;
}
