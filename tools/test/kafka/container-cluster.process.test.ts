import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { dockerAnswers, haveImage } from '../../src/backends/docker.ts';
import { isOffered } from '../../src/backends/is-offered.ts';
import { imageOf } from '../../src/kafka/container-cluster.ts';
import { hasKafka, startKafka } from '../../src/kafka/index.ts';
import { clientOf, makeTopic, read, write } from './support.ts';

async function missing(): Promise<string | undefined> {
  if (!(await dockerAnswers())) return 'no engine answers Docker';
  return haveImage(imageOf()).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

const containers = (): string =>
  execFileSync('docker', ['ps', '--all', '--quiet', '--filter', 'name=leadership-kafka'], { encoding: 'utf8' });

describe.runIf(isOffered('docker', await missing()))('a broker in a container', () => {
  let nowhere: string;
  beforeEach(() => {
    nowhere = mkdtempSync(join(tmpdir(), 'leadership-no-java-'));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(nowhere, { recursive: true });
  });

  test('serves where there is no Java, with the settings that were asked for, and leaves nothing', async () => {
    vi.stubEnv('JAVA_HOME', nowhere);
    {
      await using cluster = await startKafka({ brokers: 1, config: { 'message.max.bytes': 2_000 } });
      expect(cluster.name).toBe('apache/kafka:4.1.1 in a container');
      expect(cluster.can).toEqual({ brokers: false, connections: false });
      const kafka = clientOf(cluster);
      await makeTopic(kafka, 'contained');
      await write(kafka, 'contained', 'small');
      await expect(write(kafka, 'contained', 'large'.repeat(1_000))).rejects.toThrow('larger than the max message size');
      expect(await read(kafka, 'contained', 1)).toEqual(['small']);
      expect(await cluster.leaderOf('contained', 0)).toBe(1);
    }
    expect(containers()).toBe('');
  });

  test('will not do where faults are injected, or more brokers or guards needed', async () => {
    vi.stubEnv('JAVA_HOME', nowhere);
    vi.stubEnv('REQUIRE_BACKENDS', '');
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await hasKafka({ brokers: 1 })).toBe(true);
    expect(await hasKafka({ brokers: 1, faults: true })).toBe(false);
    expect(await hasKafka({ brokers: 1, security: { tls: true } })).toBe(false);
    expect(await hasKafka({ brokers: 3 })).toBe(false);
    expect(said).toHaveBeenCalledTimes(3);
    said.mockRestore();
  });

  test('is given up when it is called off, and leaves nothing', async () => {
    vi.stubEnv('JAVA_HOME', nowhere);
    const controller = new AbortController();
    const starting = startKafka({ brokers: 1, signal: controller.signal });
    starting.catch(() => undefined);
    await vi.waitUntil(() => containers() !== '', { timeout: 20_000, interval: 20 });
    controller.abort(new Error('called off'));
    await expect(starting).rejects.toThrow('called off');
    expect(containers()).toBe('');
  });
});
