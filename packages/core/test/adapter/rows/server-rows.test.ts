import { describe, expect, it } from 'vitest';
import { errorMapper } from '../../../src/adapter/rows/error-mapper.ts';
import { type ServerRows, serverRows } from '../../../src/adapter/rows/server-rows.ts';
import { deferred } from '../../../src/async/deferred.ts';
import { waitFor } from '../../../src/async/waiting.ts';
import { drainingHost } from '../../support/draining-host.ts';
import { turn } from '../../support/manual-clock.ts';

const thresholdMs = 1000;
const toError = errorMapper([[/denied/, 'unauthorized', 'grant it']]);
const never = new AbortController().signal;

/** Rows of a server whose requests fail with `error`, as long as it has one. */
function serverThat(behaves: Partial<ServerRows>) {
  const state: { error: Error | undefined; requests: number } = { error: undefined, requests: 0 };
  const answer = async (): Promise<undefined> => {
    state.requests += 1;
    if (state.error !== undefined) throw state.error;
    return undefined;
  };
  const server: ServerRows = {
    name: 'store',
    open: answer,
    list: () => answer().then(() => new Map()),
    replace: () => answer().then(() => ({ isDone: true })),
    close: () => undefined,
    ...behaves,
  };
  const warnings = new Set<string>();
  const host = {
    ...drainingHost(),
    warning(_: string, message: string) {
      warnings.add(message);
      return { [Symbol.dispose]: () => void warnings.delete(message) };
    },
  };
  const rows = serverRows(server, { host, thresholdMs, notifications: true, toError });
  return { rows, state, warnings, clock: host.clock };
}

describe('the requests of a member that a server refuses', () => {
  const change = { name: 'a', expected: null, text: 'one', isAwaited: false };

  it('pause for up to T, and go on soon after the cause has ended', async () => {
    const { rows, state, clock } = serverThat({});
    state.error = new Error('denied');
    for (let at = 0; at < 20 * thresholdMs; at += 10) {
      await expect(rows.list({ signal: never, mayLag: false })).rejects.toThrow('store: grant it');
      clock.block(10);
    }
    expect(state.requests).toBeLessThan(30);
    state.error = undefined;
    clock.block(thresholdMs);
    for (let n = 0; n < 3; n += 1) await rows.list({ signal: never, mayLag: false });
  });

  it('do not pause those of another kind, nor after another error', async () => {
    const { rows, state } = serverThat({});
    state.error = new Error('denied');
    await expect(rows.list({ signal: never, mayLag: false })).rejects.toThrow('grant it');
    state.error = new Error('away');
    for (let n = 0; n < 3; n += 1)
      await expect(rows.replace(change, never)).rejects.toThrow('store: away');
    expect(state.requests).toBe(4);
  });
});

describe('notifications that do not begin', () => {
  it('name the time and what it was spent on, and not only that they were aborted', async () => {
    const { rows, warnings, clock } = serverThat({
      listen: (_, signal) => waitFor('the function password', deferred<void>().promise, signal),
    });
    const over = new AbortController();
    const listening = rows.listen?.(() => undefined, over.signal);
    await turn();
    await clock.pass(5000);
    await listening;
    expect([...warnings]).toEqual([
      'store: members only poll: no answer within 5000 ms while waiting for the function password',
    ]);
    over.abort();
    await rows.close();
  });
});
