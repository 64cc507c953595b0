import { HealthReporter } from '@leadership/core/internal/engine';
import { describe, expect, it } from 'vitest';
import {
  type Credentials,
  keepCredentials,
  streamCredentials,
} from '../../src/client/credentials.ts';
import { answerMsOf } from '../../src/table/store.ts';
import { fakeHost } from '../support/fake-host.ts';

const minute = 60_000;

/** Creates a clock that the test advances. The wall clock advances with it. */
function handClock() {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  const clock = {
    now: () => now,
    wallMicros: () => now * 1000,
    wake(at: number, callback: () => void) {
      const timer = { at, callback };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
  };
  return {
    clock: clock as never,
    wallMs: () => now,
    timers,
    async advance(ms: number) {
      await new Promise((resolve) => setImmediate(resolve));
      for (const end = now + ms; now < end; ) {
        now = Math.min(
          end,
          Math.min(...[...timers].map(({ at }) => at).filter((at) => at > now), end),
        );
        for (const timer of [...timers])
          if (timer.at <= now && timers.delete(timer)) timer.callback();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

function keep(credentials: Credentials) {
  const host = fakeHost('a');
  const time = handClock();
  const stop = new AbortController();
  const [troubles, warnings] = [new HealthReporter(host), new HealthReporter(host, 'warning')];
  const keeping = {
    of: 'table "leases"',
    credentials,
    clock: time.clock,
    wallMs: time.wallMs,
    slowMs: 300,
    troubles,
    warnings,
  };
  const over = keepCredentials(keeping, stop.signal);
  return { host, time, over, stop };
}

describe('credentials', () => {
  it('that never expire are fetched once', async () => {
    let asked = 0;
    const { over, time } = keep(async () => {
      asked += 1;
      return {};
    });
    await over;
    expect([asked, time.timers.size]).toEqual([1, 0]);
  });

  it('that expire are renewed repeatedly, each time before a request would wait for them', async () => {
    const renewedAt: number[] = [];
    let expiresAt = 60 * minute;
    const { time, stop, over, host } = keep(async (options) => {
      if (options?.forceRefresh) {
        renewedAt.push(time.wallMs() / minute);
        expiresAt = time.wallMs() + 60 * minute;
      }
      return { expiration: new Date(expiresAt) };
    });
    await time.advance(150 * minute);
    expect(renewedAt.length).toBe(2);
    // The SDK makes requests wait during the last five minutes before expiry.
    for (const [index, at] of renewedAt.entries()) {
      expect(at).toBeGreaterThan(50 * (index + 1) - 1);
      expect(at).toBeLessThan(55 * (index + 1));
    }
    expect(host.calls).toEqual([]);
    stop.abort();
    await over;
  });

  it('whose renewal is slow are reported: as a problem if requests wait for them, as a warning before that', async () => {
    let renew = (): void => undefined;
    let expiresAt = 20 * minute;
    const { time, stop, over, host } = keep((options) => {
      const answer = { expiration: new Date(expiresAt) };
      if (!options?.forceRefresh) return Promise.resolve(answer);
      return new Promise((resolve) => {
        renew = () => resolve({ expiration: new Date(expiresAt) });
      });
    });
    await time.advance(12 * minute);
    expect([...host.warnings].join()).toMatch(
      /table "leases": renewing the credentials takes longer than 300 ms, and the current ones are still in use/,
    );
    expect(host.troubles.size).toBe(0);
    expiresAt = time.wallMs() + 2 * minute;
    renew();
    await time.advance(2000);
    expect(host.warnings.size).toBe(0);
    await time.advance(minute);
    expect([...host.troubles].join()).toMatch(
      /takes longer than 300 ms, and each request waits for them, so leases expire/,
    );
    expiresAt = time.wallMs() + 60 * minute;
    renew();
    await time.advance(1);
    expect(host.troubles.size).toBe(0);
    stop.abort();
    await over;
    expect(time.timers.size).toBe(0);
  });

  it('that cannot be renewed are reported with the cause, and fetched again', async () => {
    let isBroken = true;
    const { time, stop, over, host } = keep(async () => {
      if (isBroken) throw new Error('the metadata service is away');
      return { expiration: new Date(time.wallMs() + 60 * minute) };
    });
    await time.advance(10);
    expect(host.calls.join()).toContain('trouble unauthorized');
    expect([...host.troubles].join()).toContain('the metadata service is away');
    isBroken = false;
    // After a failed first renewal the next attempt follows a second later.
    await time.advance(1000);
    expect(host.troubles.size).toBe(0);
    stop.abort();
    await over;
  });

  it('that never arrive leave no timer behind once the member is closed', async () => {
    const { time, stop, over, host } = keep(() => new Promise(() => undefined));
    await time.advance(1000);
    expect(host.troubles.size).toBe(1);
    stop.abort();
    await over;
    expect(time.timers.size).toBe(0);
  });
});

describe('credentials of a stream', () => {
  it('are renewed ahead and reported once its client is loaded, but not after close', async () => {
    const host = fakeHost('a');
    const time = handClock();
    const reports = {
      troubles: new HealthReporter(host),
      warnings: new HealthReporter(host, 'warning'),
    };
    const kept = streamCredentials('orders', {
      clock: time.clock,
      slowMs: answerMsOf(900),
      ...reports,
    });
    let asked = 0;
    const hang: Credentials = () => {
      asked += 1;
      return new Promise(() => undefined);
    };
    kept.opened(hang);
    await time.advance(1000);
    expect([...host.troubles].join()).toMatch(
      /stream "orders": renewing the credentials takes longer than 1000 ms/,
    );
    kept.close();
    await time.advance(10);
    expect([host.troubles.size, time.timers.size]).toEqual([0, 0]);
    kept.opened(hang);
    await time.advance(2000);
    expect([asked, host.troubles.size, time.timers.size]).toEqual([1, 0, 0]);
  });
});
