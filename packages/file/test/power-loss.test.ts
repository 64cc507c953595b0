// Every call that a member makes of its disk is recorded; after each of them the power may fail.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Disk } from '../src/disk.ts';
import type { DiskCalls } from '../src/disk-calls.ts';
import { findRegister } from '../src/find-register.ts';
import { layoutOf } from '../src/layout.ts';
import { CrashDisk, type DoneCall, losses } from './support/crash-disk.ts';
import { openMember, writeMany } from './support/member.ts';
import { tempDirectory } from './support/temp-directory.ts';

const done: DoneCall[] = vi.hoisted(() => []);

vi.mock('../src/disk.ts', async () => {
  const { diskCalls: calls } = await vi.importActual<{ diskCalls: DiskCalls }>('../src/disk-calls.ts');
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

const changing: readonly (keyof DiskCalls)[] = ['mkdir', 'unlink', 'rm', 'link', 'rename', 'write', 'sync'];
const place = { group: 'g', partition: 0, thresholdMsMax: 5000 };

/** A term that was acknowledged once so many calls had been made. */
interface Acknowledged {
  readonly calls: number;
  readonly token: bigint;
}

beforeEach(() => {
  done.length = 0;
});

/** Writes the terms, each so many records long, and waits until all that goes on behind them is over. */
async function lead(home: string, terms: readonly number[]): Promise<readonly Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  await using member = openMember(home);
  await member.opened();
  for (const [index, records] of terms.entries()) {
    const token = BigInt(index + 1);
    expect(await member.writeNext({ token })).toBe('in-effect');
    acknowledged.push({ calls: done.length, token });
    await writeMany(member, records - 1);
  }
  return acknowledged;
}

/** The token that a member reads in what is left, or makes anew. */
async function tokenIn(home: string): Promise<bigint> {
  const none = async (): Promise<void> => Promise.reject(new Error('there is no register'));
  const finding = { make: none, entered: () => undefined };
  const found = await findRegister(place, layoutOf(home, 'g').register(0), finding).catch(() => undefined);
  return found?.version.record?.token ?? 0n;
}

describe('after a power loss at any moment', () => {
  it.each([
    ['a term of many renewals, whose first versions are pruned', [20, 2]],
    ['terms one after the other', [1, 1, 1, 3, 1]],
  ])('no acknowledged token is forgotten: %s', async (_, terms) => {
    await using home = await tempDirectory();
    const acknowledged = await lead(home.path, terms);
    const calls = [...done];
    const disk = new CrashDisk(home.path);
    const forgotten: string[] = [];
    for (const [index, call] of calls.entries()) {
      if (!changing.includes(call.name)) continue;
      disk.apply(call);
      const known = acknowledged.filter((one) => one.calls <= index + 1).at(-1)?.token ?? 0n;
      for (const loss of losses) {
        await using left = await tempDirectory();
        disk.leave(loss, left.path);
        const token = await tokenIn(left.path);
        if (token < known) forgotten.push(`call ${index}, ${call.name} ${call.args[0]}, ${loss} lost: ${token} after ${known}`);
      }
    }
    expect(forgotten).toEqual([]);
    expect(acknowledged.length).toBe(terms.length);
  });
});

describe('pruning', () => {
  it('removes the oldest version first: a number that was pruned never has a predecessor that a paused member could follow', async () => {
    await using home = await tempDirectory();
    await lead(home.path, [40]);
    const register = layoutOf(home.path, 'g').register(0);
    const removed = done
      .filter(({ name, args }) => name === 'rm' && String(args[0]).startsWith(`${register}/`))
      .map(({ args }) => Number.parseInt(String(args[0]).slice(register.length + 1), 10));
    expect(removed.length).toBeGreaterThan(20);
    expect(removed).toEqual(removed.toSorted((a, b) => a - b));
  });
});
