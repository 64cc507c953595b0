import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Term } from '../../src/contract/term.ts';
import { turn } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

const work = (): undefined => undefined;

describe('the options of lead', () => {
  it('are refused if they are unknown', async () => {
    const { source } = steeredSource();
    const slip = { onthrow: 'reject' } as never;
    await expect(source.role(0).lead(work, slip)).rejects.toThrow(
      'lead has no option onthrow; did you mean onThrow?',
    );
    await expect(source.leadEach(work, slip)).rejects.toThrow('lead has no option onthrow');
    const hint = 'lead has no option drainTimeoutMs; known options are signal, onThrow, overlap';
    await expect(source.role(0).lead(work, { drainTimeoutMs: 1 } as never)).rejects.toThrow(hint);
    await expect(source.role(0).lead(work, { overlap: 1 } as never)).rejects.toThrow(
      'overlap 1 must be true or false',
    );
    await expect(source.role(0).lead(work, null as never)).rejects.toThrow(
      'the options of lead null must be an object',
    );
    await source.close();
  });

  it('pass signal to the work of leadEach too, and leave the term leading', async () => {
    const { source, grant } = steeredSource();
    const stop = new AbortController();
    const seen: Term[] = [];
    const leading = source.leadEach(
      async (term) => {
        seen.push(term);
        await new Promise<void>((resolve) =>
          term.signal.addEventListener('abort', () => resolve()),
        );
      },
      { signal: stop.signal },
    );
    grant(7n);
    stop.abort(new Error('enough'));
    await leading;
    expect(seen[0]?.signal.reason).toMatchObject({ message: 'enough' });
    expect([source.role(0).isLeading(), source.role(0).term()?.signal.aborted]).toEqual([
      true,
      false,
    ]);
    expect(JSON.parse(JSON.stringify(seen[0]))).toEqual(
      JSON.parse(JSON.stringify(source.role(0).term())),
    );
    await source.close();
  });

  it('report no failure if work rejects with the reason of signal', async () => {
    const { source, grant } = steeredSource();
    const stop = new AbortController();
    const options = { signal: stop.signal, onThrow: 'reject' } as const;
    const leading = source
      .role(0)
      .lead(
        ({ signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        options,
      );
    grant(7n);
    stop.abort();
    await leading;
    expect(source.health().troubles).toEqual([]);
    await source.close();
  });
});

describe('two runs of one lead call', () => {
  /** Work that ignores its signals, and a log of its runs. */
  function deaf(
    overlap?: boolean,
  ): ReturnType<typeof steeredSource> & { readonly log: string[]; finish(): Promise<void> } {
    const steered = steeredSource({ log: false });
    const log: string[] = [];
    const finishes: (() => void)[] = [];
    void steered.source.role(0).lead(
      async ({ token }) => {
        log.push(`begins ${token}`);
        await new Promise<void>((resolve) => finishes.push(resolve));
        log.push(`ends ${token}`);
      },
      overlap === undefined ? {} : { overlap },
    );
    const finish = async (): Promise<void> => {
      finishes.shift()?.();
      await turn();
    };
    return { ...steered, log, finish };
  }

  it('never overlap: the work of the next term waits for the fenced work, which is a trouble meanwhile', async () => {
    const { source, host, grant, log, finish } = deaf();
    grant(7n);
    host.lost(0, 'superseded');
    grant(8n);
    await turn();
    expect(log).toEqual(['begins 7']);
    const message =
      'partition 0: the work of an earlier term still runs; that of term 8 begins once it has settled';
    expect(source.health().troubles).toMatchObject([{ code: 'work-failed', message }]);
    host.lost(0, 'superseded');
    expect(source.health().troubles).toEqual([]);
    grant(9n);
    await finish();
    expect([log, source.health().troubles]).toEqual([['begins 7', 'ends 7', 'begins 9'], []]);
    await finish();
    await source.close();
  });

  it('do not begin late: a term that is over by then is skipped', async () => {
    const { source, host, grant, log, finish } = deaf();
    grant(7n);
    host.lost(0, 'superseded');
    grant(8n);
    host.lost(0, 'superseded');
    await finish();
    expect(log).toEqual(['begins 7', 'ends 7']);
    await source.close();
  });

  it('overlap with the option overlap', async () => {
    const { source, host, grant, log, finish } = deaf(true);
    grant(7n);
    host.lost(0, 'superseded');
    grant(8n);
    await turn();
    expect(log).toEqual(['begins 7', 'begins 8']);
    await finish();
    await finish();
    await source.close();
  });
});

describe('a signal that many calls share', () => {
  it('gets a single listener of this library, so Node warns of no leak', async () => {
    const stop = new AbortController();
    const { signal } = stop;
    const warned: string[] = [];
    const note = ({ name }: Error): void => void warned.push(name);
    process.on('warning', note);
    const sources = Array.from({ length: 20 }, () => steeredSource({ signal }));
    const calls = sources.flatMap(({ source }) => [
      source.role(0).lead(work, { signal }),
      source.leadEach(work, { signal }),
    ]);
    const readies = sources.map(({ source }) => source.ready({ signal }).catch(() => 'stopped'));
    for (const { grant } of sources) grant(7n);
    expect(getEventListeners(signal, 'abort').length).toBe(1);
    stop.abort();
    await Promise.all([
      ...calls,
      ...readies,
      ...sources.map(({ source }) => source.close({ signal })),
    ]);
    await turn();
    process.off('warning', note);
    expect([warned, getEventListeners(signal, 'abort').length]).toEqual([[], 0]);
  });
});

describe('waitUntil', () => {
  it('causes no unhandled rejection when it throws', async () => {
    const { source, grant } = steeredSource();
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    grant(7n);
    const term = source.role(0).term();
    await source.close();
    expect(() => term?.waitUntil(Promise.reject(new Error('late')))).toThrow('is over');
    await turn();
    await turn();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});
