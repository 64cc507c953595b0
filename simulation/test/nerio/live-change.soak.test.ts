// Measures the cost of many changes of members, for the figures in docs/evidence/nerio.md.
import { expect, test } from 'vitest';
import { changeMembers } from './live-change.ts';

const changes = 2000;

test.each([
  ['drift', 'calm'],
  ['drift', 'rainy'],
  ['skew', 'calm'],
  ['skew', 'rainy'],
] as const)(
  'thousands of changes of members where clocks are held to %s, on a %s day',
  (clocks, name) => {
    const { broken, leaderlessMs, edicts } = changeMembers(clocks, name, changes);
    const sorted = [...leaderlessMs].sort((a, b) => a - b);
    const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => sorted[Math.ceil(share * changes) - 1]);
    process.stdout.write(
      `${clocks} ${name}: ${changes} changes, ${edicts} edicts, leaderless p50 ${p50}, p90 ${p90}, p99 ${p99}, max ${sorted.at(-1)} ms\n`,
    );
    expect(broken).toEqual({});
  },
);
