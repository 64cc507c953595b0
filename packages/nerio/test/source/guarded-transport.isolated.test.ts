// A custom transport that throws where it must not.

import { passFor, passUntil } from '@leadership/testkit/vitest';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { nerioLeadership, type OpenTransport, type Transport } from '../../src/index.ts';
import { memoryNetwork } from '../support/memory-network.ts';

// A blocked process must not look like a machine that slept, so the test controls the boot time
// too.
vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  uptime: () => performance.now() / 1000,
}));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A transport whose given calls fail while `isBroken` returns `true`. */
function brittle(
  open: OpenTransport,
  calls: ReadonlySet<string>,
  isBroken: () => boolean,
): OpenTransport {
  return (parts) =>
    new Proxy(open(parts), {
      get(transport, name: keyof Transport & string) {
        const value: unknown = Reflect.get(transport, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          if (calls.has(name) && isBroken()) throw new Error('out of wire');
          return Reflect.apply(value, transport, given);
        };
      },
    });
}

test.each(['send', 'reach', 'isReached', 'enter'] as const)(
  'a transport that throws in %s is counted and reported, and the member continues',
  async (call) => {
    const network = memoryNetwork();
    const names = ['a', 'b', 'c'];
    let isBroken = true;
    const transportOf = (member: string): OpenTransport =>
      member === 'a' ? brittle(network.open, new Set([call]), () => isBroken) : network.open;
    const sources = names.map((member) =>
      nerioLeadership({
        group: 'g',
        members: names,
        thresholdMs: 300,
        partitions: 1,
        member,
        transport: transportOf(member),
      }),
    );
    const [a] = sources;
    await passFor(() => expect(a?.health().ignored['transport threw']).toBeGreaterThan(0));
    expect(a?.health().troubles).toContainEqual(
      expect.objectContaining({
        code: 'unreachable',
        message: `the transport threw in ${call}(): out of wire`,
      }),
    );
    await passFor(() => expect(sources.some((source) => source.role(0).isLeading())).toBe(true));
    isBroken = false;
    if (call === 'send') await passFor(() => expect(a?.health().troubles).toEqual([]));
    await Promise.all(sources.map((source) => passUntil(source.close())));
  },
);

test('a transport that throws or rejects in close() does not prevent the source from closing', async () => {
  for (const fail of [
    (): never => {
      throw new Error('jammed');
    },
    () => Promise.reject(new Error('jammed')),
  ]) {
    const network = memoryNetwork();
    const transport: OpenTransport = (parts) => ({ ...network.open(parts), close: fail });
    const source = nerioLeadership({
      group: 'g',
      members: ['a'],
      member: 'a',
      thresholdMs: 300,
      partitions: 1,
      transport,
    });
    await passFor(() => expect(source.role(0).isLeading()).toBe(true));
    await passUntil(source.close());
    expect(source.health().ignored['transport threw']).toBe(1);
  }
});
