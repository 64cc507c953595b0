// The end of a source over rows: what it still writes, when its store is closed, and which calls end it.
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/memory/memory-rows.ts';
import { closeNow } from '../support/close-now.ts';
import { closingAgain } from '../support/closing-again.ts';
import { turn } from '../support/manual-clock.ts';
import { rowsMember, thresholdMs } from '../support/rows-member.ts';

const never = (): Promise<never> => new Promise(() => undefined);

/** A member that leads two partitions, and how often its rows were closed. */
async function leader(options: Parameters<typeof rowsMember>[1] = {}) {
  const store = new MemoryStore();
  const closed: number[] = [];
  const member = rowsMember(store, { partitions: 2, ...options }, (rows) => {
    const close = rows.close.bind(rows);
    rows.close = () => {
      closed.push(1);
      return close();
    };
  });
  await member.clock.pass(10);
  expect(member.source.held().size).toBe(2);
  const kindOf = (partition: number): unknown =>
    JSON.parse(store.rows.rows.get(`partition#${partition}`) ?? '{}').kind;
  return { ...member, store, closed, kindOf };
}

describe('closing a source over rows', () => {
  it('waits for the answer to the request in flight, then closes the store', async () => {
    const { source, rows, clock, closed, kindOf } = await leader();
    const { exchange } = rows;
    const answers: (() => void)[] = [];
    rows.exchange = (request, signal) =>
      new Promise((resolve, reject) => {
        answers.push(() => exchange(request, signal).then(resolve, reject));
      });
    await clock.pass(thresholdMs / 3);
    expect(answers).toHaveLength(1);
    rows.exchange = exchange;
    const closing = source.close();
    await turn();
    expect(closed).toEqual([]);
    answers[0]?.();
    await clock.pass(thresholdMs / 3);
    await closing;
    expect([kindOf(0), kindOf(1)]).toEqual(['release', 'release']);
    expect(closed).toEqual([1]);
    expect(clock.pending).toBe(0);
  });

  it('with an aborted signal waits for one request: then no timer remains, and nothing more is written', async () => {
    const { source, rows, clock, sent, closed } = await leader();
    const signals: AbortSignal[] = [];
    rows.exchange = (_, signal) => {
      signals.push(signal);
      return never();
    };
    await clock.pass(thresholdMs / 3);
    await closeNow({ source, clock });
    expect(clock.pending).toBe(0);
    expect(closed).toEqual([1]);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    const count = [signals.length, sent.length];
    await clock.pass(10 * thresholdMs);
    expect([signals.length, sent.length]).toEqual(count);
    expect(source.role(0).isLeading()).toBe(false);
  });

  it('with an aborted signal releases what does not run, without waiting for a timer', async () => {
    const { source, clock, kindOf } = await leader();
    await source.close({ signal: AbortSignal.abort() });
    expect([kindOf(0), kindOf(1)]).toEqual(['release', 'release']);
    expect(clock.pending).toBe(0);
  });

  it('with an aborted signal leaves the lease of running work to lapse (H3)', async () => {
    const { source, kindOf } = await leader();
    const { partition } = source.role(0);
    const term = source.role(0).term();
    term?.waitUntil(never());
    const closing = source.close({ signal: AbortSignal.abort() });
    expect(term?.fenced.aborted).toBe(true);
    await closing;
    expect([kindOf(partition), kindOf(1 - partition)]).toEqual(['hold', 'release']);
  });

  it('is not undone by a concurrent resignation: a released partition is not claimed again', async () => {
    const { source, clock, kindOf } = await leader();
    const busy = source
      .role(1)
      .ifLeading(
        () => new Promise<void>((resolve) => clock.wake((clock.now() + 20_000) as never, resolve)),
      );
    const closing = source.close();
    await turn();
    void source.role(0).resign();
    await clock.pass(15_000);
    expect(kindOf(source.role(0).partition)).toBe('release');
    expect(source.role(0).isLeading()).toBe(false);
    await clock.pass(10_000);
    await Promise.all([busy, closing]);
  });

  it('is not undone by a drain that times out first', async () => {
    const { source, clock, closed } = await leader({ drainTimeoutMs: 10_000 });
    void source.role(0).ifLeading(never);
    void source.role(0).resign();
    await clock.pass(5000);
    void source.role(1).ifLeading(never);
    const closing = source.close();
    await clock.pass(9900);
    expect(source.role(0).isLeading()).toBe(false);
    await clock.pass(10_000);
    await closing;
    expect(closed).toEqual([1]);
  });

  it('closes the store once if a subscriber closes again when it is notified of the revocation', async () => {
    const { source, clock, closed } = await leader();
    const nested = closingAgain(source);
    const closing = source.close();
    await clock.pass(thresholdMs);
    await closing;
    expect(nested).toHaveLength(1);
    await nested[0];
    expect(closed).toEqual([1]);
  });

  it('ends all campaigns for good', async () => {
    const { source, clock, membership, sent } = await leader();
    await source.close();
    const count = sent.length;
    membership.campaign(true);
    membership.campaign(true, 0);
    await membership.resign(0);
    await clock.pass(10 * thresholdMs);
    expect(sent.length).toBe(count);
    expect(clock.pending).toBe(0);
  });

  it('completes every stream even if the store cannot be closed, and rejects for the caller', async () => {
    const { source, rows, clock } = await leader();
    rows.close = () => Promise.reject(new Error('stuck'));
    let isComplete = false;
    source.role(0).leadership$.subscribe({
      complete: () => {
        isComplete = true;
      },
    });
    const closing = expect(source.close()).rejects.toThrow('stuck');
    await clock.pass(thresholdMs);
    await closing;
    expect(isComplete).toBe(true);
    expect(source.role(0).isLeading()).toBe(false);
  });

  it('by a signal causes no unhandled rejection', async () => {
    const stop = new AbortController();
    const { source, rows, clock } = await leader({ signal: stop.signal });
    rows.close = () => Promise.reject(new Error('stuck'));
    stop.abort();
    await clock.pass(10);
    expect(getEventListeners(stop.signal, 'abort').length).toBe(0);
    await expect(source.close()).rejects.toThrow('stuck');
  });
});

describe('work of a term that has ended', () => {
  it('does not end the next term once it is done (H2)', async () => {
    const { source, rows, clock } = await leader();
    const role = source.role(0);
    const first = role.term()?.token ?? 0n;
    let finish = (): void => undefined;
    void role.ifLeading(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    void role.resign().catch(() => undefined);
    const { exchange } = rows;
    rows.exchange = () => Promise.reject(new Error('no route to host'));
    await clock.pass(2 * thresholdMs);
    expect(role.isLeading()).toBe(false);
    rows.exchange = exchange;
    await clock.pass(5 * thresholdMs);
    const second = role.term()?.token ?? 0n;
    expect(second).toBeGreaterThan(first);
    finish();
    await clock.pass(3 * thresholdMs);
    expect(role.term()?.token).toBe(second);
    await closeNow({ source, clock });
  });

  it('ends its resignation, although a member that was stopped for longer than its lease leads again', async () => {
    const { source, rows, clock } = await leader();
    const role = source.role(0);
    const { exchange } = rows;
    rows.exchange = never;
    let isOver = false;
    void role.resign().then(() => {
      isOver = true;
    });
    await turn();
    clock.block(3 * thresholdMs);
    rows.exchange = exchange;
    await clock.pass(5 * thresholdMs);
    expect([role.isLeading(), isOver]).toEqual([true, true]);
    await closeNow({ source, clock });
  });
});
