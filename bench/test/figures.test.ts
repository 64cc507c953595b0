import { describe, expect, it } from 'vitest';
import { codec } from '../src/cost/codec.ts';
import { emission, emissionRounds } from '../src/cost/emission.ts';
import { isLeading } from '../src/cost/is-leading.ts';
import { simulatedSpeeds, simulationSpeed } from '../src/cost/simulation-speed.ts';
import { interleave } from '../src/measure/rounds.ts';
import { median, quantile, slope } from '../src/measure/statistics.ts';
import { figuresOf, isReached, type Report } from '../src/report/figures.ts';
import { significant } from '../src/report/significant.ts';

describe('statistics', () => {
  it('computes quantiles by nearest rank, so that the p99 of a few values is the worst', () => {
    expect([median([3, 1, 2]), quantile([3, 1, 2], 0.99), quantile([], 0.5)]).toEqual([
      2,
      3,
      Number.NaN,
    ]);
  });

  it('computes the slope of points that scatter around a line', () => {
    expect(
      slope([
        [0, 1],
        [1, 2],
        [2, 5],
        [3, 6],
      ]),
    ).toBeCloseTo(1.8);
  });
});

describe('rounds', () => {
  it('alternate which operation goes first, and discard the warm-up', () => {
    const order: string[] = [];
    const time = (name: string, cost: number) => () => {
      order.push(name);
      return cost;
    };
    const pairs = interleave(time('ours', 3), time('baseline', 2), { rounds: 2, warmUps: 1 });
    expect(order).toEqual(['baseline', 'ours', 'ours', 'baseline', 'baseline', 'ours']);
    expect(pairs).toEqual({ ours: [3, 3], baseline: [2, 2], pairedRatio: 1.5 });
  });
});

describe('figures', () => {
  const { figures }: Report = {
    figures: {
      name: 'x',
      unit: 'ns',
      runs: 1,
      p50: 1,
      p99: 1,
      baseline: 1,
      ratio: 2,
      limit: 1,
      better: 'higher',
    },
    against: '',
    notes: [],
  };

  it('of measured values have the documented fields, in their order', () => {
    const target = { name: 'x', unit: 'ms', baseline: 2, limit: 3 } as const;
    const found = figuresOf([4, 2, 9], { ...target, by: 'p99' });
    expect(found).toEqual({ ...target, runs: 3, p50: 4, p99: 9, ratio: 4.5, better: 'lower' });
    expect(Object.keys(found).join(' ')).toBe('name unit runs p50 p99 baseline ratio limit better');
    const speeds = figuresOf([4, 2, 9], { ...target, by: 'p50', better: 'higher' });
    expect(speeds).toMatchObject({ p50: 4, p99: 2, ratio: 2 });
  });

  it('reach a limit from below or from above, depending on `better`', () => {
    expect([isReached(figures), isReached({ ...figures, better: 'lower' })]).toEqual([true, false]);
  });

  it.each([
    [1234.56, '1235'],
    [1.23456, '1.235'],
    [0.5, '0.5'],
  ])('prints %d as %s', (value, text) => expect(significant(value)).toBe(text));
});

describe.each([
  ['is-leading', () => isLeading({ rounds: 2, warmUps: 0 })],
  ['emission', () => emission({ processes: 2, rounds: 1, warmUps: 0 }, emissionRounds)],
  ['codec', () => codec({ rounds: 2, warmUps: 0 })],
  ['simulation-speed', () => simulationSpeed({ runs: 2, simulatedMs: 2000 }, simulatedSpeeds)],
])('%s', (name, run) => {
  it('reports positive figures under its name', async () => {
    const { figures, against } = await run();
    expect(figures).toMatchObject({ name, runs: 2 });
    expect(against).not.toBe('');
    for (const number of [figures.p50, figures.p99, figures.baseline, figures.ratio])
      expect(number).toBeGreaterThan(0);
  });
});
