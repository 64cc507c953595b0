import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupKey } from '../../src/stream/hash-key.ts';
import { formatNotification } from '../../src/stream/notification.ts';
import { readingMs } from '../../src/stream/read-rate.ts';
import { eventually } from './eventually.ts';
import type { LocalStream } from './local-stream.ts';
import type { LocalTable } from './local-table.ts';
import { type Member, type MemberOptions, openMember } from './member.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Tests that notifications must pass on any table and stream. */
export function notificationTests(
  openTable: () => Promise<LocalTable>,
  openStream: (shards: number) => Promise<LocalStream>,
): void {
  let table: LocalTable;
  let stream: LocalStream;
  let group = '';
  /** A member without an answer within T/4 listens and reads again: a busy machine gets four seconds here. */
  const patient = { thresholdMs: 16_000 };
  beforeAll(async () => {
    [table, stream] = await Promise.all([openTable(), openStream(2)]);
  });
  afterAll(async () => {
    await Promise.all([table[Symbol.asyncDispose](), stream[Symbol.asyncDispose]()]);
  });

  /**
   * Opens a member that reads the table only when a notification arrives.
   */
  const open = (member: string, options: Partial<MemberOptions> = {}): Member =>
    openMember(table, member, { group, line: `${group}/${member}`, stream, ...options });
  const fresh = async (): Promise<void> => {
    group = `group-${crypto.randomUUID()}`;
  };
  /** Returns how often the member has written to the stream. */
  const sent = (member: string): number =>
    stream.proxy.counts(`${group}/${member}`).get('PutRecords') ?? 0;
  const ready = async (...members: readonly Member[]): Promise<void> => {
    await Promise.all(members.map((member) => member.opened()));
    await Promise.all(members.map((member) => member.listening()));
  };

  async function pair(): Promise<readonly [Member, Member]> {
    await fresh();
    const [one, other] = [open('one', patient), open('other', patient)];
    await ready(one, other);
    return [one, other];
  }

  it.each([{ isAwaited: true }, { isAnnounced: true }])(
    'make all members read a change with %j at once',
    async (news) => {
      const [one, other] = await pair();
      await using _one = one;
      await using _other = other;
      expect(await one.write('released', news)).toBe(true);
      await eventually('the other member reads the change', () => other.current() === 'released');
    },
  );

  it('are not sent for a change that was refused', async () => {
    const [one, other] = await pair();
    await using _one = one;
    await using _other = other;
    await one.write('first');
    await Promise.all([one.settled(), other.settled()]);
    const [before, sentBefore] = [one.readings(), sent('other')];
    expect(await other.write('second', { isAwaited: true })).toBe(false);
    await other[Symbol.asyncDispose]();
    await one.settled();
    expect(sent('other')).toBe(sentBefore);
    expect(one.readings()).toBe(before);
  });

  it('are not sent for renewals, so that waiting members do not read needlessly', async () => {
    const [one, other] = await pair();
    await using _one = one;
    await using _other = other;
    await Promise.all([one.settled(), other.settled()]);
    const [before, sentBefore] = [other.readings(), sent('one')];
    for (const renewal of ['1', '2', '3']) expect(await one.write(renewal)).toBe(true);
    // After close, none of its notifications is pending any longer.
    await one[Symbol.asyncDispose]();
    await other.settled();
    expect(sent('one')).toBe(sentBefore);
    expect(other.readings()).toBe(before);
  });

  it('are ignored by their sender and by other groups', async () => {
    const [one, other] = await pair();
    await using _one = one;
    await using _other = other;
    const [mine, strangers] = [
      one.notifications,
      open('stranger', { ...patient, group: 'of another group' }),
    ];
    await using _strangers = strangers;
    await ready(strangers);
    await Promise.all([one, other, strangers].map((member) => member.settled()));
    const [before, others, theirs] = [one.readings(), other.readings(), strangers.readings()];
    mine.notify();
    await eventually('the other member reads the table', () => other.readings() > others);
    await Promise.all([one.settled(), strangers.settled()]);
    expect([one.readings(), strangers.readings()]).toEqual([before, theirs]);
  });

  it('carry no trusted content, and a flood of them causes only as many reads as the shard allows', async () => {
    const [one, other] = await pair();
    await using _one = one;
    await using _other = other;
    await one.write('one');
    const key = groupKey(group);
    const flood = [
      '',
      'null',
      '{"kind":"wake-up"}',
      JSON.stringify({ rows: [['kept#row', 'forged']] }),
      JSON.stringify({ kind: 'wake-up', group, rows: [['kept#row', 'forged']] }),
    ];
    const [before, since] = [other.readings(), performance.now()];
    for (let round = 0; round < 40; round += 1) {
      await stream.append(
        ...[
          ...flood,
          formatNotification(group, 'mallory'),
          formatNotification(group, 'mallory'),
        ].map((text) => ({ key, text })),
      );
      await pause(25);
    }
    await eventually('the member reads the table', () => other.readings() > before);
    expect(other.readings() - before).toBeLessThanOrEqual(
      (performance.now() - since) / (0.9 * readingMs(1)) + 2,
    );
    await eventually('the member reads the row', () => other.current() === 'one');
  });

  it('arrive while the stream is split and merged', async () => {
    await using other = await openStream(2);
    await fresh();
    await using one = open('one', { stream: other });
    await using two = open('two', { stream: other });
    await ready(one, two);
    const seen = (text: string): Promise<unknown> =>
      eventually(`the other member reads ${text}`, () => two.current() === text);
    for (const round of [1, 2]) {
      const resharded = other.reshard();
      await one.write(`${round} while it is resharded`, { isAwaited: true });
      await seen(`${round} while it is resharded`);
      await resharded;
      await one.write(`${round} after that`, { isAwaited: true });
      await seen(`${round} after that`);
    }
  });

  it('that cannot be sent or read are a warning; the rows keep working, and notifications resume', async () => {
    await using other = await openStream(1);
    await fresh();
    await using one = open('one', { stream: other });
    await using two = open('two', { stream: other });
    await Promise.all([one.opened(), two.opened()]);
    await other.drop();
    expect(await one.write('released', { isAwaited: true })).toBe(true);
    for (const { host } of [one, two])
      await eventually('the missing stream is reported', () =>
        [...host.warnings].some((said) => said.includes('does not exist')),
      );
    await other.create(1);
    await eventually('the warning is cleared', () => two.host.warnings.size === 0);
    one.notifications.notify();
    await eventually('the other member reads the row', () => two.current() === 'released');
    expect(
      [...one.host.calls, ...two.host.calls].filter((said) => said.startsWith('trouble')),
    ).toEqual([]);
  });

  it('do not delay the election while the stream is unreachable', async () => {
    await fresh();
    using _cut = stream.proxy.inject({ kind: 'cut' }, { line: `${group}/one` });
    await using one = open('one');
    await one.opened();
    expect(await one.write('one')).toBe(true);
  });

  it('that are refused after the start are a warning, and resume', async () => {
    await fresh();
    const cut = stream.proxy.inject({ kind: 'cut' }, { line: `${group}/one` });
    await using one = open('one');
    await one.opened();
    const denied = stream.proxy.inject(
      { kind: 'error', code: 'AccessDeniedException' },
      { line: `${group}/one` },
    );
    cut[Symbol.dispose]();
    await eventually('the denied action is reported', () =>
      [...one.host.warnings].some((said) => said.includes('is denied')),
    );
    denied[Symbol.dispose]();
    await one.listening();
  });

  describe('that are refused at the start are refused with', () => {
    /** Long, because a refusal only counts if the first answer arrives in time. Milliseconds. */
    const thresholdMs = 60_000;

    it('the missing stream and its region', async () => {
      await fresh();
      await using one = open('one', { thresholdMs, stream: { ...stream, name: 'no-such-stream' } });
      await expect(one.failure).resolves.toMatchObject({
        code: 'misconfigured-backend',
        message: expect.stringMatching(
          /stream "no-such-stream" in us-east-1: the stream does not exist/,
        ),
      });
    });

    it.each(['ListShards', 'GetShardIterator', 'GetRecords', 'PutRecords'])(
      'the denied action and the policy statement that allows it: %s',
      async (action) => {
        await fresh();
        const denied = { kind: 'error', code: 'AccessDeniedException' } as const;
        using _denied = stream.proxy.inject(denied, { line: `${group}/one`, operations: [action] });
        await using one = open('one', { thresholdMs });
        await expect(one.failure).resolves.toMatchObject({
          code: 'unauthorized',
          message: expect.stringContaining(
            `"Action":"kinesis:${action}","Resource":"arn:aws:kinesis:us-east-1:*:stream/${stream.name}"`,
          ),
        });
      },
    );

    it('no error for an observer that may not write', async () => {
      await fresh();
      const denied = { kind: 'error', code: 'AccessDeniedException' } as const;
      using _denied = stream.proxy.inject(denied, {
        line: `${group}/one`,
        operations: ['PutRecords'],
      });
      await using one = open('one', { observes: true });
      await one.opened();
    });
  });
}
