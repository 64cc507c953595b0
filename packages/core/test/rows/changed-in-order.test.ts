import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/async/deferred.ts';
import { changedInOrder } from '../../src/rows/changed-in-order.ts';
import type { RowChange } from '../../src/rows/rows.ts';
import { turn } from '../support/manual-clock.ts';

const opening: RowChange = { name: 'session#m/1', expected: null, text: '2' };
const release: RowChange = { name: 'partition#0', expected: '1', text: '2', isAwaited: true };
const claim: RowChange = { ...release, name: 'partition#1', isAnnounced: true };
const creation: RowChange = { name: 'partition#2', expected: null, text: '1', isAwaited: true };
const changes = [opening, release, claim, creation];

/** Makes changes whose outcomes the test decides. */
function making(notification?: string, inOrder = true) {
  const outcomes = changes.map(() => deferred<boolean>());
  const sent: RowChange[] = [];
  const notices: unknown[] = [];
  const all = changedInOrder(
    { changes, notification },
    { incarnation: 'm', inOrder },
    (change, notice) => {
      sent.push(change);
      notices.push(notice);
      return outcomes[changes.indexOf(change)]?.promise ?? Promise.reject(new Error('unknown'));
    },
  );
  all.catch(() => undefined);
  const settle = (index: number, isMade: boolean): void => outcomes[index]?.resolve(isMade);
  const fail = (index: number): void => outcomes[index]?.reject(new Error('no answer'));
  return { all, sent, notices, settle, fail };
}

describe('changes that are requests of their own', () => {
  it('are made at the same time, but claims only after a session is opened', async () => {
    const { all, sent, settle } = making();
    expect(sent).toEqual([opening, release]);
    settle(0, true);
    settle(1, false);
    await turn();
    expect(sent).toEqual(changes);
    settle(3, true);
    settle(2, false);
    expect(await all).toEqual([true, false, false, true]);
  });

  it('leave out claims if the session was not opened', async () => {
    const { all, sent, settle } = making();
    settle(0, false);
    settle(1, true);
    expect(await all).toEqual([false, true, false, false]);
    expect(sent).toEqual([opening, release]);
  });

  it('are all made at the same time where the replies of earlier ones arrived', () => {
    expect(making(undefined, false).sent).toEqual(changes);
  });

  it('do not wait for the renewal of an open session', async () => {
    const renewal = { ...opening, expected: '1' };
    const sent: RowChange[] = [];
    const request = { changes: [renewal, release, claim], notification: undefined };
    const order = { incarnation: 'm', inOrder: true };
    const all = changedInOrder(request, order, async (change) => sent.push(change) > 1);
    expect(sent).toEqual([renewal, release, claim]);
    expect(await all).toEqual([false, true, true]);
  });

  it('carry a notification that says of each that it alone was made', async () => {
    const { all, notices, settle } = making('{}');
    for (const index of changes.keys()) settle(index, true);
    await all;
    expect(notices).toEqual([undefined, '{} 0100', '{} 0010', '{} 0001']);
  });

  it('have no outcome if one of them has none, once all have ended', async () => {
    const { all, sent, settle, fail } = making();
    let isSettled = false;
    const ended = all.catch(String).finally(() => {
      isSettled = true;
    });
    fail(0);
    await turn();
    expect(isSettled).toBe(false);
    settle(1, true);
    expect(await ended).toBe('Error: no answer');
    expect(sent).toEqual([opening, release]);
  });
});
