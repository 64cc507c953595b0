import { successionsIn } from './fail-overs.ts';
import type { SoakReport } from './soak.ts';

/** How many contradictions are spelled out. */
const spelledOut = 20;

/** A report as a table for people; what went wrong stands last. */
export function figures({ settings, ground, tookMs, chronicle, contradictions }: SoakReport): string {
  const { seed, members, partitions, thresholdMs } = settings;
  const { reigns, killed, counts } = chronicle;
  const { changes, crashMs } = successionsIn(reigns, killed);
  const at = (share: number): string => `${Math.round(crashMs[Math.floor(share * (crashMs.length - 1))] ?? 0)} ms`;
  const rows: readonly (readonly [string, number | string])[] = [
    ['terms', reigns.length],
    ['changes of leader', changes],
    ['fail-overs after SIGKILL', `${crashMs.length} (p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}; other faults included)`],
    ...[...counts].sort(([a], [b]) => a.localeCompare(b)),
    ['double believers', contradictions.filter(({ rule }) => rule === 'one-believer').length],
    ['members that failed', chronicle.failures.length],
    ['other contradictions', contradictions.filter(({ rule }) => rule !== 'one-believer').length],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    `soak on ${ground}: seed ${seed}, ${(tookMs / 60_000).toFixed(1)} min, ${members} processes × ${partitions} partitions, T = ${thresholdMs} ms`,
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    ...contradictions.slice(0, spelledOut).map(({ rule, sentence }) => `  BROKEN (${rule}) ${sentence}`),
    ...chronicle.failures.slice(0, spelledOut).map((failure) => `  FAILED ${failure}`),
  ].join('\n');
}
