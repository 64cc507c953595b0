// Formats the report of a soak test for people.
import type { Violation } from '@leadership/testkit/faults';
import { behindMs } from './after-losses.ts';
import { successionsIn } from './fail-overs.ts';
import type { SoakReport } from './soak.ts';

/** The maximum number of contradictions, and of failures, to print. */
const printedMax = 20;

/** The violations that the store does not exclude while it may lose writes, and the longest of each. */
function rowsOfLosses(afterLosses: readonly Violation[]): readonly (readonly [string, string])[] {
  const overlap = ({ overlapMs }: Violation): number => overlapMs;
  const kinds = [
    ['double believers after lost writes', 'one-believer', overlap],
    ['leaders beside earlier work after lost writes', 'drained-first', overlap],
    ['lower tokens of claims at once after lost writes', 'tokens-grow', behindMs],
  ] as const;
  return kinds.map(([name, rule, timeOf]) => {
    const times = afterLosses.filter((one) => one.rule === rule).map(timeOf);
    return [name, `${times.length} (max ${Math.round(Math.max(0, ...times))} ms)`];
  });
}

/** Formats a report as a table. The failures come last. */
export function figures({
  settings,
  environment,
  tookMs,
  recorder,
  contradictions,
  afterLosses,
}: SoakReport): string {
  const { seed, members, partitions, thresholdMs } = settings;
  const { terms, killed, counts } = recorder;
  const { changes, crashMs } = successionsIn(terms, killed);
  const at = (share: number): string =>
    `${Math.round(crashMs[Math.floor(share * (crashMs.length - 1))] ?? 0)} ms`;
  const broken = (by: Violation['rule']): number =>
    contradictions.filter(({ rule }) => rule === by).length;
  const named: readonly (readonly [string, number])[] = [
    ['double believers', broken('one-believer')],
    ['lower tokens', broken('tokens-grow')],
    ['leaders beside earlier work', broken('drained-first')],
  ];
  const rows: readonly (readonly [string, number | string])[] = [
    ['terms', terms.length],
    ['changes of leader', changes],
    [
      'fail-overs after SIGKILL',
      `${crashMs.length} (p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}; other faults included)`,
    ],
    ...[...counts].sort(([a], [b]) => a.localeCompare(b)),
    ...named,
    ...(afterLosses.length > 0 ? rowsOfLosses(afterLosses) : []),
    ['members that failed', recorder.failures.length],
    [
      'other contradictions',
      named.reduce((others, [, count]) => others - count, contradictions.length),
    ],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    `soak on ${environment}: seed ${seed}, ${(tookMs / 60_000).toFixed(1)} min, ${members} processes × ${partitions} partitions, T = ${thresholdMs} ms`,
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    ...afterLosses.slice(0, printedMax).map(({ message }) => `  AFTER A LOSS ${message}`),
    ...contradictions
      .slice(0, printedMax)
      .map(({ rule, message: sentence }) => `  BROKEN (${rule}) ${sentence}`),
    ...recorder.failures.slice(0, printedMax).map((failure) => `  FAILED ${failure}`),
  ].join('\n');
}
