import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Ledger, LedgerNews, LedgerRecord, Written } from '@leadership/core/ledger';
import { dynamoDbOf, kinesisOf } from '../../src/client.ts';
import { tableLedger } from '../../src/ledger.ts';
import { type Store, storeOf } from '../../src/store.ts';
import { streamOf } from '../../src/stream.ts';
import { type Table, tableOf } from '../../src/table.ts';
import { noWakeUps, streamWakeUps, type WakeUps } from '../../src/wake-ups.ts';
import { eventually } from './eventually.ts';
import { type FakeHost, fakeHost } from './fake-host.ts';
import type { LocalStream } from './local-stream.ts';
import type { LocalTable } from './local-table.ts';

/** One member's ledger, followed. */
export interface Member extends AsyncDisposable {
  readonly host: FakeHost;
  readonly store: Store;
  readonly wakeUps: WakeUps;
  readonly ledger: Ledger;
  readonly news: readonly LedgerNews[];
  /** Why following ended. */
  readonly broke: Promise<unknown>;
  /** The current record of partition 0, as far as was read. */
  current(): LedgerRecord | undefined;
  /** Resolves once the register has been read to its end. */
  opened(): Promise<void>;
  /** Writes the next record after `current()`. */
  writeNext(changes?: Partial<LedgerRecord>): Promise<Written>;
}

export interface MemberOptions {
  readonly member?: string;
  readonly group?: string;
  readonly thresholdMs?: number;
  readonly partitions?: readonly number[];
  readonly create?: boolean;
  readonly observes?: boolean;
  /** How often it reads. Default: so seldom that only what rings can be why. Milliseconds. */
  readonly pollMs?: number;
  readonly client?: DynamoDBClient;
  /** The line of the proxy it comes over. Default: its name. */
  readonly line?: string;
  /** Puts a mistake between it and the table. */
  readonly wrong?: (table: Table) => Table;
  /** Over which it wakes others, and is woken. Default: none. */
  readonly stream?: LocalStream;
}

const pollMsNever = 600_000;

export function openMember(table: LocalTable, options: MemberOptions = {}): Member {
  const { member = 'm', group = 'g', thresholdMs = 4000, partitions = [0], create = false, pollMs = pollMsNever } = options;
  const host = fakeHost(member);
  const { client, close } = dynamoDbOf(options.client ?? table.config(options.line ?? member));
  const { wrong = (right: Table): Table => right } = options;
  const store = { ...storeOf({ table: wrong(tableOf(client, table.name)), group, thresholdMs, guarantee: 'exclusive' }, host), pollMs };
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
  const stop = new AbortController();
  const news: LedgerNews[] = [];
  let current: LedgerRecord | undefined;
  let sequence = 0;
  const follow = async (): Promise<void> => {
    for await (const item of ledger.news(partitions, stop.signal)) {
      if (item.kind === 'restarted') current = undefined;
      if (item.kind === 'record' && item.record.partition === 0 && item.record.height > (current?.height ?? -1)) current = item.record;
      news.push(item);
    }
  };
  const broke = follow().then(
    () => undefined,
    (error: unknown) => error,
  );
  return {
    ...{ host, store, wakeUps, ledger, news, broke },
    current: () => current,
    opened: () => eventually('the register is read to its end', () => news.some((item) => item.kind === 'end')).then(() => undefined),
    async writeNext(changes = {}) {
      sequence += 1;
      const id = `${member}/${host.incarnation}/${sequence}`;
      const place = { group, partition: 0, after: current?.id ?? null, height: (current?.height ?? -1) + 1 };
      const token = current?.token ?? 1n;
      const record = { ...place, id, member, incarnation: host.incarnation, kind: 'hold', token, thresholdMs, ...changes };
      const written = await ledger.write(record, stop.signal);
      if (written === 'in-effect') current = record;
      return written;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ledger.close();
      await broke;
    },
  };
}
