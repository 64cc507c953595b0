import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { LeadershipError } from '../../src/contract/leadership-error.ts';
import { pinRegister } from '../../src/ledger/record.ts';
import { closeNow } from '../support/close-now.ts';
import { closingAgain } from '../support/closing-again.ts';
import { electionOf, thresholdMs } from '../support/ledger-source.ts';
import { manualClock, turn } from '../support/manual-clock.ts';
import { pin, strangers } from '../support/steered-ledger.ts';

const refuse = (): never => {
  throw new Error('the adapter is broken');
};
const unreachable = 'the store did not answer: the adapter is broken';

describe('an adapter that throws unexpectedly', () => {
  it.each(['events', 'ranks', 'receivedRequests'] as const)(
    'is called again after a back-off when %s throws synchronously',
    async (call) => {
      const { source, store, clock } = electionOf({}, (steered) => {
        steered.instead[call] = refuse;
      });
      await clock.pass(thresholdMs);
      expect(source.health()).toMatchObject({
        ok: false,
        troubles: [{ code: 'unreachable', message: unreachable }],
      });
      delete store.instead[call];
      await clock.pass(3 * thresholdMs);
      expect(source.role(0).isLeading()).toBe(true);
      expect(source.health()).toMatchObject({ ok: true, troubles: [] });
      await source.close();
    },
  );

  it('has a write counted as unknown and retried when write throws synchronously (L4)', async () => {
    const { source, store, clock } = electionOf();
    await clock.pass(10);
    store.instead.write = refuse;
    await clock.pass(thresholdMs / 2);
    expect(source.health().troubles).toMatchObject([{ code: 'unreachable', message: unreachable }]);
    delete store.instead.write;
    await clock.pass(thresholdMs / 3);
    expect(source.role(0).isLeading()).toBe(true);
    expect(source.health().ok).toBe(true);
    await source.close();
  });

  it('can leave the write of the pin unanswered: reading the pin suffices, and no trouble remains', async () => {
    const { source, store, clock } = electionOf({}, (steered) => {
      steered.answers = false;
    });
    await clock.pass(10);
    const record = store.writes.find((write) => write.record.partition === pinRegister)?.record;
    if (record === undefined) throw new Error('no pin was written');
    store.answers = true;
    store.deliver({ kind: 'record', record, receivedAt: clock.now() });
    await clock.pass(2 * thresholdMs);
    expect(source.role(0).isLeading()).toBe(true);
    expect(source.health()).toMatchObject({ ok: true, troubles: [] });
    await source.close();
  });

  it('can answer a write after its time limit: the confirmation is still a proof, counted from before it was sent (L3)', async () => {
    const { source, store, clock } = electionOf();
    await clock.pass(10);
    store.answers = false;
    store.writes.length = 0;
    await clock.pass(0.75 * thresholdMs);
    const slow = store.writes[0];
    if (slow === undefined) throw new Error('nothing was renewed');
    expect(slow.signal.aborted).toBe(true);
    slow.answer('in-effect');
    await clock.pass(0.4 * thresholdMs);
    expect(source.role(0).isLeading()).toBe(slow.record.partition === 0);
    expect(source.role(1).isLeading()).toBe(slow.record.partition === 1);
    await closeNow({ source, clock });
  });

  it('causes a trouble and no crash when reread, holders or standing throw', async () => {
    const { source, store, clock } = electionOf({}, ({ instead }) => {
      instead.setCandidate = refuse;
      instead.holders = refuse;
    });
    await clock.pass(10);
    store.deliver({ kind: 'record', record: strangers(undefined), receivedAt: clock.now() });
    await clock.pass(10);
    expect(source.health().troubles).toMatchObject([{ code: 'unreachable', message: unreachable }]);
    await source.close();
  });

  it('causes a trouble while a lease request cannot be sent, and the member claims the lease nevertheless', async () => {
    const { source, clock } = electionOf({}, ({ instead, current }) => {
      instead.sendRequest = refuse;
      current.set(0, strangers(undefined, { thresholdMs }));
    });
    await clock.pass(10);
    expect(source.health().troubles).toMatchObject([{ code: 'unreachable', message: unreachable }]);
    await clock.pass(thresholdMs);
    expect(source.role(0).isLeading()).toBe(true);
    await clock.pass(thresholdMs);
    expect(source.health()).toMatchObject({ ok: true, troubles: [] });
    await source.close();
  });

  it('causes a restart of the news, but ends no term, when news yields garbage', async () => {
    const { source, store, clock } = electionOf();
    await clock.pass(10);
    store.deliver(undefined as never);
    await clock.pass(10);
    expect(source.health().troubles).toMatchObject([{ code: 'unreachable' }]);
    expect(source.role(0).isLeading()).toBe(true);
    await clock.pass(2 * thresholdMs);
    expect(source.health().ok).toBe(true);
    expect(source.role(0).isLeading()).toBe(true);
    await source.close();
  });
});

