import { describe, expect, it } from 'vitest';
import { eventually, notingHost } from '../../src/adapter.ts';

describe('eventually', () => {
  it('answers the first time that there is an answer, and asks until then', async () => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      return asked === 3 && 'third';
    };
    expect(await eventually('it is asked three times', ask)).toBe('third');
    expect(await eventually('nothing is an answer too', () => null)).toBeNull();
  });

  it('says what was waited for, and how things stand, where no answer comes', async () => {
    const waiting = eventually('the moon is out', () => undefined, { withinMs: 20, tellMore: () => ': it is day' });
    await expect(waiting).rejects.toThrow('waited 20 ms in vain: the moon is out: it is day');
  });
});

describe('a noting host', () => {
  it('knows what is amiss now, and all that ever was', () => {
    const host = notingHost('m');
    const away = host.trouble('unreachable', 'the store is away');
    host.warning('misconfigured-backend', 'one replica');
    away[Symbol.dispose]();
    expect([[...host.troubles], [...host.warnings]]).toEqual([[], ['one replica']]);
    expect(host.told).toEqual(['trouble unreachable: the store is away', 'warning misconfigured-backend: one replica']);
  });
});
