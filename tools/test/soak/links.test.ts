// Faults of links that overlap: the end of one must not end another.
import { expect, test } from 'vitest';
import type { SoakContext } from '../../src/soak/environment.ts';
import { cut, delayed, halfOpen, LinkFaults, oneWay } from '../../src/soak/link-faults.ts';
import { openLinks } from '../../src/soak/links.ts';

/** A proxy that records its state as the real ones keep it: one fault, and a delay. */
function fakeProxy() {
  const state = { fault: 'none', delayMs: 0 };
  const becomes = (change: Partial<typeof state>) => (): void => void Object.assign(state, change);
  return {
    state,
    port: 1,
    cut: becomes({ fault: 'cut' }),
    halfOpen: becomes({ fault: 'half-open' }),
    cutOneWay: becomes({ fault: 'one-way' }),
    delay: (ms: number) => becomes({ delayMs: ms })(),
    mend: becomes({ fault: 'none', delayMs: 0 }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

test('a link stays disturbed while any fault of it lasts, as the strongest of them says', () => {
  const proxy = fakeProxy();
  const faults = new LinkFaults(proxy);
  const endCut = faults.begin(cut);
  const endDelay = faults.begin(delayed(50));
  const endOneWay = faults.begin(oneWay);
  const endHalfOpen = faults.begin(halfOpen);
  expect(proxy.state).toEqual({ fault: 'cut', delayMs: 50 });
  endOneWay();
  expect(proxy.state).toEqual({ fault: 'cut', delayMs: 50 });
  endCut();
  expect(proxy.state).toEqual({ fault: 'half-open', delayMs: 50 });
  endHalfOpen();
  expect(proxy.state).toEqual({ fault: 'none', delayMs: 50 });
  endDelay();
  expect(proxy.state).toEqual({ fault: 'none', delayMs: 0 });
});

test('the same fault may begin twice, and ends with the later end', () => {
  const proxy = fakeProxy();
  const faults = new LinkFaults(proxy);
  const ends = [faults.begin(cut), faults.begin(cut)];
  ends[0]?.();
  expect(proxy.state.fault).toBe('cut');
  ends[1]?.();
  expect(proxy.state.fault).toBe('none');
});

test('a fault of a member leaves the longer one of the network in force', async () => {
  const proxies: ReturnType<typeof fakeProxy>[] = [];
  const links = await openLinks(['m1', 'm2'], () => {
    const proxy = fakeProxy();
    proxies.push(proxy);
    return Promise.resolve(proxy);
  });
  const lasting = (thresholds: number): SoakContext =>
    ({
      rng: { between: () => thresholds },
      settings: { thresholdMs: 10 },
    }) as unknown as SoakContext;
  const slot = { name: 'm1' } as SoakContext['members']['slots'][number];
  const long = links.environmentFaults['network cut everywhere']?.(lasting(50));
  await links.memberFaults['nothing sent']?.(lasting(1), slot);
  expect(proxies.map(({ state }) => state.fault)).toEqual(['cut', 'cut']);
  await long;
  expect(proxies.map(({ state }) => state.fault)).toEqual(['none', 'none']);
});
