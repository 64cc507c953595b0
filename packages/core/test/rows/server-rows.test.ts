import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/async/deferred.ts';
import { waitFor } from '../../src/async/waiting.ts';
import { errorMapper } from '../../src/rows/error-mapper.ts';
import type { NotificationListener } from '../../src/rows/notifications.ts';
import type { Exchange, NamedText } from '../../src/rows/rows.ts';
import { type ServerExchange, type ServerRows, serverRows } from '../../src/rows/server-rows.ts';
import { turn } from '../support/manual-clock.ts';
import { serverHost } from '../support/server-host.ts';

const thresholdMs = 1000;
const toError = errorMapper([
  [/denied/, 'unauthorized', 'grant it'],
  [/dropped/, 'misconfigured-backend', 'create it'],
  [/gone/, 'unknown-group', 'it may be on its way'],
]);
const never = new AbortController().signal;
const reading: Exchange = { changes: [], since: undefined };
const renewal = { name: 'session#a/1', expected: '0', text: '1' };
const writing: Exchange = { changes: [renewal], since: 0 };

/** Rows of a server whose requests fail with `error`, as long as it has one. */
function serverThat(behaves: Partial<ServerRows> = {}, notifications = true) {
  const state = {
    error: undefined as Error | undefined,
    isMissing: false,
    /** Whether each opening might create what is missing. */
    openings: [] as boolean[],
    requests: [] as ServerExchange[],
    listeners: [] as NotificationListener[],
  };
  const server: ServerRows = {
    name: 'store',
    traits: { changesMax: 2 },
    async open(_, mayCreate) {
      state.openings.push(mayCreate);
      return { isMissing: state.isMissing };
    },
    async exchange(request) {
      state.requests.push(request);
      if (state.error !== undefined) throw state.error;
      const outcomes = request.changes.map(() => true);
      return { outcomes, rows: [], position: 1, isWhole: true };
    },
    listen(listener, signal) {
      state.listeners.push(listener);
      listener.listening();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    },
    close: () => undefined,
    ...behaves,
  };
  const host = serverHost(0.5);
  const rows = serverRows(server, { host, thresholdMs, notifications, toError });
  return { rows, state, host, clock: host.clock };
}

describe('the requests of a member that a server refuses', () => {
  it('pause for up to T, and go on soon after the cause has ended', async () => {
    const { rows, state, clock } = serverThat();
    state.error = new Error('denied');
    for (let at = 0; at < 20 * thresholdMs; at += 10) {
      await expect(rows.exchange(reading, never)).rejects.toThrow('store: grant it');
      clock.block(10);
    }
    expect(state.requests.length).toBeLessThan(30);
    state.error = undefined;
    clock.block(thresholdMs);
    for (let n = 0; n < 3; n += 1) await rows.exchange(reading, never);
  });

  it('do not pause those of another kind, nor after another error', async () => {
    const { rows, state } = serverThat();
    state.error = new Error('denied');
    await expect(rows.exchange(reading, never)).rejects.toThrow('grant it');
    state.error = new Error('away');
    for (let n = 0; n < 3; n += 1)
      await expect(rows.exchange(writing, never)).rejects.toThrow('store: away');
    expect(state.requests).toHaveLength(4);
  });

  it.each([
    ['a person has removed what it needs', 'dropped', 'store: create it'],
    ['a server does not know it', 'gone', 'store: it may be on its way'],
  ])('open the store again if %s', async (_, error, message) => {
    const { rows, state, clock } = serverThat();
    await rows.open?.(never, true);
    state.error = new Error(error);
    await expect(rows.exchange(reading, never)).rejects.toThrow(message);
    state.error = undefined;
    clock.block(thresholdMs);
    await rows.exchange(reading, never);
    await rows.exchange(reading, never);
    expect(state.openings).toEqual([true, true]);
  });
});

describe('an observer of a store that does not exist yet', () => {
  it('reads nothing until a member has created it, and creates nothing', async () => {
    const { rows, state } = serverThat();
    state.isMissing = true;
    await rows.open?.(never, false);
    const none = { outcomes: [], rows: [], position: undefined, isWhole: true };
    expect(await rows.exchange(reading, never)).toEqual(none);
    expect(state.requests).toEqual([]);
    state.isMissing = false;
    expect(await rows.exchange(reading, never)).toMatchObject({ position: 1 });
    await rows.exchange(reading, never);
    expect(state.openings).toEqual([false, false, false]);
  });

  it('warns that nobody can listen only once it exists', async () => {
    const listen = (): Promise<void> => Promise.reject(new Error('nothing to listen to'));
    const { rows, state, host, clock } = serverThat({ listen });
    state.isMissing = true;
    await rows.open?.(never, false);
    await rows.listen?.(() => undefined, never);
    expect(host.present).toEqual(new Set());
    state.isMissing = false;
    await rows.exchange(reading, never);
    await clock.pass(20 * thresholdMs);
    expect([...host.present]).toEqual([expect.stringContaining('nothing to listen to')]);
  });
});

describe('the rows of a server', () => {
  it('settle once the signal aborts, although the client goes on', async () => {
    const { rows } = serverThat({ exchange: () => new Promise(() => undefined) });
    const over = new AbortController();
    const hanging = rows.exchange(reading, over.signal);
    over.abort(new Error('too late'));
    await expect(hanging).rejects.toThrow('too late');
    await expect(rows.exchange(reading, over.signal)).rejects.toThrow('too late');
  });

  it('send nothing once they are closed, and close the store once', async () => {
    let closed = 0;
    const close = (): void => {
      closed += 1;
    };
    const { rows, state } = serverThat({ close });
    await rows.close();
    await rows.close();
    await expect(rows.exchange(reading, never)).rejects.toMatchObject({ code: 'closed' });
    expect([state.requests.length, closed]).toEqual([0, 1]);
  });

  it('have the traits of the store, and listen only if it can and should', async () => {
    const floor = { read: async () => 1n, raise: async () => undefined };
    expect(serverThat({ floor }).rows).toMatchObject({ traits: { changesMax: 2 }, floor });
    expect(serverThat({ listen: undefined }).rows.listen).toBeUndefined();
    expect(serverThat({}, false).rows.listen).toBeUndefined();
  });
});

