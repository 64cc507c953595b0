import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Way } from './member.ts';

/** One round trip after the other, without any protocol. Disposing lets go of the connection. */
export interface RoundTrips extends Disposable {
  /** So many writes on condition. Milliseconds each. */
  take(count: number): Promise<readonly number[]>;
}

/** Writes to a table of their own. */
export async function openRoundTrips(way: Way): Promise<RoundTrips> {
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
    const condition = { ConditionExpression: 'attribute_not_exists(id) OR id = :id', ExpressionAttributeValues: { ':id': { S: last } } };
    const began = performance.now();
    await client.send(new PutItemCommand({ TableName, Item: { item: { S: 'one' }, id: { S: next } }, ...condition }));
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
