import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { ResponseTimeoutError } from '../../src/connection/response-timeout.ts';
import { bothRead, FakeBrokers, reading } from '../support/fake-brokers.ts';

describe('reading a topic from the brokers that lead it', () => {
  it('ignores a late answer after another broker has answered', async () => {
    const played = new FakeBrokers();
    const { received: reported } = reading(played);
    const { one, two } = await bothRead(played);
    // Partition 0 moves to broker 2 while broker 1 still waits for new records in it.
    played.next = [[0, 2]];
    two.fail('NOT_LEADER_FOR_PARTITION');
    (await played.fetchAt(2)).answer(
      { partition: 0, from: 2, count: 3 },
      { partition: 1, from: 0, count: 1 },
    );
    const then = await played.fetchAt(2);
    expect([...then.from]).toEqual([
      [0, 5],
      [1, 1],
    ]);
    one.answer({ partition: 0, from: 2, count: 1 });
    then.answer({ partition: 0, from: 5, count: 1 }, { partition: 1, from: 1, count: 0 });
    await eventually('it is read on', () => reported.includes('0: 5'));
    expect(reported.filter((item) => item.startsWith('0'))).toEqual([
      '0: 0',
      '0: 1',
      '0: 2',
      '0: 3',
      '0: 4',
      '0: 5',
    ]);
    played.connection.close();
  });

  it('a broker that does not know the topic yet affects only its own partitions, if another broker knows it', async () => {
    const played = new FakeBrokers();
    const { received: reported } = reading(played);
    const { one, two } = await bothRead(played);
    one.fail('UNKNOWN_TOPIC_OR_PARTITION');
    (await played.fetchAt(1)).answer({ partition: 0, from: 0, count: 3 });
    two.answer({ partition: 1, from: 1, count: 1 });
    await eventually(
      'both are read on',
      () => reported.includes('0: 2') && reported.includes('1: 1'),
    );
    expect(reported).toEqual([
      '0: 0',
      '0: 1',
      '1: 0',
      '0: unreachable',
      '0: 0',
      '0: 1',
      '0: 2',
      '1: 1',
    ]);
    played.connection.close();
  });

  it('requests the end of all partitions of a broker at once', async () => {
    const played = new FakeBrokers();
    played.leaders.set(1, 1);
    reading(played);
    expect([...(await played.fetchAt(1)).from]).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(played.offsetRequests).toEqual([['end', 0, 1]]);
    played.connection.close();
  });

  it('a partition without a leader is reported once, and read once it has a leader; the others are read meanwhile', async () => {
    const played = new FakeBrokers();
    played.leaders.set(1, -1);
    const { received: reported } = reading(played);
    (await played.fetchAt(1)).answer({ partition: 0, from: 0, count: 1 });
    (await played.fetchAt(1)).answer({ partition: 0, from: 1, count: 1 });
    await eventually(
      'it is reported, and the other one is read',
      () => reported.includes('1: unreachable') && reported.includes('0: 1'),
    );
    played.next = [[1, 2]];
    (await played.fetchAt(2)).answer({ partition: 1, from: 0, count: 1 });
    await eventually('it is read', () => reported.includes('1: 0'));
    expect(reported.filter((item) => item === '1: unreachable')).toHaveLength(1);
    played.connection.close();
  });

  it('reports an error of several partitions as one error, and an error of one with its number', async () => {
    const played = new FakeBrokers();
    played.leaders.set(1, 1);
    const { messages } = reading(played);
    // KafkaJS does not say which partition failed, so each is then fetched by itself.
    for (let fetches = 0; fetches < 3; fetches += 1)
      (await played.fetchAt(1)).fail('NOT_LEADER_FOR_PARTITION');
    await eventually('both have failed', () => messages.length === 2);
    expect(new Set(messages)).toEqual(
      new Set(['topic t, 2 partitions: a partition is moving to another broker']),
    );
    played.next = [[1, 2]];
    (await played.fetchAt(2)).fail('NOT_LEADER_FOR_PARTITION');
    await eventually('one has failed', () => messages.length === 3);
    expect(messages[2]).toBe('topic t, partition 1: a partition is moving to another broker');
    played.connection.close();
  });

  it('ends when no broker knows the topic any longer', async () => {
    const played = new FakeBrokers();
    const { end } = reading(played);
    const { one } = await bothRead(played);
    played.isGone = true;
    one.fail('UNKNOWN_TOPIC_OR_PARTITION');
    expect(await end).toMatchObject({ cause: { type: 'UNKNOWN_TOPIC_OR_PARTITION' } });
    expect(played.connection.signal.aborted).toBe(true);
  });

  it('ends if the right to read is missing: other brokers would refuse too', async () => {
    const played = new FakeBrokers();
    const { end } = reading(played);
    const { one } = await bothRead(played);
    one.fail('TOPIC_AUTHORIZATION_FAILED');
    expect(await end).toMatchObject({ cause: { type: 'TOPIC_AUTHORIZATION_FAILED' } });
  });
});

