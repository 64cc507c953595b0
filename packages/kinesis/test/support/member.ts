import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Ledger, type Presence, tableLedger } from '@leadership/core/internal/lease';
import { type RecordingHost, recordingHost } from '@leadership/testkit/adapter';
import { dynamoDbOf } from '../../src/client/aws-client.ts';
import type { Guarantee } from '../../src/election.ts';
import { groupKey } from '../../src/stream/hash-key.ts';
import { kinesisOf } from '../../src/stream/kinesis-client.ts';
import { type Stream, streamOf } from '../../src/stream/stream.ts';
import { streamNotifications } from '../../src/stream/stream-notifications.ts';
import { agreementOf } from '../../src/table/agreement.ts';
import { dynamoRows } from '../../src/table/dynamo-rows.ts';
import { type Notifications, noNotifications } from '../../src/table/notifications.ts';
import { type Store, storeOf } from '../../src/table/store.ts';
import { type Table, tableOf } from '../../src/table/table.ts';
import { eventually } from './eventually.ts';
import { type FollowedLedger, followLedger } from './follow-ledger.ts';
import type { LocalStream } from './local-stream.ts';
import type { LocalTable } from './local-table.ts';

/** The ledger of one member, with a reader that follows it. */
export interface Member extends FollowedLedger {
  readonly host: RecordingHost;
  readonly store: Store;
  readonly notifications: Notifications;
  readonly ledger: Ledger;
  readonly presence: Presence;
  /** Returns the number of reads of the group that it has started. */
  readings(): number;
  /**
   * Resolves once the member listens to the stream. It opens the stream beside the table, and
   * reopens it after a timeout.
   */
  listening(): Promise<void>;
  /**
   * Resolves once the member has received all current notifications, and has completed the reads
   * they caused.
   */
  settled(): Promise<void>;
}

export interface MemberOptions {
  readonly member?: string;
  readonly group?: string;
  readonly thresholdMs?: number;
  readonly partitions?: readonly number[];
  readonly create?: boolean;
  readonly observes?: boolean;
  /** The guarantee of the group. Default: `exclusive`. */
  readonly guarantee?: Guarantee;
  /**
   * The poll interval. Default: so long that only a notification can cause a read. Milliseconds.
   */
  readonly pollMs?: number;
  /** The timeout of requests to the table. Default: a third of T. Milliseconds. */
  readonly limitMs?: number;
  readonly client?: DynamoDBClient;
  /** The proxy line of the member. Default: its name. */
  readonly line?: string;
  /** Wraps the table, for tests that put an error between the member and the table. */
  readonly wrong?: (table: Table) => Table;
  /** Returns a number in [0, 1). Default: random. */
  readonly random?: () => number;
  /** The stream for notifications. Default: none. */
  readonly stream?: LocalStream;
}

const pollMsNever = 600_000;
/** The interval at which a marker is appended until it is read. Milliseconds. */
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
  const host = { ...recordingHost(member), ...(options.random && { random: options.random }) };
  const { client, close } = dynamoDbOf(options.client ?? table.config(options.line ?? member));
  const { wrong = (right: Table): Table => right } = options;
  const reading = notedReadings(wrong(tableOf(client, table.name)));
  const usual = storeOf({ table: reading.table, group, thresholdMs, guarantee }, host);
  const store = { ...usual, pollMs, limitMs: options.limitMs ?? usual.limitMs };
  const streams = options.stream && kinesisOf(options.stream.config(options.line ?? member));
  const noted =
    options.stream && streams && notedTexts(streamOf(streams.client, options.stream.name));
  const notifications = noted
    ? streamNotifications(store, noted.stream, !options.observes)
    : noNotifications;
  const closeAll = (): void => {
    close();
    streams?.close();
  };
  const rows = dynamoRows(store, { partitions: 1, create, notifications, close: closeAll });
  const own = { pollMs, limitMs: store.limitMs, agreement: agreementOf(store) };
  const campaign = !options.observes;
  const { ledger, presence } = tableLedger(
    rows,
    { group, partitions: 1, thresholdMs, thresholdMsMax: 5000, campaign, ...own },
    host,
  );
  const followed = followLedger(ledger, { host, group, partitions, thresholdMs });
  return {
    ...followed,
    host,
    store,
    notifications,
    ledger,
    presence,
    readings: reading.begun,
    listening: async () =>
      void (await eventually('the member listens to the stream', () => host.warnings.size === 0)),
    async settled() {
      const text = `marker ${crypto.randomUUID()}`;
      let appendedAt = Number.NEGATIVE_INFINITY;
      await eventually('the member has received the marker and finished reading', async () => {
        // A member reads records that are appended after it opened the stream. It reopens it after
        // a timeout.
        if (performance.now() > appendedAt + appendAgainMs) {
          appendedAt = performance.now();
          await options.stream?.append({ key: groupKey(group), text });
        }
        return noted?.texts.has(text) && !reading.isUnderWay() && host.troubles.size === 0;
      });
    },
  };
}

/** Counts reads when they start. A count at the server would miss reads on their way. */
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
