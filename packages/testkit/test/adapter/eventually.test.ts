import { describe, expect, it, vi } from 'vitest';
import { eventually, recordingHost } from '../../src/adapter.ts';

describe('eventually', () => {
  it('polls until there is an answer, and resolves with it', async () => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      return asked === 3 && 'third';
    };
    expect(await eventually('the third call answers', ask)).toBe('third');
    expect(await eventually('nothing is an answer too', () => null)).toBeNull();
  });

  it('asks what others answer for at most a fifth of the time, and a state of this process every 2 ms', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const answerMs = 10;
      let [promised, own] = [0, 0];
      const waiting = Promise.allSettled([
        eventually('a server agrees', async () => {
          promised += 1;
          await new Promise((resolve) => setTimeout(resolve, answerMs));
          return false;
        }),
        eventually('a member leads', () => {
          own += 1;
          return false;
        }),
      ]);
      await vi.advanceTimersByTimeAsync(1000);
      expect(promised).toBe(1000 / (5 * answerMs) + 1);
      expect(own).toBe(1000 / 2 + 1);
      await vi.advanceTimersByTimeAsync(60_000);
      await waiting;
    } finally {
      vi.useRealTimers();
    }
  });

  it('names the condition and the current state if no answer arrives', async () => {
    const waiting = eventually('the moon is out', () => undefined, {
      withinMs: 20,
      details: () => ': it is day',
    });
    await expect(waiting).rejects.toThrow(
      'waited 20 ms without success: the moon is out: it is day',
    );
  });
});

describe('a noting host', () => {
  it('keeps the current troubles, and a record of all of them', () => {
    const host = recordingHost('m');
    const away = host.trouble('unreachable', 'the store is away');
    host.warning('misconfigured-backend', 'one replica');
    away[Symbol.dispose]();
    expect([[...host.troubles], [...host.warnings]]).toEqual([[], ['one replica']]);
    expect(host.calls).toEqual([
      'trouble unreachable: the store is away',
      'warning misconfigured-backend: one replica',
    ]);
  });
});
