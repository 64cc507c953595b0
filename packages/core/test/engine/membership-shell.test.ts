import { describe, expect, it } from 'vitest';
import type { Host } from '../../src/contract/backend.ts';
import { LeadershipError } from '../../src/contract/leadership-error.ts';
import { MembershipShell } from '../../src/engine/membership-shell.ts';
import { drainingHost } from '../support/draining-host.ts';
import { manualClock } from '../support/manual-clock.ts';

const thresholdMs = 100;
const denied = new LeadershipError('unauthorized', 'no right', { cause: 'the key' });

/** A shell, and what its host and its membership received. */
function shellOf() {
  const clock = manualClock();
  const calls: string[] = [];
  const now = new Set<string>();
  const host: Host = {
    ...drainingHost(),
    clock,
    ready: () => calls.push('ready'),
    refused: (code, message, cause) => calls.push(`refused ${code}: ${message} (${cause})`),
    trouble(_code, message) {
      now.add(message);
      return { [Symbol.dispose]: () => void now.delete(message) };
    },
  };
  const refused = (why: LeadershipError): unknown => calls.push(`stop: ${why.message}`);
  const shell = new MembershipShell({ host, thresholdMs, refused });
  return { shell, clock, calls, troubles: () => [...now] };
}

describe('the shell of a membership', () => {
  it('reports readiness once', () => {
    const { shell, calls } = shellOf();
    shell.ready();
    shell.ready();
    expect([calls, shell.admission]).toEqual([['ready'], 'ready']);
  });

  it('refuses once, stops the campaign first, and is never ready after that', () => {
    const { shell, calls, troubles } = shellOf();
    shell.refuse('first', denied);
    shell.refuse('second', new LeadershipError('unauthorized', 'again'));
    shell.ready();
    expect(calls).toEqual(['stop: no right', 'refused unauthorized: no right (the key)']);
    expect([shell.admission, troubles()]).toEqual(['refused', ['no right', 'again']]);
  });

  it('refuses a final error only before it is ready, and tries again after any other', () => {
    const early = shellOf();
    expect(early.shell.failed('events', new Error('away'))).toBe(true);
    expect(early.shell.failed('events', denied)).toBe(false);
    expect(early.shell.admission).toBe('refused');
    const late = shellOf();
    late.shell.ready();
    expect(late.shell.failed('events', denied)).toBe(true);
    expect([late.shell.admission, late.troubles()]).toEqual(['ready', ['no right']]);
  });

  it('ends the trouble of a stream with its next item', async () => {
    const { shell, clock, troubles } = shellOf();
    let opened = 0;
    const items: number[] = [];
    shell.follow('numbers', {
      async *open(signal) {
        opened += 1;
        if (opened === 1) throw new Error('away');
        yield opened;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      each: (item) => items.push(item),
    });
    await clock.pass(1);
    expect(troubles()).toEqual(['the store did not answer: away']);
    await clock.pass(thresholdMs / 2);
    expect([items, troubles()]).toEqual([[2], []]);
    await shell.close(() => Promise.resolve());
  });

  it('leaves once, then stops its timers and streams, and closes every part', async () => {
    const { shell, clock } = shellOf();
    const order: string[] = [];
    shell.timer(() => order.push('woken'))(clock.now());
    shell.raiseBriefly('broken', denied);
    const close = (): Promise<void> =>
      shell.close(
        async () => order.push(`leave, signal ${shell.signal.aborted}`),
        () => {
          order.push(`first part, signal ${shell.signal.aborted}`);
          throw new Error('broken part');
        },
        () => order.push('second part'),
      );
    expect(shell.isClosed).toBe(false);
    const closings = [close(), close()];
    expect(shell.isClosed).toBe(true);
    for (const closing of closings) await expect(closing).rejects.toThrow('broken part');
    expect(order).toEqual(['leave, signal false', 'first part, signal true', 'second part']);
    expect(clock.pending).toBe(0);
  });

  it('leaves once if closed again while it leaves, and gives that call the same promise', async () => {
    const { shell } = shellOf();
    const closings: Promise<void>[] = [];
    const order: string[] = [];
    const close = (): void => {
      closings.push(
        shell.close(
          async () => {
            order.push(`leave, closed ${shell.isClosed}`);
            if (order.length === 1) close();
          },
          () => order.push('part'),
        ),
      );
    };
    close();
    await Promise.all(closings);
    expect([new Set(closings).size, order]).toEqual([1, ['leave, closed true', 'part']]);
  });
});
