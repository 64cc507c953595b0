import { afterEach, describe, expect, it, vi } from 'vitest';
import { HealthReporter } from '../../src/engine/health-reporter.ts';
import type { TokenFloor } from '../../src/ledger/ledger.ts';
import { TokenFloorDriver } from '../../src/ledger/token-floor-driver.ts';
import { type ElectionUnderTest, electionOf, thresholdMs } from '../support/ledger-source.ts';

/**
 * A second place that the test controls. A call is answered once the test resolves or rejects it.
 */
function steeredFloor() {
  const reads: Call[] = [];
  const raises: (Call & { readonly token: bigint })[] = [];
  const floor: TokenFloor = {
    read: () =>
      new Promise<bigint>((resolve, reject) =>
        reads.push({ resolve: (token = 0n) => resolve(token), reject }),
      ),
    raise: (token) =>
      new Promise<void>((resolve, reject) =>
        raises.push({ token, resolve: () => resolve(), reject }),
      ),
  };
  return { floor, reads, raises };
}

interface Call {
  resolve(token?: bigint): void;
  reject(error: unknown): void;
}

const open: ElectionUnderTest[] = [];
afterEach(async () => {
  await Promise.all(
    open
      .splice(0)
      .map(({ source, clock }) => Promise.race([source.close(), clock.pass(100 * thresholdMs)])),
  );
});

/** Opens a member over empty registers, with a floor. */
async function starting(partitions = 1) {
  const steered = steeredFloor();
  const election = electionOf({ partitions }, (store) =>
    Object.assign(store.ledger, { tokenFloor: steered.floor }),
  );
  open.push(election);
  const { store, clock, source } = election;
  const ranks = [election.host.incarnation];
  for (let partition = 0; partition < partitions; partition += 1) store.rank(partition, ranks);
  await clock.pass(1);
  const claims = () =>
    store.writes.map(({ record }) => record).filter(({ kind }) => kind === 'hold');
  return { ...steered, ...election, claims, term: () => source.role(0).term() };
}

describe('a member over a ledger with a floor (T1)', () => {
  it('claims an empty register only after it has read the floor, with a greater token', async () => {
    const { reads, raises, clock, claims, term } = await starting();
    await clock.pass(thresholdMs / 4);
    expect([reads.length, raises.length, claims().length]).toEqual([1, 0, 0]);
    reads[0]?.resolve(2n ** 60n);
    await clock.pass(1);
    expect(raises.map(({ token }) => token)).toEqual([2n ** 60n + 1n]);
    expect(claims()).toEqual([]);
    raises[0]?.resolve();
    await clock.pass(1);
    expect(claims().map(({ token }) => token)).toEqual([2n ** 60n + 1n]);
    expect(term()?.token).toBe(2n ** 60n + 1n);
  });

  it('sends renewals without another raise', async () => {
    const { reads, raises, clock, claims } = await starting();
    reads[0]?.resolve();
    await clock.pass(1);
    raises[0]?.resolve();
    await clock.pass(2 * thresholdMs);
    expect(claims().length).toBeGreaterThan(3);
    expect([reads.length, raises.length]).toEqual([1, 1]);
  });

  it('repeats a read that fails, and reports the trouble until a read succeeds', async () => {
    const { reads, clock, claims, source } = await starting();
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    reads[0]?.reject(new Error('the second place is away'));
    await clock.pass(1);
    expect(
      source
        .health()
        .troubles.map(({ message }) => message)
        .join(),
    ).toContain('the second place is away');
    await clock.pass(thresholdMs);
    expect(reads.length).toBeGreaterThan(1);
    expect(claims()).toEqual([]);
    reads.at(-1)?.resolve();
    await clock.pass(1);
    expect(source.health().troubles).toEqual([]);
    warned.mockRestore();
  });

  it('does not claim if the floor cannot be raised, reports that, and tries again', async () => {
    const { reads, raises, clock, claims, source, term } = await starting();
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    reads[0]?.resolve();
    await clock.pass(1);
    raises[0]?.reject(new Error('the second place is full'));
    await clock.pass(1);
    expect(
      source
        .health()
        .troubles.map(({ message }) => message)
        .join(),
    ).toContain('the second place is full');
    expect(claims()).toEqual([]);
    await clock.pass(thresholdMs / 6);
    expect(raises.length).toBe(2);
    raises[1]?.resolve();
    await clock.pass(1);
    expect(term()?.token).toBe(raises[1]?.token);
    warned.mockRestore();
  });

  it('shares one raise among the claims that wait for another raise', async () => {
    const { floor, raises } = steeredFloor();
    const { host } = await starting();
    const signal = new AbortController().signal;
    const backOff = { firstMs: 1, lastMs: 1, random: () => 0 };
    const parts = {
      floor,
      host,
      health: new HealthReporter(host),
      limitMs: thresholdMs,
      backOff,
      signal,
      learn: () => undefined,
    };
    const driver = new TokenFloorDriver(parts);
    const all = [5n, 7n, 6n].map((token) => driver.raise(token));
    await vi.waitFor(() => expect(raises.map(({ token }) => token)).toEqual([7n]));
    const later = [9n, 8n].map((token) => driver.raise(token));
    raises[0]?.resolve();
    await Promise.all(all);
    await vi.waitFor(() => expect(raises.map(({ token }) => token)).toEqual([7n, 9n]));
    raises[1]?.resolve();
    await Promise.all([...later, driver.raise(9n), driver.raise(1n)]);
    expect(raises.length).toBe(2);
  });
});
