import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ServerProgram, serverProcess } from '../../src/aws/server-process.ts';

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
    command: process.execPath,
    ports: 1,
    args: () => ['--eval', 'console.error("no licence"); process.exit(1)'],
  };

  test('if its arguments cannot be made', async () => {
    const args = (): never => {
      throw new Error('no arguments');
    };
    await expect(serverProcess({ ...program, args })).rejects.toThrow('no arguments');
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('if its arguments cannot be passed', async () => {
    await expect(serverProcess({ ...program, args: () => ['a\0b'] })).rejects.toThrow('null bytes');
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('if it ends at once', async () => {
    await expect(serverProcess(program)).rejects.toThrow(
      'a server cannot be started: it ended before it served: no licence',
    );
    expect(readdirSync(temporary)).toEqual([]);
  });
});
