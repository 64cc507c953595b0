import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { LeadershipError } from '../../src/contract/leadership-error.ts';
import type { Logger } from '../../src/contract/logger.ts';
import { turn } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

type Warning = Error & { readonly code?: string; readonly detail?: string };

/** Collects the process warnings meanwhile. */
async function warnings(body: () => unknown): Promise<readonly Warning[]> {
  const received: Warning[] = [];
  const hear = (warning: Warning): void => void received.push(warning);
  process.on('warning', hear);
  await body();
  await turn();
  process.off('warning', hear);
  return received;
}

function logger(): { readonly log: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const line = (level: string) => (text: string) => lines.push(`${level} ${text}`);
  return { lines, log: { error: line('error'), warn: line('warn'), info: line('info') } };
}

describe('work that throws', () => {
  it('reaches the user by default: one process warning with the stack', async () => {
    const thrown = new Error('no paper');
    const { source, grant } = steeredSource();
    const received = await warnings(async () => {
      void source.role(0).lead(() => Promise.reject(thrown));
      grant(7n);
      await turn();
    });
    expect(received).toMatchObject([
      { name: 'LeadershipWarning', code: 'LEADERSHIP_WORK_FAILED', cause: thrown },
    ]);
    expect(received[0]?.message).toMatch(
      /^group "g", member "a": work threw in partition 0: no paper/,
    );
    expect(received[0]?.detail).toContain('reporting.test.ts');
    await source.close();
  });

  it('can throw a value that has no text form: it is reported, and the partition is resigned', async () => {
    const unshowable = Object.assign(Object.create(null), {
      [inspect.custom](): never {
        throw new Error('not shown');
      },
    });
    const { source, grant, asked } = steeredSource();
    let events = '';
    source.events$.subscribe((event) => {
      events += JSON.stringify(event);
    });
    const received = await warnings(async () => {
      void source.role(0).lead(() => Promise.reject(unshowable));
      grant(7n);
      await turn();
    });
    expect(received[0]?.message).toContain(
      'work threw in partition 0: a value (object) that has no text form',
    );
    expect(events).toContain('work-failed');
    expect(asked).toContainEqual(expect.stringMatching(/^resign 0/));
    await source.close();
  });

  it('is in health() and in its event, with its cause, before the event is emitted', async () => {
    const thrown = new Error('no paper');
    const { source, grant } = steeredSource({ log: false });
    const seen: unknown[] = [];
    source.events$.subscribe(({ kind, code, message, cause, partition }) => {
      if (kind === 'trouble')
        seen.push({ code, message, cause, partition }, source.health().troubles[0]);
    });
    void source.role(0).lead(() => Promise.reject(thrown));
    grant(7n);
    await turn();
    const reported = {
      code: 'work-failed',
      message: expect.stringContaining('no paper'),
      cause: thrown,
      partition: 0,
    };
    expect(seen).toEqual([reported, { ...reported, since: expect.any(Date) }]);
    await source.close();
  });
});

