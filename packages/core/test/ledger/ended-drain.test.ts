import { expect, it } from 'vitest';
import { MembershipShell } from '../../src/engine/membership-shell.ts';
import { ledgerRules } from '../../src/ledger/protocol/rules.ts';
import { type DriverContext, RegisterDriver } from '../../src/ledger/register-driver.ts';
import type { Settled } from '../../src/ledger/store-requests.ts';
import { drainingHost } from '../support/draining-host.ts';
import { turn } from '../support/manual-clock.ts';

const thresholdMs = 1200;

/** A member without others that campaigns. Its store completes each write by `settle`. */
function candidate(settle: (settled: Settled) => void) {
  const host = drainingHost();
  const nothing = (): void => undefined;
  const { timer } = new MembershipShell({ host, thresholdMs, refused: nothing });
  const world: DriverContext = {
    rules: { ...ledgerRules, emptyMs: () => 0 },
    host,
    timer,
    requestLease: nothing,
    reread: nothing,
    broken: nothing,
    holds: nothing,
    readFloor: nothing,
    write: (_request, settled) => settle(settled),
  };
  const self = {
    group: 'g',
    member: 'a',
    incarnation: 'a',
    partitions: 1,
    thresholdMs,
    thresholdMsMax: thresholdMs,
  };
  const driver = new RegisterDriver(
    world,
    { ...self, driftRate: 0, shape: 'register', hasLeaseRequests: true, jitter: 0 },
    0,
  );
  driver.feed({ kind: 'pin', pin: 'agrees' });
  driver.feed({ kind: 'ranks', ranks: ['a'] });
  driver.feed({ kind: 'end' });
  return { driver, host };
}

const atOnce = (settled: Settled): void => queueMicrotask(() => settled('in-effect'));

/** A member that leads in its second term, while the drain of its first term has not ended. */
async function inItsSecondTerm() {
  const { driver, host } = candidate(atOnce);
  await host.clock.pass(thresholdMs);
  driver.feed({ kind: 'resign', atLeastMs: 0 });
  host.clock.block(2 * thresholdMs);
  await host.clock.pass(10);
  driver.feed({ kind: 'campaign', on: true });
  await host.clock.pass(2 * thresholdMs);
  expect(host.reported).toEqual(['granted', 'lost', 'granted']);
  return { driver, host };
}

it.each(['drained', 'fenced'] as const)(
  'a drain whose term has ended does not end the next term: %s (H2)',
  async (end) => {
    const { driver, host } = await inItsSecondTerm();
    host.drains[0]?.(end);
    await turn();
    expect(driver.believes).toBe(true);
    await host.clock.pass(3 * thresholdMs);
    expect(host.reported).toEqual(['granted', 'lost', 'granted']);
  },
);

it.each(['drained', 'fenced'] as const)(
  'a drain whose term has ended does not end the drain of the next term: %s (H2)',
  async (end) => {
    const { driver, host } = await inItsSecondTerm();
    driver.feed({ kind: 'resign', atLeastMs: 0 });
    expect(host.drains).toHaveLength(2);
    host.drains[0]?.(end);
    await turn();
    expect(driver.believes).toBe(true);
    host.drains[1]?.('drained');
    await turn();
    expect(host.reported).toEqual(['granted', 'lost', 'granted', 'released']);
  },
);

it('a resignation is over once its term is, although a member that was stopped leads again', async () => {
  const waiting: Settled[] = [];
  let isSlow = false;
  const { driver, host } = candidate((settled) =>
    isSlow ? void waiting.push(settled) : atOnce(settled),
  );
  await host.clock.pass(thresholdMs);
  isSlow = true;
  let isOver = false;
  void driver.ended(host.signal).then(() => {
    isOver = true;
  });
  driver.feed({ kind: 'resign', atLeastMs: 0 });
  host.drains[0]?.('drained');
  await turn();
  expect(waiting).toHaveLength(1);
  driver.feed({ kind: 'campaign', on: true });
  // It is stopped for longer than its lease. Its first step afterwards ends the term and claims.
  host.clock.block(3 * thresholdMs);
  isSlow = false;
  for (const settled of waiting) settled('unknown');
  await host.clock.pass(3 * thresholdMs);
  expect(driver.believes).toBe(true);
  expect(isOver).toBe(true);
});

/**
 * A member that does not lead resigns while its claim is in flight. The partition has been free for
 * T, so the abstention ends after `atLeastMs` (L9).
 */
async function resignsWhileItClaims(atLeastMs: number) {
  const writes: Settled[] = [];
  const { driver, host } = candidate((settled) => void writes.push(settled));
  await host.clock.pass(1.5 * thresholdMs);
  for (const settled of writes.splice(0, writes.length - 1)) settled('unknown');
  let isOver = false;
  void driver.ended(host.signal).then(() => {
    isOver = true;
  });
  driver.feed({ kind: 'resign', atLeastMs });
  await turn();
  expect([writes.length, isOver]).toEqual([1, false]);
  return { driver, host, writes, isOver: () => isOver };
}

it('a resignation without a term is over once the claim in flight has no outcome, although it is repeated at once (L4)', async () => {
  const { driver, host, writes, isOver } = await resignsWhileItClaims(0);
  host.clock.block(thresholdMs / 3);
  writes[0]?.('unknown');
  await turn();
  expect(writes, 'the next claim was sent in the same step').toHaveLength(2);
  expect([driver.believes, isOver()]).toEqual([false, true]);
});

it('a resignation without a term is over once the claim in flight begins one, after the next claim was sent', async () => {
  const { driver, host, writes, isOver } = await resignsWhileItClaims(0);
  await host.clock.pass(thresholdMs / 3);
  expect([writes.length, isOver()]).toEqual([2, false]);
  writes[0]?.('in-effect');
  await turn();
  expect([driver.believes, isOver()]).toEqual([true, true]);
});

it('a resignation without a term waits for the release of a claim that takes effect while the member abstains (L9)', async () => {
  const { driver, host, writes, isOver } = await resignsWhileItClaims(thresholdMs);
  writes[0]?.('in-effect');
  await turn();
  expect(writes, 'the release is in flight').toHaveLength(2);
  expect([driver.believes, isOver()]).toEqual([false, false]);
  writes[1]?.('in-effect');
  await turn();
  expect([host.reported, isOver()]).toEqual([[], true]);
});
