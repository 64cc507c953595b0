import { describe, expect, test } from 'vitest';
import {
  type NotificationListener,
  type ServerRows,
  serverRows,
} from '../../../src/adapter/rows/server-rows.ts';
import type { TableHost } from '../../../src/adapter/rows/table-store.ts';
import { LeadershipError } from '../../../src/contract/leadership-error.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';

const thresholdMs = 1000;
const change = { name: 'a', expected: null, text: 'one', isAwaited: false };

describe('the connection that listens to notifications', () => {
  test('needs no proof while notifications arrive, and else one with a change every T', async () => {
    await using member = await listening();
    expect(await member.change()).toBe('proof');
    member.arrive('proof');
    expect(await member.change()).toBeUndefined();
    await member.clock.pass(thresholdMs / 2);
    member.arrive('["another member"]');
    await member.clock.pass(thresholdMs - 1);
    expect(await member.change()).toBeUndefined();
    await member.clock.pass(1);
    expect(await member.change()).toBe('proof');
    expect(member.woken).toBe(2);
  });

  test('is replaced if a proof does not arrive, and the warning lasts until another one does', async () => {
    await using member = await listening();
    await member.change();
    await member.clock.pass(thresholdMs / 2);
    expect(member.warnings()).toEqual([
      'the store: members only poll: a notification that this member sent did not arrive within 500 ms',
    ]);
    await member.clock.pass(thresholdMs);
    expect(member.listeners).toHaveLength(2);
    expect(member.warnings()).toHaveLength(1);
    await member.change();
    member.arrive('proof');
    expect(member.warnings()).toEqual([]);
    await member.clock.pass(5 * thresholdMs);
    expect(member.calls()).toHaveLength(1);
  });

  test('is asked for once, whatever the outcome of the change', async () => {
    await using member = await listening();
    member.outcome = { isDone: false };
    await member.change();
    member.outcome = new Error('no answer');
    await expect(member.change()).rejects.toThrow('no answer');
    member.outcome = { isDone: true };
    await member.clock.pass(5 * thresholdMs);
    expect(member.listeners).toHaveLength(1);
    const both = [member.change(), member.change()];
    expect(await Promise.all(both)).toEqual(['proof', undefined]);
  });

  test('lives if the proof arrives while the event loop is blocked', async () => {
    await using member = await listening();
    await member.change();
    member.clock.block(2 * thresholdMs);
    await member.clock.pass(1);
    member.arrive('proof');
    await member.clock.pass(thresholdMs / 2);
    expect(member.calls()).toEqual([]);
    expect(member.listeners).toHaveLength(1);
  });

  test('of a member that changes nothing is replaced without a warning after 10 T of silence', async () => {
    await using member = await listening();
    await member.clock.pass(9 * thresholdMs);
    member.arrive('proof');
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
  outcome: { readonly isDone: boolean } | Error;
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
  const clock = manualClock();
  const [calls, warnings] = [[] as string[], new Set<string>()];
  const warning: TableHost['warning'] = (_, message) => {
    calls.push(message);
    warnings.add(message);
    return { [Symbol.dispose]: () => void warnings.delete(message) };
  };
  const host: TableHost = {
    member: 'm',
    incarnation: 'life',
    clock,
    random: () => 0,
    confirmed: () => undefined,
    trouble: warning,
    warning,
  };
  const listeners: NotificationListener[] = [];
  let woken = 0;
  const sent: (string | undefined)[] = [];
  const server: ServerRows = {
    name: 'the store',
    open: () => Promise.resolve(undefined),
    list: () => Promise.resolve(new Map()),
    async replace({ notification }) {
      const at = sent.push(notification) - 1;
      await Promise.resolve();
      if (member.outcome instanceof Error) throw member.outcome;
      return { ...member.outcome, found: String(at) };
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
    clock,
    listeners,
    get woken() {
      return woken;
    },
    outcome: { isDone: true },
    async change() {
      const { found } = await rows.replace(change, new AbortController().signal);
      return sent[Number(found)];
    },
    arrive: (text) => listeners.at(-1)?.notified(text),
    warnings: () => [...warnings],
    calls: () => calls,
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
