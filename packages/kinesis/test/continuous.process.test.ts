// The checks that are specific to `continuous`, or depend on the table and the stream. The full
// suite takes two and a half minutes, see continuous.soak.test.ts.
import { conformance } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasDynamoDb } from '@leadership/tools/aws';
import { describe, expect, it, vi } from 'vitest';
import { continuousCluster } from './kinesis-cluster.ts';

// Each check reads a stream of its own, and the emulator of streams is one Node process: with twelve
// at a time, it answered none of them within T/3.
vi.setConfig({ maxConcurrency: 3 });

const promises: readonly string[] = [
  'continuous-handover',
  'continuous-under-cuts',
  'continuous-drain',
  'succession-after-cut',
  'succession-after-kill',
  'state-after-a-stop',
  'resign-hands-over',
  'close-hands-over',
  'backend-away-and-back',
  'observers-write-nothing',
  'state-after-a-blocked-loop',
];
const checks = conformance.filter(({ id: promise }) => promises.includes(promise));

describe.runIf(await hasDynamoDb())('continuous, on a table and a stream', () => {
  conformanceTests(continuousCluster, checks);

  it('runs every check that is listed here', () => {
    expect(checks.map(({ id: promise }) => promise).sort()).toEqual([...promises].sort());
  });
});
