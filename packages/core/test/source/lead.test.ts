import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Term } from '../../src/contract/term.ts';
import { turn } from '../support/manual-clock.ts';
import { type SteeredSource, steeredSource } from '../support/steered-backend.ts';

/** Work that lasts until its term is ending. */
const untilEnding = (term: Term): Promise<void> =>
  new Promise((resolve) => term.signal.addEventListener('abort', () => resolve()));
const fail = (): never => {
  throw new Error('no paper');
};

describe('lead', () => {
  it('runs its work once per term, and the end of a term waits for it (H2)', async () => {
    const { source, grant, revoke } = steeredSource();
    const tokens: bigint[] = [];
    const leading = source.role(0).lead(async (term) => {
      tokens.push(term.token);
      await untilEnding(term);
      await turn();
      expect(term.isCurrent()).toBe(true);
    });
    grant(7n);
    grant(7n);
    expect(await revoke()).toBe('drained');
    grant(8n);
    expect(tokens).toEqual([7n, 8n]);
    await source.close();
    await leading;
  });

  it('refuses invalid work and options from programs without types', async () => {
    const { source, grant } = steeredSource();
    grant(7n);
    const role = source.role(0);
    const wrong = 'print invoices' as never;
    const words = 'work "print invoices" must be a function';
    await expect(role.lead(wrong)).rejects.toMatchObject({
      code: 'invalid-options',
      message: words,
    });
    await expect(source.leadEach(wrong)).rejects.toMatchObject({
      code: 'invalid-options',
      message: words,
    });
    expect(() => role.ifLeading(wrong)).toThrow(words);
    expect(() => role.whileLeading(wrong)).toThrow('project "print invoices" must be a function');
    await expect(role.lead(fail, { onThrow: 'rejct' as never })).rejects.toThrow(
      'onThrow "rejct" must be "retry" or "reject"',
    );
    await expect(role.lead(fail, { signal: 5 as never })).rejects.toThrow(
      'signal 5 must be an AbortSignal',
    );
    expect([role.isLeading(), source.health().troubles]).toEqual([true, []]);
    await source.close();
  });

  it('begins no work in a term that is ending, not even from its signal’s listener', async () => {
    const { source, grant, revoke } = steeredSource();
    const began: string[] = [];
    grant(7n);
    const role = source.role(0);
    role.term()?.signal.addEventListener('abort', () => {
      if (role.ifLeading(() => began.push('ifLeading')) !== undefined) began.push('promised');
      void role.lead(() => began.push('lead'));
      role.whileLeading(() => [began.push('whileLeading')]).subscribe();
    });
    expect(await revoke()).toBe('drained');
    await turn();
    expect(began).toEqual([]);
    await source.close();
  });

  it('begins at once if this member already leads, and leaves the term idle once work returns', async () => {
    const { source, grant } = steeredSource();
    grant(7n);
    let runs = 0;
    void source.role(0).lead(() => {
      runs += 1;
    });
    await turn();
    grant(7n);
    expect([runs, source.role(0).isLeading()]).toEqual([1, true]);
    await source.close();
  });

  it('can be called several times on a role: all work runs and delays the barrier', async () => {
    const { source, grant, revoke, clock } = steeredSource();
    const done: string[] = [];
    for (const [name, ms] of [
      ['a', 10],
      ['b', 20],
    ] as const) {
      void source.role(0).lead(async (term) => {
        await untilEnding(term);
        await new Promise<void>((resolve) => clock.wake((clock.now() + ms) as never, resolve));
        done.push(name);
      });
    }
    grant(7n);
    const end = revoke();
    await clock.pass(20);
    expect([await end, done]).toEqual(['drained', ['a', 'b']]);
    await source.close();
  });

  it('stops at its signal, which aborts the work’s own signal, lets running work finish, and leaves no listener behind', async () => {
    const { source, grant, revoke } = steeredSource();
    const stop = new AbortController();
    let runs = 0;
    let finish = (): void => undefined;
    const seen: unknown[] = [];
    let isOver = false;
    const leading = source.role(0).lead(
      async (term) => {
        runs += 1;
        await untilEnding(term);
        seen.push(term.isCurrent(), term.fenced.aborted, term.signal.reason);
        await new Promise<void>((resolve) => (finish = resolve));
      },
      { signal: stop.signal },
    );
    void leading.then(() => {
      isOver = true;
    });
    grant(7n);
    stop.abort('enough');
    await turn();
    expect([isOver, seen]).toEqual([false, [true, false, 'enough']]);
    finish();
    await revoke();
    await leading;
    grant(8n);
    expect(runs).toBe(1);
    expect(getEventListeners(stop.signal, 'abort').length).toBe(0);
    await source.close();
  });

  it('does nothing if its signal has already aborted, like a signal that aborts a moment later', async () => {
    const { source, grant } = steeredSource();
    grant(7n);
    await source.role(0).lead(fail, { signal: AbortSignal.abort() });
    await source.leadEach(fail, { signal: AbortSignal.abort() });
    expect(source.health().troubles).toEqual([]);
    await source.close();
  });

  it('ends when the source closes, and at once if it has closed', async () => {
    const { source, grant } = steeredSource();
    grant(7n);
    const leading = source.role(0).lead(untilEnding);
    await source.close();
    await leading;
    await source.role(0).lead(fail);
  });

  it('skips a term that is over before the work could begin, without an error', async () => {
    const { source, grant, clock } = steeredSource();
    source.role(0).leadership$.subscribe(({ state }) => state === 'leading' && clock.block(5000));
    let runs = 0;
    void source.role(0).lead(() => {
      runs += 1;
    });
    source
      .role(0)
      .whileLeading(() => {
        runs += 1;
        return [];
      })
      .subscribe();
    grant(7n);
    await turn();
    expect(runs).toBe(0);
    expect(source.role(0).ifLeading(fail)).toBeUndefined();
    await source.close();
  });
});

