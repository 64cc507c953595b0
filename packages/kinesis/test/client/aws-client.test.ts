import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { describe, expect, it, vi } from 'vitest';
import { dynamoDbOf } from '../../src/client/aws-client.ts';
import { kinesisOf } from '../../src/stream/kinesis-client.ts';

const services = [
  { name: 'DynamoDB', opened: dynamoDbOf, Client: DynamoDBClient },
  { name: 'Kinesis', opened: kinesisOf, Client: KinesisClient },
] as const;
const config = { region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };

describe.each(services)('a client of $name', ({ opened, Client }) => {
  it('that is created here uses HTTP/1.1 and the given region, does not retry, and is closed', async () => {
    const { client, close } = opened({}, 'eu-west-1');
    expect(client.config.requestHandler).toBeInstanceOf(NodeHttpHandler);
    expect(await client.config.maxAttempts()).toBe(1);
    expect(await client.config.region()).toBe('eu-west-1');
    const destroyed = vi.spyOn(client, 'destroy');
    close();
    expect(destroyed).toHaveBeenCalledOnce();
  });

  it('is created with the given configuration instead of the defaults', async () => {
    const requestHandler = new NodeHttpHandler();
    const { client, close } = opened({ ...config, maxAttempts: 4, requestHandler }, 'us-east-1');
    expect(client.config.requestHandler).toBe(requestHandler);
    expect(await client.config.maxAttempts()).toBe(4);
    expect(await client.config.region()).toBe('eu-west-1');
    close();
  });

  it('that the application passed is used unchanged, and stays open', () => {
    const given = new Client(config);
    const destroyed = vi.spyOn(given, 'destroy');
    const { client, close } = opened(given as never, 'us-east-1');
    expect(client).toBe(given);
    close();
    expect(destroyed).not.toHaveBeenCalled();
    given.destroy();
  });
});
