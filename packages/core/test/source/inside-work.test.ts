// No caller can end the barrier: calls from inside work, and from anything that the work has
// created.
import { EventEmitter, once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { allOf, anyOf } from '../../src/combine/combine.ts';
import type { Term } from '../../src/contract/term.ts';
import { combinedBy } from '../support/combined.ts';
import { turn } from '../support/manual-clock.ts';
import { type SteeredSource, steeredSource } from '../support/steered-backend.ts';

/** Runs work that calls `during` first, and then continues until the test ends it. */
async function running(
  steered: SteeredSource,
  during: (term: Term) => unknown,
): Promise<{ readonly ends: string[]; readonly finish: () => Promise<void> }> {
  const ends: string[] = [];
  steered.source.events$.subscribe(
    ({ kind }) => void (['revoked', 'released', 'fenced'].includes(kind) && ends.push(kind)),
  );
  let finish = (): void => undefined;
  const settled = new Promise<void>((resolve) => (finish = resolve));
  void steered.source.role(0).lead(async (term) => {
    await during(term);
    await settled;
    ends.push('work ends');
  });
  steered.grant(7n, 60_000);
  await turn();
  return {
    ends,
    async finish() {
      finish();
      await turn();
      await turn();
    },
  };
}

describe('a barrier waits for work (H2)', () => {
  it('whose SIGTERM handler closes the source', async () => {
    const steered = steeredSource();
    const { ends, finish } = await running(
      steered,
      () => void process.once('SIGTERM', () => void steered.source.close()),
    );
    process.kill(process.pid, 'SIGTERM');
    await expect.poll(() => ends).toEqual(['revoked']);
    await turn();
    expect([ends, steered.source.role(0).isLeading()]).toEqual([['revoked'], true]);
    await finish();
    expect(ends).toEqual(['revoked', 'work ends', 'released']);
  });

  it('that created an HTTP server, whose handler closes the source', async () => {
    const steered = steeredSource();
    const server = createServer(
      (_, response) => void steered.source.close().then(() => response.end('closing')),
    );
    const { ends, finish } = await running(
      steered,
      async () => await once(server.listen(0, '127.0.0.1'), 'listening'),
    );
    await expect.poll(() => server.listening).toBe(true);
    const { port } = server.address() as AddressInfo;
    const answered = new Promise<void>((resolve) =>
      get({ port, host: '127.0.0.1' }, (response) => response.resume().on('end', resolve)),
    );
    await expect.poll(() => ends).toEqual(['revoked']);
    await turn();
    expect(steered.source.role(0).isLeading()).toBe(true);
    await finish();
    await answered;
    expect(ends).toEqual(['revoked', 'work ends', 'released']);
    server.close();
  });

  it('that created another source, even if work of that source closes the first', async () => {
    const steered = steeredSource();
    const second = steeredSource({ group: 'second' });
    const inner: string[] = [];
    const { ends, finish } = await running(steered, () => {
      void second.source.role(0).lead(async () => {
        await steered.source.close();
        inner.push('closed the first');
        await second.source.close();
        inner.push('closed the second');
      });
      second.grant(3n, 60_000);
    });
    await expect.poll(() => inner).toEqual(['closed the first', 'closed the second']);
    expect([ends, steered.source.role(0).isLeading()]).toEqual([['revoked'], true]);
    await finish();
    expect(ends).toEqual(['revoked', 'work ends', 'released']);
  });

  it('of another partition than the one that it resigns, and the promise waits for the work of that partition', async () => {
    const steered = steeredSource();
    const { source, host, clock } = steered;
    let finishOther = (): void => undefined;
    void source.role(1).lead(() => new Promise<void>((resolve) => (finishOther = resolve)));
    host.granted({
      partition: 1,
      token: 3n,
      until: (clock.now() + 60_000) as never,
      sentAt: clock.now(),
    });
    let isResigned = false;
    const { ends, finish } = await running(steered, async () => {
      await source.role(1).resign();
      isResigned = true;
    });
    await turn();
    expect([ends, isResigned, source.role(1).isLeading()]).toEqual([['revoked'], false, true]);
    finishOther();
    await turn();
    expect([ends, isResigned, source.role(0).isLeading()]).toEqual([
      ['revoked', 'released'],
      true,
      true,
    ]);
    await finish();
    await source.close();
  });

  it('and ignores a finished run: a handler that it left behind waits for the work of the next term', async () => {
    const steered = steeredSource();
    const { source, grant, revoke } = steered;
    const ticker = new EventEmitter();
    let isClosed = false;
    void source.role(0).ifLeading(() => undefined);
    let finish = (): void => undefined;
    let tick = (): void => undefined;
    const ticking = new Promise<void>((resolve) => (tick = resolve));
    let runs = 0;
    void source.role(0).lead(() => {
      runs += 1;
      if (runs > 1) return new Promise<void>((resolve) => (finish = resolve));
      // The handler of this promise belongs to the run, also after its end.
      void ticking.then(() => ticker.emit('tick'));
      ticker.once('tick', () => void source.close().then(() => (isClosed = true)));
      return undefined;
    });
    grant(7n, 60_000);
    await turn();
    await revoke();
    grant(8n, 60_000);
    await turn();
    tick();
    await turn();
    expect([source.health().ok, source.role(0).term()?.signal.aborted]).toEqual([false, true]);
    expect([runs, isClosed, source.role(0).isLeading()]).toEqual([2, false, true]);
    finish();
    await expect.poll(() => isClosed).toBe(true);
  });

  it.each([
    ['allOf', allOf],
    ['anyOf', anyOf],
  ])('under %s too', async (_name, combine) => {
    const { source, a, b } = combinedBy(combine);
    const ends: string[] = [];
    source.events$.subscribe(
      ({ kind }) => void (['revoked', 'released', 'fenced'].includes(kind) && ends.push(kind)),
    );
    let finish = (): void => undefined;
    let isClosed = false;
    void source.role(0).lead(async () => {
      await turn();
      await source.close();
      isClosed = true;
      await new Promise<void>((resolve) => (finish = resolve));
      ends.push('work ends');
    });
    a.grant(7n, 60_000);
    b.grant(8n, 60_000);
    await expect.poll(() => isClosed).toBe(true);
    await turn();
    expect([ends, source.role(0).isLeading(), b.source.role(0).isLeading()]).toEqual([
      ['revoked'],
      true,
      true,
    ]);
    finish();
    await expect.poll(() => ends).toEqual(['revoked', 'work ends', 'released']);
  });
});

describe('work that awaits its own close()', () => {
  it('continues as soon as the revocation has begun, from a timer too', async () => {
    const { source, grant } = steeredSource();
    const done = source
      .role(0)
      .lead(
        (term) =>
          new Promise<void>((resolve) =>
            setTimeout(
              () => void source.close().then(() => resolve(expect(term.signal.aborted).toBe(true))),
              1,
            ),
          ),
      );
    grant(7n, 60_000);
    await done;
    expect(source.role(0).isLeading()).toBe(false);
  });

  it('does not deadlock if several runs do so at once', async () => {
    const { source, host, clock, grant } = steeredSource();
    const done = source.leadEach(async () => {
      await turn();
      await source.close();
    });
    grant(7n, 60_000);
    host.granted({
      partition: 1,
      token: 3n,
      until: (clock.now() + 60_000) as never,
      sentAt: clock.now(),
    });
    await done;
    expect(clock.pending).toBe(0);
  });
});
