// A trouble lasts as long as its cause. Every request ends its own trouble, whatever its outcome.
import { describe, expect, it } from 'vitest';
import { pinRegister } from '../../src/ledger/record.ts';
import { type ElectionUnderTest, electionOf, thresholdMs } from '../support/ledger-source.ts';
import { pin, strangers } from '../support/steered-ledger.ts';

const healthy = { ok: true, troubles: [] };
const unanswered = {
  ok: false,
  troubles: [{ code: 'unreachable', message: 'the store did not answer: no answer within 400 ms' }],
};

/** Makes another member hold partition 0 from now on, and renew for `ms`. */
async function otherLeads({ store, clock }: ElectionUnderTest, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += thresholdMs / 4) {
    const record = strangers(store.current.get(0), { thresholdMs });
    store.current.set(0, record);
    store.deliver({ kind: 'record', record, receivedAt: clock.now() });
    await clock.pass(thresholdMs / 4);
  }
}

describe('the trouble of a failed request that is not repeated ends', () => {
  it('for a claim that fails after another holder was read and no further record is read', async () => {
    const election = electionOf({ partitions: 1 });
    const { source, store, clock } = election;
    await clock.pass(10);
    store.answers = false;
    await clock.pass(thresholdMs + thresholdMs / 6);
    store.rank(0, []);
    const lost = store.writes.at(-1);
    await otherLeads(election, thresholdMs / 4);
    lost?.fail(new Error('no answer within 400 ms'));
    await clock.pass(1);
    expect(source.health()).toMatchObject(unanswered);
    await clock.pass(2 * thresholdMs);
    expect(source.health()).toMatchObject(healthy);
    await source.close({ signal: AbortSignal.abort() });
  });

  it('for the first pin, if it fails after another pin was read', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 }, (steered) => {
      steered.answers = false;
    });
    await clock.pass(10);
    store.deliver({
      kind: 'record',
      record: pin({ partitions: '1', thresholdMsMax: String(thresholdMs), guarantee: 'exclusive' }),
      receivedAt: clock.now(),
    });
    store.answers = true;
    await clock.pass(thresholdMs / 3);
    expect(source.role(0).isLeading()).toBe(true);
    await clock.pass(2 * thresholdMs);
    expect(source.health()).toMatchObject(healthy);
    await source.close();
  });

  it('for a release, once the lease has lapsed', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 });
    await clock.pass(10);
    store.answers = false;
    store.rank(0, []);
    void source.role(0).resign();
    await clock.pass(thresholdMs / 2);
    expect(source.health()).toMatchObject(unanswered);
    await clock.pass(3 * thresholdMs);
    expect(source.health().troubles.filter(({ code }) => code === 'unreachable')).toEqual([]);
    await source.close({ signal: AbortSignal.abort() });
  });

  it('for a lease request, once the lease is held', async () => {
    const election = electionOf({ partitions: 1 }, ({ instead, current }) => {
      instead.sendRequest = () => Promise.reject(new Error('no answer within 400 ms'));
      current.set(0, strangers(undefined, { thresholdMs }));
    });
    const { source, clock } = election;
    await otherLeads(election, 3 * thresholdMs);
    expect(source.health()).toMatchObject(unanswered);
    await clock.pass(3 * thresholdMs);
    expect(source.role(0).isLeading()).toBe(true);
    expect(source.health()).toMatchObject(healthy);
    await source.close();
  });

  it.each(['holders', 'setCandidate'] as const)(
    'for %s, once the placement accepts the next call',
    async (call) => {
      const { source, store, clock, membership } = electionOf({ partitions: 1 }, ({ instead }) => {
        instead[call] = () => {
          throw new Error('not now');
        };
      });
      await clock.pass(10);
      // The placement is notified in a macrotask of its own.
      await clock.pass(10);
      expect(source.health().ok).toBe(false);
      delete store.instead[call];
      membership.campaign(false);
      await clock.pass(thresholdMs);
      membership.campaign(true);
      await clock.pass(thresholdMs);
      expect(source.health()).toMatchObject(healthy);
      await source.close();
    },
  );
});

describe('the trouble of a request that keeps failing', () => {
  it('lasts all the time', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 });
    await clock.pass(10);
    store.answers = false;
    await clock.pass(thresholdMs);
    for (let round = 0; round < 40; round += 1) {
      await clock.pass(thresholdMs / 4);
      expect(source.health().troubles.map(({ code }) => code)).toContain('unreachable');
    }
    await source.close({ signal: AbortSignal.abort() });
  });

  it('is reported once, however often the request fails', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 });
    const raised: string[] = [];
    source.events$.subscribe(({ kind }) => kind === 'trouble' && raised.push(kind));
    await clock.pass(10);
    store.answers = false;
    await clock.pass(3 * thresholdMs);
    expect(raised).toHaveLength(1);
    await source.close({ signal: AbortSignal.abort() });
  });
});

describe('a register that must be read again', () => {
  it('is requested again if the request was lost, at most once per T', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 });
    await clock.pass(10);
    store.losesRereads = true;
    const older = strangers(undefined, { thresholdMs });
    await clock.pass(thresholdMs);
    store.deliver({ kind: 'record', record: older, receivedAt: clock.now() });
    await clock.pass(5 * thresholdMs);
    expect(store.rereads.length).toBeGreaterThanOrEqual(3);
    expect(store.rereads.length).toBeLessThanOrEqual(6);
    store.losesRereads = false;
    await clock.pass(2 * thresholdMs);
    const { length } = store.rereads;
    await clock.pass(5 * thresholdMs);
    expect(store.rereads).toHaveLength(length);
    expect(source.health()).toMatchObject(healthy);
    await source.close();
  });

  it('is not requested again while it is being read, however slowly', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 });
    await clock.pass(thresholdMs);
    store.losesRereads = true;
    store.deliver({
      kind: 'record',
      record: strangers(undefined, { thresholdMs }),
      receivedAt: clock.now(),
    });
    await clock.pass(10);
    store.deliver({ kind: 'restarted', partition: 0 });
    await clock.pass(5 * thresholdMs);
    expect(store.rereads).toEqual([0]);
    await source.close({ signal: AbortSignal.abort() });
  });
});

describe('a pin that reads as missing and cannot be written', () => {
  it('is a trouble that names both facts, until the pin is read', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 }, (steered) => {
      steered.instead.write = () => Promise.resolve('refused');
    });
    await clock.pass(3 * thresholdMs);
    expect(source.health().troubles).toMatchObject([
      {
        code: 'misconfigured-backend',
        message: expect.stringMatching(/pin of group "g" reads as missing.*refuses to write/),
      },
    ]);
    expect(store.rereads.filter((register) => register === pinRegister).length).toBeGreaterThan(1);
    delete store.instead.write;
    await clock.pass(2 * thresholdMs);
    expect(source.role(0).isLeading()).toBe(true);
    expect(source.health()).toMatchObject(healthy);
    await source.close();
  });

  it('is not a trouble if another member was merely first', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 }, (steered) => {
      steered.instead.write = () => {
        delete steered.instead.write;
        steered.current.set(
          pinRegister,
          pin({ partitions: '1', thresholdMsMax: String(thresholdMs), guarantee: 'exclusive' }),
        );
        return Promise.resolve('refused');
      };
    });
    await clock.pass(thresholdMs);
    expect(source.health()).toMatchObject(healthy);
    expect(store.rereads).toEqual([pinRegister]);
    await source.close();
  });
});