describe('work that throws', () => {
  it.each([
    ['synchronously', fail],
    ['later', (): Promise<never> => turn().then(fail)],
  ])('%s resigns the partition, is reported, and leads again in a later term', async (_, work) => {
    const { source, grant, asked, clock } = steeredSource();
    let runs = 0;
    void source.role(0).lead((term) => {
      runs += 1;
      return runs < 3 ? work() : untilEnding(term);
    });
    grant(7n);
    await turn();
    await turn();
    expect(asked).toEqual(['resign 0 750']);
    const message =
      'work threw in partition 0: no paper; this member does not claim it again for at least 750 ms';
    expect(source.health().troubles).toMatchObject([{ code: 'work-failed', message }]);
    expect(source.role(0).isLeading()).toBe(false);
    grant(8n);
    await turn();
    await turn();
    expect(asked).toEqual(['resign 0 750', 'resign 0 1500']);
    grant(9n);
    await clock.pass(1);
    expect([runs, source.role(0).isLeading()]).toEqual([3, true]);
    expect(source.health().troubles).toEqual([]);
    await source.close();
  });

  it.each([
    ['its back-off is over', ({ clock }: SteeredSource) => clock.pass(1000)],
    [
      'another member leads',
      async ({ host }: SteeredSource) =>
        host.leads(0, { member: 'b', incarnation: 'b', token: 8n, metadata: {} }),
    ],
  ])('is a trouble until %s', async (_, ends) => {
    const steered = steeredSource({ log: false });
    const { source, host, grant } = steered;
    host.ready();
    const leading = source.role(0).lead(fail);
    grant(7n);
    await turn();
    host.released(0);
    expect(source.health()).toMatchObject({ ok: false, troubles: [{ code: 'work-failed' }] });
    await ends(steered);
    expect(source.health().troubles).toEqual([]);
    await source.close();
    await leading;
  });

  it('backs off for at most 20 T', async () => {
    const { source, grant, asked } = steeredSource();
    void source.role(0).lead(fail);
    for (let token = 1n; token < 9n; token += 1n) {
      grant(token);
      await turn();
    }
    expect(asked.at(-1)).toBe('resign 0 15000');
    await source.close();
  });

  it('rejects with onThrow: reject, resigns the partition, and stops', async () => {
    const { source, grant, asked } = steeredSource();
    let runs = 0;
    const leading = source.role(0).lead(
      () => {
        runs += 1;
        return fail();
      },
      { onThrow: 'reject' },
    );
    grant(7n);
    await expect(leading).rejects.toThrow('no paper');
    expect(asked).toEqual(['resign 0 750']);
    await turn();
    grant(8n);
    expect([runs, source.health().troubles]).toEqual([1, []]);
    await source.close();
  });

  it.each(['retry', 'reject'] as const)(
    'because of its term’s signal has not failed (%s)',
    async (onThrow) => {
      const { source, grant, revoke, host, asked } = steeredSource();
      const obeying = [
        (term: Term): Promise<never> =>
          untilEnding(term).then(() => Promise.reject(term.signal.reason)),
        (term: Term): Promise<never> =>
          untilEnding(term).then(() =>
            Promise.reject(new Error('gone', { cause: term.signal.reason })),
          ),
        (term: Term): Promise<never> =>
          untilEnding(term).then(() => Promise.reject(new DOMException('aborted', 'AbortError'))),
      ];
      const leads = obeying.map((work) => source.role(0).lead(work, { onThrow }));
      grant(7n);
      expect(await revoke()).toBe('drained');
      grant(8n);
      host.lost(0, 'superseded');
      await turn();
      expect([source.health().troubles, asked]).toEqual([[], []]);
      await source.close();
      await Promise.all(leads);
    },
  );

  it('for its own reason while its term is ending is reported', async () => {
    const { source, grant, revoke } = steeredSource();
    void source.role(0).lead((term) => untilEnding(term).then(fail));
    grant(7n);
    await revoke();
    await turn();
    expect(source.health().troubles).toMatchObject([{ code: 'work-failed' }]);
    await source.close();
  });

  it('after lead was stopped leaves no trouble behind, and still rejects with onThrow: reject', async () => {
    const { source, grant, asked } = steeredSource();
    const stop = new AbortController();
    let finish = (): void => undefined;
    const work = (): Promise<never> =>
      new Promise<void>((resolve) => (finish = resolve)).then(fail);
    const leading = source.role(0).lead(work, { signal: stop.signal, onThrow: 'reject' });
    grant(7n);
    stop.abort();
    finish();
    await expect(leading).rejects.toThrow('no paper');
    expect([source.health().troubles, asked]).toEqual([[], []]);
    await source.close();
  });

  it('is handled even if the backend cannot resign', async () => {
    const { source, grant } = steeredSource(
      {},
      { resign: () => Promise.reject(new Error('stuck')) },
    );
    void source.role(0).lead(fail);
    grant(7n);
    await turn();
    expect(source.health().troubles).toMatchObject([{ code: 'work-failed' }]);
    await expect(source.role(0).resign()).rejects.toThrow('stuck');
    await source.close();
  });
});

