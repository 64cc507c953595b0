// The coordinator in the real node-cron.
import type { Role } from '@leadership/core';
import { memoryGroup } from '@leadership/core/memory';
import cron, { type TaskContext } from 'node-cron';
import { afterEach, expect, it } from 'vitest';
import { nodeCronCoordinator, oncePerTick, type TickStore } from '../src/index.ts';
import { memoryTicks, refusingTicks } from './support/memory-ticks.ts';

const tasks: { destroy(): unknown }[] = [];
afterEach(() => {
  for (const task of tasks.splice(0)) task.destroy();
});

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (value: T) => resolve(value) };
}

function everySecond(
  role: Role,
  store: TickStore,
  job: (context: TaskContext) => unknown,
  name = 'job',
) {
  const runCoordinator = nodeCronCoordinator(role, store);
  const options = { distributed: true, runCoordinator, noOverlap: false };
  const task = cron.schedule('* * * * * *', job, { ...options, ...(name && { name }) });
  tasks.push(task);
  return task;
}

async function twoMembers() {
  const group = memoryGroup(crypto.randomUUID());
  const [a, b] = ['a', 'b'].map((member) => group.join({ member, partitions: 1, log: false }));
  if (a === undefined || b === undefined) throw new Error('no member');
  await group.elect('a', 0);
  const losses: unknown[] = [];
  for (const { events$ } of [a, b])
    events$.subscribe(({ kind, reason }) => kind === 'fenced' && losses.push(reason));
  return {
    group,
    losses,
    source: a,
    a: a.role(0),
    b: b.role(0),
    async [Symbol.asyncDispose]() {
      await Promise.all([a.close(), b.close()]);
    },
  };
}

it('runs each tick at most once across hand-overs, and waits for a running task', async () => {
  await using members = await twoMembers();
  const { group, a, b } = members;
  const store = memoryTicks();
  const ticks: string[] = [];
  let running = 0;
  let runningMax = 0;
  const work = async ({ date }: TaskContext) => {
    ticks.push(date.toISOString());
    running += 1;
    runningMax = Math.max(runningMax, running);
    await new Promise((resolve) => setTimeout(resolve, 300));
    running -= 1;
  };
  everySecond(a, store, work);
  everySecond(b, store, work);
  for (const next of ['b', 'a', 'b']) {
    const before = ticks.length;
    await expect.poll(() => ticks.length, { interval: 1 }).toBe(before + 1);
    await group.elect(next, 0);
    expect(running, 'a hand-over waits for the task').toBe(0);
  }
  expect(new Set(ticks).size).toBe(ticks.length);
  expect(runningMax).toBe(1);
  expect(members.losses, 'no hand-over waits for a task that has ended').toEqual([]);
});

it('refuses a tick that another member has run, whose clock is ahead', async () => {
  await using members = await twoMembers();
  const { group, a, b } = members;
  const store = memoryTicks();
  const [first, second] = [nodeCronCoordinator(a, store), nodeCronCoordinator(b, store)];
  const key = 'job:2030-01-01T02:00:00.000Z';
  expect(await second.shouldRun(key), 'b does not lead').toBe(false);
  expect(await first.shouldRun(key)).toBe(true);
  first.onComplete(key);
  await group.elect('b', 0);
  expect(await second.shouldRun(key)).toBe(false);
  const next = 'job:2030-01-02T02:00:00.000Z';
  expect(await second.shouldRun(next)).toBe(true);
  second.onComplete(next);
});

/** Records the warnings of this process about ticks that nobody runs. */
function missedTicks() {
  const warnings: string[] = [];
  const listener = ({ message, code }: Error & { readonly code?: string }) => {
    if (code === 'LEADERSHIP_TICK_MISSED') warnings.push(message);
  };
  process.on('warning', listener);
  return { warnings, [Symbol.dispose]: () => void process.off('warning', listener) };
}

