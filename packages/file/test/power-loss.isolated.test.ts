// The calls of a member to its disk are recorded. The power may fail after each of them. A recording
// FUSE file system, as for Nerio, is no alternative: this backend refuses FUSE, because several hosts
// may share it.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@leadership/testkit/adapter';
import { CrashDisk, type DoneCall, type Loss, losses } from '@leadership/testkit/faults';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Disk } from '../src/disk/disk.ts';
import type { DiskCalls } from '../src/disk/disk-calls.ts';
import { fileLeadership } from '../src/file-leadership.ts';
import { layoutOf } from '../src/layout.ts';
import { togetherPrefix, versionOf } from '../src/rows/version-name.ts';
import { openReader, type Reader } from './support/reader.ts';
import { soleLeader } from './support/sole-leader.ts';
import { tempDirectory } from './support/temp-directory.ts';

const done: DoneCall[] = vi.hoisted(() => []);

vi.mock('../src/disk/disk.ts', async () => {
  const { diskCalls: calls } = await vi.importActual<{ diskCalls: DiskCalls }>(
    '../src/disk/disk-calls.ts',
  );
  const recorded =
    (name: keyof DiskCalls) =>
    async (...args: readonly unknown[]) => {
      const value = (calls[name] as (...args: readonly unknown[]) => unknown)(...args);
      done.push({ name, args });
      return value;
    };
  const names = Object.keys(calls) as (keyof DiskCalls)[];
  const disk = Object.fromEntries(names.map((name) => [name, recorded(name)])) as unknown as Disk;
  return { disk, holdDisk: () => ({ [Symbol.dispose]: () => undefined }) };
});

const changing: readonly string[] = ['mkdir', 'unlink', 'rm', 'link', 'rename', 'write', 'sync'];

const [partitionRow, sessionRow, keptRow] = ['partition#0', 'session#s/1', 'kept#tick/a'];

/** The text of a partition in a term. */
const textOf = (token: bigint, version: number, kind = 'hold'): string =>
  JSON.stringify({ kind, life: 'l', version, session: 's/1', seen: 0, token: `${token}` });

/** A term that was acknowledged after this number of calls. */
interface Acknowledged {
  readonly calls: number;
  readonly token: bigint;
}

beforeEach(() => {
  done.length = 0;
});

/** A short T, so that a store is taken over soon. Milliseconds. */
const thresholdMs = 200;

/** The number of stores that are taken over in parallel. */
const atOnce = 8;

/**
 * Greater than a token from the clock, so that a member that forgets a token would take a smaller
 * one.
 */
const firstToken = 2n ** 60n;

/** Versions are removed while the terms go on, and a slow exchange does not fail. Milliseconds. */
const limits = { thresholdMs: 3000, thresholdMsMax: 2 };

/** Begins terms, each with that number of renewals, and waits for all background work. */
async function lead(home: string, terms: readonly number[]): Promise<readonly Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  await using member = await openReader(home, limits);
  await member.exchange();
  let renewals = 0;
  const renew = async (): Promise<void> => {
    renewals += 1;
    const expected = renewals === 1 ? null : `renewal ${renewals - 1}`;
    expect(await member.change(sessionRow, expected, `renewal ${renewals}`)).toBe(true);
  };
  for (const [index, count] of terms.entries()) {
    await renew();
    const token = firstToken + BigInt(index);
    await begin(member, token, index);
    acknowledged.push({ calls: done.length, token });
    for (let renewed = 0; renewed < count; renewed += 1) await renew();
  }
  return acknowledged;
}

/** A release, which may be lost, and the next term. */
async function begin(member: Reader, token: bigint, index: number): Promise<void> {
  const version = 2 * index;
  const before = index === 0 ? null : textOf(token - 1n, version - 1);
  const released = JSON.stringify({ kind: 'release', life: 'l', version, token: `${token - 1n}` });
  expect(await member.change(partitionRow, before, released)).toBe(true);
  expect(await member.change(partitionRow, released, textOf(token, version + 1))).toBe(true);
}

const several = [0, 1, 2].map((index) => `partition#${index}`);

const isTogether = (name: string, path: string): boolean =>
  ['write', 'unlink'].includes(name) && path.includes(togetherPrefix);

