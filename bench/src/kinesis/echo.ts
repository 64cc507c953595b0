import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Endpoint } from './member.ts';

/** Measures round trips without any protocol. Disposing closes the connection. */
export interface RoundTrips extends Disposable {
  /**
   * Makes `count` conditional writes, one after the other. Resolves with the duration of each in
   * milliseconds.
   */
  take(count: number): Promise<readonly number[]>;
}

/** Creates a separate table for the round trips. */
export async function openRoundTrips(way: Endpoint): Promise<RoundTrips> {
  const client = new DynamoDBClient({ ...way, requestHandler: new NodeHttpHandler() });
  const TableName = `bare-${crypto.randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: [{ AttributeName: 'item', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'item', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  let last = '0';
  const write = async (): Promise<number> => {
    const next = crypto.randomUUID();
    const condition = {
      ConditionExpression: 'attribute_not_exists(id) OR id = :id',
      ExpressionAttributeValues: { ':id': { S: last } },
    };
    const began = performance.now();
    await client.send(
      new PutItemCommand({
        TableName,
        Item: { item: { S: 'one' }, id: { S: next } },
        ...condition,
      }),
    );
    last = next;
    return performance.now() - began;
  };
  return {
    async take(count) {
      const trips: number[] = [];
      while (trips.length < count) trips.push(await write());
      return trips;
    },
    [Symbol.dispose]: () => client.destroy(),
  };
}
