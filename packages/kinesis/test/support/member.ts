import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Ledger } from '@leadership/core/ledger';
import { type FollowedLedger, followLedger, type NotingHost, notingHost } from '@leadership/testkit/adapter';
import { dynamoDbOf, kinesisOf } from '../../src/client.ts';
import type { Guarantee } from '../../src/election.ts';
import { tableLedger } from '../../src/ledger.ts';
import { type Store, storeOf } from '../../src/store.ts';
import { streamOf } from '../../src/stream.ts';
import { type Table, tableOf } from '../../src/table.ts';
import { noWakeUps, streamWakeUps, type WakeUps } from '../../src/wake-ups.ts';
import type { LocalStream } from './local-stream.ts';
import type { LocalTable } from './local-table.ts';

/** One member's ledger, followed. */
export interface Member extends FollowedLedger {
  readonly host: NotingHost;
  readonly store: Store;
  readonly wakeUps: WakeUps;
  readonly ledger: Ledger;
}

export interface MemberOptions {
  readonly member?: string;
  readonly group?: string;
  readonly thresholdMs?: number;
  readonly partitions?: readonly number[];
  readonly create?: boolean;
  readonly observes?: boolean;
  /** Default: `exclusive`. */
  readonly guarantee?: Guarantee;
  /** How often it reads. Default: so seldom that only what rings can be why. Milliseconds. */
  readonly pollMs?: number;
  readonly client?: DynamoDBClient;
  /** The line of the proxy it comes over. Default: its name. */
  readonly line?: string;
  /** Puts a mistake between it and the table. */
  readonly wrong?: (table: Table) => Table;
  /** In [0, 1). Default: chance. */
  readonly random?: () => number;
  /** Over which it wakes others, and is woken. Default: none. */
  readonly stream?: LocalStream;
}

const pollMsNever = 600_000;

export function openMember(table: LocalTable, options: MemberOptions = {}): Member {
  const {
    member = 'm',
    group = 'g',
    thresholdMs = 4000,
    partitions = [0],
    create = false,
    pollMs = pollMsNever,
    guarantee = 'exclusive',
  } = options;
  const host = { ...notingHost(member), ...(options.random && { random: options.random }) };
  const { client, close } = dynamoDbOf(options.client ?? table.config(options.line ?? member));
  const { wrong = (right: Table): Table => right } = options;
  const store = { ...storeOf({ table: wrong(tableOf(client, table.name)), group, thresholdMs, guarantee }, host), pollMs };
  const streams = options.stream && kinesisOf(options.stream.config(options.line ?? member));
  const wakeUps =
    options.stream && streams ? streamWakeUps(store, streamOf(streams.client, options.stream.name), !options.observes) : noWakeUps;
  const ledger = tableLedger(store, {
    partitions: 1,
    thresholdMsMax: 5000,
    homeRegion: undefined,
    create,
    begins: !options.observes,
    wakeUps,
    close() {
      close();
      streams?.close();
    },
  });
  const followed = followLedger(ledger, { host, group, partitions, thresholdMs });
  return { ...followed, host, store, wakeUps, ledger };
}