/** Begins the terms of several partitions in one request, again and again, while versions are removed. */
async function leadTogether(home: string, times: number): Promise<readonly Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  await using member = await openReader(home, limits);
  await member.exchange();
  for (let index = 0; index < times; index += 1) {
    const token = firstToken + BigInt(index);
    const renewed = { name: sessionRow, expected: member.view.get(sessionRow) ?? null };
    const { outcomes } = await member.exchange(
      { ...renewed, text: `renewal ${index}` },
      ...several.map((name) => {
        return { name, expected: member.view.get(name) ?? null, text: textOf(token, index) };
      }),
    );
    expect(outcomes).toEqual([true, true, true, true]);
    acknowledged.push({ calls: done.length, token });
    await member.exchange();
    // The files of earlier requests are removed in the background.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return acknowledged;
}

/** A moment of a power failure. */
interface Crash {
  readonly moment: string;
  /** The greatest token that was acknowledged before the failure. */
  readonly known: bigint;
  /** The remaining files, as text. */
  readonly content: string;
  /** Writes the remaining files into a directory. */
  leave(target: string): void;
}

/** Yields each recorded moment with each possible loss. Call `leave` before the next iteration. */
function* crashesOf(home: string, acknowledged: readonly Acknowledged[]): Generator<Crash> {
  const calls = [...done];
  const disk = new CrashDisk(home);
  for (const [index, call] of calls.entries()) {
    if (!changing.includes(call.name)) continue;
    disk.apply(call);
    const known = acknowledged.filter((one) => one.calls <= index + 1).at(-1)?.token ?? 0n;
    const moment = (loss: Loss): string =>
      `call ${index}, ${call.name} ${call.args[0]}, ${loss} lost`;
    for (const loss of losses)
      yield {
        moment: moment(loss),
        known,
        content: JSON.stringify(disk.left(loss).toSorted()),
        leave: (target) => disk.leave(loss, target),
      };
  }
}

/**
 * Writes each store that a power failure may leave into a directory below `home`, and returns the
 * strictest of the moments that leave it: later moments may leave the same store, and the
 * acknowledged token of the last one is the greatest.
 */
async function storesLeft(
  home: string,
  below: string,
  acknowledged: readonly Acknowledged[],
): Promise<readonly (readonly [string, Crash])[]> {
  const stores = new Map<string, readonly [string, Crash]>();
  for (const crash of crashesOf(home, acknowledged)) {
    const [written] = stores.get(crash.content) ?? [];
    const path = written ?? (await mkdtemp(join(below, 'store-')));
    if (written === undefined) crash.leave(path);
    stores.set(crash.content, [path, crash]);
  }
  return [...stores.values()];
}

/**
 * Starts two members on the remaining files and makes one take over from the other. Returns the
 * violations.
 */
async function takeOver(directory: string, { moment, known }: Crash): Promise<readonly string[]> {
  const open = (member: string) =>
    fileLeadership({ directory, group: 'g', member, thresholdMs, partitions: 1, log: false });
  await using one = open('one');
  await using two = open('two');
  using among = soleLeader(one, two);
  await eventually(`a member leads after ${moment}`, () => among.leader() !== undefined);
  const { token } = among;
  await among.leader()?.close();
  await eventually(`the other member leads after ${moment}`, () => among.token > token);
  const forgotten = token > known ? [] : [`token ${token} after ${known}`];
  return [...forgotten, ...among.wrongs].map((wrong) => `${moment}: ${wrong}`);
}

/** Returns the token that a member reads from the remaining files; 0 if there is none. */
async function tokenIn(home: string): Promise<bigint> {
  const [token = 0n] = await tokensIn(home, [partitionRow]);
  return token;
}

async function tokensIn(home: string, names: readonly string[]): Promise<readonly bigint[]> {
  await using reader = await openReader(home, { mayCreate: false });
  await reader.exchange();
  return names.map((name) => {
    const { token = '0' } = JSON.parse(reader.view.get(name) ?? '{}') as {
      readonly token?: string;
    };
    return BigInt(token);
  });
}

