import { describe, expect, it } from 'vitest';
import { LeadershipError } from '../../src/contract/leadership-error.ts';
import { HealthReporter } from '../../src/engine/health-reporter.ts';
import { after } from '../../src/time/instant.ts';
import { manualClock } from '../support/manual-clock.ts';

const error = (message: string): LeadershipError => new LeadershipError('unreachable', message);

/** A reporter, and the messages that its host knows now. */
function reporterOf(level?: 'trouble' | 'warning') {
  const clock = manualClock();
  const now = new Set<string>();
  const calls: string[] = [];
  const noting = (kind: string) => (code: string, message: string) => {
    now.add(message);
    calls.push(`${kind} ${code}: ${message}`);
    return { [Symbol.dispose]: () => void now.delete(message) };
  };
  const host = { clock, confirmed: () => calls.push('confirmed') };
  const levels = { trouble: noting('trouble'), warning: noting('warning') };
  const reporter = new HealthReporter({ ...host, ...levels }, level);
  const inMs = (ms: number) => after(clock.now(), ms);
  return { reporter, clock, now: () => [...now], calls, inMs };
}

describe('a health reporter', () => {
  it('keeps one trouble per topic: the latest, until it is mended', () => {
    const { reporter, now } = reporterOf();
    reporter.raise('a', error('first'));
    reporter.raise('b', error('other'));
    reporter.raise('a', error('second'));
    expect(now()).toEqual(['other', 'second']);
    reporter.mend('a');
    reporter.mend('a');
    expect(now()).toEqual(['other']);
    reporter.raise('a', error('third'));
    reporter.mendAll();
    expect(now()).toEqual([]);
  });

  it('reports a message once, until no topic has it any more', () => {
    const { reporter, now, calls } = reporterOf('warning');
    reporter.raise('a', error('same'));
    reporter.raise('a', error('same'));
    reporter.raise('b', error('same'));
    expect(calls).toEqual(['warning unreachable: same']);
    reporter.mend('a');
    expect(now()).toEqual(['same']);
    reporter.mend('b');
    expect(now()).toEqual([]);
  });

  it('ends a trouble at its time, and no earlier if it was raised again', async () => {
    const { reporter, clock, now, inMs, calls } = reporterOf();
    reporter.raise('a', error('again'), inMs(10));
    reporter.raise('b', error('once'), inMs(20));
    await clock.pass(5);
    reporter.raise('a', error('again'), inMs(20));
    await clock.pass(15);
    expect(now()).toEqual(['again']);
    await clock.pass(5);
    expect([now(), calls.length, clock.pending]).toEqual([[], 2, 0]);
  });

  it('keeps a trouble that was raised again without a time', async () => {
    const { reporter, clock, now, inMs } = reporterOf();
    reporter.raise('a', error('again'), inMs(10));
    reporter.raise('a', error('again'));
    await clock.pass(100);
    expect(now()).toEqual(['again']);
    reporter.mendAt('a', inMs(10));
    reporter.mendAt('b', inMs(10));
    await clock.pass(10);
    expect(now()).toEqual([]);
  });

  it('uses one timer, and none after dispose', async () => {
    const { reporter, clock, now, inMs } = reporterOf();
    for (const topic of ['a', 'b', 'c']) reporter.raise(topic, error(topic), inMs(10));
    expect(clock.pending).toBe(1);
    reporter[Symbol.dispose]();
    reporter.raise('d', error('d'), inMs(5));
    expect(clock.pending).toBe(0);
    await clock.pass(100);
    expect(now()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('reports what a call throws until the call succeeds', () => {
    const { reporter, now } = reporterOf();
    reporter.attempt('a', () => {
      throw new Error('away');
    });
    expect([now(), reporter.has('a')]).toEqual([['the store did not answer: away'], true]);
    reporter.attempt('a', () => undefined);
    expect([now(), reporter.has('a')]).toEqual([[], false]);
  });

  it('confirms the store with an answer, and mends its topic', () => {
    const { reporter, now, calls } = reporterOf();
    reporter.raise('a', error('away'));
    reporter.confirm('a');
    expect([now(), calls.at(-1)]).toEqual([[], 'confirmed']);
  });
});
