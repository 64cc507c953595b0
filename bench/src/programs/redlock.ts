// A member process that loops over a lock of the package `redlock` on one server.
import { Redis } from 'ioredis';
// @ts-expect-error: its exports name no types.
import redlock from 'redlock';
import { loop } from '../peers/lock-loop.ts';

/** The part of a lock that is used. */
interface Held {
  extend(ms: number): Promise<Held>;
  release(): Promise<unknown>;
}

type RedlockClass = new (
  clients: readonly Redis[],
  settings: object,
) => { acquire(keys: readonly string[], ms: number): Promise<Held> };

await loop(async ({ port }: { readonly port: number }, { thresholdMs }) => {
  const client = new Redis({ port });
  await client.ping();
  const locks = new (redlock as RedlockClass)([client], { retryCount: 0 });
  let held: Held | undefined;
  /** A lock that is not free, or that has expired, is a rejection. */
  const keep = async (taking: Promise<Held> | undefined): Promise<boolean> => {
    held = await taking?.catch(() => undefined);
    return held !== undefined;
  };
  return {
    take: () => keep(locks.acquire(['redlock'], thresholdMs)),
    extend: () => keep(held?.extend(thresholdMs)),
    release: () => Promise.resolve(held?.release()),
  };
});
