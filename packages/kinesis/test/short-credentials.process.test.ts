import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@leadership/testkit/adapter';
import { hasDynamoDb } from '@leadership/tools/aws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinesisLeadership } from '../src/index.ts';
import { credentials } from './support/local-config.ts';
import { type LocalTable, localTable } from './support/local-table.ts';

describe.runIf(await hasDynamoDb())('credentials that are valid for a minute', () => {
  const thresholdMs = 3000;
  let table: LocalTable;
  beforeAll(async () => {
    table = await localTable();
  });
  afterAll(() => table[Symbol.asyncDispose]());

  it('end no term, although their renewal takes longer than a request may', async () => {
    let renewals = 0;
    let isSlow = false;
    const provider = async () => {
      renewals += 1;
      if (isSlow) await pause(2 * thresholdMs);
      return { ...credentials, expiration: new Date(Date.now() + 60_000) };
    };
    await using source = kinesisLeadership({
      table: table.name,
      group: randomUUID(),
      partitions: 1,
      thresholdMs,
      log: false,
      dynamodb: { ...table.direct, credentials: provider },
    });
    const role = source.role('r');
    const led = await eventually('it leads', () => role.term());
    isSlow = true;
    const before = renewals;
    await eventually('the credentials are being renewed', () => renewals > before);
    await pause(2 * thresholdMs);
    expect(role.term()?.token).toBe(led.token);
    expect(role.isLeading()).toBe(true);
  });

  it('are named where a request waits for them', async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    await using source = kinesisLeadership({
      table: table.name,
      group: randomUUID(),
      partitions: 1,
      thresholdMs,
      log: false,
      dynamodb: { ...table.direct, credentials: never },
    });
    source.ready().catch(() => undefined);
    await eventually('health names them', () =>
      source
        .health()
        .troubles.some(({ message }) => message.includes('while waiting for the AWS credentials')),
    );
  });
});
