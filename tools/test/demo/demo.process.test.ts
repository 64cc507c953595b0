import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasDynamoDb } from '../../src/aws/index.ts';
import { hasKafka } from '../../src/kafka/start-kafka.ts';

const program = resolve(import.meta.dirname, '../../dist/demo/main.js');

/** The soak plays the same story on every backend. It takes ten seconds of processor time on each. */
const isThorough = process.env['SOAK'] !== undefined;

/** The demo creates its directories here, so that a test sees whether one remains. */
let scratch = '';
let running: ChildProcess | undefined;

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'leadership-test-'));
});

afterEach(async () => {
  running?.kill('SIGKILL');
  await rm(scratch, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<number | null>;
}

function demo(...args: readonly string[]): Run {
  return demoWith({}, ...args);
}

function demoWith(environment: NodeJS.ProcessEnv, ...args: readonly string[]): Run {
  const child = spawn(process.execPath, ['--conditions=@leadership/internal', program, ...args], {
    env: { ...process.env, TMPDIR: scratch, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running = child;
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

/** Resolves with the demo's output once it contains `words`. */
async function wrote({ child, stdout }: Run, words: string): Promise<string> {
  while (!stdout().includes(words))
    await once(child.stdout ?? child, 'data', { signal: AbortSignal.timeout(60_000) });
  return stdout();
}

/** Runs the demo to its end and expects exit code 0. */
async function played(...args: readonly string[]): Promise<Run> {
  const run = demo(...args);
  expect(await run.ended, run.stderr() + run.stdout()).toBe(0);
  return run;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The events of the demo with `--json`, up to the last whole line. */
const eventsOf = (text: string): readonly Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const pidsIn = (text: string): readonly number[] =>
  [...text.matchAll(/started {4}process (\d+)/g)].map(([, pid]) => Number(pid));

describe('npm start', () => {
  it('kills the leader, hands over in order, and shows what it measured beside the guarantee', async () => {
    const run = await played('--trials', '1');
    const text = run.stdout();
    expect(text).toMatch(/killed {5}process \d+, by SIGKILL/);
    expect(text).toMatch(/fail-over {2}(\w+) → (?!\1)\w+ in \d+ ms \(guarantee: 1166 ms\)/);
    expect(text).toMatch(/hand-over {2}(\w+) → (?!\1)\w+/);
    expect(text).toMatch(/exclusive {2}never two commands at once in [3-9] terms/);
    expect(text).not.toContain('\u001b');
    expect(pidsIn(text)).toHaveLength(4);
    expect(pidsIn(text).filter(isAlive)).toEqual([]);
    expect(await readdir(scratch)).toEqual([]);
  });

  it('writes the events as JSON lines, with the summary last', async () => {
    const run = await played('--trials', '1', '--json');
    const lines = eventsOf(run.stdout());
    const kinds = lines.map(({ kind }) => kind);
    expect(kinds).toEqual(
      expect.arrayContaining([
        'started',
        'campaigns',
        'leads',
        'killed',
        'asked',
        'resigns',
        'ended',
      ]),
    );
    const summary = lines.at(-1);
    expect(summary).toMatchObject({
      kind: 'summary',
      ok: true,
      backend: 'file',
      broken: [],
      guarantees: { failoverMsMax: 1166 },
    });
    expect(summary?.['successions']).toMatchObject([{ cause: 'crash' }, { cause: 'hand-over' }]);
  });

  it('leaves no process and no directory when it is interrupted', async () => {
    const run = demo();
    const text = await wrote(run, 'leads');
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(130);
    expect(pidsIn(text).filter(isAlive)).toEqual([]);
    expect(await readdir(scratch)).toEqual([]);
    expect(run.stderr()).toBe('');
  });

  it('leaves no process when the demo itself is killed', async () => {
    const run = demo();
    const text = await wrote(run, 'leads');
    run.child.kill('SIGKILL');
    await run.ended;
    await expect.poll(() => pidsIn(text).filter(isAlive), { timeout: 60_000 }).toEqual([]);
  });

  it('exits without an error when the reader closes the pipe', async () => {
    const run = demo();
    await wrote(run, 'started');
    run.child.stdout?.destroy();
    expect(await run.ended).toBe(0);
    expect(run.stderr()).toBe('');
    expect(await readdir(scratch)).toEqual([]);
  });

  it('rejects an invalid option with a usage line and exit code 2', async () => {
    const run = demo('--backend', 'memory');
    expect(await run.ended).toBe(2);
    expect(run.stderr()).toContain('unknown backend "memory"');
    expect(run.stderr()).toContain(
      'usage: npm start -- [--backend file|kafka|kinesis|nerio|gossip] [--trials N] [--json] [--web [--port N]]',
    );
    expect(run.stdout()).toBe('');
  });
});

const isOffered = await hasKafka({ brokers: 1 });

describe('npm start -- --backend kafka', () => {
  it.runIf(isOffered)('runs on a real broker and removes it afterwards', async () => {
    const run = await played('--backend', 'kafka', '--trials', '1', '--json');
    const last = run.stdout().trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({
      kind: 'summary',
      ok: true,
      backend: 'kafka',
      broken: [],
      guarantees: { exclusive: true },
    });
    expect(JSON.parse(last).successions).toMatchObject([
      { cause: 'crash', answerMs: expect.any(Number) },
      { cause: 'hand-over' },
    ]);
    expect(await readdir(scratch)).toEqual([]);
  });

  if (isThorough)
    it.runIf(isOffered)('leaves no process and no directory when it is interrupted', async () => {
      const run = demo('--backend', 'kafka');
      const text = await wrote(run, 'started');
      run.child.kill('SIGINT');
      expect(await run.ended).toBe(130);
      expect(pidsIn(text).filter(isAlive)).toEqual([]);
      expect(await readdir(scratch)).toEqual([]);
    });

  it('names what is missing if no broker can be started', async () => {
    const nothing = {
      KAFKA_BROKERS: '',
      JAVA_HOME: join(scratch, 'no-java'),
      DOCKER_HOST: 'tcp://127.0.0.1:1',
    };
    const run = demoWith(nothing, '--backend', 'kafka');
    expect(await run.ended).toBe(1);
    expect(run.stderr()).toContain(
      'the demo failed: kafka cannot be started here: Java is missing',
    );
    expect(run.stdout()).toBe('');
  });
});

const others = isThorough
  ? [
      { backend: 'nerio', offered: true },
      { backend: 'gossip', offered: true },
      { backend: 'kinesis', offered: await hasDynamoDb() },
    ]
  : [];

describe.each(others)('npm start -- --backend $backend', ({ backend, offered }) => {
  it.runIf(offered)('runs to its end and leaves no process and no directory', async () => {
    const run = await played('--backend', backend, '--trials', '1', '--json');
    const last = run.stdout().trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({
      kind: 'summary',
      ok: true,
      backend,
      broken: [],
      guarantees: { exclusive: true },
    });
    expect(JSON.parse(last).successions).toMatchObject([
      { cause: 'crash' },
      { cause: 'hand-over' },
    ]);
    expect(await readdir(scratch)).toEqual([]);
  });
});

describe('npm start -- --backend gossip, with a member that starts late', () => {
  it('kills the leader only once every voter votes', async () => {
    const run = demo('--backend', 'gossip', '--trials', '1', '--json');
    const [first] = eventsOf(await wrote(run, '"started"'));
    const pid = first?.['pid'] as number;
    process.kill(pid, 'SIGSTOP');
    await wrote(run, '"leads"');
    // Without the wait for that member, the demo kills the leader in this time.
    await pause(3000);
    process.kill(pid, 'SIGCONT');
    expect(await run.ended, run.stderr() + run.stdout()).toBe(0);
    const events = eventsOf(run.stdout());
    const placeOf = (kind: string, member: unknown): number =>
      events.findIndex((one) => one['kind'] === kind && one['member'] === member);
    const killed = events.find(({ kind }) => kind === 'killed')?.['member'];
    expect(placeOf('campaigns', first?.['member'])).toBeLessThan(placeOf('killed', killed));
  });
});
