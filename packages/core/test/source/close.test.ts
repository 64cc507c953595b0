import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { closingAgain } from '../support/closing-again.ts';
import { turn } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

describe('close', () => {
  it('is idempotent, and calls the backend once', async () => {
    const { source, asked } = steeredSource();
    await Promise.all([source.close(), source.close(), source[Symbol.asyncDispose]()]);
    await source.close();
    expect(asked).toEqual(['close']);
  });

  it('calls the backend once if a subscriber closes again when it is notified of the revocation', async () => {
    const { source, grant, asked } = steeredSource();
    grant(7n, 60_000);
    const nested = closingAgain(source);
    await source.close();
    expect(nested).toHaveLength(1);
    await nested[0];
    expect(asked).toEqual(['close']);
  });

  it('during the start rejects ready(), also later calls, with the reason', async () => {
    const { source } = steeredSource();
    const ready = source.ready();
    await source.close();
    const closed = {
      code: 'closed',
      message: 'the source of member "a" was closed before it was ready',
    };
    await expect(ready).rejects.toMatchObject(closed);
    await expect(source.ready()).rejects.toMatchObject(closed);
  });

  it('waits for running work until its signal aborts, which fences the work', async () => {
    const { source, grant, clock } = steeredSource();
    grant(7n, 60_000);
    void source.role(0).ifLeading(() => new Promise(() => undefined));
    const hurry = new AbortController();
    let isOver = false;
    const closed = source.close({ signal: hurry.signal }).then(() => {
      isOver = true;
    });
    await clock.pass(10_000);
    expect([isOver, source.role(0).isLeading()]).toEqual([false, true]);
    hurry.abort();
    expect(source.role(0).isLeading()).toBe(false);
    await closed;
    expect(getEventListeners(hurry.signal, 'abort').length).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('with an aborted signal ends in fenced, whatever leaders the backend reports afterwards', async () => {
    const { source, grant, host } = steeredSource();
    grant(7n, 60_000);
    const states: string[] = [];
    source.role(0).leadership$.subscribe(({ state }) => void states.push(state));
    void source.role(0).ifLeading(() => new Promise(() => undefined));
    const closed = source.close({ signal: AbortSignal.abort() });
    host.leads(0, undefined);
    await closed;
    expect(states.at(-1)).toBe('fenced');
  });

  it('with an aborted signal also speeds up an earlier call', async () => {
    const { source, grant } = steeredSource();
    grant(7n, 60_000);
    void source.role(0).ifLeading(() => new Promise(() => undefined));
    const patient = source.close();
    await source.close({ signal: AbortSignal.abort() });
    await patient;
  });

  it('also happens through the source’s own signal, even if that had aborted before, and leaves no listener on it', async () => {
    const stop = new AbortController();
    const { source, asked } = steeredSource({ signal: stop.signal });
    stop.abort();
    await turn();
    expect(asked).toEqual(['close']);
    await source.close();
    expect(getEventListeners(stop.signal, 'abort').length).toBe(0);
    const late = steeredSource({ signal: AbortSignal.abort() });
    await late.source.close();
    expect(late.asked).toEqual(['close']);
    await expect(late.source.ready()).rejects.toMatchObject({ code: 'closed' });
  });

  it('makes the host ignore later proofs', async () => {
    const { source, grant, host } = steeredSource();
    await source.close();
    expect(grant(7n)).toBe('over');
    expect(source.role(0).isLeading()).toBe(false);
    expect(await host.drain(0)).toBe('fenced');
    host.leads(0, undefined);
    host.released(0);
    host.lost(0, 'expired');
    host.ready();
    host.refused('unauthorized', 'no');
    host.ignored('x');
    host.trouble('unreachable', 'no')[Symbol.dispose]();
  });
});

describe('ready', () => {
  it('resolves for all earlier and later calls', async () => {
    const { source, host } = steeredSource();
    const asked = source.ready();
    host.ready();
    host.ready();
    await asked;
    await source.ready();
    await source.close();
    await source.ready();
  });

  it('rejects with the signal’s reason, and leaves no listener; the source continues', async () => {
    const { source, host } = steeredSource();
    const stop = new AbortController();
    const asked = source.ready({ signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await expect(source.ready({ signal: stop.signal })).rejects.toThrow('enough');
    expect(getEventListeners(stop.signal, 'abort').length).toBe(0);
    host.ready();
    const patient = new AbortController();
    await source.ready({ signal: patient.signal });
    expect(getEventListeners(patient.signal, 'abort').length).toBe(0);
    await source.close();
  });

  it('rejects with the backend’s refusal and its cause, and causes no unhandled rejection', async () => {
    const { source, host } = steeredSource();
    const cause = new Error('SASL');
    host.refused('unauthorized', 'wrong password', cause);
    await turn();
    await expect(source.ready()).rejects.toMatchObject({
      code: 'unauthorized',
      message: 'wrong password',
      cause,
    });
    await source.close();
  });
});

describe('health', () => {
  it('is ok once the backend is ready and nothing is wrong, and contains the time since the last confirmation', async () => {
    const { source, host, clock } = steeredSource();
    expect(source.health()).toEqual({
      ok: false,
      confirmedMsAgo: undefined,
      ignored: {},
      measured: {},
      troubles: [],
      warnings: [],
    });
    host.ready();
    host.confirmed();
    await clock.pass(70);
    expect(source.health()).toEqual({
      ok: true,
      confirmedMsAgo: 70,
      ignored: {},
      measured: {},
      troubles: [],
      warnings: [],
    });
    await source.close();
  });

  it('lists each trouble while it lasts; each is logged twice', async () => {
    const { source, host } = steeredSource();
    host.ready();
    const log: string[] = [];
    source.events$.subscribe(({ kind, code }) => log.push(`${kind} ${code}`));
    const first = host.trouble('unreachable', 'away');
    const second = host.trouble('unreachable', 'gone');
    expect(source.health()).toMatchObject({
      ok: false,
      troubles: [{ code: 'unreachable', message: 'away' }, { message: 'gone' }],
    });
    expect(source.health().troubles[0]?.since).toBeInstanceOf(Date);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect(source.health().ok).toBe(false);
    second[Symbol.dispose]();
    expect(source.health().ok).toBe(true);
    expect(log).toEqual([
      'trouble unreachable',
      'trouble unreachable',
      'mended unreachable',
      'mended unreachable',
    ]);
    await source.close();
  });

  it('lists and reports a trouble once that several parts raise, until the last of them ends it', async () => {
    const { source, host } = steeredSource();
    host.ready();
    const log: string[] = [];
    source.events$.subscribe(({ kind, code }) => log.push(`${kind} ${code}`));
    const parts = [1, 2, 3].map(() => host.trouble('unreachable', 'no answer within 667 ms'));
    using other = host.trouble('unreachable', 'another');
    expect(source.health().troubles).toHaveLength(2);
    parts[0]?.[Symbol.dispose]();
    parts[0]?.[Symbol.dispose]();
    parts[1]?.[Symbol.dispose]();
    expect(source.health().troubles).toHaveLength(2);
    parts[2]?.[Symbol.dispose]();
    expect(source.health().troubles).toEqual([expect.objectContaining({ message: 'another' })]);
    expect(log).toEqual(['trouble unreachable', 'trouble unreachable', 'mended unreachable']);
    other[Symbol.dispose]();
    await source.close();
  });

  it.each(['refused', 'closed'])(
    'reports no end of a trouble that a source withdraws because it was %s',
    async (end) => {
      const { source, host } = steeredSource();
      const log: string[] = [];
      source.events$.subscribe(({ kind, code }) => log.push(`${kind} ${code}`));
      const trouble = host.trouble('unauthorized', 'wrong password');
      if (end === 'refused') host.refused('unauthorized', 'wrong password');
      else await source.close();
      trouble[Symbol.dispose]();
      expect(log).not.toContain('mended unauthorized');
      await source.close();
    },
  );

  it('is ok with warnings, and keeps them apart', async () => {
    const { source, host } = steeredSource();
    host.ready();
    const log: string[] = [];
    source.events$.subscribe(({ kind, code }) => log.push(`${kind} ${code}`));
    const warning = host.warning('misconfigured-backend', 'one replica');
    expect(source.health()).toMatchObject({
      ok: true,
      troubles: [],
      warnings: [{ code: 'misconfigured-backend', message: 'one replica' }],
    });
    warning[Symbol.dispose]();
    warning[Symbol.dispose]();
    expect(source.health().warnings).toEqual([]);
    expect(log).toEqual(['warning misconfigured-backend', 'mended misconfigured-backend']);
    await source.close();
  });

  it('is a snapshot: later changes do not affect it', async () => {
    const { source, host } = steeredSource();
    const before = source.health();
    host.ignored('__proto__');
    host.ignored('garbage');
    host.measured('clockErrorMs', 3);
    host.measured('clockErrorMs', 2.5);
    host.trouble('unreachable', 'away');
    expect(before).toEqual({
      ok: false,
      confirmedMsAgo: undefined,
      ignored: {},
      measured: {},
      troubles: [],
      warnings: [],
    });
    expect(source.health().measured).toEqual({ clockErrorMs: 2.5 });
    expect(Object.entries(source.health().ignored)).toEqual([
      ['__proto__', 1],
      ['garbage', 1],
    ]);
    await source.close();
  });
});