describe('one register that cannot be read', () => {
  const damaged = new LeadershipError('misconfigured-backend', 'partition 0 is damaged');

  it('causes a trouble of its own until it is read again, and does not affect the other registers', async () => {
    const { source, store, clock } = electionOf();
    await source.ready();
    await clock.pass(10);
    const other = source.role(1).term()?.token;
    store.deliver({ kind: 'unreadable', partition: 0, error: damaged });
    store.deliver({ kind: 'unreadable', partition: 0, error: damaged });
    await clock.pass(5 * thresholdMs);
    expect(source.health()).toMatchObject({
      ok: false,
      troubles: [{ code: 'misconfigured-backend', message: damaged.message }],
    });
    expect(source.role(1).term()?.token).toBe(other);
    store.ledger.reread(0);
    await clock.pass(10);
    expect(source.health()).toMatchObject({ ok: true, troubles: [] });
    await source.close();
  });

  it('ends no term while the store accepts its renewals, including one that is in flight', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 });
    await source.ready();
    await clock.pass(10);
    const token = source.role(0).term()?.token;
    store.answers = false;
    const sent = store.writes.length;
    await clock.pass(thresholdMs / 3);
    const renewal = store.writes[sent];
    store.deliver({ kind: 'unreadable', partition: 0, error: damaged });
    await clock.pass(1);
    if (renewal) store.current.set(0, renewal.record);
    renewal?.answer('in-effect');
    store.answers = true;
    await clock.pass(2 * thresholdMs);
    expect(source.role(0).term()?.token).toBe(token);
    expect(token).toBeDefined();
    await source.close();
  });

  it('is neither claimed nor requested meanwhile, and its wait starts over once it is readable (L5, L11)', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 }, ({ current }) => {
      current.set(0, strangers(undefined, { thresholdMs }));
    });
    await clock.pass(thresholdMs / 2);
    store.deliver({ kind: 'unreadable', partition: 0, error: damaged });
    const written = store.writes.length;
    await clock.pass(1);
    const asked = store.requests.length;
    await clock.pass(5 * thresholdMs);
    expect([store.writes.length, store.requests.length]).toEqual([written, asked]);
    store.ledger.reread(0);
    await clock.pass(0.9 * thresholdMs);
    expect(store.writes).toHaveLength(written);
    await clock.pass(0.2 * thresholdMs);
    expect(source.role(0).isLeading()).toBe(true);
    await source.close();
  });
});

describe('writes that fail', () => {
  it('are one trouble for any number of partitions, until all of them succeed', async () => {
    const { source, store, clock } = electionOf();
    await clock.pass(10);
    store.answers = false;
    await clock.pass(thresholdMs / 3);
    for (const write of store.writes.slice(-2)) write.fail(new Error('away'));
    await clock.pass(1);
    expect(source.health().troubles).toMatchObject([
      { code: 'unreachable', message: 'the store did not answer: away' },
    ]);
    await clock.pass(thresholdMs / 12);
    for (const write of store.writes.slice(-2))
      if (write.record.partition === 0) write.answer('placed');
    await clock.pass(1);
    expect(source.health().troubles).toMatchObject([{ code: 'unreachable' }]);
    for (const write of store.writes.slice(-2)) write.answer('placed');
    await clock.pass(1);
    expect(source.health().troubles).toEqual([]);
    await closeNow({ source, clock });
  });

  it('cause no trouble once another member leads there', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 });
    await clock.pass(10);
    store.answers = false;
    store.rank(0, []);
    await clock.pass(2 * thresholdMs);
    expect(source.health().troubles).toMatchObject([
      { code: 'unreachable', message: 'the store did not answer: no answer within 400 ms' },
    ]);
    const [last] = store.writes.slice(-1);
    store.deliver({ kind: 'record', record: strangers(last?.record), receivedAt: clock.now() });
    await clock.pass(10);
    expect(source.health()).toMatchObject({ ok: true, troubles: [] });
    await closeNow({ source, clock });
  });
});

