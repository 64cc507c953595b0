import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { describe, expect, it, vi } from 'vitest';
import { dynamoDbOf } from '../src/client.ts';
import { kinesisOf } from '../src/kinesis-client.ts';

const services = [
  { name: 'DynamoDB', opened: dynamoDbOf, Client: DynamoDBClient },
  { name: 'Kinesis', opened: kinesisOf, Client: KinesisClient },
] as const;
const config = { region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };

describe.each(services)('a client of $name', ({ opened, Client }) => {
  it('that is made here speaks HTTP/1.1, asks once, in the region that is named, and is closed', async () => {
    const { client, close } = opened({}, 'eu-west-1');
    expect(client.config.requestHandler).toBeInstanceOf(NodeHttpHandler);
    expect(await client.config.maxAttempts()).toBe(1);
    expect(await client.config.region()).toBe('eu-west-1');
    const destroyed = vi.spyOn(client, 'destroy');
    close();
    expect(destroyed).toHaveBeenCalledOnce();
  });

  it('is made as its options say, whatever would be the default', async () => {
    const requestHandler = new NodeHttpHandler();
    const { client, close } = opened({ ...config, maxAttempts: 4, requestHandler }, 'us-east-1');
    expect(client.config.requestHandler).toBe(requestHandler);
    expect(await client.config.maxAttempts()).toBe(4);
    expect(await client.config.region()).toBe('eu-west-1');
    close();
  });

  it('that was given is taken as it is, and stays open', () => {
    const given = new Client(config);
    const destroyed = vi.spyOn(given, 'destroy');
    const { client, close } = opened(given as never, 'us-east-1');
    expect(client).toBe(given);
    close();
    expect(destroyed).not.toHaveBeenCalled();
    given.destroy();
  });
});
