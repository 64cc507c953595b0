import { hasDynamoDb, startDynamoDb } from '@leadership/tools/aws';
import { hasKafka, startKafka } from '@leadership/tools/kafka';
import { wayTo } from '../kinesis/ground.ts';
import { placesFor } from '../nerio/places.ts';
import { tempDirectory } from '../process/temp-directory.ts';
import type { Place } from './member.ts';

/** A backend and the number of partitions at which it has to settle. */
export interface Size {
  readonly backend: string;
  readonly partitions: number;
  /** Whether all members live in one process. */
  readonly isOneProcess: boolean;
  /** Whether the backend can be started on this machine. */
  isOffered(): Promise<boolean>;
  open(members: number): Promise<OpenPlace>;
}

/** A place for one group. Disposing removes everything. */
export interface OpenPlace extends AsyncDisposable {
  readonly place: Place;
  readonly members: readonly string[];
}

const always = (): Promise<boolean> => Promise.resolve(true);
const nothing = (): Promise<void> => Promise.resolve();

/** The documented size on Kafka. */
export const kafkaSize: Size = {
  ...{ backend: 'Kafka', partitions: 256, isOneProcess: false },
  isOffered: () => hasKafka({ brokers: 1 }),
  open: openKafka,
};

/** The sizes that the documentation names. */
export const sizes: readonly Size[] = [
  { backend: 'memory', partitions: 256, isOneProcess: true, isOffered: always, open: openMemory },
  { backend: 'file', partitions: 128, isOneProcess: false, isOffered: always, open: openFile },
  { backend: 'Nerio', partitions: 256, isOneProcess: false, isOffered: always, open: openNerio },
  {
    backend: 'Kinesis',
    partitions: 256,
    isOneProcess: false,
    isOffered: () => hasDynamoDb(),
    open: openKinesis,
  },
  kafkaSize,
];

async function openMemory(members: number): Promise<OpenPlace> {
  return { place: { kind: 'memory' }, members: namesOf(members), [Symbol.asyncDispose]: nothing };
}

async function openFile(members: number): Promise<OpenPlace> {
  const { path, [Symbol.asyncDispose]: end } = await tempDirectory();
  return {
    place: { kind: 'file', directory: path },
    members: namesOf(members),
    [Symbol.asyncDispose]: end,
  };
}

async function openNerio(members: number): Promise<OpenPlace> {
  const addresses = await placesFor(members);
  return {
    place: { kind: 'nerio', addresses },
    members: Object.keys(addresses),
    [Symbol.asyncDispose]: nothing,
  };
}

async function openKinesis(members: number): Promise<OpenPlace> {
  const server = await startDynamoDb();
  const place: Place = {
    kind: 'kinesis',
    table: `bench-${crypto.randomUUID()}`,
    tables: wayTo(server.url, server),
  };
  return {
    place,
    members: namesOf(members),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function openKafka(members: number): Promise<OpenPlace> {
  const cluster = await startKafka({ brokers: 1, proxied: false });
  const place: Place = {
    kind: 'kafka',
    brokers: cluster.bootstrap,
    topic: `bench-settle-${crypto.randomUUID().slice(0, 8)}`,
  };
  return {
    place,
    members: namesOf(members),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

function namesOf(members: number): readonly string[] {
  return Array.from({ length: members }, (_, index) => `m${index + 1}`);
}
