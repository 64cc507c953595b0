import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { systemWatch, type Watch } from '../../src/disk/watch.ts';
import { openReader } from '../support/reader.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const limit = () =>
  Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), {
    code: 'ENOSPC',
  });

describe('a system that refuses watches', () => {
  it('causes a warning and polling, until watches work again', async () => {
    await using home = await tempDirectory();
    let exhausted = true;
    const watch: Watch = (...args) => {
      if (exhausted) throw limit();
      return systemWatch(...args);
    };
    await using one = await openReader(home.path);
    await using other = await openReader(home.path, { watch, thresholdMs: 2000 });
    await one.exchange();
    const stop = new AbortController();
    let woken = 0;
    await other.rows.listen?.(() => {
      woken += 1;
    }, stop.signal);
    await other.exchange();
    expect([...other.host.warnings]).toEqual([
      expect.stringContaining('polling every 250 ms instead'),
    ]);
    await one.change('a', null, '1');
    await eventually('the other member is woken to poll', () => woken > 1);
    expect((await other.exchange()).rows).toEqual([['a', '1']]);
    exhausted = false;
    await other.exchange();
    expect(other.host.warnings.size).toBe(0);
    await one.exchange();
    const before = woken;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(woken).toBe(before);
    stop.abort();
  });

  it('may also fail an open watch', async () => {
    await using home = await tempDirectory();
    const breaks: ((error: unknown) => void)[] = [];
    const watch: Watch = (directory, received, broke) => {
      breaks.push(broke);
      return systemWatch(directory, received, broke);
    };
    await using one = await openReader(home.path, { watch });
    await one.exchange();
    const stop = new AbortController();
    await one.rows.listen?.(() => undefined, stop.signal);
    breaks[0]?.(limit());
    expect(one.host.warnings.size).toBe(1);
    await one.exchange();
    expect([breaks.length, one.host.warnings.size]).toEqual([2, 0]);
    stop.abort();
  });
});
