import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '@leadership/testkit/adapter';
import { expect, it } from 'vitest';
import { tempDirectory } from './support/temp-directory.ts';

interface InEffect {
  readonly kind: string;
  readonly height: number;
  readonly id: string;
  readonly after: string | null;
}

const contender = fileURLToPath(new URL('contender.mjs', import.meta.url));

const ready = 'ready\n';

/**
 * One process of the race. Once ready, it waits for a start signal, and prints the records that
 * took effect.
 */
function contestant(child: ChildProcess) {
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  return {
    /**
     * Resolves once the process is ready. On a slow machine it would otherwise start after the
     * race.
     */
    isReady: () => eventually('the process is ready', () => text.includes(ready)),
    async race(): Promise<readonly InEffect[]> {
      child.stdin?.write('go');
      const [code] = await once(child, 'close');
      expect(code).toBe(0);
      return text
        .replace(ready, '')
        .split('\n')
        .filter(Boolean)
        .map((line): InEffect => JSON.parse(line));
    },
  };
}

/** Stops the processes in turn at arbitrary points, long enough for the others to prune. */
async function pauseInTurn(children: readonly ChildProcess[]): Promise<void> {
  for (let turn = 0; children.every((child) => child.exitCode === null); turn += 1) {
    const child = children[turn % children.length];
    child?.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 40));
    child?.kill('SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

it('makes one change of each text between processes, even if they are stopped and resumed', async () => {
  await using home = await tempDirectory();
  const heights = 600;
  const start = (_: unknown, index: number): ChildProcess =>
    spawn(process.execPath, [contender, home.path, `m${index}`, String(heights)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
  const children = Array.from({ length: 4 }, start);
  const contestants = children.map(contestant);
  await Promise.all(contestants.map((one) => one.isReady()));
  const outcomes = await Promise.all([
    ...contestants.map((one) => one.race()),
    pauseInTurn(children).then(() => []),
  ]);
  const reported = outcomes.flat();
  expect(reported.filter(({ kind }) => kind !== 'in-effect')).toEqual([]);
  const chain = new Map(reported.map((record) => [record.height, record]));
  // A change whose member was stopped before it checked has an unknown outcome. A height may be
  // missing, but never doubled.
  expect(chain.size).toBe(reported.length);
  expect(reported.length).toBeGreaterThan(0.9 * heights);
  for (const { height, after } of reported)
    expect(after).toBe(height === 0 ? null : (chain.get(height - 1)?.id ?? after));
  expect(new Set(reported.map(({ after }) => after)).size).toBe(reported.length);
  expect(new Set(reported.map(({ id }) => id.split('/')[0])).size).toBe(4);
});
