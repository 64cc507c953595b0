import { describe } from 'vitest';
import { brokerCluster } from '../../src/faults.ts';
import { conformanceTests } from '../../src/vitest.ts';

describe("a leader's own beats", () => conformanceTests(() => brokerCluster()));
describe("everybody's beats", () => conformanceTests(() => brokerCluster({ beats: 'all' })));
