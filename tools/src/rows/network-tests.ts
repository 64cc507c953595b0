// The tests of a member whose network fails, or whose server does not answer.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { tcpProxy } from '@leadership/testkit/faults';
import { leaseRenewed } from '@leadership/testkit/internal';
import { expect, it } from 'vitest';

/** Milliseconds. */
const thresholdMs = 1000;
/** A release is given up after less than two T; the rest is for a starved machine. In T. */
const closingThresholdsMax = 5;
const common = { thresholdMs, partitions: 1, log: false } as const;
/** How long the attempts of a refused member are counted. Milliseconds. */
const countedMs = 4000;
/**
 * The pause after a refusal doubles, and a member has up to two connections. Without any pause there
 * were 240 attempts in this time.
 */
const attemptsMax = 20;

/** Opens a member that reaches the server at this port. */
export type JoinBehind = (options: {
  readonly group: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
  readonly log: false;
  readonly port: number;
}) => LeadershipSource;

/** Opens a member that reaches the server at this port, with a password by a function. */
export type JoinWithPassword = (
  options: Parameters<JoinBehind>[0] & { readonly password: () => string },
) => LeadershipSource | Promise<LeadershipSource>;

const leads = (source: LeadershipSource): boolean => source.role(0).isLeading();
const tokenOf = (source: LeadershipSource): bigint => source.role(0).term()?.token ?? 0n;

/**
 * Tests that a member whose password is not valid any more costs the server little. `forget` makes
 * the server forget whom it has admitted, if that takes more than the end of the connections.
 */
export function refusedUserTest(
  join: JoinWithPassword,
  serverPort: () => number,
  validPassword: () => string,
  forget: () => Promise<unknown> = () => Promise.resolve(),
): void {
  it('opens few connections while the server refuses its user, and leads once it does not', async () => {
    await using way = await tcpProxy({ port: serverPort() });
    let password = validPassword();
    const options = { ...common, group: randomUUID(), member: 'a', port: way.port };
    await using source = await join({ ...options, password: () => password });
    await eventually('it leads', () => leads(source));
    password = `${password}-of-yesterday`;
    await forget();
    way.reset();
    const isRefused = (): boolean =>
      source.health().troubles.some(({ code }) => code === 'unauthorized');
    await eventually('it is refused', isRefused);
    const { accepted } = way.counters;
    await pause(countedMs);
    expect(way.counters.accepted - accepted).toBeLessThan(attemptsMax);
    await eventually('it is refused still', isRefused);
    password = validPassword();
    await eventually('it leads again', () => leads(source));
    await eventually('no trouble is left', () => source.health().ok);
  });
}

/** Tests that a member without a network is fenced, and that no request delays its end. */
export function networkTests(join: JoinBehind, serverPort: () => number): void {
  it.each(['cut', 'halfOpen'] as const)('fences a leader whose network is %s', async (fault) => {
    const group = randomUUID();
    await using way = await tcpProxy({ port: serverPort() });
    await using leader = join({ ...common, group, member: 'a', port: way.port });
    await eventually('it leads', () => leads(leader));
    const token = tokenOf(leader);
    await using successor = join({ ...common, group, member: 'b', port: serverPort() });
    await successor.ready();
    way[fault]();
    const led: boolean[] = [];
    await eventually('a successor leads', () => {
      led.push(leads(leader) && leads(successor));
      return leads(successor);
    });
    expect(led).not.toContain(true);
    expect(tokenOf(successor)).toBeGreaterThan(token);
    way.mend();
    await eventually('the first member is connected', () => leader.health().ok);
    expect(leads(leader)).toBe(false);
  });

  it('closes within its limits while the server does not answer', async () => {
    await using way = await tcpProxy({ port: serverPort() });
    await using source = join({ ...common, group: randomUUID(), member: 'a', port: way.port });
    await eventually('it leads', () => leads(source));
    way.halfOpen();
    const beganAt = performance.now();
    await source.close();
    expect(performance.now() - beganAt).toBeLessThan(closingThresholdsMax * thresholdMs);
  });
}

/**
 * Expects that the leader of these members renews its lease twice in one term although `takeAway` has taken
 * a server away, and that another member then leads with a greater token. `takeAway` resolves with how the
 * server comes back in the end.
 */
export async function keepsTermThenHandsOver(
  sources: readonly LeadershipSource[],
  takeAway: () => Promise<() => unknown>,
): Promise<void> {
  await Promise.all(sources.map((source) => source.ready()));
  const leader = await eventually('a member leads', () => sources.find(leads));
  const token = tokenOf(leader);
  const bringBack = await takeAway();
  await leaseRenewed(leader.role(0));
  await leaseRenewed(leader.role(0));
  expect([leads(leader), tokenOf(leader)]).toEqual([true, token]);
  void leader.role(0).resign();
  const next = await eventually('another member leads', () =>
    sources.find((source) => source !== leader && leads(source)),
  );
  expect(tokenOf(next)).toBeGreaterThan(token);
  await bringBack();
}
