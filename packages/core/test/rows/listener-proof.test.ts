import { describe, expect, test } from 'vitest';
import { LeadershipError } from '../../src/contract/leadership-error.ts';
import type { NotificationListener } from '../../src/rows/notifications.ts';
import { type ServerRows, serverRows } from '../../src/rows/server-rows.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { serverHost } from '../support/server-host.ts';

const thresholdMs = 1000;
const change = { name: 'a', expected: null, text: 'one', isAwaited: false };
const proof = '{"from":"life","awaited":false,"shown":[]}';

describe('the connection that listens to notifications', () => {
  test('needs no proof while notifications arrive, and else one with a change every T', async () => {
    await using member = await listening();
    expect(await member.change()).toBe(proof);
    member.arrive(proof);
    expect(await member.change()).toBeUndefined();
    await member.clock.pass(thresholdMs / 2);
    member.arrive('{"from":"another","awaited":true}');
    await member.clock.pass(thresholdMs - 1);
    expect(await member.change()).toBeUndefined();
    await member.clock.pass(1);
    expect(await member.change()).toBe(proof);
    expect(member.woken).toBe(2);
  });

  test('is replaced if a proof does not arrive, and the warning lasts until another one does', async () => {
    await using member = await listening();
    await member.change();
    await member.clock.pass(thresholdMs / 2);
    expect(member.warnings()).toEqual([
      'warning: the store: members only poll: a notification that this member sent did not arrive within 500 ms',
    ]);
    await member.clock.pass(thresholdMs);
    expect(member.listeners).toHaveLength(2);
    expect(member.warnings()).toHaveLength(1);
    await member.change();
    member.arrive(proof);
    expect(member.warnings()).toEqual([]);
    await member.clock.pass(5 * thresholdMs);
    expect(member.calls()).toHaveLength(1);
  });

  test('is asked for once, whatever the outcome of the change', async () => {
    await using member = await listening();
    member.outcome = false;
    await member.change();
    member.outcome = new Error('no answer');
    await expect(member.change()).rejects.toThrow('no answer');
    member.outcome = true;
    await member.clock.pass(5 * thresholdMs);
    expect(member.listeners).toHaveLength(1);
    const both = [member.change(), member.change()];
    expect(await Promise.all(both)).toEqual([proof, undefined]);
  });

  test('lives if the proof arrives while the event loop is blocked', async () => {
    await using member = await listening();
    await member.change();
    member.clock.block(2 * thresholdMs);
    await member.clock.pass(1);
    member.arrive(proof);
    await member.clock.pass(thresholdMs / 2);
    expect(member.calls()).toEqual([]);
    expect(member.listeners).toHaveLength(1);
  });

  test('of a member that changes nothing is replaced without a warning after 10 T of silence', async () => {
    await using member = await listening();
    await member.clock.pass(9 * thresholdMs);
    member.arrive(proof);
    await member.clock.pass(10 * thresholdMs);
    expect(member.listeners).toHaveLength(1);
    await member.clock.pass(2 * thresholdMs);
    expect(member.listeners).toHaveLength(2);
    expect(member.calls()).toEqual([]);
  });

  test('is replaced although the client cannot leave it', async () => {
    await using member = await listening(() => new Promise(() => undefined));
    await member.change();
    await member.clock.pass(2 * thresholdMs);
    expect(member.listeners).toHaveLength(2);
    member.listeners[0]?.notified('a late message of the first connection');
    expect(member.warnings()).toHaveLength(1);
  });
});

interface Member extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly listeners: NotificationListener[];
  readonly woken: number;
  /** Whether the next changes are made. */
  outcome: boolean | Error;
  /** Changes a row, and returns the notification that the change carried. */
  change(): Promise<string | undefined>;
  arrive(text: string): void;
  warnings(): readonly string[];
  calls(): readonly string[];
}

/** A member that listens at a server whose connections never answer. */
async function listening(
  listen: NonNullable<ServerRows['listen']> = (_, signal) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
): Promise<Member> {
  const host = serverHost();
  const listeners: NotificationListener[] = [];
  let woken = 0;
  const server: ServerRows = {
    name: 'the store',
    traits: { changesMax: 2 },
    open: async () => ({}),
    async exchange({ notification }) {
      await Promise.resolve();
      if (member.outcome instanceof Error) throw member.outcome;
      return { outcomes: [member.outcome], rows: [], position: notification, isWhole: true };
    },
    listen(listener, signal) {
      listeners.push(listener);
      listener.listening();
      return listen(listener, signal);
    },
    close: () => undefined,
  };
  const toError = (error: unknown, name: string): LeadershipError =>
    new LeadershipError('unreachable', `${name}: ${(error as Error).message}`, { cause: error });
  const rows = serverRows(server, { host, thresholdMs, notifications: true, toError });
  const stop = new AbortController();
  const member: Member = {
    clock: host.clock,
    listeners,
    get woken() {
      return woken;
    },
    outcome: true,
    async change() {
      const request = { changes: [change], since: 0 };
      const { position } = await rows.exchange(request, new AbortController().signal);
      return position as string | undefined;
    },
    arrive: (text) => listeners.at(-1)?.notified(text),
    warnings: () => [...host.present],
    calls: () => host.calls,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await rows.close();
    },
  };
  await rows.listen?.(() => {
    woken += 1;
  }, stop.signal);
  return member;
}
