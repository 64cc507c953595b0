import { eventually } from '@leadership/testkit/adapter';
import type { Cluster } from 'kafkajs';
import { Kafka, logLevel } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { kafkaLeadership } from '../../src/index.ts';
import { patchCluster } from '../../src/kafkajs-patches/cluster.ts';
import { clusterOf, connectionsIn } from '../support/kafkajs-internals.ts';

interface Builder {
  build?: (place: object) => Promise<{ readonly pool: readonly object[] }>;
}

/** The connections of a cluster are made without this member of theirs. */
function without(cluster: Cluster, name: string): void {
  const builder = (cluster as unknown as { readonly connectionPoolBuilder: Builder })
    .connectionPoolBuilder;
  const build = builder.build?.bind(builder);
  builder.build = async (place) => {
    const made = await build?.(place);
    for (const connection of made?.pool ?? []) Object.assign(connection, { [name]: undefined });
    return made ?? { pool: [] };
  };
}

async function unpatchedIn(cluster: Cluster): Promise<readonly string[]> {
  const said = new Set<string>();
  patchCluster(cluster, (otherwise) => said.add(otherwise));
  await connectionsIn(cluster);
  return [...said];
}

describe('a private member of KafkaJS that is patched', () => {
  it('exists in the tested release', async () => {
    expect(await unpatchedIn(clusterOf())).toEqual([]);
  });

  it.each([
    ['chunks', [/RangeError/]],
    ['rejectRequests', [/RangeError/]],
    ['requestQueue', [/CPU/]],
    ['logError', [/logged/]],
    ['send', [/leader/, /logged/]],
    ['isAuthenticated', [/after its time/]],
  ])('is missed by name where it is not: %s', async (name, sentences) => {
    const cluster = clusterOf();
    without(cluster, name);
    const said = await unpatchedIn(cluster);
    expect(said).toEqual(sentences.map((sentence) => expect.stringMatching(sentence)));
  });

  it('is reported as missing if no connections are found', () => {
    const said: string[] = [];
    patchCluster({} as Cluster, (otherwise) => said.push(otherwise));
    expect(said).toHaveLength(5);
  });

  it("causes one warning each in a member's health() if it is missing", async () => {
    const kafka = new Kafka({
      brokers: ['127.0.0.1:1'],
      logLevel: logLevel.NOTHING,
      retry: { retries: 0 },
    });
    const consumer = kafka.consumer.bind(kafka);
    kafka.consumer = (config) => {
      const partitionAssigners = config.partitionAssigners?.map(
        (make) => (parts: Parameters<typeof make>[0]) => {
          without(parts.cluster, 'requestQueue');
          return make(parts);
        },
      );
      return consumer({ ...config, ...(partitionAssigners && { partitionAssigners }) });
    };
    await using source = kafkaLeadership({ kafka, group: 'g', topic: 't' });
    const warnings = await eventually('it warns', () => {
      const found = source.health().warnings.filter(({ message }) => message.includes('KafkaJS'));
      return found.length > 0 && found;
    });
    expect(warnings).toEqual([
      expect.objectContaining({
        code: 'misconfigured-backend',
        message: expect.stringMatching(/CPU.*2\.2\.4/),
      }),
    ]);
  });
});
