import * as library from '@platformatic/kafka';
import { describe, expect, it } from 'vitest';
import { hasErrorType } from '../../src/errors.ts';
import { brokerErrorOf } from '../../src/platformatic/broker-error.ts';
import type { Brokers } from '../../src/platformatic/brokers.ts';
import type { BrokerConnection } from '../../src/platformatic/connection.ts';
import { platformaticLog } from '../../src/platformatic/log.ts';

/** Connections that record their requests until they end. */
function connections() {
  const asked: string[] = [];
  let opened = 0;
  let endsAt = Number.POSITIVE_INFINITY;
  const to = async (): Promise<BrokerConnection> => {
    opened += 1;
    const number = opened;
    const ask = async ({ key }: { readonly key: number }): Promise<unknown> => {
      if (number <= endsAt - 1) asked.push(`${number}: ${key}`);
      else throw new Error('Connection closed');
      return {};
    };
    return { ask } as unknown as BrokerConnection;
  };
  const brokers = { library: () => Promise.resolve(library), to } as unknown as Brokers;
  const log = platformaticLog(brokers, { topic: 't', requestTimeoutMs: 1_000 }, 1);
  const endAll = (): void => {
    endsAt = 1;
  };
  return { log, asked, endAll, opened: () => opened };
}

const records = [{ partition: 0, values: [Buffer.from('r')] }];

describe('records that are written by the second client', () => {
  it('use the connection that was reached', async () => {
    const { log, asked } = connections();
    const broker = await log.broker(1);
    await broker.produce(records, 400);
    expect(asked).toEqual([`1: ${library.produceV9.api.key}`]);
  });

  it('are acknowledged by every replica in sync, in the time that they have', async () => {
    const requests: (readonly unknown[])[] = [];
    const ask = async (_api: unknown, ...request: readonly unknown[]): Promise<void> =>
      void requests.push(request);
    const brokers = {
      library: () => Promise.resolve(library),
      to: () => Promise.resolve({ ask }),
    } as unknown as Brokers;
    const broker = await platformaticLog(
      brokers,
      { topic: 't', requestTimeoutMs: 1_000 },
      1,
    ).broker(1);
    await broker.produce(records, 400);
    expect(requests.map(([acks, timeoutMs]) => [acks, timeoutMs])).toEqual([[-1, 400]]);
  });

  it('are not sent over another connection if that one has ended: they would arrive too late (L4)', async () => {
    const { log, asked, endAll, opened } = connections();
    const broker = await log.broker(1);
    endAll();
    await expect(broker.produce(records, 400)).rejects.toThrow('closed');
    expect([opened(), asked]).toEqual([1, []]);
  });
});

describe('a fetch by the second client', () => {
  it('rejects if the broker refuses all of it: an empty answer would be asked for again at once', async () => {
    const answer = library.Writer.create()
      .appendInt32(0)
      .appendInt16(43)
      .appendInt32(0)
      .appendArray([], () => undefined)
      .appendTaggedFields();
    const askPatiently = async (): Promise<unknown> => {
      try {
        return library.fetchV12.parseResponse(1, 1, 12, library.Reader.from(answer.buffer));
      } catch (error) {
        throw brokerErrorOf(error);
      }
    };
    const to = (): Promise<unknown> => Promise.resolve({ askPatiently });
    const brokers = { library: () => Promise.resolve(library), to } as unknown as Brokers;
    const broker = await platformaticLog(
      brokers,
      { topic: 't', requestTimeoutMs: 1_000 },
      1,
    ).broker(1);
    const limits = { waitMs: 100, replyBytes: 1024, partitionBytes: 1024 };
    const refusal: unknown = await broker
      .fetch([{ partition: 0, position: 0n }], limits)
      .catch((error: unknown) => error);
    expect(hasErrorType(refusal, 'UNSUPPORTED_FOR_MESSAGE_FORMAT')).toBe(true);
  });
});