describe('a failure at the start', () => {
  it.each(['unauthorized', 'misconfigured-backend'] as const)(
    'refuses a source that is not ready yet when it is %s',
    async (code) => {
      const { source, clock } = electionOf({}, ({ instead }) => {
        instead.events = () => {
          throw new LeadershipError(code, 'no');
        };
      });
      await expect(source.ready()).rejects.toMatchObject({ code });
      await clock.pass(10);
      expect(source.health()).toMatchObject({ ok: false, troubles: [{ code, message: 'no' }] });
      await source.close();
    },
  );

  it('after the source is ready is retried', async () => {
    const { source, store, clock } = electionOf();
    await source.ready();
    store.instead.events = () => {
      throw new LeadershipError('unauthorized', 'no');
    };
    store.deliver(undefined as never);
    await clock.pass(100);
    expect(source.health().troubles).toMatchObject([{ code: 'unauthorized' }]);
    delete store.instead.events;
    await clock.pass(thresholdMs);
    expect(source.health().troubles).toEqual([]);
    await source.close();
  });

  it('is a different pin: ready() rejects with both values, and the member claims nothing (R3)', async () => {
    const { source, store, clock } = electionOf({}, ({ current }) => {
      current.set(pinRegister, pin({ partitions: '8', thresholdMsMax: '3000' }));
    });
    await expect(source.ready()).rejects.toMatchObject({
      code: 'partitions-differ',
      message:
        'group "g" runs with partitions 8, thresholdMsMax 3000, but this member is configured with partitions 2, thresholdMsMax 1200; ' +
        'give all members the same values (thresholdMsMax defaults to thresholdMs: set it in all members to let their thresholdMs differ)',
    });
    await clock.pass(5 * thresholdMs);
    expect(store.writes).toEqual([]);
    expect(source.health()).toMatchObject({ ok: false, troubles: [{ code: 'partitions-differ' }] });
    await source.close();
  });

  it('is a pin with another guarantee: ready() rejects with both guarantees, and the member claims nothing (R3)', async () => {
    const { source, store, clock } = electionOf({}, ({ current }) => {
      current.set(
        pinRegister,
        pin({ partitions: '2', thresholdMsMax: '1200', guarantee: 'continuous' }),
      );
    });
    await expect(source.ready()).rejects.toMatchObject({
      code: 'partitions-differ',
      message: expect.stringMatching(
        'runs with guarantee "continuous", but this member is configured with guarantee "exclusive"',
      ),
    });
    await clock.pass(5 * thresholdMs);
    expect(store.writes).toEqual([]);
    await source.close();
  });

  it('is permanent, even if the store is deleted later: an earlier leader may lead for longer than the refused member would wait (R3)', async () => {
    const { source, store, clock, membership } = electionOf({}, ({ current }) => {
      current.set(pinRegister, pin({ partitions: '2', thresholdMsMax: '30000' }));
    });
    await expect(source.ready()).rejects.toMatchObject({ code: 'partitions-differ' });
    store.current.clear();
    for (const partition of [pinRegister, 0, 1]) store.ledger.reread(partition);
    membership.campaign(true);
    membership.campaign(true, 0);
    await clock.pass(5 * thresholdMs);
    expect(store.writes).toEqual([]);
    expect(store.candidacies.at(-1)).toBe(false);
    expect(source.health()).toMatchObject({ ok: false, troubles: [{ code: 'partitions-differ' }] });
    await source.close();
  });
});

