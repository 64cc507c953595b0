// The tests of a member whose network fails, or whose server does not answer.
import { randomUUID } from 'node:crypto';
import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { tcpProxy } from '@leadership/testkit/faults';
import { expect, it } from 'vitest';

/** Milliseconds. */
const thresholdMs = 1000;
/** A release is given up after less than two T; the rest is for a starved machine. In T. */
const closingThresholdsMax = 5;

/** Opens a member that reaches the server at this port. */
export type JoinBehind = (options: {
  readonly group: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
  readonly log: false;
  readonly port: number;
}) => LeadershipSource;

/** Tests that a member without a network is fenced, and that no request delays its end. */
export function networkTests(join: JoinBehind, serverPort: () => number): void {
  const common = { thresholdMs, partitions: 1, log: false } as const;
  const leads = (source: LeadershipSource): boolean => source.role(0).isLeading();
  const tokenOf = (source: LeadershipSource): bigint => source.role(0).term()?.token ?? 0n;

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
