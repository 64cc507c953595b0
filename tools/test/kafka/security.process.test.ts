import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  type DescribeAclResponse,
  Kafka,
  logLevel,
  ResourcePatternTypes,
} from 'kafkajs';
import { describe, expect, test, vi } from 'vitest';
import { hasKafka, type KafkaCluster, startKafka } from '../../src/kafka/index.ts';
import { clientOf, directClientOf, makeTopic, readValues, writeRecord } from './support.ts';

/** Returns a client with a wrong password. */
function impostor(cluster: KafkaCluster): Kafka {
  const { sasl, ...client } = cluster.client('member');
  return new Kafka({
    ...client,
    ...(sasl && { sasl: { ...sasl, password: 'guessed' } }),
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
  });
}

function isKnown({ resources }: DescribeAclResponse): boolean {
  return resources.some(({ acls }) => acls.length > 0);
}

/** Grants a user these operations on a topic. */
async function allow(
  cluster: KafkaCluster,
  user: string,
  topic: string,
  ...operations: readonly AclOperationTypes[]
): Promise<void> {
  const admin = directClientOf(cluster).admin();
  await admin.connect();
  const acl = operations.map((operation) => ({
    resourceType: AclResourceTypes.TOPIC,
    resourceName: topic,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: `User:${user}`,
    host: '*',
    operation,
    permissionType: AclPermissionTypes.ALLOW,
  }));
  await admin.createAcls({ acl });
  // Wait until the ACLs are in effect.
  for (const right of acl)
    await vi.waitUntil(async () => isKnown(await admin.describeAcls(right)), {
      timeout: 30_000,
      interval: 20,
    });
  await admin.disconnect();
}

describe.runIf(await hasKafka({ brokers: 1, security: {} }))('a broker with security', () => {
  test('accepts the right password with SASL PLAIN', async () => {
    await using cluster = await startKafka({ brokers: 1, security: { sasl: 'plain' } });
    const member = clientOf(cluster, 'member');
    await makeTopic(member, 'guarded');
    await writeRecord(member, 'guarded', 'by a member');
    await expect(writeRecord(impostor(cluster), 'guarded', 'by another')).rejects.toThrow(
      'SASL PLAIN authentication failed',
    );
    expect(await readValues(clientOf(cluster), 'guarded', 1)).toEqual(['by a member']);
    expect(() => cluster.client('nobody')).toThrow('unknown user nobody');
  });

  test('accepts the right password with SASL SCRAM, and rejects operations without an ACL', async () => {
    const security = {
      sasl: 'scram-sha-512',
      tls: true,
      acls: true,
      users: ['member', 'stranger'],
    } as const;
    await using cluster = await startKafka({ brokers: 1, security });
    const member = clientOf(cluster, 'member');
    await expect(makeTopic(member, 'guarded')).rejects.toMatchObject({
      errors: [{ type: 'TOPIC_AUTHORIZATION_FAILED' }],
    });
    await makeTopic(clientOf(cluster), 'guarded');
    await allow(cluster, 'member', 'guarded', AclOperationTypes.WRITE, AclOperationTypes.DESCRIBE);
    await writeRecord(member, 'guarded', 'by a member');
    await expect(
      writeRecord(clientOf(cluster, 'stranger'), 'guarded', 'by a stranger'),
    ).rejects.toThrow('Not authorized');
    await expect(writeRecord(impostor(cluster), 'guarded', 'by another')).rejects.toThrow(
      'SASL SCRAM SHA512 authentication failed',
    );
    expect(await readValues(clientOf(cluster), 'guarded', 1)).toEqual(['by a member']);
  });

  test('presents a certificate, and rejects unencrypted connections', async () => {
    await using cluster = await startKafka({ brokers: 1, security: { tls: true } });
    const kafka = clientOf(cluster);
    await makeTopic(kafka, 'encrypted');
    await writeRecord(kafka, 'encrypted', 'unread');
    const { ssl, ...clear } = cluster.client();
    expect(ssl?.ca).toHaveLength(1);
    const settings = {
      ...clear,
      logLevel: logLevel.NOTHING,
      requestTimeout: 2_000,
      retry: { retries: 0 },
    };
    await expect(readValues(new Kafka(settings), 'encrypted', 1)).rejects.toThrow();
    await expect(readValues(new Kafka({ ...settings, ssl: true }), 'encrypted', 1)).rejects.toThrow(
      'self-signed certificate',
    );
    expect(await readValues(kafka, 'encrypted', 1)).toEqual(['unread']);
  });

  test('rejects ACLs without a login', async () => {
    await expect(startKafka({ brokers: 1, security: { acls: true } })).rejects.toThrow(
      '`acls` require `sasl`',
    );
  });
});