describe('a lease that another member hands over to a third one', () => {
  it('is reported at once, and again with the metadata of its new holder’s own first record (L6)', async () => {
    const { source, store, clock } = electionOf({ campaign: false });
    const kinds: unknown[] = [];
    source.events$.subscribe(({ kind, leader }) => kind === 'leader' && kinds.push(leader));
    const held = strangers(undefined, { thresholdMs });
    const to = { incarnation: 'b-1', requestId: 'w', member: 'b' };
    const released = strangers(held, { kind: 'release', to, token: 6n, thresholdMs });
    const renewed = strangers(released, {
      member: 'b',
      incarnation: 'b-1',
      token: 6n,
      thresholdMs,
      metadata: { url: 'http://b' },
    });
    const reported: unknown[] = [];
    source.role(0).leader$.subscribe((leader) => reported.push([leader?.member, leader?.metadata]));
    for (const record of [
      held,
      released,
      renewed,
      strangers(renewed, { ...renewed, height: 3, after: renewed.id, id: 'b/3' }),
    ]) {
      store.deliver({ kind: 'record', record, receivedAt: clock.now() });
    }
    await turn();
    expect(reported).toEqual([
      [undefined, undefined],
      ['stranger', {}],
      ['b', {}],
      ['b', { url: 'http://b' }],
    ]);
    expect(kinds).toEqual(['stranger', 'b']);
    await source.close();
  });
});

describe('ignored input', () => {
  it('is counted by kind', async () => {
    const { source, store, clock } = electionOf();
    const receivedAt = clock.now();
    store.deliver({ kind: 'ignored', what: 'garbage' });
    store.deliver({ kind: 'ignored', what: 'garbage' });
    store.deliver({ kind: 'record', record: strangers(undefined, { group: 'other' }), receivedAt });
    store.deliver({ kind: 'record', record: strangers(undefined, { partition: 99 }), receivedAt });
    await turn();
    expect(source.health().ignored).toEqual({
      garbage: 2,
      'foreign-group': 1,
      'foreign-partition': 1,
    });
    await source.close();
  });
});

