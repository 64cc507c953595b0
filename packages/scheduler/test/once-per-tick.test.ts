import { memoryGroup } from '@leadership/core/memory';
import { expect, test } from 'vitest';
import { type OncePerTickOptions, oncePerTick } from '../src/once-per-tick.ts';

const at = new Date('2026-01-01T00:00:00.000Z');

function group() {
  const joined = memoryGroup(`once-${crypto.randomUUID()}`);
  return (member: string) => joined.join({ member, partitions: 1, thresholdMs: 600, log: false });
}

test.each<[string, object, RegExp]>([
  [
    'a time that is not a date',
    { at: new Date('tomorrow') },
    /"x": at must be the Date.*Invalid Date/,
  ],
  ['a time that is a text', { at: '2026-01-01' }, /"x": at must be the Date.*not 2026-01-01/],
  ['no name', { name: undefined }, /name must be a non-empty text/],
  ['a grace that is not a number', { graceMs: Number.NaN }, /"x": graceMs must be a number/],
  ['a negative grace', { graceMs: -1 }, /"x": graceMs must be a number/],
])('one tick with %s is refused, and runs nothing', async (_, wrong, message) => {
  await using source = group()('a');
  let hasRun = false;
  const job = (): void => {
    hasRun = true;
  };
  const options = { name: 'x', at, ...wrong } as OncePerTickOptions;
  await expect(oncePerTick(source.role(0), job, options)).rejects.toMatchObject({
    code: 'invalid-options',
    message: expect.stringMatching(message),
  });
  expect(hasRun).toBe(false);
});

test('one tick with a job that is not a function is refused', async () => {
  await using source = group()('a');
  const ran = oncePerTick(source.role(0), 'report' as never, { name: 'x', at });
  await expect(ran).rejects.toThrow(/schedule "x": the job must be a function, not report/);
});

test('a member waits for the role for a grace that is longer than a timer can be', async () => {
  const join = group();
  const first = join('a');
  await expect.poll(() => first.role(0).isLeading()).toBe(true);
  await using second = join('b');
  await second.ready();
  const ran = oncePerTick(second.role(0), () => 'ran', { name: 'x', at, graceMs: 2 ** 31 });
  // A timer that was set for longer than it can be is due in the next millisecond.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await first.close();
  expect(await ran).toBe('ran');
});