describe('a trouble', () => {
  it('is reported once, not again if it recurs soon, but again after a minute', async () => {
    const { source, host, clock } = steeredSource();
    const flap = (): void => host.trouble('unreachable', 'away')[Symbol.dispose]();
    const received = await warnings(async () => {
      for (let count = 0; count < 5; count += 1) flap();
      host.warning('misconfigured-backend', 'one replica');
      await clock.pass(60_000);
      flap();
    });
    const codes = received.map(({ code }) => code);
    expect(codes).toEqual([
      'LEADERSHIP_UNREACHABLE',
      'LEADERSHIP_MISCONFIGURED_BACKEND',
      'LEADERSHIP_UNREACHABLE',
    ]);
    expect(received[0]?.detail).toBeUndefined();
    await source.close();
  });

  it('of a quorum is reported only if it outlasts the first T of the source, but is in health() at once', async () => {
    const { source, host, clock } = steeredSource({ thresholdMs: 1000 });
    const received = await warnings(async () => {
      const early = host.trouble('no-quorum', 'b is not there yet');
      expect(source.health().troubles).toMatchObject([
        { code: 'no-quorum', message: 'b is not there yet' },
      ]);
      early[Symbol.dispose]();
      host.trouble('no-quorum', 'b and c are not there');
      await clock.pass(999);
      host.trouble('unreachable', 'away');
      await turn();
      await clock.pass(1);
      host.trouble('no-quorum', 'c is gone');
    });
    expect(received.map(({ message }) => message.replace(/.*: /, ''))).toEqual([
      'away',
      'b and c are not there',
      'c is gone',
    ]);
    await source.close();
  });

  it('that waits to be reported is not reported once the source is closed', async () => {
    const { source, host, clock } = steeredSource({ thresholdMs: 1000 });
    const received = await warnings(async () => {
      host.trouble('no-quorum', 'b is not there yet');
      await source.close();
      await clock.pass(2000);
    });
    expect(received).toEqual([]);
  });

  it('shows the cause of an error with the same message', async () => {
    const { source, host } = steeredSource({ log: false });
    const cause = new Error('ECONNREFUSED');
    host.trouble('unreachable', 'away', new LeadershipError('unreachable', 'away', { cause }));
    expect(source.health().troubles[0]?.cause).toBe(cause);
    await source.close();
  });

  it('of a refusal is also a single process warning', async () => {
    const { source, host } = steeredSource();
    const received = await warnings(() => {
      host.trouble('unauthorized', 'wrong password');
      host.refused('unauthorized', 'wrong password');
    });
    expect(received.map(({ code }) => code)).toEqual(['LEADERSHIP_UNAUTHORIZED']);
    await source.close();
  });
});

describe('the option log', () => {
  it('receives troubles as errors, warnings as warnings, and the end of each', async () => {
    const { log, lines } = logger();
    const { source, host } = steeredSource({ log });
    const received = await warnings(() => {
      const away = host.trouble('unreachable', 'away', new Error('ECONNREFUSED'));
      host.warning('misconfigured-backend', 'one replica');
      away[Symbol.dispose]();
      host.trouble('unreachable', 'away')[Symbol.dispose]();
    });
    expect(received).toEqual([]);
    const whose = 'group "g", member "a"';
    expect(lines).toEqual([
      expect.stringMatching(
        `^error LEADERSHIP_UNREACHABLE ${whose}: away\nError: ECONNREFUSED\n +at `,
      ),
      `warn LEADERSHIP_MISCONFIGURED_BACKEND ${whose}: one replica`,
      `info LEADERSHIP_UNREACHABLE ${whose}: mended: away`,
    ]);
    await source.close();
  });

  it('is called as methods, because loggers use `this`', async () => {
    class Strict {
      readonly #lines: string[] = [];
      error(text: string): void {
        this.#lines.push(text);
      }
      warn(text: string): void {
        this.#lines.push(text);
      }
      info(text: string): void {
        this.#lines.push(text);
      }
      get count(): number {
        return this.#lines.length;
      }
    }
    const log = new Strict();
    const { source, host } = steeredSource({ log });
    host.trouble('unreachable', 'away')[Symbol.dispose]();
    host.warning('unreachable', 'slow');
    expect(log.count).toBe(3);
    await source.close();
  });

  it('false disables reports', async () => {
    const { source, host } = steeredSource({ log: false });
    expect(await warnings(() => host.trouble('unreachable', 'away'))).toEqual([]);
    await source.close();
  });

  it('accepts the console', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { source, host } = steeredSource({ log: console });
    host.trouble('unreachable', 'away');
    expect(error).toHaveBeenCalledWith('LEADERSHIP_UNREACHABLE group "g", member "a": away');
    error.mockRestore();
    await source.close();
  });

  it.each([
    [
      'throw',
      'threw',
      () => {
        throw new Error('disk full');
      },
    ],
    ['reject', 'rejected', () => Promise.reject(new Error('disk full'))],
  ] as const)(
    'may %s without disturbing the election; the error is a process warning',
    async (_, how, fail) => {
      const { source, host } = steeredSource({ log: { error: fail, warn: fail, info: fail } });
      const received = await warnings(() => host.trouble('unreachable', 'away'));
      expect(received).toMatchObject([
        {
          code: 'LEADERSHIP_LOG',
          message: expect.stringMatching(new RegExp(`source ${how}: Error: disk full`)),
        },
      ]);
      expect(source.health().troubles).toHaveLength(1);
      await source.close();
    },
  );
});
