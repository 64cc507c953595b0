import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isOffered } from '../../src/backends/is-offered.ts';
import { mavenJars } from '../../src/backends/maven-jars.ts';

const missing =
  spawnSync('mvn', ['-v']).status === 0
    ? undefined
    : 'Maven is missing: install it, so that `mvn` is on the path';
const jars = { title: 'a small jar', name: 'small', artifacts: ['org.slf4j:slf4j-simple:1.7.36'] };

describe('jars from Maven', () => {
  let cache: string;
  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'leadership-cache-'));
    vi.stubEnv('XDG_CACHE_HOME', cache);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    rmSync(cache, { recursive: true });
  });

  test.runIf(isOffered('kafka', missing))(
    'are downloaded once for concurrent callers, with their dependencies',
    async () => {
      const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      const [folder = '', ...others] = await Promise.all([
        mavenJars(jars),
        mavenJars(jars),
        mavenJars(jars),
      ]);
      expect(others).toEqual([folder, folder]);
      expect(readdirSync(folder).filter((name) => name.endsWith('.jar'))).toEqual([
        'slf4j-api-1.7.36.jar',
        'slf4j-simple-1.7.36.jar',
      ]);
      expect(await mavenJars(jars)).toBe(folder);
      expect(said.mock.calls).toHaveLength(1);
      expect(readdirSync(join(cache, 'leadership'))).toHaveLength(1);
    },
  );

  test('cannot be downloaded without Maven: the reason states what to install, and no partial download remains', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    vi.stubEnv('PATH', cache);
    await expect(mavenJars(jars)).rejects.toThrow(
      'a small jar cannot be downloaded: Maven is missing: install it',
    );
    expect(readdirSync(join(cache, 'leadership'))).toEqual([]);
  });

  test.runIf(isOffered('kafka', missing))(
    'are named in the reason if they do not exist',
    async () => {
      vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      const unknown = { ...jars, artifacts: ['org.slf4j:slf4j-simple:0.0.0-none'] };
      await expect(mavenJars(unknown)).rejects.toThrow(
        /a small jar cannot be downloaded: .*slf4j-simple:jar:0\.0\.0-none/,
      );
    },
  );

  test('are not downloaded if the signal has aborted', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await expect(mavenJars(jars, AbortSignal.abort(new Error('aborted')))).rejects.toThrow(
      'aborted',
    );
    expect(readdirSync(join(cache, 'leadership'))).toEqual([]);
  });
});
