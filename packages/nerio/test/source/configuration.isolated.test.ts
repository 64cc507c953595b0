// Members of one group with different configurations (R4): two configurations would elect one
// leader each.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { passFor, passUntil } from '@leadership/testkit/vitest';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type NerioOptions, type NerioSource, nerioLeadership } from '../../src/index.ts';
import { memoryNetwork } from '../support/memory-network.ts';

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  uptime: () => performance.now() / 1000,
}));

/** A file system in memory, on Linux. */
const memoryDisk = '/dev/shm';

const three = ['a', 'b', 'c'];
const five = ['a', 'b', 'c', 'd', 'e'];

let directory = '';
let sources: NerioSource[] = [];
let network = memoryNetwork();
beforeEach(async () => {
  // Fake time passes faster than a busy disk writes.
  directory = await mkdtemp(
    join(existsSync(memoryDisk) ? memoryDisk : tmpdir(), 'leadership-nerio-'),
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  network = memoryNetwork();
  sources = [];
});
afterEach(async () => {
  await passUntil(Promise.all(sources.map((source) => source.close())));
  vi.useRealTimers();
  await rm(directory, { recursive: true, force: true });
});

test('a refusal names the members of both lists, and their number, however long they are', async () => {
  const twelve = Array.from({ length: 12 }, (_, index) => `member-${index}`);
  const long = ['a', ...twelve.slice(1)];
  const [a, b] = [open('a', three), open('b', three)];
  await passUntil(Promise.all([a.ready(), b.ready()]));
  const other = open('c', [...three, ...long.slice(3)]);
  const list = (names: string, count: number): string =>
    `${names} \\(${count} members, [0-9a-f]{32}\\)`;
  await expect(passUntil(other.ready())).rejects.toMatchObject({
    code: 'partitions-differ',
    message: expect.stringMatching(
      `members is ${list('a, b, c, member-3, .*', 12)} here and ${list('a, b, c', 3)} there`,
    ),
  });
});

function open(
  member: string,
  members: readonly string[],
  options: Partial<NerioOptions> = {},
): NerioSource {
  const common = { group: 'g', transport: network.open, thresholdMs: 300, partitions: 1 };
  const source = nerioLeadership({ ...common, member, members, ...options });
  sources.push(source);
  return source;
}

/** The latest member has read its directory. */
async function started(): Promise<void> {
  await passFor(() => expect(sources.at(-1)?.health().measured['votersReached']).toBe(1));
}

const leaders = (some: readonly NerioSource[]): NerioSource[] =>
  some.filter((source) => source.role(0).isLeading());
const codes = (source: NerioSource): string[] => source.health().troubles.map(({ code }) => code);

test('members restarted one by one with two additional members refuse, and those that take part continue and report it (R4)', async () => {
  const old = three.map((member) => open(member, three));
  const [a, b, c] = old as [NerioSource, NerioSource, NerioSource];
  await passFor(() => expect(leaders(old)).toHaveLength(1));
  await passUntil(c.close());
  const fresh = ['c', 'd', 'e'].map((member) => open(member, five));
  for (const source of fresh)
    await expect(passUntil(source.ready())).rejects.toMatchObject({ code: 'partitions-differ' });
  await passFor(() => expect(leaders([a, b])).toHaveLength(1));
  // A newcomer closes as soon as it has met one of them.
  expect([a, b].flatMap(codes)).toContain('partitions-differ');
  for (let times = 0; times < 200; times += 1) {
    await vi.advanceTimersByTimeAsync(10);
    expect(leaders(fresh)).toEqual([]);
  }
});

test('a member with another thresholdMsMax refuses too, and takes part again once it is restarted with the old value (R4)', async () => {
  const [a, b, c] = three.map((member) => open(member, three)) as [
    NerioSource,
    NerioSource,
    NerioSource,
  ];
  await passFor(() => expect(leaders([a, b, c])).toHaveLength(1));
  await passUntil(c.close());
  const other = open('c', three, { thresholdMsMax: 600 });
  await expect(passUntil(other.ready())).rejects.toMatchObject({ code: 'partitions-differ' });
  await passUntil(other.close());
  const again = open('c', three);
  await passUntil(again.ready());
  await passFor(() => expect(codes(a)).not.toContain('partitions-differ'));
  await passFor(() => expect(again.health().measured['granting']).toBe(1));
});

test('newcomers of two configurations that meet both refuse, and no member leads (R4)', async () => {
  const all = [open('a', three), open('b', five)];
  for (const source of all)
    await expect(passUntil(source.ready())).rejects.toMatchObject({ code: 'partitions-differ' });
  await vi.advanceTimersByTimeAsync(3000);
  expect(leaders(all)).toEqual([]);
});

test('a member that was removed says so instead of "leaderless", until it is added again', async () => {
  const slow = { thresholdMs: 3000, thresholdMsMax: 3000 };
  const all = three.map((name) =>
    open(name, three, { ...slow, stateDirectory: join(directory, name) }),
  );
  const [a, , c] = all;
  if (a === undefined || c === undefined) throw new Error('not opened');
  for (const source of all) await passUntil(source.ready());
  await passUntil(a.reconfigure(['a', 'b']));
  const removed = {
    code: 'partitions-differ',
    message: expect.stringMatching(
      /^member "c" has been removed from the group: .* are a, b\. Stop/,
    ),
  };
  await passFor(() => expect(c.health().troubles).toContainEqual(expect.objectContaining(removed)));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(codes(c)).not.toContain('leaderless');
  await passUntil(a.reconfigure(three));
  await passFor(() => expect(c.health().troubles).toEqual([]));
});

test.each<readonly [string, Partial<NerioOptions>, RegExp]>([
  [
    'members',
    { members: five },
    /^members: a, b, c, d, e in the options, a, b, c in stateDirectory .*reconfigure\(\)$/,
  ],
  [
    'thresholdMsMax',
    { thresholdMsMax: 900 },
    /^thresholdMsMax: 900 in the options, 300 in stateDirectory .*Put the option back/,
  ],
  ['partitions', { partitions: 2 }, /^partitions: 2 in the options, 1 in stateDirectory/],
  ['skewMs', { skewMs: 20 }, /^skewMs: 20 in the options, 0 in stateDirectory/],
])(
  'a changed option %s beside a state directory is an error that names it (R4)',
  async (_name, changes, sentence) => {
    const first = open('a', three, { stateDirectory: directory });
    await started();
    await passUntil(first.close());
    const changed = open('a', three, { stateDirectory: directory, ...changes });
    const refusal = { code: 'partitions-differ', message: expect.stringMatching(sentence) };
    await expect(passUntil(changed.ready())).rejects.toMatchObject(refusal);
    await passUntil(changed.close());
    open('a', three, { stateDirectory: directory });
    await started();
  },
);
