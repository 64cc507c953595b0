import { describe } from 'vitest';
import { conformanceTests } from '../../src/vitest.ts';
import { brokerCluster } from '../support/broker-cluster.ts';

describe("a leader's own beats", () => conformanceTests(() => brokerCluster()));
describe("everybody's beats", () => conformanceTests(() => brokerCluster({ beats: 'all' })));
