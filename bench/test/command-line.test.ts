import { describe, expect, it } from 'vitest';
import { bench } from '../src/bench.ts';
import { type Benchmark, benchmarks } from '../src/benchmarks.ts';
import { parseCommandLine } from '../src/command-line.ts';
import type { Report } from '../src/report/figures.ts';

const names = [
  'is-leading',
  'emission',
  'codec',
  'simulation-speed',
  'crash-proved',
  'crash-proved-by-size',
  'kafka-crash-proved',
  'kafka-dead-broker',
  'file-failover',
  'file-handover',
  'file-renewal',
  'run-slots',
  'idle-cost',
  'open-close-memory',
  'import-cost',
  'scale',
  'settle',
  'settle-after-overload',
  'nerio-failover',
  'nerio-handover',
  'nerio-messages',
  'gossip-failover',
  'gossip-failover-of-20',
  'gossip-convergence',
  'gossip-messages',
  'kafka-failover',
  'kafka-handover',
  'kafka-join-disturbance',
  'kafka-message-cost',
  'kafka-scale',
  'kinesis-crowd',
  'kinesis-failover',
  'kinesis-handover',
  'kinesis-requests',
  'kinesis-scale',
  'etcd-failover',
  'etcd-handover',
  'etcd-requests',
  'etcd-scale',
  'nats-failover',
  'nats-handover',
  'nats-requests',
  'nats-scale',
  'postgres-failover',
  'postgres-handover',
  'postgres-requests',
  'postgres-scale',
  'redis-failover',
  'redis-handover',
  'redis-requests',
  'redis-scale',
  'mysql-failover',
  'mysql-handover',
  'mysql-requests',
  'mysql-scale',
  'kubernetes-failover',
  'kubernetes-handover',
  'kubernetes-requests',
  'kubernetes-scale',
];

const report: Report = {
  figures: {
    name: 'quick',
    unit: 'ms',
    runs: 3,
    p50: 1,
    p99: 2,
    baseline: 1,
    ratio: 1,
    limit: 2,
    better: 'lower',
  },
  against: 'nothing much',
  notes: [],
};

const quick: Benchmark = { name: 'quick', promise: 'is quick', run: async () => report };
const broken: Benchmark = {
  name: 'broken',
  promise: 'breaks',
  run: () => Promise.reject(new Error('no disk')),
};

async function run(args: readonly string[], among: readonly Benchmark[]) {
  const out: string[] = [];
  const said: string[] = [];
  const terminal = {
    out: (text: string) => void out.push(...text.split('\n')),
    say: (text: string) => void said.push(text),
  };
  const code = await bench(parseCommandLine(args, among), terminal);
  return { code, out, said: said.join('\n') };
}

describe('the command line', () => {
  it('lists every benchmark', async () => {
    const { code, out } = await run(['--list'], benchmarks);
    expect(code).toBe(0);
    expect(out.map((line) => line.split(' ')[0]).sort()).toEqual(names.sort());
  });

  it.each([[['no-such-benchmark']], [[]], [['quick', '--fast']]])(
    'rejects %j with its usage and exit code 2',
    async (args) => {
      const { code, out, said } = await run(args, [quick]);
      expect(code).toBe(2);
      expect(out).toEqual([]);
      expect(said).toContain('usage: npm run bench -- NAME [--json]');
      expect(said).toContain('quick');
    },
  );

  it('prints a table, and with --json a last line with exactly the documented fields', async () => {
    const { code, out } = await run(['quick', '--json'], [quick, broken]);
    expect(code).toBe(0);
    expect(out[0]).toMatch(/^benchmark +runs/);
    expect(Object.keys(JSON.parse(out.at(-1) ?? ''))).toEqual(
      'name unit runs p50 p99 baseline ratio limit better'.split(' '),
    );
  });

  it('fails if a benchmark rejects, but runs the others', async () => {
    const { code, out, said } = await run(['all', '--json'], [broken, quick]);
    expect(code).toBe(1);
    expect(said).toContain('no disk');
    expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({ name: 'quick' });
  });

  it('skips a benchmark whose backend is unavailable, without failing', async () => {
    const away = { ...broken, isOffered: async () => false };
    const { code, out, said } = await run(['all', '--json'], [away, quick]);
    expect(code).toBe(0);
    expect(said).not.toContain('measuring broken');
    expect(out.filter((line) => line.startsWith('{'))).toHaveLength(1);
  });

  it('fails if a required backend is unavailable', async () => {
    const required = { ...quick, isOffered: () => Promise.reject(new Error('REQUIRE_BACKENDS')) };
    const { code, said } = await run(['quick'], [required]);
    expect(code).toBe(1);
    expect(said).toContain('REQUIRE_BACKENDS');
  });

  it('prints the results of peers, and adds them to the last line', async () => {
    const peer = { name: 'another', unit: 'ms', runs: 2, p50: 5, p99: 7.0001 };
    const { out } = await run(
      ['quick', '--json'],
      [{ ...quick, run: async () => ({ ...report, peers: [peer] }) }],
    );
    expect(out).toContain('  another: p50 5 ms, p99 7 ms of 2');
    expect(JSON.parse(out.at(-1) ?? '')).toMatchObject({ name: 'quick', peers: [peer] });
  });

  it('prints no field for peers if none was measured', async () => {
    const { out } = await run(
      ['quick', '--json'],
      [{ ...quick, run: async () => ({ ...report, peers: [] }) }],
    );
    expect(JSON.parse(out.at(-1) ?? '')).toEqual(report.figures);
  });

  it('shows a missed limit in the table, without failing', async () => {
    const missed = { ...report, figures: { ...report.figures, ratio: 3 } };
    const { code, out } = await run(['quick'], [{ ...quick, run: async () => missed }]);
    expect(code).toBe(0);
    expect(out[1]).toMatch(/✗$/);
  });
});
