import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import type { LedgerEvent } from '@leadership/core/internal/lease';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { fileLeadership } from '../../src/index.ts';
import { layoutOf } from '../../src/register/layout.ts';
import { type Member, openMember, writeMany } from '../support/member.ts';
import { tempDirectory } from '../support/temp-directory.ts';
import { versionFile } from '../support/versions.ts';

/**
 * Replaces a register by foreign files. Returns a function that removes them without restoring the
 * register.
 */
async function damage(register: string): Promise<() => Promise<void>> {
  const aside = `${register}.${performance.now()}`;
  await mkdir(aside, { recursive: true });
  await writeFile(`${aside}/README`, 'not a register');
  await rename(register, `${aside}.gone`).catch(() => undefined);
  await rename(aside, register);
  return () => rm(register, { recursive: true });
}

const unreadable = (member: Member, partition: number) =>
  member.events.flatMap((item) =>
    item.kind === 'unreadable' && item.partition === partition ? [item.error] : [],
  );
const after = (member: Member, partition: number, kind: LedgerEvent['kind']) => {
  const of = member.events.filter((item) => 'partition' in item && item.partition === partition);
  return of.slice(of.findLastIndex((item) => item.kind === kind)).map((item) => item.kind);
};

describe('one damaged register', () => {
  it('is reported with its path, retried less and less often, and restarts once it is readable', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path, { partitions: [-1, 0, 1], pollMs: 60 });
    await one.opened();
    await writeMany(one, 3);
    // Start the clock now: the damage may be noticed before `damage` resolves.
    const since = performance.now();
    const mend = await damage(one.register);
    await eventually('the read was retried several times', () => unreadable(one, 0).length >= 5);
    // 30 + 60 + 120 + 240 ms with the least jitter. Retries at each poll would take 240 ms.
    expect(performance.now() - since).toBeGreaterThan(440);
    expect(unreadable(one, 0)[0]).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining(`${one.register}:`),
    });
    await mend();
    await eventually('the register restarts', () =>
      after(one, 0, 'unreadable').includes('restarted'),
    );
    expect(one.events.at(-1)).toEqual({ kind: 'end', partitions: [0] });
    expect([-1, 1].flatMap((partition) => unreadable(one, partition))).toEqual([]);
    expect(
      one.events
        .filter((item) => item.kind === 'restarted')
        .every(({ partition }) => partition === 0),
    ).toBe(true);
    expect(await one.writeNext()).toBe('in-effect');
  });

  it('does not affect the other registers', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path, { partitions: [0, 1] });
    await using other = openMember(home.path, { partitions: [0, 1] });
    await Promise.all([one.opened(), other.opened()]);
    await damage(one.store.layout.register(1));
    await eventually('the damage is reported', () => unreadable(other, 1).length > 0);
    await writeMany(one, 3);
    await eventually(
      'the record of another register is read',
      () => other.current()?.id === one.current()?.id,
    );
  });

  it('does not stop a new member: all other registers are read to their end', async () => {
    await using home = await tempDirectory();
    await damage(layoutOf(home.path, 'g').register(0));
    await using one = openMember(home.path, { partitions: [-1, 0, 1] });
    await one.opened();
    expect(unreadable(one, 0)).toHaveLength(1);
    expect(one.events.at(-1)).toEqual({ kind: 'end', partitions: [-1, 1] });
  });

  it('refuses a new member if it is the pin, and is only reported by a member that has read it before (R3)', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path, { partitions: [-1, 0], pollMs: 10 });
    await one.opened();
    const pin = one.store.layout.register(-1);
    await writeFile(await versionFile(pin, 1), '');
    await eventually('the damage is reported', () => unreadable(one, -1).length > 0);
    await writeMany(one, 3);
    await using late = openMember(home.path, { partitions: [-1, 0] });
    await expect(late.failure).resolves.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining(pin),
    });
  });

  it('ends the ledger if no register is readable', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path, { partitions: [0, 1], pollMs: 10 });
    await one.opened();
    await rename(one.store.layout.group, `${home.path}/gone`);
    await writeFile(one.store.layout.group, 'a file in the way');
    await expect(one.failure).resolves.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining(home.path),
    });
  });
});

describe('a source with a damaged register', () => {
  it('lets that term expire, reports it in health, keeps leading the others, and competes again after the repair', async () => {
    await using home = await tempDirectory();
    await using source = fileLeadership({
      directory: home.path,
      group: 'g',
      thresholdMs: 3000,
      partitions: 2,
    });
    await source.ready();
    await eventually('the member leads both partitions', () => source.held().size === 2);
    const [lost, kept] = [source.role(0).term(), source.role(1).term()];
    const register = layoutOf(home.path, 'g').register(0);
    const isNamed = (): boolean =>
      source.health().troubles.some(({ message }) => message.startsWith(`${register}:`));
    const mend = await damage(register);
    await eventually('health names the register', isNamed);
    await eventually('the term expires', () => !source.role(0).isLeading());
    expect(source.role(1).term()?.token).toBe(kept?.token);
    await mend();
    const again = await eventually('the member leads the partition again', () =>
      source.role(0).term(),
    );
    expect(again.token).toBeGreaterThan(lost?.token ?? 0n);
    expect(isNamed()).toBe(false);
    expect(source.role(1).term()?.token).toBe(kept?.token);
  });
});
