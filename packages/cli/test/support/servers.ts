// The backends of these groups: their URLs have no other reference to the packages.
import type {} from '@leadership/etcd';
import type {} from '@leadership/kafka';
import type {} from '@leadership/kinesis';
import type {} from '@leadership/postgres';
import type {} from '@leadership/redis';
import { hasDynamoDb, openAws } from '@leadership/tools/aws';
import { hasEtcd, startEtcd } from '@leadership/tools/etcd';
import { hasKafka, startKafka } from '@leadership/tools/kafka';
import { hasPostgres, startPostgres } from '@leadership/tools/postgres';
import { hasRedis, startRedis } from '@leadership/tools/redis';

/** A server on which groups keep their leases. */
export interface Server extends AsyncDisposable {
  readonly name: string;
  /** Returns the URL of a group with one partition. */
  url(group: string, thresholdMs: number): string;
  /** The variables from which its clients read the rest of its address. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts a Kafka broker. */
export async function kafkaServer(): Promise<Server> {
  const broker = await startKafka({ brokers: 1, proxied: false });
  return server(
    'kafka',
    broker,
    (group) => `kafka://${broker.bootstrap}/${group}?topic=leadership`,
  );
}

async function postgresServer(): Promise<Server> {
  const postgres = await startPostgres();
  const { host, port, user, password, database } = postgres;
  const url = (group: string): string => `postgres://${host}:${port}/${database}?group=${group}`;
  return server('postgres', postgres, url, { PGUSER: user, PGPASSWORD: password });
}

async function redisServer(): Promise<Server> {
  const redis = await startRedis();
  return server('redis', redis, (group) => `redis://${redis.host}:${redis.port}/0?group=${group}`);
}

async function etcdServer(): Promise<Server> {
  const etcd = await startEtcd();
  return server('etcd', etcd, (group) => `etcd://${etcd.endpoints}/?group=${group}`);
}

/** A table alone, and the same table with a stream. */
async function awsServers(): Promise<readonly Server[]> {
  const aws = await openAws({ shards: 1 });
  const environment = { ...aws.tables.environment, ...aws.streams.environment };
  const url = (stream: string) => (group: string) =>
    `kinesis://${environment['AWS_REGION']}/${stream}?table=leases&create=true&group=${group}`;
  return [
    server('dynamodb', aws, url(''), environment),
    // Both end with the first one.
    server(
      'kinesis',
      { [Symbol.asyncDispose]: async () => undefined },
      url(aws.stream),
      environment,
    ),
  ];
}

function server(
  name: string,
  started: AsyncDisposable,
  url: (group: string) => string,
  environment: Readonly<Record<string, string>> = {},
): Server {
  return {
    name,
    url: (group, ms) => `${url(group)}&partitions=1&thresholdMs=${ms}`,
    environment,
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

/** Whether each server can be started here, and how. */
export const stores: readonly (readonly [
  () => Promise<boolean>,
  () => Promise<Server | readonly Server[]>,
])[] = [
  [hasPostgres, postgresServer],
  [hasRedis, redisServer],
  [hasEtcd, etcdServer],
  [hasDynamoDb, awsServers],
];

/** Resolves with whether a broker can be started here. */
export const hasBroker = (): Promise<boolean> => hasKafka({ brokers: 1 });
