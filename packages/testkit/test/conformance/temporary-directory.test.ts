import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryDirectory } from '../../src/conformance/temporary-directory.ts';

let home = '';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'leadership-temporary-'));
  vi.stubEnv('TMPDIR', home);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

/** Creates a directory with a file in it, last changed `hours` ago. */
function left(name: string, hours: number): string {
  const path = join(home, name);
  mkdirSync(path);
  writeFileSync(join(path, 'store'), 'x');
  const at = Date.now() / 1000 - hours * 3600;
  utimesSync(path, at, at);
  return path;
}

it('is removed after use, together with directories of runs that were killed days ago, and no others', async () => {
  const killed = left('leadership-conformance-killed', 48);
  const underWay = left('leadership-conformance-under-way', 1);
  const others = left('others', 48);
  let path = '';
  {
    await using own = await temporaryDirectory();
    path = own.path;
    expect(existsSync(path)).toBe(true);
  }
  expect([path, killed, underWay, others].map(existsSync)).toEqual([false, false, true, true]);
});
