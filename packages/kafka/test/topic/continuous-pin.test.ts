import { LeadershipError } from '@leadership/core';
import { type Instant, monotonicClock } from '@leadership/core/adapter';
import { HealthReporter } from '@leadership/core/internal/engine';
import { recordingHost } from '@leadership/testkit/adapter';
import type { Broker } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import type { ClusterConnection } from '../../src/connection/cluster-connection.ts';
import { kafkajsBroker } from '../../src/kafkajs/log.ts';
import type { MemberContext } from '../../src/member-context.ts';
import { ContinuousPin } from '../../src/topic/continuous-pin.ts';

const host = { ...recordingHost('m'), incarnation: 'i', random: () => 0 };
const context = {
  topic: 't',
  group: 'g',
  partitions: 1,
  thresholdMs: 9_000,
  clock: monotonicClock,
  host,
} as unknown as MemberContext;
const denied = new LeadershipError(
  'unauthorized',
  'topic t: a right is missing: grant Write on the topic',
);
const foreign = `{"group":"g","partition":-1,"id":"o/o/pin.1","after":null,"height":0,"member":"o","incarnation":"o","kind":"pin","token":"0","thresholdMs":500,"metadata":{"partitions":"1"}}`;

/**
 * A member's pin, and partition 0 of the topic, without a poll. `asked` runs before each answer to
 * a fetch.
 */
function member(asked: (log: string[], pin: ContinuousPin) => void = () => undefined) {
  const log: string[] = [];
  let opened = 0;
  const fetch = ({ topics }: Parameters<Broker['fetch']>[0]): unknown => {
    asked(log, pin);
    const from = Number(topics[0]?.partitions[0]?.fetchOffset);
    const messages = log.slice(from).map((value, at) => ({
      offset: String(from + at),
      timestamp: '0',
      value: Buffer.from(value),
    }));
    return Promise.resolve({
      responses: [
        {
          topicName: 't',
          partitions: [{ partition: 0, highWatermark: String(log.length), messages }],
        },
      ],
    });
  };
  const connection: Partial<ClusterConnection> = {
    leaderOf: () => 1,
    broker: () => Promise.resolve(kafkajsBroker({ fetch } as unknown as Broker, 't')),
    withTimeout: (asked) => asked,
    offsetsOf: (_partitions, which) =>
      Promise.resolve(new Map([[0, which === 'start' ? 0n : BigInt(log.length)]])),
    close: () => undefined,
  };
  const sender = {
    isDenied: false,
    send(_partition: number, value: string): Promise<void> {
      if (this.isDenied) return Promise.reject(denied);
      log.push(value);
      return Promise.resolve();
    },
  };
  const openApart = (): Promise<ClusterConnection> => {
    opened += 1;
    return Promise.resolve(connection as ClusterConnection);
  };
  const { signal } = new AbortController();
  const pin = new ContinuousPin({
    context,
    troubles: new HealthReporter(host),
    sender,
    signal,
    openApart,
  });
  return { pin, log, sender, connection: connection as ClusterConnection, opened: () => opened };
}

describe('the pin of a continuous group', () => {
  it('is not written without the right to write: reading starts, and the first send reports it', async () => {
    const { pin, sender, connection, opened } = member();
    sender.isDenied = true;
    await pin.admit(connection, true);
    await expect(pin.admitSender()).rejects.toBe(denied);
    expect(opened()).toBe(0);
  });

  it('is written once by a former observer, before concurrent sends, and read back over a separate connection', async () => {
    const { pin, log, connection, opened } = member();
    await pin.admit(connection, false);
    expect(log).toHaveLength(0);
    await Promise.all([pin.admitSender(), pin.admitSender()]);
    await pin.admitSender();
    expect([log.length, opened()]).toEqual([1, 1]);
  });

  it('is the earlier one of two, even if it is read later', async () => {
    // Another promise got there first. The poll that goes on hands over the own one each time
    // before the other has been read.
    const { pin, connection } = member((log, own) => {
      if (log.length === 1) log.unshift(foreign);
      if (log.length === 0) return;
      const value = Buffer.from(log.at(-1) ?? '');
      own.take(
        {
          value,
          offset: 1n,
          nextOffset: 2n,
          writtenMs: 0,
          stampedMs: undefined,
          epoch: 1,
          isControl: false,
        },
        0 as Instant,
      );
    });
    await pin.admit(connection, false);
    await expect(pin.admitSender()).rejects.toMatchObject({ code: 'partitions-differ' });
  });
});
