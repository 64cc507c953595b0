import { expect, test } from 'vitest';
import { type CheckContext, openContext } from '../../src/conformance/check-context.ts';
import { TimedOut } from '../../src/conformance/failure.ts';
import type { MemberEvent, ProcessMember } from '../../src/processes/process-member.ts';
import { memoryCluster } from '../support/memory-cluster.ts';

const never = new Promise<never>(() => undefined);

/** Two members, of which `a` leads, whose check waits for only a moment. */
async function twoMembers(): Promise<CheckContext & { readonly token: bigint }> {
  const context = openContext({ ...memoryCluster(), timeoutMs: 300 }, 'example');
  const a = context.open('a');
  // Not with the time-out of the check, which a starved machine may miss.
  await expect.poll(() => a.held().size).toBe(1);
  const b = context.open('b');
  await expect.poll(() => b.roster().has(0)).toBe(true);
  return { ...context, token: a.held().get(0)?.token ?? 0n };
}

const waits: readonly [string, (context: CheckContext) => Promise<unknown>][] = [
  ['until', (context) => context.until('the moon is out', () => false)],
  ['settled', (context) => context.settled('the moon is out', never)],
];

test.each(waits)(
  'a time-out of %s shows who leads with which token, the health and the latest events',
  async (_, wait) => {
    await using context = await twoMembers();
    const error: unknown = await wait(context).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TimedOut);
    const [first, a, b, machine] = String(error).split('\n  ');
    expect(first).toBe('TimedOut: waited 300 ms without success: the moon is out');
    const { token } = context;
    expect(a).toMatch(
      new RegExp(
        `^a leads 0 in term ${token}; knows 0 by a in term ${token}; healthy, confirmed \\d+ ms ago; latest events: .*acquired 0 in term ${token} \\d+ ms ago`,
      ),
    );
    expect(b).toMatch(
      new RegExp(`^b leads nothing; knows 0 by a in term ${token}; healthy, .*leader 0 .*\\(a\\)`),
    );
    expect(machine).toMatch(/^the longest stall of this process was \d+ ms; the machine was /);
  },
);

test('a time-out shows the troubles of a member without a connection', async () => {
  await using context = await twoMembers();
  const cut = context.open('c');
  await cut.ready();
  context.cut(cut);
  await expect.poll(() => cut.health().ok).toBe(false);
  await expect(context.until('the moon is out', () => false)).rejects.toThrow(
    /\n {2}c leads nothing; .*not healthy, confirmed \d+ ms ago, unreachable \(/,
  );
});

test('a wait for the log of a process that fails shows the state of the other members and the latest events of processes', async () => {
  const event: MemberEvent = {
    atNs: process.hrtime.bigint(),
    member: 'p',
    life: 'p-1',
    kind: 'fenced',
    partition: 0,
    token: 7n,
    detail: 'expired',
  };
  const member = {
    member: 'p',
    pid: 42,
    events: [event],
    until: () => Promise.reject(new Error('the process has ended')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  } as unknown as ProcessMember;
  await using context = openContext(
    { ...memoryCluster(), spawn: () => Promise.resolve(member) },
    'example',
  );
  context.open('a', { campaign: false });
  await context.spawn('p', { kind: 'idle' });
  await expect(context.logged(member, () => false)).rejects.toThrow(
    /^the process has ended\n {2}a leads nothing; .*\n {2}p is process 42; latest events: fenced 0 in term 7 \(expired\) \d+ ms ago\n/,
  );
});

test('a time-out also shows a source whose state cannot be read', async () => {
  await using context = openContext({ ...memoryCluster(), timeoutMs: 20 }, 'example');
  const source = context.open('a');
  Object.defineProperty(source, 'health', {
    value: () => {
      throw new Error('no health');
    },
  });
  await expect(context.until('the moon is out', () => false)).rejects.toThrow(
    'a cannot be read: Error: no health; latest events:',
  );
});
