// The packages on Bun and Deno, whose programs come from their npm packages.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { openLeadership } from '@leadership/core';
import { freePorts } from '@leadership/testkit/faults';
import { npmPackage } from '@leadership/tools/npm-package';
import { describe, expect, it } from 'vitest';
import { scratchDirectory } from './scratch-directory.ts';

const programs = resolve(import.meta.dirname, 'runtimes');

interface Runtime {
  readonly name: string;
  readonly version: string;
  /** The npm package with the program for Linux on x64. */
  readonly source: string;
  readonly program: string;
  readonly args: readonly string[];
}

const runtimes: readonly Runtime[] = [
  {
    name: 'Bun',
    version: '1.4.5',
    source: '@oven/bun-linux-x64',
    program: 'bin/bun',
    args: [],
  },
  {
    name: 'Deno',
    version: '2.9.6',
    source: '@deno/linux-x64-glibc',
    program: 'deno',
    args: ['run', '--allow-all', '--node-modules-dir=manual'],
  },
];

const isHere = process.platform === 'linux' && process.arch === 'x64';

describe.skipIf(!isHere).each(runtimes)('$name $version', ({ source, version, program, args }) => {
  const path = async (): Promise<string> => join(await npmPackage(source, version), program);

  it('shares a group with Node, and does not lead after it was stopped for longer than T', async () => {
    await using directory = await scratchDirectory();
    const url = `file:${directory.path}/leases?group=g&partitions=1&thresholdMs=1500` as const;
    const child = spawn(await path(), [...args, join(programs, 'member.mjs'), url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    const lines: { at: number; isLeading: boolean; token: string }[] = [];
    createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)));
    try {
      await expect.poll(() => lines.at(-1)?.isLeading).toBe(true);
      const first = BigInt(lines.at(-1)?.token ?? 0);
      await using node = await openLeadership(url, { member: 'node', log: false });
      await node.ready();
      child.kill('SIGSTOP');
      await expect.poll(() => node.role('report').isLeading()).toBe(true);
      const begunAt = Date.now();
      expect(node.role('report').term()?.token).toBeGreaterThan(first);
      child.kill('SIGCONT');
      const after = () => lines.filter(({ at }) => at > begunAt);
      await expect.poll(() => after().length).toBeGreaterThan(10);
      expect(after().filter(({ isLeading }) => isLeading)).toEqual([]);
      await node.close();
      await expect.poll(() => lines.at(-1)?.isLeading).toBe(true);
      child.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('runs Nerio over TCP, and passes HTTP requests to the leader', async () => {
    const ports = await freePorts(6);
    const group = [ports.slice(0, 3).join(), ports.slice(3).join()];
    const { stdout } = await promisify(execFile)(
      await path(),
      [...args, join(programs, 'group.mjs'), ...group],
      { timeout: 120_000 },
    );
    expect(stdout).toBe('ended\n');
  });
});
