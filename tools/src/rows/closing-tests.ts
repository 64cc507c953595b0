// The test of a member that is closed while its server does not answer.
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

/** Tests that no request of a server that is gone without a sign delays the end of a member. */
export function closingTests(join: JoinBehind, serverPort: () => number): void {
  it('closes within its limits while the server does not answer', async () => {
    await using way = await tcpProxy({ port: serverPort() });
    const common = { group: randomUUID(), thresholdMs, partitions: 1, log: false } as const;
    await using source = join({ ...common, member: 'a', port: way.port });
    await eventually('it leads', () => source.role(0).isLeading());
    way.halfOpen();
    const beganAt = performance.now();
    await source.close();
    expect(performance.now() - beganAt).toBeLessThan(closingThresholdsMax * thresholdMs);
  });
}
