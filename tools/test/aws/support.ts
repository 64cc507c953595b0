import { expect, vi } from 'vitest';

/** A response of an AWS service. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const versions = { dynamodb: 'DynamoDB_20120810', kinesis: 'Kinesis_20131202' } as const;

/** Sends a request to an emulator, which requires a signature but does not verify it. */
export async function ask(
  url: string,
  operation: string,
  input: object,
  service: keyof typeof versions = 'dynamodb',
): Promise<Answer> {
  const scope = `AKIDLOCAL/20261121/us-east-1/${service}/aws4_request`;
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type':
        service === 'dynamodb' ? 'application/x-amz-json-1.0' : 'application/x-amz-json-1.1',
      'x-amz-target': `${versions[service]}.${operation}`,
      'x-amz-date': '20261121T000000Z',
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-date;x-amz-target, Signature=${'0'.repeat(64)}`,
    },
    body: JSON.stringify(input),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] };
}

/** Creates a table with one string key, and waits until it is active. */
export async function makeTable(url: string): Promise<void> {
  const made = await ask(url, 'CreateTable', {
    TableName: 'things',
    KeySchema: [{ AttributeName: 'name', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'name', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  expect(made.status).toBe(200);
  const isThere = async (): Promise<void> => {
    const { body } = await ask(url, 'DescribeTable', { TableName: 'things' });
    expect(body['Table']).toMatchObject({ TableStatus: 'ACTIVE' });
  };
  await vi.waitFor(isThere, { timeout: 20_000 });
}

/** Writes an item with this name, on the condition that none exists. */
export function put(url: string, name: string): Promise<Answer> {
  return ask(url, 'PutItem', {
    TableName: 'things',
    Item: { name: { S: name } },
    ConditionExpression: 'attribute_not_exists(#n)',
    ExpressionAttributeNames: { '#n': 'name' },
  });
}

/** Resolves with whether an item with this name exists. */
export async function has(url: string, name: string): Promise<boolean> {
  const { body } = await ask(url, 'GetItem', {
    TableName: 'things',
    Key: { name: { S: name } },
    ConsistentRead: true,
  });
  return body['Item'] !== undefined;
}
