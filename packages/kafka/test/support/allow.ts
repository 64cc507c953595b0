import { eventually } from '@leadership/testkit/adapter';
import type { KafkaCluster } from '@leadership/tools/kafka';
import { administered } from './topics.ts';

/** One right. */
export interface Right {
  readonly resource: keyof typeof resources;
  readonly name: string;
  readonly operation: keyof typeof operations;
}

/** Kafka's numbers; KafkaJS' enums cannot be imported by name. */
const resources = { topic: 2, group: 3, cluster: 4 } as const;
const operations = {
  READ: 3,
  WRITE: 4,
  CREATE: 5,
  DELETE: 6,
  DESCRIBE: 8,
  DESCRIBE_CONFIGS: 10,
} as const;
const literal = 3;
const allowed = 3;

/**
 * Allows a user exactly that, beside what it may already do. Resolves once the brokers know: a
 * right that comes late is a right that is missing.
 */
export async function allow(
  kafka: KafkaCluster,
  user: string,
  rights: readonly Right[],
): Promise<void> {
  const acl = rights.map((right) => entryOf(user, right));
  await administered(kafka, async (admin) => {
    await admin.createAcls({ acl });
    for (const right of acl)
      await eventually('the brokers know', async () => {
        const { resources: known } = await admin.describeAcls(right);
        return known.some(({ acls }) => acls.length > 0);
      });
  });
}

/** Takes a right away from a user. Resolves once the brokers know. */
export async function disallow(kafka: KafkaCluster, user: string, right: Right): Promise<void> {
  const entry = entryOf(user, right);
  await administered(kafka, async (admin) => {
    await admin.deleteAcls({ filters: [entry] });
    await eventually('the brokers know', async () => {
      const { resources: known } = await admin.describeAcls(entry);
      return known.every(({ acls }) => acls.length === 0);
    });
  });
}

function entryOf(user: string, { resource, name, operation }: Right) {
  return {
    resourceType: resources[resource],
    resourceName: name,
    resourcePatternType: literal,
    principal: `User:${user}`,
    host: '*',
    operation: operations[operation],
    permissionType: allowed,
  };
}
