import { describe, expect, test } from 'vitest';
import { type StoreProxy, storeProxy } from '../../src/faults/store-proxy.ts';

/** Yields 1, 2, 3 … until the signal aborts. */
async function* count(signal: AbortSignal): AsyncGenerator<number> {
  for (let next = 1; !signal.aborted; next += 1) {
    yield next;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Yields once, and then waits for its signal, like a reader of an idle store. */
async function* quiet(signal: AbortSignal): AsyncGenerator<number> {
  yield 1;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

function reading(
  way: StoreProxy,
  source = count,
): {
  readonly items: readonly number[];
  readonly end: Promise<unknown>;
  readonly stop: () => void;
} {
  const items: number[] = [];
  const over = new AbortController();
  const read = async (): Promise<string> => {
    for await (const item of way.stream(source, over.signal)) items.push(item);
    return 'over';
  };
  return { items, end: read().catch((error: unknown) => error), stop: () => over.abort() };
}

describe('a stream over a way to a store', () => {
  test('ends when its signal aborts, and is one request', async () => {
    const way = storeProxy();
    const { items, end, stop } = reading(way);
    await expect.poll(() => items.length).toBeGreaterThan(3);
    stop();
    expect(await end).toBe('over');
    expect(way.requests).toBe(1);
  });

  test.each(['cut', 'reads-cut'] as const)(
    'fails with the fault %s, and opens again after the repair',
    async (fault) => {
      const way = storeProxy();
      const { items, end } = reading(way, quiet);
      await expect.poll(() => items.length).toBe(1);
      const broken = way.inject(fault);
      expect(await end).toMatchObject({ code: 'unreachable' });
      expect(await reading(way).end).toMatchObject({ code: 'unreachable' });
      broken[Symbol.dispose]();
      const again = reading(way);
      await expect.poll(() => again.items.length).toBeGreaterThan(3);
      again.stop();
    },
  );

  test('fails with `unauthorized` once the credentials have expired', async () => {
    const way = storeProxy();
    const { end } = reading(way);
    way.inject('expired-credentials');
    expect(await end).toMatchObject({ code: 'unauthorized' });
  });

  test('yields nothing while reads hang, and continues afterwards', async () => {
    const way = storeProxy();
    const { items, stop } = reading(way);
    await expect.poll(() => items.length).toBeGreaterThan(3);
    const hung = way.inject('hung-reads');
    const { length } = items;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(items.length).toBe(length);
    hung[Symbol.dispose]();
    await expect.poll(() => items.length).toBeGreaterThan(length);
    stop();
  });

  test('continues while writes are cut', async () => {
    const way = storeProxy();
    const { items, stop } = reading(way);
    way.inject('writes-cut');
    await expect.poll(() => items.length).toBeGreaterThan(3);
    await expect(way.write(async () => 1)).rejects.toMatchObject({ code: 'unreachable' });
    stop();
  });
});

describe('a request that writes and reads in one step', () => {
  const answered = (way: StoreProxy): Promise<number> => way.exchange(async () => 1);

  test.each(['reads-cut', 'writes-cut', 'lost-replies', 'cut'] as const)(
    'fails by %s',
    async (fault) => {
      const way = storeProxy();
      expect(await answered(way)).toBe(1);
      using _ = way.inject(fault);
      await expect(answered(way)).rejects.toMatchObject({ code: 'unreachable' });
    },
  );

  test('waits while reads hang, and is sent afterwards', async () => {
    const way = storeProxy();
    const hung = way.inject('hung-reads');
    let isSent = false;
    const sent = way.exchange(async () => {
      isSent = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isSent).toBe(false);
    hung[Symbol.dispose]();
    await sent;
    expect(isSent).toBe(true);
  });
});
