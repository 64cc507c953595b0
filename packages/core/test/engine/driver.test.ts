import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Driver, type OutputQueue } from '../../src/engine/driver.ts';
import { alarm } from '../../src/time/alarm.ts';
import { after, type Instant, never } from '../../src/time/instant.ts';
import { manualClock } from '../support/manual-clock.ts';

/** Adds an amount, and outputs each of the texts. */
interface Add {
  readonly kind: 'add';
  readonly amount: number;
  readonly says?: readonly string[];
  readonly wakeAt?: Instant;
}

/** Drives a machine that adds up its inputs. A wake-up adds 100. */
function adder(perform: (output: string) => void, queue?: OutputQueue<number, string>) {
  const clock = manualClock();
  let due = (): void => undefined;
  const wakes = alarm(clock, () => due());
  const driver = new Driver<number, Add, string>({
    clock,
    timer(dueAt) {
      due = dueAt;
      return (at) => wakes.set(0, at);
    },
    state: 0,
    step(sum, input) {
      if (input.kind === 'wake') return { state: sum + 100, outputs: ['woken'], wakeAt: never };
      const { amount, says = [], wakeAt = never } = input;
      return { state: sum + amount, outputs: says, wakeAt };
    },
    perform,
    ...(queue && { queue }),
  });
  const add = (amount: number, ...says: readonly string[]): readonly string[] =>
    driver.feed({ kind: 'add', amount, says });
  return { driver, clock, add };
}

describe('a driver', () => {
  it('steps at once for an input from within an output, and performs its outputs after the others', () => {
    const performed: string[] = [];
    const { driver, add } = adder((output) => {
      performed.push(`begin ${output} at ${driver.state}`);
      if (output === 'first') expect(add(5, 'inner')).toEqual(['inner']);
      performed.push(`end ${output}`);
    });
    expect(add(1, 'first', 'second')).toEqual(['first', 'second']);
    expect(performed).toEqual([
      ...['begin first at 1', 'end first'],
      ...['begin second at 6', 'end second'],
      ...['begin inner at 6', 'end inner'],
    ]);
  });

  it('performs the rest of the outputs with the next input if one of them throws', () => {
    const performed: string[] = [];
    const { add } = adder((output) => {
      if (output === 'broken') throw new Error('broken');
      performed.push(output);
    });
    expect(() => add(1, 'broken', 'second')).toThrow('broken');
    add(1, 'third');
    expect(performed).toEqual(['second', 'third']);
  });

  it('wakes the machine at the time that the last step named, and sets it before any output', async () => {
    const performed: string[] = [];
    const { driver, clock } = adder((output) => {
      performed.push(output);
      expect(clock.pending).toBe(output === 'woken' ? 0 : 1);
    });
    const wakeAt = after(clock.now(), 10);
    driver.feed({ kind: 'add', amount: 1, says: ['first'], wakeAt });
    await clock.pass(9);
    expect(driver.state).toBe(1);
    await clock.pass(1);
    expect([driver.state, performed]).toEqual([101, ['first', 'woken']]);
  });

  it('performs no output that has to wait, and none before it', () => {
    const performed: string[] = [];
    const waiting: string[] = [];
    let isOpen = false;
    const { driver, add } = adder((output) => performed.push(output), {
      put: (outputs) => waiting.push(...outputs),
      next: () => (isOpen ? waiting.shift() : undefined),
    });
    add(1, 'first');
    add(1, 'second');
    expect(performed).toEqual([]);
    isOpen = true;
    driver.proceed();
    expect(performed).toEqual(['first', 'second']);
  });

  it('resolves until() after the outputs of the step that fulfils the condition', async () => {
    const stop = new AbortController();
    const performed: string[] = [];
    const waits: Promise<unknown>[] = [];
    const { driver, add } = adder((output) => {
      if (output === 'first') waits.push(wait('from within'));
      performed.push(output);
    });
    const wait = (from: string): Promise<unknown> =>
      driver.until(() => performed.push(`asked ${from}`) > 0 && driver.state > 0, stop.signal);
    waits.push(wait('before'));
    add(1, 'first', 'second');
    await Promise.all(waits);
    expect(performed).toEqual([
      ...['asked before', 'first', 'second'],
      ...['asked before', 'asked from within'],
    ]);
  });

  it('ends until() once the signal aborts, and leaves no listener behind', async () => {
    const stop = new AbortController();
    const { driver } = adder(() => undefined);
    const isNever = driver.until(() => false, stop.signal);
    stop.abort();
    await isNever;
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });
});
