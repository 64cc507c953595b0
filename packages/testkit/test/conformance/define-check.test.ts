import { expect, test } from 'vitest';
import { defineCheck } from '../../src/conformance/define-check.ts';
import { Inconclusive, TimedOut } from '../../src/conformance/failure.ts';
import { blockLoop } from '../../src/faults/block-loop.ts';
import { memoryCluster } from '../support/memory-cluster.ts';

const definition = { id: 'example', title: 'an example' } as const;

test('repeats a check without a verdict on a starved machine with T, 2 T and 4 T', async () => {
  await using cluster = memoryCluster();
  const thresholds: number[] = [];
  const check = defineCheck({
    ...definition,
    async run(context) {
      thresholds.push(context.cluster.thresholdMs, context.thresholdMs);
      context.open('a');
      blockLoop(context.thresholdMs);
      if (thresholds.length < 6) throw new Inconclusive('the machine was starved');
    },
  });
  await check.run(cluster);
  const { thresholdMs } = cluster;
  expect(thresholds).toEqual([1, 1, 2, 2, 4, 4].map((factor) => factor * thresholdMs));
});

test('fails a check that has no verdict in three attempts', async () => {
  await using cluster = memoryCluster();
  let runs = 0;
  const check = defineCheck({
    ...definition,
    run(context) {
      runs += 1;
      blockLoop(context.thresholdMs);
      return Promise.reject(new Inconclusive('the machine was starved'));
    },
  });
  await expect(check.run(cluster)).rejects.toThrow('the machine was starved');
  expect(runs).toBe(3);
});

test('never repeats a check that waited for an event without success', async () => {
  await using cluster = memoryCluster();
  let runs = 0;
  const check = defineCheck({
    ...definition,
    run(context) {
      runs += 1;
      blockLoop(context.thresholdMs);
      return Promise.reject(new TimedOut('an event', 1));
    },
  });
  await expect(check.run(cluster)).rejects.toThrow('an event');
  expect(runs).toBe(1);
});
