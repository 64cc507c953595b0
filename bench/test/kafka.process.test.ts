import { hasKafka } from '@leadership/tools/kafka';
import { describe, expect, it } from 'vitest';

type Kafka = typeof import('../src/backends/kafka.ts');
type HandOver = typeof import('../src/election/hand-over.ts');

const built = (path: string) => import(new URL(`../dist/${path}.js`, import.meta.url).href);

describe.runIf(await hasKafka({ brokers: 1 }))('a benchmark on a broker', () => {
  it('measures our members, and measures goNELI or reports why it is missing', async () => {
    const { kafka } = (await built('backends/kafka')) as Kafka;
    const { handover } = (await built('election/hand-over')) as HandOver;
    const { figures, notes, peers = [] } = await handover(kafka, { runs: 2, thresholdMs: 1000 });
    expect(figures).toMatchObject({ name: 'kafka-handover', unit: 'ms', runs: 2 });
    for (const number of [figures.p50, figures.p99, figures.baseline, figures.ratio])
      expect(number).toBeGreaterThan(0);
    // An orderly hand-over does not wait for a lease to expire.
    expect(figures.p50).toBeLessThan(1000);
    expect(peers.length > 0 || notes.some((note) => note.startsWith('goNELI is left out'))).toBe(
      true,
    );
    for (const peer of peers)
      expect(peer).toMatchObject({ unit: 'ms', name: expect.stringContaining('goNELI') });
  });
});