describe('the notification of an exchange', () => {
  it('shows renewals and what others wait for, and says whether they do', async () => {
    const sent = await notified([renewal, { name: 'partition#0', expected: '1', text: '2' }]);
    expect(sent.changes.map(({ isAwaited }) => isAwaited)).toEqual([true, false]);
    expect(await received(sent)).toEqual([[['session#a/1', '1']]]);
    const claim = { name: 'partition#0', expected: '1', text: '2', isAwaited: true };
    expect(await received(await notified([claim]))).toEqual([[['partition#0', '2']], 'read']);
    const shown = [
      ['session#a/1', '1'],
      ['partition#0', '2'],
    ];
    expect(await received(await notified([renewal, claim]))).toEqual([shown, 'read']);
  });

  it('is left out if nothing is to tell, and shows no row that would make it too long', async () => {
    const { rows, state } = serverThat();
    await rows.exchange({ changes: [{ ...renewal, name: 'member#a' }], since: 0 }, never);
    await rows.exchange(reading, never);
    expect(state.requests.map(({ notification }) => notification)).toEqual([undefined, undefined]);
    expect(await received(await notified([{ ...renewal, text: 'x'.repeat(3000) }]))).toEqual([]);
    const off = serverThat({}, false);
    await off.rows.exchange(writing, never);
    expect(off.state.requests[0]).toMatchObject({ notification: undefined });
    expect(off.state.requests[0]?.changes[0]).toMatchObject({ isAwaited: false });
  });

  it('shows announced rows if the store says which changes it made, and else wakes a reader', async () => {
    const claim = { name: 'partition#0', expected: '1', text: '2', isAnnounced: true };
    const sent = await notified([renewal, claim]);
    expect(sent.changes.map(({ isAwaited }) => isAwaited)).toEqual([true, true]);
    const [renewed, claimed] = [
      ['session#a/1', '1'],
      ['partition#0', '2'],
    ];
    const receivedWith = (outcomes: string): Promise<readonly unknown[]> =>
      received({ ...sent, notification: `${sent.notification}${outcomes}` });
    expect(await receivedWith(' 11')).toEqual([[renewed, claimed]]);
    expect(await receivedWith(' 10')).toEqual([[renewed]]);
    expect(await receivedWith('')).toEqual([[renewed], 'read']);
    const many = Array.from({ length: 40 }, (_, index) => ({
      ...claim,
      name: `partition#${index}`,
      text: 'x'.repeat(100),
    }));
    expect(await received(await notified(many))).toEqual(['read']);
  });

  it('wakes a reader that cannot parse it, and not its own sender', async () => {
    expect(await woken('not JSON')).toEqual(['read']);
    expect(await woken('{"from":7}')).toEqual(['read']);
    expect(await woken('{"from":"b","shown":[7,["a"],["a",null]]}')).toEqual([]);
    expect(await woken('{"from":"life","awaited":true}')).toEqual([]);
  });

  async function notified(changes: Exchange['changes']): Promise<ServerExchange> {
    const { rows, state } = serverThat();
    await rows.exchange({ changes, since: 0 }, never);
    const [sent] = state.requests;
    if (sent === undefined) throw new Error('nothing was sent');
    return sent;
  }

  /** What another member does with the notification. */
  async function received({ notification }: ServerExchange): Promise<readonly unknown[]> {
    return woken(notification?.replace('"from":"life"', '"from":"another"'));
  }

  async function woken(text: string | undefined): Promise<readonly unknown[]> {
    const { rows, state } = serverThat();
    const calls: ('read' | readonly NamedText[])[] = [];
    await rows.listen?.((shown) => calls.push(shown ?? 'read'), never);
    if (text !== undefined) state.listeners[0]?.notified(text);
    await rows.close();
    // The first call is that of a new connection.
    return calls.slice(1);
  }
});

describe('notifications that do not begin', () => {
  it('name the time and what it was spent on, and not only that they were aborted', async () => {
    const { rows, host, clock } = serverThat({
      listen: (_, signal) => waitFor('the function password', deferred<void>().promise, signal),
    });
    const over = new AbortController();
    const listening = rows.listen?.(() => undefined, over.signal);
    await turn();
    await clock.pass(5000);
    await listening;
    expect([...host.present]).toEqual([
      'warning: store: members only poll: no answer within 5000 ms while waiting for the function password',
    ]);
    over.abort();
    await rows.close();
  });

  it('begin again after the connection has ended, and the warning ends then', async () => {
    let end: (error: Error) => void = () => undefined;
    const { rows, host, clock, state } = serverThat({
      listen(listener) {
        state.listeners.push(listener);
        listener.listening();
        return new Promise((_, reject) => {
          end = reject;
        });
      },
    });
    const over = new AbortController();
    let woken = 0;
    const wake = (): void => {
      woken += 1;
    };
    await rows.listen?.(wake, over.signal);
    end(new Error('away'));
    await turn();
    expect([...host.present]).toEqual(['warning: store: members only poll: away']);
    await clock.pass(thresholdMs);
    expect([[...host.present], state.listeners.length, woken]).toEqual([[], 2, 2]);
    over.abort();
    await rows.close();
    await turn();
    expect(clock.pending).toBe(0);
  });
});
