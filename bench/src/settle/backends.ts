import { hasDynamoDb, startDynamoDb } from '@leadership/tools/aws';
import { hasKafka, startKafka } from '@leadership/tools/kafka';
import { endpointOf } from '../kinesis/environment.ts';
import { freeAddresses } from '../nerio/free-addresses.ts';
import { tempDirectory } from '../process/temp-directory.ts';
import type { BackendConfig } from './member.ts';

/** A backend and the number of partitions at which it has to settle. */
export interface Size {
  readonly backend: string;
  readonly partitions: number;
  /** Whether all members live in one process. */
  readonly isOneProcess: boolean;
  /** Whether the backend can be started on this machine. */
  isOffered(): Promise<boolean>;
  open(members: number): Promise<OpenBackend>;
}

/** A backend for one group. Disposing removes everything. */
export interface OpenBackend extends AsyncDisposable {
  readonly backend: BackendConfig;
  readonly members: readonly string[];
}

const always = (): Promise<boolean> => Promise.resolve(true);
const nothing = (): Promise<void> => Promise.resolve();

/** The documented size on Kafka. */
export const kafkaSize: Size = {
  backend: 'Kafka',
  partitions: 256,
  isOneProcess: false,
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

async function openMemory(members: number): Promise<OpenBackend> {
  return { backend: { kind: 'memory' }, members: namesOf(members), [Symbol.asyncDispose]: nothing };
}

async function openFile(members: number): Promise<OpenBackend> {
  const { path, [Symbol.asyncDispose]: end } = await tempDirectory();
  return {
    backend: { kind: 'file', directory: path },
    members: namesOf(members),
    [Symbol.asyncDispose]: end,
  };
}

async function openNerio(members: number): Promise<OpenBackend> {
  const addresses = await freeAddresses(members);
  return {
    backend: { kind: 'nerio', addresses },
    members: Object.keys(addresses),
    [Symbol.asyncDispose]: nothing,
  };
}

async function openKinesis(members: number): Promise<OpenBackend> {
  const server = await startDynamoDb();
  const backend: BackendConfig = {
    kind: 'kinesis',
    table: `bench-${crypto.randomUUID()}`,
    tables: endpointOf(server.url, server),
  };
  return {
    backend,
    members: namesOf(members),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function openKafka(members: number): Promise<OpenBackend> {
  const cluster = await startKafka({ brokers: 1, proxied: false });
  const backend: BackendConfig = {
    kind: 'kafka',
    brokers: cluster.bootstrap,
    topic: `bench-settle-${crypto.randomUUID().slice(0, 8)}`,
  };
  return {
    backend,
    members: namesOf(members),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

function namesOf(members: number): readonly string[] {
  return Array.from({ length: members }, (_, index) => `m${index + 1}`);
}
