import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { CoolDown } from '../../src/async/cool-down.ts';
import { deferred } from '../../src/async/deferred.ts';
import { Reconnecting } from '../../src/async/reconnecting.ts';
import { Shared } from '../../src/async/shared.ts';
import { waitFor } from '../../src/async/waiting.ts';
import { withTimeout } from '../../src/async/with-timeout.ts';
import { manualClock, turn } from '../support/manual-clock.ts';

const never = new AbortController().signal;

describe('a shared value', () => {
  it('is made once for all that ask meanwhile, and again after it was dropped', async () => {
    let made = 0;
    const shared = new Shared(async () => {
      made += 1;
      return made;
    });
    expect(shared.current).toBeUndefined();
    const [one, two] = [shared.get(), shared.get()];
    expect([await one, await two]).toEqual([1, 1]);
    expect(shared.drop(one)).toBe(true);
    expect(shared.drop(one)).toBe(false);
    expect(await shared.get()).toBe(2);
  });

  it('is asked for again after a failure', async () => {
    const results = [deferred<string>(), deferred<string>()];
    const shared = new Shared(() => (results.shift() ?? deferred<string>()).promise);
    const [first, second] = results;
    const failing = shared.get();
    first?.reject(new Error('no'));
    await expect(failing).rejects.toThrow('no');
    second?.resolve('yes');
    expect(await shared.get()).toBe('yes');
  });
});

describe('waiting for shared work in the name of a request', () => {
  it('names the work in the error of the time limit', async () => {
    const clock = manualClock();
    const { promise } = deferred<string>();
    const asked = withTimeout({ clock, limitMs: 300, signal: never }, (signal) =>
      waitFor('the server to authenticate user "app"', promise, signal),
    );
    void clock.pass(300);
    await expect(asked).rejects.toThrow(
      'no answer within 300 ms while waiting for the server to authenticate user "app"',
    );
  });

  it('leaves no rejection of the work behind if the request has ended before', async () => {
    const work = Promise.reject(new Error('no credentials'));
    await expect(waitFor('credentials', work, AbortSignal.abort())).rejects.toThrow('aborted');
    await turn();
  });

  it('does not name work that is done', async () => {
    const clock = manualClock();
    const asked = withTimeout({ clock, limitMs: 300, signal: never }, async (signal) => {
      await waitFor('credentials', Promise.resolve(), signal);
      await deferred<void>().promise;
    });
    await turn();
    void clock.pass(300);
    await expect(asked).rejects.toThrow(/^no answer within 300 ms$/);
  });
});

describe('a time limit', () => {
  it('does not begin what was aborted before', async () => {
    let calls = 0;
    const options = { clock: manualClock(), limitMs: 300, signal: AbortSignal.abort() };
    const call = async (): Promise<void> => {
      calls += 1;
    };
    await expect(withTimeout(options, call)).rejects.toThrow('aborted');
    expect(calls).toBe(0);
  });
});

describe('a cool-down', () => {
  const backOff = { firstMs: 100, lastMs: 250, random: () => 1 };

  it('fails attempts with the last error for a time that doubles, until one succeeds', () => {
    const clock = manualClock();
    const pause = new CoolDown(clock, backOff);
    pause.check();
    for (const ms of [100, 200, 250, 250]) {
      pause.failed(new Error(`refused for ${ms}`));
      clock.block(ms - 1);
      expect(() => pause.check()).toThrow(`refused for ${ms}`);
      clock.block(1);
      pause.check();
    }
    pause.succeeded();
    pause.failed(new Error('again'));
    clock.block(100);
    pause.check();
  });

  it('counts attempts that fail together as one', () => {
    const clock = manualClock();
    const pause = new CoolDown(clock, backOff);
    for (let n = 0; n < 5; n += 1) pause.failed(new Error('refused'));
    clock.block(100);
    pause.check();
  });
});

describe('a connection that is opened on demand', () => {
  const limits = { clock: manualClock(), limitMs: 1000 };

  function countedLinks() {
    const opened: { closes: number }[] = [];
    const open = async () => {
      const link = { closes: 0 };
      opened.push(link);
      const ended = deferred<unknown>();
      const close = (): void => {
        link.closes += 1;
        ended.resolve(new Error('closed'));
      };
      return { ended: ended.promise, close };
    };
    return { opened, open };
  }

  it('is closed once, whatever the number of requests that give it up', async () => {
    const { opened, open } = countedLinks();
    const line = new Reconnecting(open, () => false, limits);
    const over = new AbortController();
    const hung = Array.from({ length: 4 }, () =>
      line.use(
        over.signal,
        () =>
          new Promise((_, reject) => {
            over.signal.addEventListener('abort', () => reject(over.signal.reason));
          }),
      ),
    );
    await turn();
    over.abort();
    await Promise.allSettled(hung);
    line.close();
    await turn();
    expect(opened).toEqual([{ closes: 1 }]);
    expect(getEventListeners(over.signal, 'abort')).toHaveLength(hung.length);
  });

  it('reports why it was given up to every request that used it', async () => {
    const { opened, open } = countedLinks();
    const line = new Reconnecting(open, () => false, limits);
    const over = new AbortController();
    const closed = deferred<never>();
    const hung = [over.signal, never].map((signal) => line.use(signal, () => closed.promise));
    await turn();
    over.abort(new Error('no answer within 667 ms'));
    closed.reject(new Error('Connection is closed.'));
    for (const one of hung) await expect(one).rejects.toThrow('no answer within 667 ms');
    await turn();
    expect(opened).toEqual([{ closes: 1 }]);
  });

  it('is not opened again after it was closed, nor for a request that has ended', async () => {
    const { opened, open } = countedLinks();
    const line = new Reconnecting(open, () => true, limits);
    await expect(line.use(AbortSignal.abort(), async () => 1)).rejects.toThrow('aborted');
    line.close();
    await expect(line.use(never, async () => 1)).rejects.toThrow('aborted');
    expect(opened).toEqual([]);
  });

  it('is kept while it is opened, although the request that asked for it has ended', async () => {
    const { opened, open } = countedLinks();
    const begun = deferred<void>();
    const line = new Reconnecting(
      () => begun.promise.then(open),
      () => true,
      limits,
    );
    const over = new AbortController();
    const first = line.use(over.signal, async () => 1);
    over.abort();
    await expect(first).rejects.toThrow('aborted');
    begun.resolve();
    expect(await line.use(never, async () => 2)).toBe(2);
    expect(opened).toEqual([{ closes: 0 }]);
  });
});
