import { allOf, anyOf, type LeadershipSource } from '@leadership/core';
import { describe } from 'vitest';
import type { Cluster } from '../../src/index.ts';
import { conformanceTests } from '../../src/vitest.ts';
import { brokerCluster } from '../support/broker-cluster.ts';
import { memoryCluster } from '../support/memory-cluster.ts';

/** A lease and induction, in either order, as one cluster. */
function mixedCluster(leaseFirst: boolean): Cluster {
  const [lease, induction] = [memoryCluster(), brokerCluster()];
  const parts = new Map<LeadershipSource, LeadershipSource>();
  return {
    ...induction,
    name: `allOf of a lease and induction`,
    open(options) {
      const two = [lease.open(options), induction.open(options)];
      const source = allOf(...(leaseFirst ? two : two.reverse()));
      parts.set(source, two[leaseFirst ? 1 : 0] ?? source);
      return source;
    },
    cut: (source) =>
      induction.cut?.(parts.get(source) ?? source) ?? { [Symbol.dispose]: () => undefined },
  };
}

/** Each member renews two leases on the event loop that all members share. Milliseconds. */
const thresholdMs = 400;

/** Combines two memory groups into one cluster. A cut member loses the groups in `loses`. */
function combinedCluster(combine: typeof anyOf, loses: readonly number[]): Cluster {
  const memory = memoryCluster();
  const parts = new Map<LeadershipSource, readonly LeadershipSource[]>();
  return {
    ...memory,
    name: `${combine.name} of two memory groups`,
    thresholdMs,
    // With anyOf, a partition may have a leader in each group, and never one alone in all of them.
    announcesClaims: combine === allOf,
    // With anyOf, each group counts alone, and the option is refused.
    keepsPartitionsMax: combine === allOf,
    cannot: { members: 'its parts publish their own troubles, and not those of the combination' },
    open({ group, ...options }) {
      const two = ['one', 'two'].map((which) =>
        memory.open({ ...options, group: `${group}: ${which}` }),
      );
      const source = combine(...two);
      parts.set(source, two);
      return source;
    },
    cut(source) {
      const lost = (parts.get(source) ?? []).filter((_, index) => loses.includes(index));
      const cuts = lost.map((part) => memory.cut?.(part));
      return { [Symbol.dispose]: () => cuts.forEach((cut) => cut?.[Symbol.dispose]()) };
    },
  };
}

describe('allOf, cut off from both', () => conformanceTests(() => combinedCluster(allOf, [0, 1])));
describe('allOf, cut off from the first', () =>
  conformanceTests(() => combinedCluster(allOf, [0])));
describe('allOf, cut off from the second', () =>
  conformanceTests(() => combinedCluster(allOf, [1])));
describe('anyOf, cut off from both', () => conformanceTests(() => combinedCluster(anyOf, [0, 1])));
describe('allOf of a lease and induction', () => conformanceTests(() => mixedCluster(true)));
describe('allOf of induction and a lease', () => conformanceTests(() => mixedCluster(false)));
