// Faults of links that overlap: the end of one must not end another.
import { connect } from 'node:net';
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { expect, test } from 'vitest';
import type { SoakContext } from '../../src/soak/environment.ts';
import { openLinks } from '../../src/soak/links.ts';

/** Returns whether a fault of the proxy refuses connections now. Closes what it accepts. */
async function refuses({ port, counters }: TcpProxy): Promise<boolean> {
  const before = counters.refused;
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await new Promise<void>((resolve) => socket.on('close', () => resolve()));
  return counters.refused > before;
}

test('a fault of a member leaves the longer one of the network in force', async () => {
  const proxies: TcpProxy[] = [];
  await using links = await openLinks(['m1', 'm2'], async (target) => {
    const proxy = await tcpProxy(target);
    proxies.push(proxy);
    return proxy;
  });
  const lasting = (thresholds: number): SoakContext =>
    ({
      rng: { between: () => thresholds },
      settings: { thresholdMs: 10 },
    }) as unknown as SoakContext;
  const slot = { name: 'm1' } as SoakContext['members']['slots'][number];
  const long = links.environmentFaults['network cut everywhere']?.(lasting(50));
  await links.memberFaults['nothing sent']?.(lasting(1), slot);
  expect(await Promise.all(proxies.map(refuses))).toEqual([true, true]);
  await long;
  expect(await Promise.all(proxies.map(refuses))).toEqual([false, false]);
});