describe('after a power loss at any moment', () => {
  it.each([
    ['a term with many renewals and removed versions', [20, 2]],
    ['successive terms', [1, 1, 1, 3, 1]],
  ])('an acknowledged token is never lost: %s', async (_, terms) => {
    await using home = await tempDirectory();
    const acknowledged = await lead(home.path, terms);
    const forgotten: string[] = [];
    await using left = await tempDirectory();
    for (const [path, { moment, known }] of await storesLeft(home.path, left.path, acknowledged)) {
      const token = await tokenIn(path);
      if (token < known) forgotten.push(`${moment}: ${token} after ${known}`);
    }
    expect(forgotten).toEqual([]);
    expect(acknowledged.length).toBe(terms.length);
  });

  it('tokens of terms that began in one request are never lost', async () => {
    await using home = await tempDirectory();
    const acknowledged = await leadTogether(home.path, 6);
    const forgotten: string[] = [];
    await using left = await tempDirectory();
    for (const [path, { moment, known }] of await storesLeft(home.path, left.path, acknowledged))
      for (const token of await tokensIn(path, known === 0n ? [] : several))
        if (token < known) forgotten.push(`${moment}: ${token} after ${known}`);
    expect(forgotten).toEqual([]);
    const writes = done.filter(({ name, args: [path] }) => isTogether(name, String(path)));
    expect(writes.map(({ name }) => name)).toEqual(expect.arrayContaining(['write', 'unlink']));
  });

  it('a token that the floor was raised to is never lost (T1)', async () => {
    await using home = await tempDirectory();
    await using member = await openReader(home.path);
    const { signal } = new AbortController();
    const acknowledged: Acknowledged[] = [];
    for (const token of [5n, 9n, 30n, 31n]) {
      await member.rows.floor?.raise(token, signal);
      acknowledged.push({ calls: done.length, token });
      // Smaller ones are removed in the background.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const forgotten: string[] = [];
    await using left = await tempDirectory();
    for (const [path, { moment, known }] of await storesLeft(home.path, left.path, acknowledged)) {
      await using reader = await openReader(path, { mayCreate: false });
      const token = (await reader.rows.floor?.read(signal)) ?? 0n;
      if (token < known) forgotten.push(`${moment}: ${token} after ${known}`);
    }
    expect(forgotten).toEqual([]);
  });

  it('a text that a package keeps, such as a tick, is never lost', async () => {
    await using home = await tempDirectory();
    await using member = await openReader(home.path);
    await member.exchange();
    const acknowledged: Acknowledged[] = [];
    for (let token = 1n; token < 5n; token += 1n) {
      const before = token === 1n ? null : `${token - 1n}`;
      expect(await member.change(keptRow, before, `${token}`)).toBe(true);
      acknowledged.push({ calls: done.length, token });
    }
    const forgotten: string[] = [];
    await using left = await tempDirectory();
    for (const [path, { moment, known }] of await storesLeft(home.path, left.path, acknowledged)) {
      await using reader = await openReader(path, { mayCreate: false });
      await reader.exchange();
      const token = BigInt(reader.view.get(keptRow) ?? 0);
      if (token < known) forgotten.push(`${moment}: ${token} after ${known}`);
    }
    expect(forgotten).toEqual([]);
  });

  it('the file of a member that was faster is not synced: it may belong to another user', async () => {
    await using home = await tempDirectory();
    const file = join(layoutOf(home.path, 'g').rows, versionOf(keptRow, 1).file);
    await using member = await openReader(home.path, { paused: () => writeFile(file, 'other\n') });
    await member.exchange();
    expect(await member.change(keptRow, null, 'own')).toBe(false);
    expect(done.filter(({ name, args: [path] }) => name === 'sync' && path === file)).toEqual([]);
  });

  it('two members never lead at once on the remaining files, and tokens grow', async () => {
    await using home = await tempDirectory();
    const acknowledged = await lead(home.path, [3, 1, 2]);
    await using left = await tempDirectory();
    const stores = await storesLeft(home.path, left.path, acknowledged);
    const wrongs: string[] = [];
    const waiting = [...stores];
    while (waiting.length > 0) {
      const some = waiting.splice(0, atOnce).map(([path, crash]) => takeOver(path, crash));
      wrongs.push(...(await Promise.all(some)).flat());
    }
    expect(wrongs).toEqual([]);
    expect(stores.length).toBeGreaterThan(20);
  });
});

describe('pruning', () => {
  it('removes the oldest version first, so that a removed number never has a predecessor that a paused member could follow', async () => {
    await using home = await tempDirectory();
    await lead(home.path, [60]);
    const { rows } = layoutOf(home.path, 'g');
    const removed = done
      .filter(({ name, args }) => name === 'unlink' && String(args[0]).includes(`${rows}/session`))
      .map(({ args }) => Number(String(args[0]).split('.').at(-1)));
    expect(removed.length).toBeGreaterThan(10);
    expect(removed).toEqual(removed.toSorted((a, b) => a - b));
  });
});