describe('a failure while reading', () => {
  /** A topic whose partitions are both led by broker 1. */
  const led = (): FakeBrokers => {
    const played = new FakeBrokers();
    played.leaders.set(1, 1);
    return played;
  };

  it('of one broker concerns its partitions only', async () => {
    const played = new FakeBrokers();
    const { received: reported } = reading(played);
    const { one, two } = await bothRead(played);
    one.cut();
    two.answer({ partition: 1, from: 1, count: 1 });
    (await played.fetchAt(1)).answer({ partition: 0, from: 0, count: 3 });
    await eventually(
      'both are read on',
      () => reported.includes('0: 2') && reported.includes('1: 1'),
    );
    expect(reported.filter((item) => !/\d$/.test(item))).toEqual(['0: unreachable']);
    played.connection.close();
  });

  it('of the last broker ends the reader, with no position left', async () => {
    const played = led();
    const { received: reported, end, cursors } = reading(played);
    (await played.fetchAt(1)).answer(
      { partition: 0, from: 0, count: 2 },
      { partition: 1, from: 0, count: 1 },
    );
    (await played.fetchAt(1)).cut();
    expect(await end).toMatchObject({ name: 'KafkaJSConnectionError' });
    expect(reported.slice(-2)).toEqual(['0: unreachable', '1: unreachable']);
    expect([...cursors.values()].map(({ position }) => position)).toEqual([undefined, undefined]);
    expect(played.connection.signal.aborted).toBe(true);
  });

  it('of the only broker, which refuses a partition, does not end the reader', async () => {
    const played = led();
    reading(played);
    (await played.fetchAt(1)).fail('NOT_LEADER_FOR_PARTITION');
    for (const fetching of [await played.fetchAt(1), await played.fetchAt(1)])
      fetching.fail('NOT_LEADER_FOR_PARTITION');
    expect((await played.fetchAt(1)).from.size).toBe(2);
    played.connection.close();
  });

  it('by a position out of range starts over, and is reported if something was read', async () => {
    const played = new FakeBrokers();
    const { received: reported } = reading(played);
    const { one } = await bothRead(played);
    one.fail('OFFSET_OUT_OF_RANGE');
    expect([...(await played.fetchAt(1)).from]).toEqual([[0, 0]]);
    expect(reported).toContain('0: lost');
    played.connection.close();
  });

  it('keeps a closed connection from being used again: all positions are dropped', async () => {
    const played = new FakeBrokers();
    const { end, cursors } = reading(played);
    await bothRead(played);
    expect(cursors.get(0)?.position).toBe(2n);
    played.connection.close();
    await end;
    expect(cursors.get(0)?.position).toBeUndefined();
  });
});

describe('a broker', () => {
  it('may wait for new records once all its partitions were read to their end', async () => {
    const played = new FakeBrokers();
    played.leaders.set(1, 1);
    reading(played);
    (await played.fetchAt(1)).answer(
      { partition: 0, from: 0, count: 2 },
      { partition: 1, from: 0, count: 1, isMore: true },
    );
    const partly = await played.fetchAt(1);
    expect(partly.waitMs).toBe(0);
    partly.answer({ partition: 0, from: 2, count: 0 }, { partition: 1, from: 1, count: 1 });
    expect((await played.fetchAt(1)).waitMs).toBe(10);
    played.connection.close();
  });

  it('gets more time after a late answer: each answer and each time-out is counted', async () => {
    const played = new FakeBrokers();
    played.leaders.set(1, 1);
    const calls: string[] = [];
    const timeout = {
      limitMs: () => 10,
      answered: () => void calls.push('answered'),
      timedOut: () => void calls.push('timed out'),
    };
    const { end } = reading(played, timeout);
    (await played.fetchAt(1)).answer(
      { partition: 0, from: 0, count: 1 },
      { partition: 1, from: 0, count: 1 },
    );
    (await played.fetchAt(1)).cut(new ResponseTimeoutError(10));
    await end;
    expect(calls).toEqual(['answered', 'timed out']);
  });
});
