import { describe, expect, it } from 'vitest';
import { LeadershipError } from '../../src/contract/leadership-error.ts';
import { pinRegister } from '../../src/ledger/record.ts';
import { electionOf, thresholdMs } from '../support/ledger-source.ts';
import { pin, strangers } from '../support/steered-ledger.ts';

const forever = (): Promise<never> => new Promise(() => undefined);

describe('a store that goes back a few versions without its adapter noticing', () => {
  it('is read again once it shows a lower version, and gets a leader again (L11)', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 });
    await clock.pass(3 * thresholdMs);
    const restored = strangers(undefined, { height: 1, thresholdMs });
    store.current.set(0, restored);
    store.deliver({ kind: 'record', record: restored, receivedAt: clock.now() });
    await clock.pass(1);
    expect(store.rereads).toEqual([0]);
    expect(source.role(0).isLeading()).toBe(false);
    expect(source.health().troubles).toMatchObject([{ code: 'assumption-broken' }]);
    await clock.pass(2 * thresholdMs);
    expect(source.role(0).isLeading()).toBe(true);
    await source.close();
  });

  it('is read again once it refuses a second write over the same record, and gets a leader again (L11)', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 });
    await clock.pass(3 * thresholdMs);
    store.current.set(0, strangers(undefined, { height: 1, thresholdMs }));
    await clock.pass(0.4 * thresholdMs);
    expect(store.rereads).toEqual([]);
    await clock.pass(0.4 * thresholdMs);
    expect(store.rereads).toEqual([0]);
    expect(source.role(0).isLeading()).toBe(false);
    await clock.pass(2 * thresholdMs);
    expect(source.role(0).isLeading()).toBe(true);
    await source.close();
  });

  it('is not read again if the winner’s record follows a lost race', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 }, ({ current }) =>
      current.set(0, strangers(undefined, { thresholdMs })),
    );
    await clock.pass(10);
    for (let round = 0; round < 5; round += 1) {
      store.current.set(0, strangers(store.current.get(0), { thresholdMs }));
      await clock.pass(1.1 * thresholdMs);
      const winner = store.current.get(0);
      if (winner) store.deliver({ kind: 'record', record: winner, receivedAt: clock.now() });
    }
    expect(store.rereads).toEqual([]);
    await source.close({ signal: AbortSignal.abort() });
  });

  it('is read again if it shows another pin, whatever that says (R3)', async () => {
    const { source, store, clock } = electionOf();
    await clock.pass(10);
    const other = {
      ...pin({ partitions: '2', thresholdMsMax: String(thresholdMs) }),
      id: 'other/pin',
    };
    store.current.set(pinRegister, other);
    store.deliver({ kind: 'record', record: other, receivedAt: clock.now() });
    await clock.pass(1);
    expect(store.rereads).toEqual([pinRegister]);
    await source.close();
  });
});

describe('a reading that does not end', () => {
  it('is a trouble after T, until it ends', async () => {
    const { source, store, clock } = electionOf({}, ({ instead }) => {
      instead.reread = () => undefined;
    });
    await clock.pass(10);
    store.deliver({ kind: 'restarted', partition: 1 });
    await clock.pass(0.9 * thresholdMs);
    expect(source.health().ok).toBe(true);
    await clock.pass(0.2 * thresholdMs);
    expect(source.health()).toMatchObject({ ok: false, troubles: [{ code: 'unreachable' }] });
    expect(source.health().troubles[0]?.message).toContain('partition 1');
    store.deliver({ kind: 'end', partitions: [1] });
    await clock.pass(1);
    expect(source.health()).toMatchObject({ ok: true, troubles: [] });
    await source.close();
  });

  it('is a trouble if even the first read is never answered', async () => {
    const { source, clock } = electionOf({}, ({ instead }) => {
      instead.events = () => ({ [Symbol.asyncIterator]: () => ({ next: forever }) });
    });
    await clock.pass(1.1 * thresholdMs);
    expect(source.health()).toMatchObject({ ok: false, troubles: [{ code: 'unreachable' }] });
    await source.close({ signal: AbortSignal.abort() });
  });

  it('is abandoned after a silence of T, and the stream of events is opened again', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 });
    await clock.pass(3 * thresholdMs);
    // The store goes back, and from here on no read is answered: the adapter blocks, and no news
    // arrive.
    store.isSilent = true;
    store.current.set(0, strangers(undefined, { height: 1, thresholdMs }));
    await clock.pass(1.5 * thresholdMs);
    expect(source.role(0).isLeading()).toBe(false);
    await clock.pass(0.5 * thresholdMs);
    expect(source.health().ok).toBe(false);
    store.isSilent = false;
    await clock.pass(15 * thresholdMs);
    expect(source.role(0).isLeading()).toBe(true);
    await clock.pass(10 * thresholdMs);
    expect(source.health()).toMatchObject({ ok: true, troubles: [] });
    await source.close();
  });

  it('is no longer watched once the member was refused: no timer remains', async () => {
    const denied = new LeadershipError('unauthorized', 'no');
    const { source, clock } = electionOf({ log: false }, ({ instead }) => {
      instead.events = () => ({
        [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(denied) }),
      });
    });
    await clock.pass(2 * thresholdMs);
    expect([source.health().troubles.length, clock.pending]).toEqual([1, 0]);
    await source.close();
  });

  it('is replaced by the error of the stream of events once the stream fails', async () => {
    let fail = (_: Error): void => undefined;
    const { source, clock } = electionOf({}, ({ instead }) => {
      instead.events = () => ({
        [Symbol.asyncIterator]: () => ({
          next: () =>
            new Promise((_, reject) => {
              fail = reject;
            }),
        }),
      });
    });
    await clock.pass(1.2 * thresholdMs);
    expect(source.health().troubles).toHaveLength(1);
    fail(new Error('no disk'));
    await clock.pass(1);
    expect(source.health().troubles).toMatchObject([
      { code: 'unreachable', message: 'the store did not answer: no disk' },
    ]);
    await source.close({ signal: AbortSignal.abort() });
  });

  it('does not prevent closing while the store is silent', async () => {
    const { source, store, clock } = electionOf();
    await clock.pass(10);
    store.isSilent = true;
    const closed = source.close();
    await clock.pass(thresholdMs);
    await closed;
    expect(clock.pending).toBe(0);
  });
});
