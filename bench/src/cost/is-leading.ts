// Measures the cost of `role.isLeading()`. The baseline is a bare `performance.now()`.
//
// Both loops consume their results in the same way, as a floating-point sum, so that the compiler
// can remove neither. Each loop is a separate function, so that no call site has two callees. After
// a warm-up, rounds of 0.1 ms alternate; they are short, so that the scheduler interrupts few of
// them. The benchmark reports the median time per call. The member leads during the whole run.
import type { Role } from '@leadership/core';
import { after } from '@leadership/core/internal/engine';
import { consume } from '../measure/consume.ts';
import { interleave, type Times } from '../measure/rounds.ts';
import { costOf } from '../report/costs.ts';
import type { Report } from '../report/figures.ts';
import { manualSource } from './manual-source.ts';

/** Calls per round: about a tenth of a millisecond. */
const calls = 2500;
/** The length of the term, in milliseconds. Longer than any run. */
const termMs = 3_600_000;

/** Runs the benchmark. */
export async function isLeading(times: Times): Promise<Report> {
  const { source, host } = manualSource(8);
  const role = source.role('invoice-run');
  const sentAt = host.clock.now();
  host.granted({ partition: role.partition, token: 1n, until: after(sentAt, termMs), sentAt });
  const pairs = interleave(() => askRole(role), askClock, times);
  await source.close();
  const note = `median of the rounds' own ratios: ${pairs.pairedRatio.toFixed(3)}`;
  return {
    figures: costOf('is-leading', 'ns', 1.05, pairs),
    against: 'performance.now()',
    notes: [note],
  };
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