describe('closing', () => {
  it('waits for the answer to a write in flight, then closes the store', async () => {
    const { source, store, clock } = electionOf();
    await clock.pass(10);
    store.answers = false;
    await clock.pass(thresholdMs / 3);
    const [renewal] = store.writes.slice(-2);
    store.answers = true;
    const closed = source.close();
    await turn();
    expect(store.isClosed).toBe(false);
    renewal?.answer('placed');
    await clock.pass(thresholdMs / 3);
    await closed;
    expect(store.isClosed).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('with an aborted signal waits for one request: then no timer remains, and nothing more is written', async () => {
    const { source, store, clock } = electionOf();
    await clock.pass(10);
    store.answers = false;
    await clock.pass(thresholdMs / 3);
    const onTheirWay = store.writes.slice(-2);
    await closeNow({ source, clock });
    expect(clock.pending).toBe(0);
    expect(store.isClosed).toBe(true);
    expect(onTheirWay.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    const count = store.writes.length;
    for (const write of onTheirWay) write.answer('in-effect');
    await clock.pass(10 * thresholdMs);
    expect(store.writes.length).toBe(count);
    expect(source.role(0).isLeading()).toBe(false);
  });

  it('with an aborted signal releases what does not run, without waiting for a timer', async () => {
    const { source, store, clock } = electionOf();
    await clock.pass(10);
    expect(source.held().size).toBe(2);
    store.writes.length = 0;
    await source.close({ signal: AbortSignal.abort() });
    expect(store.writes.map(({ record: { kind } }) => kind)).toEqual(['release', 'release']);
    expect(clock.pending).toBe(0);
  });

  it('with an aborted signal leaves the lease of running work to lapse (H3)', async () => {
    const { source, store, clock } = electionOf();
    await clock.pass(10);
    let isFenced = false;
    const term = source.role(0).term();
    term?.fenced.addEventListener('abort', () => {
      isFenced = true;
    });
    term?.waitUntil(new Promise<never>(() => undefined));
    store.writes.length = 0;
    const closed = source.close({ signal: AbortSignal.abort() });
    expect(isFenced).toBe(true);
    await closed;
    const released = store.writes.filter(({ record: { kind } }) => kind === 'release');
    expect(released.map(({ record: { partition } }) => partition)).toEqual([
      1 - source.role(0).partition,
    ]);
  });

  it('aborts a lease request that is in flight', async () => {
    const { source, store, clock } = electionOf({}, ({ instead, current }) => {
      instead.sendRequest = () => new Promise(() => undefined);
      current.set(0, strangers(undefined, { thresholdMs }));
    });
    await clock.pass(10);
    expect(store.requests.length).toBeGreaterThan(0);
    await source.close();
    expect(clock.pending).toBe(0);
  });

  it('is not undone by a concurrent resignation: a released partition is not claimed again', async () => {
    const { source, store, clock } = electionOf();
    await clock.pass(10);
    const busy = source
      .role(1)
      .ifLeading(
        () => new Promise<void>((resolve) => clock.wake((clock.now() + 20_000) as never, resolve)),
      );
    const closed = source.close();
    await turn();
    void source.role(0).resign();
    await clock.pass(15_000);
    expect(store.current.get(0)?.kind).toBe('release');
    expect(source.role(0).isLeading()).toBe(false);
    await clock.pass(10_000);
    await Promise.all([busy, closed]);
  });

  it('is not undone by a drain that times out first', async () => {
    const { source, store, clock } = electionOf({ drainTimeoutMs: 10_000 });
    await clock.pass(10);
    const forever = source.role(0).ifLeading(() => new Promise<never>(() => undefined));
    void source.role(0).resign();
    await clock.pass(5000);
    void source.role(1).ifLeading(() => new Promise<never>(() => undefined));
    const closed = source.close();
    await clock.pass(9900);
    expect(source.role(0).isLeading()).toBe(false);
    await clock.pass(10_000);
    await closed;
    expect(forever).toBeInstanceOf(Promise);
    expect(store.isClosed).toBe(true);
  });

  it('closes the ledger once if a subscriber closes again when it is notified of the revocation', async () => {
    const { source, store, clock } = electionOf();
    await clock.pass(10);
    let calls = 0;
    store.instead.close = async () => {
      calls += 1;
      if (calls > 1) throw new Error('closed twice');
    };
    const nested = closingAgain(source);
    await source.close();
    expect(nested).toHaveLength(1);
    await nested[0];
    expect(calls).toBe(1);
  });

  it('ends all campaigns for good', async () => {
    const { source, store, clock, membership } = electionOf();
    await clock.pass(10);
    await source.close();
    const count = store.writes.length;
    membership.campaign(true);
    membership.campaign(true, 0);
    await membership.resign(0);
    await clock.pass(10 * thresholdMs);
    expect(store.writes.length).toBe(count);
    expect(clock.pending).toBe(0);
  });

  it('completes every stream even if the store cannot be closed, and rejects for the caller', async () => {
    const { source, store, clock } = electionOf();
    await clock.pass(10);
    store.instead.close = () => Promise.reject(new Error('stuck'));
    let isComplete = false;
    source.role(0).leadership$.subscribe({
      complete: () => {
        isComplete = true;
      },
    });
    await expect(source.close()).rejects.toThrow('stuck');
    expect(isComplete).toBe(true);
    expect(source.role(0).isLeading()).toBe(false);
  });

  it('by a signal causes no unhandled rejection', async () => {
    const stop = new AbortController();
    const { source, store, clock } = electionOf({ signal: stop.signal });
    await clock.pass(10);
    store.instead.close = () => Promise.reject(new Error('stuck'));
    stop.abort();
    await clock.pass(10);
    expect(store.isClosed).toBe(true);
    expect(getEventListeners(stop.signal, 'abort').length).toBe(0);
    await expect(source.close()).rejects.toThrow('stuck');
  });
});

it('the clock of these tests owns all timers', () => {
  expect(manualClock().pending).toBe(0);
});
