import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  acceptsConnections,
  allStarted,
  localServer,
  type ServerPlace,
  type ServerProgram,
} from '../../src/backends/local-server.ts';

describe('a server that cannot be started leaves no directory behind', () => {
  let temporary: string;
  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), 'leadership-starting-'));
    vi.stubEnv('TMPDIR', temporary);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(temporary, { recursive: true });
  });

  const program: ServerProgram = {
    name: 'a server',
    ports: 1,
    command: () => [process.execPath, ['--eval', 'console.error("no licence"); process.exit(1)']],
    ready: /never/,
  };

  test('if its arguments cannot be made', async () => {
    const command = (): never => {
      throw new Error('no arguments');
    };
    await expect(localServer({ ...program, command })).rejects.toThrow('no arguments');
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('if its arguments cannot be passed', async () => {
    const command = () => [process.execPath, ['a\0b']] as const;
    await expect(localServer({ ...program, command })).rejects.toThrow('null bytes');
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('if it ends at once', async () => {
    await expect(localServer(program)).rejects.toThrow(
      'a server ended before it served (exit code 1); its log:\n  no licence',
    );
    expect(readdirSync(temporary)).toEqual([]);
  });
});

const soon = { timeout: 60_000, interval: 5 };

/** Listens on the port, keeps its starts in a file, and answers SIGTERM by a file of its own. */
const source = `
  const { appendFileSync, writeFileSync } = require('node:fs');
  const { createServer } = require('node:net');
  appendFileSync('starts', 'x');
  process.on('SIGTERM', () => { writeFileSync('stopped', ''); process.exit(); });
  createServer().listen(Number(process.argv[1]), '127.0.0.1', () => console.log('serving', process.env.GIVEN));
`;

const listening: ServerProgram = {
  name: 'a listener',
  ports: 1,
  command: ({ port }) => [process.execPath, ['--eval', source, String(port)]],
  environment: () => ({ GIVEN: 'value' }),
  ready: /^serving value$/,
};

describe('a server of this host', () => {
  test('keeps its data and its port over a crash, and its directory is removed in the end', async () => {
    const data = ({ directory }: ServerPlace) => writeFile(join(directory, 'data'), 'kept');
    const server = await localServer({ ...listening, data, ready: acceptsConnections });
    try {
      expect(await acceptsConnections({ ...server, ports: [] })).toBe(true);
      await expect(server.start()).rejects.toThrow('a listener is already running');
      await server.kill();
      expect([server.isRunning, server.isPaused]).toEqual([false, false]);
      await expect(acceptsConnections({ ...server, ports: [] })).rejects.toThrow('ECONNREFUSED');
      expect(() => server.pause()).toThrow('a listener is not running');
      await server.start();
      expect(readFileSync(join(server.directory, 'starts'), 'utf8')).toBe('xx');
      expect(readFileSync(join(server.directory, 'data'), 'utf8')).toBe('kept');
      expect(existsSync(join(server.directory, 'stopped'))).toBe(false);
    } finally {
      await server[Symbol.asyncDispose]();
    }
    expect(existsSync(server.directory)).toBe(false);
  });

  test('can be paused, and stopped in order while it is', async () => {
    await using server = await localServer(listening);
    server.pause();
    expect([server.isRunning, server.isPaused]).toEqual([true, true]);
    server.resume();
    expect(server.isPaused).toBe(false);
    server.pause();
    await server.stop();
    expect(server.isRunning).toBe(false);
    expect(existsSync(join(server.directory, 'stopped'))).toBe(true);
  });

  test('that ends without a request is reported with its log', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const ends = `${source}; setTimeout(() => process.exit(3), 200)`;
      const command = ({ port }: ServerPlace) =>
        [process.execPath, ['--eval', ends, String(port)]] as const;
      await using server = await localServer({ ...listening, command });
      await vi.waitUntil(() => !server.isRunning, soon);
      expect(written.mock.calls).toEqual([
        ['leadership: a listener ended unexpectedly (exit code 3); its log:\n  serving value\n'],
      ]);
    } finally {
      written.mockRestore();
    }
  });

  test('tries other ports if another process takes one first', async () => {
    const tried: number[] = [];
    const other = createServer();
    const data = async ({ port }: ServerPlace): Promise<void> => {
      tried.push(port);
      if (tried.length === 1)
        await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    };
    try {
      await using server = await localServer({ ...listening, data });
      expect(tried).toEqual([expect.any(Number), server.port]);
      expect(tried[0]).not.toBe(server.port);
    } finally {
      other.close();
    }
  });

  test('that does not serve in time rejects, and so does one whose start is aborted', async () => {
    const late = { ...listening, ready: () => Promise.reject(new Error('not yet')) };
    await expect(localServer({ ...late, timeoutMs: 300 })).rejects.toThrow(
      'a listener did not serve within 300 ms; its log:',
    );
    const signal = AbortSignal.timeout(300);
    await expect(localServer({ ...late, signal })).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

test('of several servers of which one cannot be started, none remains', async () => {
  const ended: string[] = [];
  const starting = allStarted((signal) => [
    localServer({ ...listening, data: async ({ directory }) => void ended.push(directory) }),
    localServer({ ...listening, ready: /never/, signal }),
    localServer({ ...listening, data: () => Promise.reject(new Error('no data')) }),
  ]);
  await expect(starting).rejects.toThrow('no data');
  expect(ended.map(existsSync)).toEqual([false]);
});
