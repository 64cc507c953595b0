import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import {
  type MemberEvent,
  type ProcessMemberOptions,
  spawnMember,
  spawnProgram,
} from '../../src/faults.ts';

/** T for tests in which a term has to end. Milliseconds. */
const thresholdMs = 800;
/** T for tests in which a starved machine must not end a term. Milliseconds. */
const longThresholdMs = 5_000;

function options(changes: Partial<ProcessMemberOptions> = {}): ProcessMemberOptions {
  return {
    url: 'memory:alone',
    options: { member: 'a', partitions: 1, thresholdMs, drainTimeoutMs: 300 },
    work: { kind: 'idle' },
    ...changes,
  };
}

const lasting: ProcessMemberOptions['options'] = {
  ...options().options,
  thresholdMs: longThresholdMs,
};

const is =
  (...kinds: readonly MemberEvent['kind'][]) =>
  (event: MemberEvent): boolean =>
    kinds.includes(event.kind);

/**
 * Whether the process has ended. A zombie counts as ended: the first process of a container may
 * never reap it.
 */
function isGone(pid: number): boolean {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], {
    encoding: 'utf8',
  });
  return status !== 0 || stdout.trim().startsWith('Z');
}

describe('a member process', () => {
  test('logs more at once than the pipe to a busy test holds', async () => {
    const partitions = 5_000;
    await using member = await spawnMember(options({ options: { ...lasting, partitions } }));
    // This process reads nothing meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
    const last = await member.until(
      ({ kind, partition }) => kind === 'acquired' && partition === partitions - 1,
    );
    expect(last.member).toBe('a');
    expect(member.events.filter(is('acquired'))).toHaveLength(partitions);
  });

  test('leads, closes in order and ends by itself', async () => {
    await using member = await spawnMember(
      options({ options: lasting, work: { kind: 'drain', drainMs: 20 } }),
    );
    const acquired = await member.until(is('acquired'));
    await member.close();
    const ends = member.events.filter(is('revoked', 'settled', 'released', 'closed'));
    expect(ends.map(({ kind, token }) => [kind, token])).toEqual([
      ['revoked', acquired.token],
      ['settled', acquired.token],
      ['released', acquired.token],
      ['closed', undefined],
    ]);
    expect(member.events.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['opened', 'ready']),
    );
    expect(isGone(member.pid)).toBe(true);
  });

  test('never overstates its belief, and reports each prolongation', async () => {
    await using member = await spawnMember(options({ options: lasting }));
    const acquired = await member.until(is('acquired'));
    const prolonged = await member.until(is('prolonged'));
    const thresholdNs = BigInt(longThresholdMs) * 1_000_000n;
    for (const { atNs, untilNs = 0n } of [acquired, prolonged]) {
      expect(untilNs).toBeGreaterThan(atNs);
      expect(untilNs).toBeLessThanOrEqual(atNs + thresholdNs);
    }
    expect(prolonged.untilNs).toBeGreaterThan(acquired.untilNs ?? 0n);
    expect(prolonged.token).toBe(acquired.token);
  });

  test('reports the truth in the first statement after a block that outlasted its belief (H5)', async () => {
    await using member = await spawnMember(options());
    const { token } = await member.until(is('acquired'));
    member.block(2 * thresholdMs);
    const first = await member.until(is('first-statement'));
    expect(first).toMatchObject({ partition: 0, token, detail: 'false' });
    const fenced = await member.until(is('fenced'));
    expect(fenced).toMatchObject({ token, detail: 'expired' });
    expect(fenced.ledNs).toBeLessThan(first.atNs);
  });

  test('reports the truth in the first statement after a block that its belief outlasted (H5)', async () => {
    await using member = await spawnMember(options({ options: lasting }));
    const { token } = await member.until(is('acquired'));
    member.block(1);
    expect(await member.until(is('first-statement'))).toMatchObject({
      partition: 0,
      token,
      detail: 'true',
    });
  });

  test('reports nothing while it is stopped, and detects the end of its belief when it resumes', async () => {
    await using member = await spawnMember(options());
    const { token } = await member.until(is('acquired'));
    member.pause();
    await expect(member.until(is('fenced'), 2 * thresholdMs)).rejects.toThrow('without success');
    member.resume();
    expect(await member.until(is('fenced'))).toMatchObject({ token, detail: 'expired' });
    expect(
      (await member.until((event) => event.kind === 'acquired' && event.token !== token)).token,
    ).toBeGreaterThan(token ?? 0n);
  });

  test('resigns on command', async () => {
    await using member = await spawnMember(options({ options: lasting }));
    await member.until(is('acquired'));
    member.resign(0);
    expect((await member.until(is('released'))).partition).toBe(0);
  });

  test('without work logs when its terms begin and end, and no deadlines in between', async () => {
    await using member = await spawnMember(options({ options: lasting, work: { kind: 'none' } }));
    const { atNs } = await member.until(is('acquired'));
    member.resign(0);
    const { atNs: endNs } = await member.until(is('released'));
    const { atNs: resigningNs } = await member.until(is('resigning'));
    expect(resigningNs).toBeGreaterThan(atNs);
    expect(endNs).toBeGreaterThan(resigningNs);
    // Each change of the term shows its deadline, but nothing asks for it in between.
    const before = member.events.filter(({ atNs: eventNs }) => eventNs < resigningNs);
    expect(before.some(is('prolonged', 'working'))).toBe(false);
  });

  test('measures its processor time, and the stalls of its event loop', async () => {
    await using member = await spawnMember(options({ options: lasting }));
    const cpuMs = await member.cpuMs();
    expect(await member.stallMs()).toBe(0);
    expect(await member.busyMs()).toBe(0);
    member.block(300);
    await member.until(is('first-statement'));
    expect(await member.stallMs()).toBeGreaterThan(200);
    // A block waits without a processor.
    expect(await member.busyMs()).toBeLessThan(200);
    expect(await member.cpuMs()).toBeGreaterThan(cpuMs);
    // None of these keeps it alive.
    await member.close();
  });

  test.each(['throw', 'exit'] as const)('dies by itself on command: %s', async (by) => {
    await using member = await spawnMember(options());
    member.die(by);
    await expect(member.until(is('closed'))).rejects.toThrow(/has ended \(exit code 1\)/);
  });

  test('shares its process with members beside it, which log as themselves', async () => {
    await using member = await spawnMember({
      ...options({ options: { ...lasting, partitions: 2 }, work: { kind: 'none' } }),
      beside: ['b'],
    });
    await member.until((event) => event.member === 'b' && event.kind === 'acquired');
    await member.until((event) => event.member === 'a' && event.kind === 'acquired');
  });

  test('may be a program of another language, which writes the same events', async () => {
    const line = '{"kind":"ready","member":"x","atNs":"7"}';
    await using member = await spawnProgram(['sh', '-c', `echo '${line}'; exec cat`]);
    expect(member.events).toEqual([{ kind: 'ready', member: 'x', atNs: 7n }]);
    member.resign(1);
    expect(await member.until(is('resign' as MemberEvent['kind']))).toMatchObject({ partition: 1 });
  });

  test('that cannot drain is fenced when its drain time ends (H3)', async () => {
    await using member = await spawnMember(options({ options: lasting, work: { kind: 'stuck' } }));
    await member.until(is('acquired'));
    await member.close();
    expect(member.events.find(is('fenced'))?.detail).toBe('drain-timed-out');
    expect(member.events.some(is('settled'))).toBe(false);
  });

  test('ends when it is killed, and pending waits reject', async () => {
    await using member = await spawnMember(options());
    const waiting = expect(member.until(is('closed'))).rejects.toThrow(/has ended \(SIGKILL\)/);
    await member.kill();
    await waiting;
    expect(isGone(member.pid)).toBe(true);
    await expect(member.until(is('closed'))).rejects.toThrow(/has ended/);
  });

  test('restarted under its name is another incarnation (L2)', async () => {
    await using first = await spawnMember(options());
    await using second = await spawnMember(options());
    expect(first.events[0]?.member).toBe(second.events[0]?.member);
    expect(first.events[0]?.life).not.toBe(second.events[0]?.life);
  });

  test('whose store fails reports it, and continues', async () => {
    await using member = await spawnMember(
      options({ work: { kind: 'write', store: '/dev/null/store', fenced: true, latencyMs: 1 } }),
    );
    await member.until(
      ({ kind, detail }) => kind === 'write-failed' && detail?.endsWith('/2') === true,
    );
    await member.close();
  });

  test('with invalid options reports the reason, and ends', async () => {
    await using member = await spawnMember(options({ options: { partitions: 0 } }));
    expect(member.events[0]).toMatchObject({
      kind: 'refused',
      detail: expect.stringMatching(/^invalid-options: partitions 0 must/),
    });
    await member.close();
  });

  test('whose backend cannot be loaded fails to start, with the error of the backend', async () => {
    await expect(
      spawnMember(options({ module: 'data:text/javascript,throw new Error("no such luck")' })),
    ).rejects.toThrow('no such luck');
  });

  test('runs on a backend that is not registered with openLeadership', async () => {
    const core = import.meta.resolve('@leadership/core/memory');
    const source = `import { memoryGroup } from ${JSON.stringify(core)};
      export const backend = { scheme: 'own', parameters: {}, open: ({ path }, options) => memoryGroup(path).join(options) };`;
    const module = `data:text/javascript,${encodeURIComponent(source)}`;
    await using member = await spawnMember(options({ url: 'own:elsewhere', module }));
    await member.until(is('acquired'));
  });
});

