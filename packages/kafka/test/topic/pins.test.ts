import type { Instant } from '@leadership/core/adapter';
import { describe, expect, it } from 'vitest';
import { type PinRecord, pinText } from '../../src/topic/pin-record.ts';
import { TopicPins } from '../../src/topic/pins.ts';
import { answerOfFirstReleases, publishedPin } from '../support/first-releases.ts';

const host = { member: 'm', incarnation: 'i' };
const signal = new AbortController().signal;

/** The pins of one member, and the partition that it reads. */
function reader(first: readonly string[] = []) {
  const pins = new TopicPins({ group: 'g', partitions: 2, thresholdMs: 1000, host });
  const log: string[] = [];
  const append = async (text: string): Promise<void> => {
    const offset = BigInt(log.push(text) - 1);
    const value = Buffer.from(text);
    const rest = { nextOffset: offset + 1n, writtenMs: 0, stampedMs: undefined, epoch: 0 };
    pins.note({ value, offset, isControl: false, ...rest }, 0 as Instant);
  };
  for (const text of first) void append(text);
  pins.complete();
  return { pins, log, append };
}

function pinOf(guarantee: string, group = 'g'): string {
  const own = { group, member: 'o', incarnation: 'o', thresholdMs: 500, thresholdMsMax: 500 };
  return pinText({ ...own, partitions: 2, guarantee }, 1);
}

const published = publishedPin.replace('"old"', '"g"');

describe('the pins of groups on a topic (R3)', () => {
  it('are written by the first member of a group, once', async () => {
    const { pins, log, append } = reader();
    await pins.agree(append, signal);
    await pins.agree(append, signal);
    expect(log.map((text) => JSON.parse(text) as PinRecord)).toMatchObject([
      { group: 'g', partition: -1, metadata: { guarantee: 'exclusive by session' } },
    ]);
  });

  it('refuse a member of the first releases, which then removes no record', async () => {
    const { pins, log, append } = reader();
    await pins.agree(append, signal);
    const own = { group: 'g', partitions: 2, thresholdMsMax: 1000 };
    expect(log.map((text) => answerOfFirstReleases(text, own))).toEqual(['refuses']);
    await pins.carryUp(9n, append, signal);
    expect(log.map((text) => answerOfFirstReleases(text, own))).toEqual(['refuses', 'refuses']);
  });

  it.each([
    ['a continuous group', pinOf('continuous'), /runs with guarantee "continuous"/],
    ['a group of the first releases', published, /no leases by session/],
    ['a later group of the first releases', pinOf('exclusive'), /no leases by session/],
  ])('refuse a member where they are of %s, which appends nothing', async (_, pin, message) => {
    const { pins, log, append } = reader([pin]);
    const difference = { code: 'partitions-differ', message: expect.stringMatching(message) };
    await expect(pins.agree(append, signal)).rejects.toMatchObject(difference);
    expect(log).toEqual([pin]);
  });

  it('refuse a member whose own was read after another one', async () => {
    const { pins, append } = reader();
    const later = async (text: string): Promise<void> => {
      await append(pinOf('continuous'));
      await append(text);
    };
    await expect(pins.agree(later, signal)).rejects.toMatchObject({ code: 'partitions-differ' });
  });

  it('reject if the own one is not read in time', async () => {
    const { pins } = reader();
    const late = AbortSignal.abort(new Error('too late'));
    await expect(pins.agree(async () => undefined, late)).rejects.toThrow('too late');
  });

  it('are not written before the partition was read to its end', async () => {
    const { pins, log, append } = reader();
    pins.forget();
    const agreed = pins.agree(append, signal);
    await append(pinOf('continuous'));
    pins.complete();
    await expect(agreed).rejects.toMatchObject({ code: 'partitions-differ' });
    expect(log).toHaveLength(1);
  });

  it('refuse a group beside one of the first releases, whose members would delete its rows', async () => {
    const { pins, log, append } = reader([pinOf('exclusive', 'other')]);
    await expect(pins.agree(append, signal)).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringMatching(/group "other" of an earlier release.*another topic/),
    });
    expect(log).toHaveLength(1);
  });

  it('are awaited by the readers of other partitions, which write none', async () => {
    const { pins, log, append } = reader();
    const agreed = pins.agree(undefined, signal);
    expect(log).toEqual([]);
    await pins.agree(append, signal);
    await agreed;
    expect(log).toHaveLength(1);
  });

  it('refuse a member at once, also one that writes nothing', () => {
    const { pins } = reader([pinOf('continuous')]);
    expect(() => pins.check()).toThrow(/runs with guarantee "continuous"/);
    expect(() => reader().pins.check()).not.toThrow();
  });

  it('forbid a cut while the partition is read again', async () => {
    const { pins, log, append } = reader([pinOf('continuous', 'a'), pinOf('continuous', 'b')]);
    const interrupted = async (text: string): Promise<void> => {
      pins.forget();
      await append(text);
    };
    expect(await pins.carryUp(9n, interrupted, signal)).toBe(false);
    expect(log).toHaveLength(3);
    pins.complete();
    expect(await pins.carryUp(0n, append, signal)).toBe(true);
  });

  it('are appended again, with all their fields, before they are cut', async () => {
    const other = JSON.stringify({ ...JSON.parse(pinOf('continuous', 'other')), later: 'field' });
    const { pins, log, append } = reader([other]);
    await pins.agree(append, signal);
    await pins.carryUp(1n, append, signal);
    await pins.carryUp(1n, append, signal);
    expect(log.slice(2).map((text) => JSON.parse(text) as PinRecord)).toMatchObject([
      { group: 'other', height: 1, after: 'o/o/pin.1', later: 'field' },
    ]);
    await pins.carryUp(9n, append, signal);
    expect(log).toHaveLength(5);
  });

  it('show a group of the first releases, whose records no member may cut', () => {
    expect(reader([pinOf('continuous')]).pins.earlierGroup).toBeUndefined();
    const { pins } = reader([pinOf('exclusive', 'other')]);
    expect(pins.earlierGroup).toBe('other');
    pins.forget();
    expect(pins.earlierGroup).toBeUndefined();
  });
});
