// An application. `consumer-types.process.test.ts` compiles it against the published declarations
// with every supported TypeScript version, and `npm run check` compiles it against the sources. It
// never runs.
import { allOf, type LeadershipSource, openLeadership, type Term } from '@leadership/core';
import type {} from '@leadership/etcd';
import type {} from '@leadership/file';
import type {} from '@leadership/kafka';
import type {} from '@leadership/kinesis';
import type {} from '@leadership/kubernetes';
import type {} from '@leadership/nats';
import type {} from '@leadership/nerio';
import type {} from '@leadership/postgres';
import type {} from '@leadership/redis';
import type {} from '@leadership/scuttlebutt';

export async function open(url: string): Promise<readonly LeadershipSource[]> {
  const ssl = { ca: 'PEM' };
  const sasl = { mechanism: 'plain', username: 'app', password: 'secret' } as const;
  return [
    await openLeadership('memory:billing', { thresholdMs: 1000 }),
    await openLeadership('file:./leadership?group=billing', {
      metadata: { address: 'http://10.0.0.7' },
    }),
    await openLeadership('kafka://broker:9093/billing?topic=leadership', { kafka: { ssl, sasl } }),
    await openLeadership('kinesis://eu-west-1?group=billing&table=leases', {
      dynamodb: { maxAttempts: 2 },
    }),
    await openLeadership('etcd://a:2379,b:2379/?group=billing', {
      tls: { ca: 'PEM' },
      user: 'app',
      password: () => Promise.resolve('secret'),
    }),
    await openLeadership('kubernetes:shop?group=billing', {
      server: 'https://10.0.0.1:6443',
      token: () => Promise.resolve('secret'),
    }),
    await openLeadership('nats://127.0.0.1:4222/?group=billing&bucket=elections', {
      credentials: () => Promise.resolve('secret'),
    }),
    await openLeadership('rediss://redis.example/0?group=billing&minReplicas=1', {
      connection: { password: 'secret' },
    }),
    await openLeadership('postgres://db.example/app?group=billing', {
      connection: { password: () => Promise.resolve('secret') },
    }),
    await openLeadership('nerio://a:7400,b:7400,c:7400/billing?member=a:7400', {
      stateDirectory: './state',
    }),
    await openLeadership('gossip://a:7400,b:7400,c:7400/billing?member=d:7400', {
      seeds: ['e:7400'],
    }),
    await openLeadership(url, { kafka: { ssl } }),
    await openLeadership(new URL('memory:billing')),
    // An adapter whose types the program does not import checks its options when it is loaded.
    await openLeadership('acme:billing', { zone: 1 }),
  ];
}

export async function misspell(url: string): Promise<void> {
  // @ts-expect-error: the option is kafka
  await openLeadership('kafka://broker:9093/billing?topic=leadership', { kafak: {} });
  // @ts-expect-error: the option of KafkaJS is ssl
  await openLeadership('kafka://broker:9093/billing?topic=leadership', { kafka: { tls: true } });
  // @ts-expect-error: the memory backend has no brokers
  await openLeadership('memory:billing', { kafka: {} });
  // @ts-expect-error: the option is thresholdMs
  await openLeadership('file:./leadership?group=billing', { tresholdMs: 1000 });
  // @ts-expect-error: no backend has this option
  await openLeadership(url, { kafak: {} });
  // @ts-expect-error: the common options have their types on every scheme
  await openLeadership('acme:billing', { thresholdMs: '3s' });
}

export async function lead(source: LeadershipSource, other: LeadershipSource): Promise<void> {
  const both = allOf(source, other);
  await both.role('invoices').lead(async (term: Term) => {
    const token: bigint = term.token;
    if (!term.signal.aborted)
      await fetch('http://127.0.0.1/', { headers: { fence: String(token) }, signal: term.fenced });
  });
}