it('runs a tick that falls into a hand-over on the successor', async () => {
  using missed = missedTicks();
  await using members = await twoMembers();
  const { group, a, b } = members;
  const store = memoryTicks();
  const [first, second] = [nodeCronCoordinator(a, store), nodeCronCoordinator(b, store)];
  const work = deferred<void>();
  void a.ifLeading(() => work.promise);
  const handedOver = group.elect('b', 0);
  await expect.poll(() => a.isLeading() && a.ifLeading(() => 1) === undefined).toBe(true);
  const key = 'job:2031-01-01T02:00:00.000Z';
  const asked = Promise.all([first.shouldRun(key), second.shouldRun(key)]);
  work.resolve();
  await handedOver;
  expect(await asked).toEqual([false, true]);
  second.onComplete(key);
  expect(missed.warnings.filter((warning) => warning.includes('2031-01-01'))).toEqual([]);
});

it('warns of a tick that no member runs', async () => {
  using missed = missedTicks();
  await using members = await twoMembers();
  const { group, a, b } = members;
  await group.revoke('a', 0);
  const store = memoryTicks();
  const tick = { name: 'job', store, at: new Date('2030-01-01T02:00:00.000Z'), graceMs: 50 };
  const runs = [a, b].map((role) => oncePerTick(role, () => 'ran', tick));
  expect(await Promise.all(runs)).toEqual([undefined, undefined]);
  await expect.poll(() => missed.warnings.length).toBe(2);
  expect(missed.warnings[0]).toBe(
    'schedule "job": no member runs 2030-01-01T02:00:00.000Z: no member led the role when it was due, nor within the grace after it',
  );
});

it.each<[string, (role: Role, store: TickStore, at: string) => Promise<boolean | undefined>]>([
  [
    'oncePerTick',
    (role, store, at) => oncePerTick(role, () => true, { name: 'job', store, at: new Date(at) }),
  ],
  [
    'the coordinator',
    async (role, store, at) => {
      const coordinator = nodeCronCoordinator(role, store);
      const runs = await coordinator.shouldRun(`job:${at}`);
      coordinator.onComplete(`job:${at}`);
      return runs;
    },
  ],
])(
  'with %s, a tick that the store refuses because of the token is a warning and a trouble, until a claim succeeds',
  async (_, runs) => {
    using missed = missedTicks();
    await using members = await twoMembers();
    const store = refusingTicks(Date.UTC(2032, 0, 1, 2));
    expect(await runs(members.a, store, '2032-01-02T02:00:00.000Z')).not.toBe(true);
    await expect
      .poll(() => missed.warnings)
      .toContain(
        'schedule "job": no member runs 2032-01-02T02:00:00.000Z: the store of the ticks has seen a greater token than that of the leader',
      );
    const { troubles } = members.source.health();
    expect(troubles.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      expect.stringMatching(/^work-failed: .*refuses the token \d+, because it has seen a greater/),
    ]);
    store.refuses = false;
    expect(await runs(members.a, store, '2032-01-03T02:00:00.000Z')).toBe(true);
    expect(members.source.health().ok).toBe(true);
  },
);

it('does not run a tick if the store fails', async () => {
  await using members = await twoMembers();
  const broken: TickStore = { ...memoryTicks(), claim: () => Promise.reject(new Error('no disk')) };
  let runs = 0;
  const errors: unknown[] = [];
  const quiet = () => undefined;
  const error = (...args: readonly unknown[]) => errors.push(args[1]);
  cron.setLogger({ info: quiet, warn: quiet, debug: quiet, error });
  const task = everySecond(members.a, broken, () => {
    runs += 1;
  });
  const { reason } = await new Promise<TaskContext>((resolve) =>
    task.once('execution:skipped', resolve),
  );
  expect([reason, runs]).toEqual(['coordinator-error', 0]);
  expect(errors).toEqual([new Error('no disk')]);
});

it('refuses a key that names no tick', async () => {
  await using members = await twoMembers();
  await expect(nodeCronCoordinator(members.a, memoryTicks()).shouldRun('job')).rejects.toThrow(
    '"job" is not the name and the time of a tick',
  );
});
