import { describe, expect, it } from 'vitest';
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
