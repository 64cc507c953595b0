import type { NamedText, RowChange } from '@leadership/core/adapter';
import { eventually, type RecordingHost, recordingHost } from '@leadership/testkit/adapter';
import { dynamoDbOf } from '../../src/client/aws-client.ts';
import { groupKey } from '../../src/stream/hash-key.ts';
import { kinesisOf } from '../../src/stream/kinesis-client.ts';
import { type Stream, streamOf } from '../../src/stream/stream.ts';
import { streamNotifications } from '../../src/stream/stream-notifications.ts';
import type { Notifications } from '../../src/table/notifications.ts';
import { sessionRows } from '../../src/table/session-rows.ts';
import { storeOf } from '../../src/table/store.ts';
import { type Table, tableOf } from '../../src/table/table.ts';
import type { LocalStream } from './local-stream.ts';
import type { LocalTable } from './local-table.ts';

/** The rows of one member, which reads them when a notification wakes it, and only then. */
export interface Member extends AsyncDisposable {
  readonly host: RecordingHost;
  readonly notifications: Notifications;
  /** Resolves with the error if it cannot listen; with `undefined` once it listens. */
  readonly failure: Promise<unknown>;
  /** Resolves once it has read the group, and listens or knows that it only will later. */
  opened(): Promise<void>;
  /** Returns the text of the row, as it was read last. */
  current(): string | null;
  /** Replaces the text of the row. Resolves with whether it did. */
  write(text: string, news?: Pick<RowChange, 'isAwaited' | 'isAnnounced'>): Promise<boolean>;
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
  readonly group?: string;
  readonly thresholdMs?: number;
  readonly observes?: boolean;
  /** The proxy line of the member. Default: its name. */
  readonly line?: string;
  readonly stream: LocalStream;
}

/** The row that members change. */
const row = 'kept#row';
/** The interval at which a marker is appended until it is read. Milliseconds. */
const appendAgainMs = 500;
/** The pause after a reading that has failed. Milliseconds. */
const readAgainMs = 100;

export function openMember(table: LocalTable, name: string, options: MemberOptions): Member {
  const { group = 'g', thresholdMs = 4000, line = name, observes = false } = options;
  const host = recordingHost(name);
  const { client, close } = dynamoDbOf(table.config(line));
  const reading = notedReadings(tableOf(client, table.name));
  const store = storeOf({ table: reading.table, group, thresholdMs }, host);
  const streams = kinesisOf(options.stream.config(line));
  const noted = notedTexts(streamOf(streams.client, options.stream.name));
  const notifications = streamNotifications(store, noted.stream, !observes);
  const rows = sessionRows(store, {
    thresholdMsMax: 600_000,
    create: false,
    notifications,
    close() {
      close();
      streams.close();
    },
  });
  const stop = new AbortController();
  let position: unknown;
  let current: string | null = null;
  const exchange = async (...changes: readonly RowChange[]): Promise<readonly boolean[]> => {
    const answer = await rows.exchange({ changes, since: position }, stop.signal);
    position = answer.position;
    for (const [changed, text] of answer.rows as readonly NamedText[])
      if (changed === row) current = text;
    return answer.outcomes;
  };
  // As a member does, it reads again after a failure.
  const readUntilRead = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await exchange();
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, readAgainMs));
      }
    }
  };
  const wake = (): void => void readUntilRead();
  const listen = async (): Promise<void> => {
    await rows.open?.(stop.signal, !observes);
    await exchange();
    await rows.listen?.(wake, stop.signal);
  };
  const listened = listen();
  const failure = listened.then(
    () => undefined,
    (error: unknown) => error,
  );
  return {
    host,
    notifications,
    failure,
    opened: () => listened,
    current: () => current,
    async write(text, news = {}) {
      const [isDone = false] = await exchange({ name: row, expected: current, text, ...news });
      if (isDone) current = text;
      return isDone;
    },
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
          await options.stream.append({ key: groupKey(group), text });
        }
        return noted.texts.has(text) && !reading.isUnderWay() && host.troubles.size === 0;
      });
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await rows.close();
      await failure;
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
