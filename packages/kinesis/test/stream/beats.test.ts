// Beats and notifications over one stream: the SDK's own client with a stream in memory.
import type { Beat, BeatEvent } from '@leadership/induction';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { streamBeats } from '../../src/stream/beats.ts';
import { groupKey, partitionKey } from '../../src/stream/hash-key.ts';
import { kinesisOf } from '../../src/stream/kinesis-client.ts';
import { formatNotification } from '../../src/stream/notification.ts';
import { streamOf } from '../../src/stream/stream.ts';
import { storeOf } from '../../src/table/store.ts';
import { tableOf } from '../../src/table/table.ts';
import { eventually } from '../support/eventually.ts';
import { fakeHost } from '../support/fake-host.ts';
import { type MemoryStream, memoryStream } from '../support/memory-stream.ts';
import { type MemoryTable, memoryTable } from '../support/memory-table.ts';

const never = new AbortController().signal;
const thresholdMs = 3000;
let table: MemoryTable;
let stream: MemoryStream;
beforeEach(async () => {
  table = await memoryTable();
  stream = await memoryStream(2);
});
afterEach(() => Promise.all([table[Symbol.asyncDispose](), stream[Symbol.asyncDispose]()]));

interface MemberOptions {
  readonly group?: string;
  readonly partitions?: number;
  readonly campaign?: boolean;
}

/** Opens a member's beats and notifications. Its proxy line has its name. */
function open(
  member: string,
  { group = 'billing', partitions = 2, campaign = true }: MemberOptions = {},
) {
  const host = fakeHost(member);
  const { client, close } = kinesisOf(stream.config(member));
  const store = storeOf({ table: tableOf(table.client, table.name), group, thresholdMs }, host);
  let closed = 0;
  const noteClosed = (): void => {
    closed += 1;
  };
  const options = { group, partitions, thresholdMs, campaign, closed: noteClosed };
  const { beats, notifications } = streamBeats(store, streamOf(client, stream.name), options);
  const read = (signal: AbortSignal = never) => {
    const updates: BeatEvent[] = [];
    const follow = async (): Promise<void> => {
      for await (const one of beats.received([...Array(partitions).keys()], signal))
        updates.push(one);
    };
    const ended = follow().catch((error: unknown) => error);
    const listened = (): readonly number[] =>
      updates.flatMap((one) => (one.kind === 'listening' ? one.partitions : [])).sort();
    const listening = () =>
      eventually('the reader listens to all partitions', () => listened().length === partitions);
    return { updates, ended, listening, listened };
  };
  return {
    host,
    beats,
    notifications,
    read,
    closed: () => closed,
    sent: () => stream.service.counts(member).get('PutRecords') ?? 0,
    async [Symbol.asyncDispose]() {
      await beats.close();
      notifications.close();
      close();
    },
  };
}

function beatOf(partition: number, sequence = 1): Beat {
  const sender = {
    group: 'billing',
    member: 'm',
    incarnation: 'i',
    standing: 'leading',
    token: 7n,
    partitions: 2,
    thresholdMs,
  };
  return { ...sender, partition, sequence, id: `m/i/${partition}.${sequence}` };
}

