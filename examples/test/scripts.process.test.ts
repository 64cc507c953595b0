// Runs the compiled examples that are complete programs as processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from '@leadership/testkit/faults';
import { afterEach, describe, expect, it } from 'vitest';
import { scratchDirectory } from './scratch-directory.ts';

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts an example. Appends its output lines to `lines`, which several examples share, in the
 * order of arrival.
 */
function start(
  name: string,
  script: string,
  env: Readonly<Record<string, string>>,
  lines: string[],
  cwd: string = process.cwd(),
): ChildProcess {
  const file = script.endsWith('.mjs') ? `src/${script}` : `dist/${script}.js`;
  const program = resolve(import.meta.dirname, '..', file);
  const child = spawn(process.execPath, [program], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(`${name}: ${line}`));
  return child;
}

/**
 * Waits until one process has worked twice. Resolves with the names of the leader and of the other
 * process.
 */
async function leaderOf(
  lines: readonly string[],
  work: RegExp,
): Promise<readonly [leader: string, other: string]> {
  await expect.poll(() => lines.filter((line) => work.test(line)).length).toBeGreaterThan(1);
  return lines.find((line) => work.test(line))?.startsWith('a') ? ['a', 'b'] : ['b', 'a'];
}

async function twoOf(script: string, work: RegExp) {
  const directory = await scratchDirectory();
  const env = {
    LEADERSHIP_URL: `file:${encodeURIComponent(directory.path)}?group=examples&thresholdMs=2500`,
  };
  const lines: string[] = [];
  const children = { a: start('a', script, env, lines), b: start('b', script, env, lines) };
  const [leader, other] = await leaderOf(lines, work);
  return {
    lines,
    leader,
    other,
    leading: children[leader as 'a' | 'b'],
    following: children[other as 'a' | 'b'],
    directory,
  };
}

describe('the quick start', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'sends invoices on one member, and on the other after the first has ended on %s',
    async (signal) => {
      const { lines, leader, other, leading, following, directory } = await twoOf(
        'leader.mjs',
        /invoice sent in term \d+/,
      );
      await using _directory = directory;
      expect(lines.some((line) => line.startsWith(`${other}: invoice`))).toBe(false);
      // On Ctrl-C the terminal sends one signal, and npm passes on another one.
      leading.kill(signal);
      leading.kill(signal);
      expect(await once(leading, 'close')).toEqual([0, null]);
      await expect
        .poll(() => lines.some((line) => line.startsWith(`${other}: invoice`)))
        .toBe(true);
      const firstOfOther = lines.findIndex((line) => line.startsWith(`${other}: `));
      expect(lines.findLastIndex((line) => line.startsWith(`${leader}: `))).toBeLessThan(
        firstOfOther,
      );
      following.kill('SIGINT');
      expect(await once(following, 'close')).toEqual([0, null]);
    },
  );

  it('sends invoices on the other member after a SIGKILL, once the lease has expired', async () => {
    const { lines, other, leading, following, directory } = await twoOf(
      'leader.mjs',
      /invoice sent in term \d+/,
    );
    await using _directory = directory;
    const killedAt = performance.now();
    leading.kill('SIGKILL');
    await expect.poll(() => lines.some((line) => line.startsWith(`${other}: invoice`))).toBe(true);
    // T is 2500 here, and the last renewal is at most T/3 old.
    expect(performance.now() - killedAt).toBeGreaterThan(1500);
    following.kill('SIGTERM');
    expect(await once(following, 'close')).toEqual([0, null]);
  });
});

describe('the orderly exit', () => {
  it('finishes its page, hands over and exits, and only then the successor begins', async () => {
    const { lines, leader, other, leading, following, directory } = await twoOf(
      'orderly-exit',
      /page \d+ begins/,
    );
    await using _directory = directory;
    leading.kill('SIGTERM');
    expect(await once(leading, 'close')).toEqual([0, null]);
    await expect.poll(() => lines).toContain(`${other}: page 1 begins`);
    const handedOver = lines.indexOf(`${leader}: handed over`);
    const last = lines.slice(0, handedOver).findLast((line) => line.startsWith(`${leader}: page`));
    expect(last).toMatch(/page \d+ done$/);
    expect(lines.slice(0, lines.indexOf(`${other}: page 1 begins`))).toContain(last);
    following.kill('SIGTERM');
    expect(await once(following, 'close')).toEqual([0, null]);
  });
});

describe('the metrics', () => {
  it('are served while the process leads, and it exits on SIGTERM', async () => {
    await using directory = await scratchDirectory();
    const [port = 0] = await freePorts(1);
    const lines: string[] = [];
    const env = { OTEL_EXPORTER_PROMETHEUS_PORT: String(port) };
    const child = start('a', 'metrics-endpoint', env, lines, directory.path);
    await expect.poll(() => lines.join()).toContain('leading with token');
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(await response.text()).toMatch(/^leadership_leading\{.*\} 1$/m);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});

describe('the move', () => {
  it('reports with every set of backends, with increasing tokens and by one process at a time', async () => {
    await using directory = await scratchDirectory();
    const [old, other] = ['old', 'new'].map(
      (name) => `file:${encodeURIComponent(directory.path)}/${name}?group=g&thresholdMs=1000`,
    );
    const lines: string[] = [];
    let before: ChildProcess | undefined;
    const names = ['a', 'b', 'c', 'd'];
    for (const [index, urls] of [
      `${old}`,
      `${old} ${other}`,
      `${other} ${old}`,
      `${other}`,
    ].entries()) {
      const name = names[index] ?? '';
      const now = start(name, 'moving', { LEADERSHIP_URLS: urls }, lines);
      before?.kill('SIGTERM');
      if (before) expect(await once(before, 'close')).toEqual([0, null]);
      await expect.poll(() => lines.some((line) => line.startsWith(`${name}: report`))).toBe(true);
      before = now;
    }
    before?.kill('SIGTERM');
    const terms = lines.map((line) => ({
      name: line[0] ?? '',
      token: BigInt(line.split(' ').at(-1) ?? ''),
    }));
    for (const [index, { name, token }] of terms.entries()) {
      const last = terms[index - 1];
      if (last === undefined) continue;
      expect(
        name >= last.name && token >= last.token,
        `${last.name} ${last.token}, then ${name} ${token}`,
      ).toBe(true);
    }
  });
});
