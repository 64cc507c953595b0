// In soak, because every run on a new machine makes an archive, and the later ones use it.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { javaProgram } from '../../src/backends/java.ts';
import { mavenJars } from '../../src/backends/maven-jars.ts';
import { archived } from '../../src/kafka/class-archive.ts';
import { command, type Distribution } from '../../src/kafka/distribution.ts';
import { hasKafka } from '../../src/kafka/index.ts';
import { kafkaJars } from '../../src/kafka/jars.ts';

const options = { brokers: 1, faults: true } as const;

/** Makes Java load a class of the broker that has no main method. Resolves with Java's output. */
async function load(distribution: Distribution, ...flags: readonly string[]): Promise<string> {
  const all = { ...distribution, flags: [...distribution.flags, '-Xlog:class+load', ...flags] };
  return promisify(execFile)(...command(all, 'kafka.server.BrokerServer')).catch(
    ({ stdout }) => stdout,
  );
}

describe.runIf(await hasKafka(options))('an archive of classes', () => {
  let folder: string;
  let home: string;
  beforeEach(async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    folder = mkdtempSync(join(tmpdir(), 'leadership-classes-'));
    home = mkdtempSync(join(tmpdir(), 'leadership-java-'));
    const jars = await mavenJars(kafkaJars('4.1'));
    for (const name of readdirSync(jars))
      if (name.endsWith('.jar')) symlinkSync(join(jars, name), join(folder, name));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
    rmSync(home, { recursive: true });
  });
  const archives = (): readonly string[] =>
    readdirSync(folder).filter((name) => !name.endsWith('.jar'));

  test('is created once for concurrent callers, and Java accepts it', async () => {
    const [distribution, other] = await Promise.all([
      archived(folder, options),
      archived(folder, options),
    ]);
    expect(other).toEqual(distribution);
    expect(await archived(folder, options)).toEqual(distribution);
    expect(vi.mocked(process.stderr.write)).toHaveBeenCalledTimes(1);
    expect(archives()).toEqual([expect.stringMatching(/^classes-.{8}\.jsa$/)]);
    // With this flag, Java exits if it cannot use the archive.
    expect(await load(distribution, '-Xshare:on')).toMatch(
      /kafka\.server\.BrokerServer source: shared objects file/,
    );
  });

  test('may be missing: a Java that creates none tries once, and brokers start without it', async () => {
    mkdirSync(join(home, 'bin'));
    const java = join(home, 'bin', 'java');
    writeFileSync(
      java,
      `#!/bin/sh\nfor a; do shift; case "$a" in *ArchiveClasses*) ;; *) set -- "$@" "$a" ;; esac; done\nexec ${javaProgram('java')} "$@"\n`,
    );
    chmodSync(java, 0o755);
    vi.stubEnv('JAVA_HOME', home);
    const distribution = await archived(folder, options);
    expect(archives().map((name) => statSync(join(folder, name)).size)).toEqual([0]);
    expect(await load(distribution)).toMatch(/kafka\.server\.BrokerServer source: .*\.jar/);
  });
});