describe('beats on a stream', () => {
  it('reach all members including the sender unchanged and in order, under the hash key of their partition (I1, I2)', async () => {
    await using one = open('one');
    await using other = open('other');
    const [own, others] = [one.read(), other.read()];
    await Promise.all([own.listening(), others.listening()]);
    const sent = [beatOf(0), beatOf(1), beatOf(0, 2)];
    const since = performance.now();
    await one.beats.send(sent, never);
    for (const { updates } of [own, others]) {
      await eventually(
        'all beats are read',
        () => updates.filter(({ kind }) => kind === 'beat').length === 3,
      );
      const beats = updates.flatMap((item) => (item.kind === 'beat' ? [item] : []));
      expect(
        [0, 1].map((partition) =>
          beats.map(({ beat }) => beat).filter((beat) => beat.partition === partition),
        ),
      ).toEqual([[sent[0], sent[2]], [sent[1]]]);
      for (const { receivedAt } of beats) expect(receivedAt).toBeGreaterThanOrEqual(since);
    }
    const put = stream.service.asked
      .filter(({ line, operation }) => line === 'one' && operation === 'PutRecords')
      .at(-1);
    const records = (put?.input['Records'] ?? []) as readonly {
      readonly ExplicitHashKey: string;
    }[];
    expect(records.map(({ ExplicitHashKey }) => ExplicitHashKey)).toEqual(
      sent.map(({ partition }) => String(partitionKey(partition, 2))),
    );
  });

  it('report listening per partition: a shard with only notifications does not count', async () => {
    // The only partition lies in the middle, in the second shard. The notifications lie in the
    // first.
    const group = ['a', 'b', 'c', 'd', 'e', 'f'].find((name) => groupKey(name) < 2n ** 127n) ?? '';
    await using one = open('one', { group, partitions: 1 });
    const reading = one.read();
    await reading.listening();
    await eventually(
      'both shards are read',
      () => (stream.service.counts('one').get('GetRecords') ?? 0) >= 4,
    );
    expect(reading.updates).toEqual([{ kind: 'listening', partitions: [0] }]);
  });

  it('are distinguished from other records, which are only counted', async () => {
    await using one = open('one');
    const reading = one.read();
    await reading.listening();
    await stream.append({ key: partitionKey(0, 2), text: 'nonsense' });
    await eventually('the other record is read', () =>
      reading.updates.some(({ kind }) => kind === 'ignored'),
    );
    expect(reading.updates.filter(({ kind }) => kind === 'beat')).toEqual([]);
  });

  it('end on close: no request is sent afterwards, and reported problems are cleared', async () => {
    await using one = open('one');
    const reading = one.read();
    await reading.listening();
    using _away = stream.service.inject({ kind: 'cut' }, { line: 'one' });
    await eventually('the problem is reported', () => one.host.troubles.size > 0);
    await one.beats.close();
    await expect(reading.ended).resolves.toBeUndefined();
    expect([one.host.troubles.size, one.closed()]).toEqual([0, 1]);
    const asked = stream.service.asked.length;
    await expect(one.beats.send([beatOf(0)], never)).rejects.toMatchObject({ code: 'closed' });
    expect(stream.service.asked.length).toBe(asked);
  });
});

describe('the first notification of a member that reads beats', () => {
  it('is sent once: not by an observer, and not again when the stream is read again', async () => {
    await using one = open('one');
    await using observer = open('observer', { campaign: false });
    const [first, seen] = [new AbortController(), observer.read()];
    const before = one.read(first.signal);
    await Promise.all([before.listening(), seen.listening()]);
    await eventually('the notification is sent', () => one.sent() === 1);
    first.abort();
    await before.ended;
    await one.read().listening();
    expect([one.sent(), observer.sent()]).toEqual([1, 0]);
  });

  it('ends the read with an error that waiting cannot resolve', async () => {
    using _denied = stream.service.inject(
      { kind: 'error', code: 'AccessDeniedException' },
      { line: 'one', operations: ['PutRecords'] },
    );
    await using one = open('one');
    await expect(one.read().ended).resolves.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('kinesis:PutRecords is denied'),
    });
  });

  it.each(['cut', 'swallow'] as const)(
    'does not delay the reader if it does not arrive: %s',
    async (kind) => {
      using _away = stream.service.inject({ kind }, { line: 'one', operations: ['PutRecords'] });
      await using one = open('one');
      await one.read().listening();
    },
  );
});

describe('notifications among beats', () => {
  it('ring for other members of the group until the listener stops', async () => {
    await using one = open('one');
    await using other = open('other', { campaign: false });
    await using _stranger = open('stranger', { group: 'of others' });
    const reading = one.read();
    await reading.listening();
    await other.read().listening();
    const stop = new AbortController();
    const rung: string[] = [];
    await one.notifications.listen(() => void rung.push('first'), stop.signal);
    // Its own notification, another group's, and one without fields are read before the one that
    // counts.
    const key = groupKey('billing');
    one.notifications.notify();
    await eventually('its own notification is sent', () => one.sent() === 2);
    await stream.append(
      { key, text: formatNotification('of others', 'stranger') },
      { key, text: '{"kind":"wake-up"}' },
    );
    other.notifications.notify();
    await eventually('the first listener is called', () => rung.length > 0);
    expect(rung).toEqual(['first']);
    expect(reading.updates.filter(({ kind }) => kind !== 'listening')).toEqual([]);
    stop.abort();
    await one.notifications.listen(() => void rung.push('second'), never);
    other.notifications.notify();
    await eventually('the second listener is called', () => rung.length > 1);
    expect(rung).toEqual(['first', 'second']);
  });

  it('are not sent after close', async () => {
    await using one = open('one', { campaign: false });
    one.notifications.close();
    one.notifications.notify();
    await one.beats.send([beatOf(0)], never);
    expect(one.sent()).toBe(1);
  });
});