describe('leadEach', () => {
  it('runs its work in each held partition, and rejects at once with onThrow: reject while other work still runs', async () => {
    const { source, host, clock, grant } = steeredSource();
    const partitions: number[] = [];
    const each = source.leadEach(
      async (term) => {
        partitions.push(term.partition);
        await untilEnding(term);
        if (term.partition === 1) fail();
      },
      { onThrow: 'reject' },
    );
    grant(7n);
    host.granted({
      partition: 1,
      token: 3n,
      until: (clock.now() + 1000) as never,
      sentAt: clock.now(),
    });
    expect(partitions).toEqual([0, 1]);
    void host.drain(1);
    await expect(each).rejects.toThrow('no paper');
    grant(8n);
    expect(partitions).toEqual([0, 1]);
    await source.close();
  });

  it('ends when the source closes or its signal aborts', async () => {
    const stop = new AbortController();
    const { source, grant } = steeredSource();
    grant(7n);
    const each = source.leadEach(() => undefined, { signal: stop.signal });
    stop.abort();
    await each;
    const other = source.leadEach(untilEnding);
    await source.close();
    await other;
  });
});

describe('ifLeading', () => {
  it('runs now or not at all, and the barrier waits for it', async () => {
    const { source, grant, revoke } = steeredSource();
    const role = source.role(0);
    expect(role.ifLeading(() => 1)).toBeUndefined();
    grant(7n);
    expect(await role.ifLeading(() => 1)).toBe(1);
    await expect(role.ifLeading(fail)).rejects.toThrow('no paper');
    let finish = (): void => undefined;
    const result = role.ifLeading(() => new Promise<void>((resolve) => (finish = resolve)));
    let isOver = false;
    const end = revoke().then(() => {
      isOver = true;
    });
    expect(role.ifLeading(fail)).toBeUndefined();
    await turn();
    expect(isOver).toBe(false);
    finish();
    await Promise.all([result, end]);
    await source.close();
  });
});

describe('calls from inside work', () => {
  it('resolve once the revocation has begun: work may close its source', async () => {
    const { source, grant } = steeredSource();
    const leading = source.role(0).lead(async () => {
      await turn();
      await source.close();
    });
    grant(7n);
    await leading;
    expect(source.role(0).isLeading()).toBe(false);
  });

  it('resolve once the revocation has begun: work may resign', async () => {
    const { source, grant } = steeredSource();
    let isResigned = false;
    void source.role(0).lead(async () => {
      await source.role(0).resign();
      isResigned = true;
    });
    grant(7n);
    await turn();
    await turn();
    expect([isResigned, source.role(0).isLeading()]).toEqual([true, false]);
    await source.close();
  });

  it('do not end the barrier for other work, even if its term began inside theirs', async () => {
    const { source, host, clock, grant } = steeredSource();
    let finish = (): void => undefined;
    const slow = source.role(1).lead(() => new Promise<void>((resolve) => (finish = resolve)));
    const busy: string[] = [];
    const closing = source.role(0).lead(async () => {
      host.granted({
        partition: 1,
        token: 3n,
        until: (clock.now() + 60_000) as never,
        sentAt: clock.now(),
      });
      await turn();
      busy.push('closing');
      await source.close();
      busy.push('closed');
    });
    grant(7n, 60_000);
    await turn();
    await turn();
    expect([busy, source.role(1).isLeading()]).toEqual([['closing', 'closed'], true]);
    finish();
    await Promise.all([slow, closing]);
    expect(source.role(1).isLeading()).toBe(false);
  });

  it('wait for work whose lead was called elsewhere', async () => {
    const { source, host, clock, grant } = steeredSource();
    let finish = (): void => undefined;
    const began: string[] = [];
    void source.role(1).lead(async () => {
      began.push('inner');
      await source.close();
    });
    const outer = source.role(0).lead(async () => {
      host.granted({
        partition: 1,
        token: 3n,
        until: (clock.now() + 60_000) as never,
        sentAt: clock.now(),
      });
      await new Promise<void>((resolve) => (finish = resolve));
      began.push('outer done');
    });
    grant(7n, 60_000);
    await turn();
    await turn();
    expect(began).toEqual(['inner']);
    expect(source.role(0).isLeading()).toBe(true);
    finish();
    await outer;
    await source.close();
    expect(began).toEqual(['inner', 'outer done']);
  });
});
