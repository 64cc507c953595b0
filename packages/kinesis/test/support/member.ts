import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Ledger } from '@leadership/core/ledger';
import { type FollowedLedger, followLedger, type NotingHost, notingHost } from '@leadership/testkit/adapter';
import { dynamoDbOf } from '../../src/client.ts';
import type { Guarantee } from '../../src/election.ts';
import { groupKey } from '../../src/hash-key.ts';
import { kinesisOf } from '../../src/kinesis-client.ts';
import { tableLedger } from '../../src/ledger.ts';
import { type Store, storeOf } from '../../src/store.ts';
import { type Stream, streamOf } from '../../src/stream.ts';
import { type Table, tableOf } from '../../src/table.ts';
import { noWakeUps, streamWakeUps, type WakeUps } from '../../src/wake-ups.ts';
import { eventually } from './eventually.ts';
import type { LocalStream } from './local-stream.ts';
import type { LocalTable } from './local-table.ts';

/** One member's ledger, followed. */
export interface Member extends FollowedLedger {
  readonly host: NotingHost;
  readonly store: Store;
  readonly wakeUps: WakeUps;
  readonly ledger: Ledger;
  /** How many readings of the group it has begun. */
  readings(): number;
  /** Resolves once it listens to the stream: it opens it beside the table, and again where that took too long. */
  listening(): Promise<void>;
  /** Resolves once it has heard what is on the stream by now, and has read what it was woken for. */
  settled(): Promise<void>;
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
  /** How long it waits for an answer of the table. Default: a third of T. Milliseconds. */
  readonly limitMs?: number;
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
/** How often a text is appended until it is read. Milliseconds. */
const appendAgainMs = 500;

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
  const reading = notedReadings(wrong(tableOf(client, table.name)));
  const usual = storeOf({ table: reading.table, group, thresholdMs, guarantee }, host);
  const store = { ...usual, pollMs, limitMs: options.limitMs ?? usual.limitMs };
  const streams = options.stream && kinesisOf(options.stream.config(options.line ?? member));
  const hearing = options.stream && streams && notedTexts(streamOf(streams.client, options.stream.name));
  const wakeUps = hearing ? streamWakeUps(store, hearing.stream, !options.observes) : noWakeUps;
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
  return {
    ...{ ...followed, host, store, wakeUps, ledger, readings: reading.begun },
    listening: async () => void (await eventually('it listens', () => host.warnings.size === 0)),
    async settled() {
      const text = `heard by now ${crypto.randomUUID()}`;
      let appendedAt = Number.NEGATIVE_INFINITY;
      await eventually('it has heard and read', async () => {
        // A member reads what is appended after it opened the stream, and opens it again after an answer that took too long.
        if (performance.now() > appendedAt + appendAgainMs) {
          appendedAt = performance.now();
          await options.stream?.append({ key: groupKey(group), text });
        }
        return hearing?.texts.has(text) && !reading.isUnderWay() && host.troubles.size === 0;
      });
    },
  };
}

/** Readings are counted as they are begun: who counts them where they arrive does not know of those on their way. */
function notedReadings(table: Table) {
  let [begun, ended] = [0, 0];
  const items: Table['items'] = (...asked) => {
    begun += 1;
    return table.items(...asked).finally(() => {
      ended += 1;
    });
  };
  return { table: { ...table, items }, begun: () => begun, isUnderWay: () => begun > ended };
}

function notedTexts(stream: Stream) {
  const texts = new Set<string>();
  const read: Stream['read'] = async (...asked) => {
    const batch = await stream.read(...asked);
    for (const text of batch.texts) texts.add(text);
    return batch;
  };
  return { stream: { ...stream, read }, texts };
}