test('killing the process that starts members also ends its members, including a stopped one', async () => {
  const faults = import.meta.resolve('@leadership/testkit/faults');
  const program = `import { spawnMember } from ${JSON.stringify(faults)};
    const [idle, stopped] = await Promise.all([${JSON.stringify(options())}, ${JSON.stringify(options())}].map((one) => spawnMember(one)));
    stopped.pause();
    console.log(JSON.stringify([idle.pid, stopped.pid]));
    setInterval(() => undefined, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pids = JSON.parse(line.toString()) as number[];
  expect(pids.map(isGone)).toEqual([false, false]);
  parent.kill('SIGKILL');
  await vi.waitUntil(() => pids.every(isGone), { timeout: 20_000, interval: 5 });
});

test('closes its source at every moment of a start, and finds what stays open', async () => {
  const close = options({ work: { kind: 'close' } });
  await using right = await spawnMember(close);
  await right.close();
  expect(right.events.map(({ kind }) => kind)).toEqual(['opened', 'closed']);
  const module = new URL('./close-late.mjs', import.meta.url).href;
  await using wrong = await spawnMember({ ...close, module });
  await wrong.close();
  const [first] = wrong.events.filter(is('left'));
  expect(first?.detail).toBe('Timeout: closed in the turn in which it was opened');
});
