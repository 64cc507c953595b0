// The conformance suite on groups of other sizes than in CI.
import { corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { describe } from 'vitest';
import { gossipCluster } from './gossip-cluster.ts';

describe('five voters', () =>
  conformanceTests(() => gossipCluster({ voters: 5, observers: 0, thresholdMs: 2500 })));

describe('five voters and fifteen other members', () =>
  conformanceTests(
    () => gossipCluster({ voters: 5, observers: 15, thresholdMs: 3000 }),
    // One after the other: twenty members of one group are busy enough.
    corePromises.map((check) => ({ ...check, alone: true })),
  ));
