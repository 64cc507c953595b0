// What the truth at the call costs: `role.isLeading()` beside a bare `performance.now()`.
//
// Both loops use their result in the same way (a floating-point sum that is consumed), so that neither can be compiled away;
// each is a function of its own, so that no call site sees two callees. Rounds of 0.1 ms take turns after a warm-up: so
// short that the scheduler interrupts few of them. Reported is the time per call, as medians over all rounds. The member
// leads, and goes on leading throughout.
import type { Role } from '@leadership/core';
import { after } from '@leadership/core/backend';
import { interleave, type Times } from '../measure/rounds.ts';
import { consume } from '../measure/sink.ts';
import { costOf } from '../report/costs.ts';
import type { Report } from '../report/figures.ts';
import { manualSource } from './manual-source.ts';

/** Calls in one round: a tenth of a millisecond of them. */
const calls = 2500;
/** As long as no run of this takes. Milliseconds. */
const termMs = 3_600_000;

/** Runs it. */
export async function isLeading(times: Times): Promise<Report> {
  const { source, host } = manualSource(8);
  const role = source.role('invoice-run');
  const sentAt = host.clock.now();
  host.granted({ partition: role.partition, token: 1n, until: after(sentAt, termMs), sentAt });
  const pairs = interleave(() => askRole(role), askClock, times);
  await source.close();
  const note = `median of the rounds' own ratios: ${pairs.pairedRatio.toFixed(3)}`;
  return { figures: costOf('is-leading', 'ns', 1.05, pairs), against: 'performance.now()', notes: [note] };
}

function askRole(role: Role): number {
  let sum = 0;
  const began = performance.now();
  for (let call = 0; call < calls; call += 1) sum += role.isLeading() ? 1.5 : 0.5;
  const ms = performance.now() - began;
  consume(sum);
  return (ms * 1e6) / calls;
}

function askClock(): number {
  let sum = 0;
  const began = performance.now();
  for (let call = 0; call < calls; call += 1) sum += performance.now();
  const ms = performance.now() - began;
  consume(sum);
  return (ms * 1e6) / calls;
}
