import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { hasKafka, startKafka } from '../../src/kafka/index.ts';

describe.runIf(await hasKafka({ brokers: 1, faults: true }))(
  'a cluster that fails to start',
  () => {
    let temporary: string;
    beforeEach(() => {
      temporary = mkdtempSync(join(tmpdir(), 'leadership-starting-'));
      vi.stubEnv('TMPDIR', temporary);
    });
    afterEach(() => {
      vi.unstubAllEnvs();
      rmSync(temporary, { recursive: true });
    });

    /** Returns the process ids of registered brokers. */
    const pids = (): readonly string[] => {
      const notes = readdirSync(temporary).map((folder) => join(temporary, folder, 'pids'));
      return notes.filter(existsSync).flatMap((folder) => readdirSync(folder));
    };

    test('rejects with the setting that Kafka rejected, and leaves nothing behind', async () => {
      const config = { 'num.network.threads': 0 };
      await expect(startKafka({ brokers: 1, config })).rejects.toThrow('num.network.threads');
      expect(readdirSync(temporary)).toEqual([]);
    });

    test('rejects with the log of the broker that ended, and leaves nothing behind', async () => {
      // Kafka's storage tool accepts this setting, but the broker cannot load the class.
      const config = { 'authorizer.class.name': 'org.example.Missing' };
      await expect(startKafka({ brokers: 3, config })).rejects.toThrow(
        /broker \d ended before it served.*org\.example\.Missing/s,
      );
      expect(readdirSync(temporary)).toEqual([]);
    });

    test('rejects with the reason of the signal if it aborts while a broker starts, and leaves nothing behind', async () => {
      const controller = new AbortController();
      const starting = startKafka({ brokers: 1, signal: controller.signal });
      starting.catch(() => undefined);
      await vi.waitUntil(() => pids().length > 0, { timeout: 60_000, interval: 5 });
      controller.abort(new Error('aborted'));
      await expect(starting).rejects.toThrow('aborted');
      expect(readdirSync(temporary)).toEqual([]);
    });

    test('rejects with the reason of the signal if it aborts while the storage is formatted', async () => {
      const controller = new AbortController();
      const starting = startKafka({ brokers: 1, signal: controller.signal });
      starting.catch(() => undefined);
      await vi.waitUntil(() => readdirSync(temporary).length > 0, { timeout: 60_000, interval: 5 });
      controller.abort(new Error('aborted'));
      await expect(starting).rejects.toThrow('aborted');
      expect(readdirSync(temporary)).toEqual([]);
    });

    test('is not offered without Java', async () => {
      vi.stubEnv('JAVA_HOME', temporary);
      vi.stubEnv('REQUIRE_BACKENDS', '');
      const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      expect(await hasKafka({ brokers: 1, faults: true })).toBe(false);
      expect(written.mock.calls).toEqual([
        [expect.stringContaining('Java is missing: install Java 17 or newer')],
      ]);
      written.mockRestore();
      vi.stubEnv('REQUIRE_BACKENDS', 'kafka');
      await expect(hasKafka({ brokers: 1, faults: true })).rejects.toThrow('Java is missing');
    });
  },
);
