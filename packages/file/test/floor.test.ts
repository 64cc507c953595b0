import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeadershipSource } from '@leadership/core';
import { type Clock, monotonicClock, openSource, resolveOptions } from '@leadership/core/adapter';
import { inFlight } from '@leadership/core/internal/engine';
import { eventually, recordingHost } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { fileBackend } from '../src/file-leadership.ts';
import { fileFloor } from '../src/floor.ts';
import { layoutOf } from '../src/layout.ts';
import { putRow } from './support/rows-store.ts';
import { removeAtOnce, tempDirectory } from './support/temp-directory.ts';

const never = new AbortController().signal;
const dayMicros = 86_400_000_000;

/** Opens a member whose wall clock is off by this much. */
function open(directory: string, offMicros: number): LeadershipSource {
  const resolved = resolveOptions({ group: 'g', thresholdMs: 200, partitions: 1 });
  const clock: Clock = {
    now: () => monotonicClock.now(),
    wake: (at, call) => monotonicClock.wake(at, call),
    wallMicros: () => monotonicClock.wallMicros() + offMicros,
  };
  return openSource(fileBackend(directory, resolved), resolved, { clock });
}

/** Leads one term, closes, and returns the token of the term. */
async function lead(directory: string, offMicros: number): Promise<bigint> {
  await using source = open(directory, offMicros);
  const term = await eventually('the member leads', () => source.role(0).term());
  return term.token;
}

function floorAt(directory: string): ReturnType<typeof fileFloor> {
  const layout = layoutOf(directory, 'g');
  return fileFloor({ layout, busy: inFlight(), host: recordingHost('m') });
}

describe('tokens after a wipe, by members whose clocks are behind (T1)', () => {
  it('grow after the files of the partitions and the pin were deleted', async () => {
    await using home = await tempDirectory();
    const layout = layoutOf(home.path, 'g');
    const before = await lead(home.path, dayMicros);
    for (const row of ['partition#0', 'pin']) await putRow(layout.rows, row, null);
    expect(await lead(home.path, 0)).toBeGreaterThan(before);
  });

  it('grow after the directory of the group was moved away', async () => {
    await using home = await tempDirectory();
    const before = await lead(home.path, dayMicros);
    await removeAtOnce(layoutOf(home.path, 'g').group);
    const next = await lead(home.path, 0);
    await removeAtOnce(layoutOf(home.path, 'g').group);
    expect(next).toBeGreaterThan(before);
    expect(await lead(home.path, -dayMicros)).toBeGreaterThan(next);
  });
});

describe('the floor in a directory', () => {
  it('keeps the greatest token in any order of raises, and one file', async () => {
    await using home = await tempDirectory();
    const [one, two] = [floorAt(home.path), floorAt(home.path)];
    expect(await one.read(never)).toBe(0n);
    await Promise.all([one.raise(7n, never), two.raise(30n, never), two.raise(30n, never)]);
    await one.raise(12n, never);
    await Promise.all([one, two].map(async (floor) => expect(await floor.read(never)).toBe(30n)));
    await one.raise(31n, never);
    await eventually(
      'the smaller files are removed',
      async () => (await readdir(layoutOf(home.path, 'g').floor)).join() === '31',
    );
    expect(await readFile(join(layoutOf(home.path, 'g').floor, '31'), 'utf8')).toBe('');
  });

  it('ignores foreign files', async () => {
    await using home = await tempDirectory();
    const floor = floorAt(home.path);
    await floor.raise(5n, never);
    for (const name of ['9x', '-9', '09', '99999999999999999999', '.9'])
      await writeFile(join(layoutOf(home.path, 'g').floor, name), '');
    expect(await floor.read(never)).toBe(5n);
  });
});
