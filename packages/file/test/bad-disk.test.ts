import { rename, rm, truncate, writeFile } from 'node:fs/promises';
import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { fileLeadership } from '../src/index.ts';
import { layoutOf, versionPath } from '../src/layout.ts';
import { openMember } from './support/member.ts';
import { freezable, freeze, mounted, remount } from './support/mounted.ts';
import { soleLeader } from './support/sole-leader.ts';
import { tempDirectory } from './support/temp-directory.ts';
import { lifeIn } from './support/versions.ts';

const unmountable = 'this machine lets us mount nothing: a full disk and a read-only one stay untried';
const thresholdMs = 300;
const open = (directory: string) => fileLeadership({ directory, group: 'g', thresholdMs, partitions: 1 });
const says = (source: LeadershipSource, word: string) => source.health().troubles.some(({ message }) => message.includes(word));

/** As a power loss may leave what was not synced: the names are there, and nothing in them, what came meanwhile included. */
async function empty(register: string): Promise<void> {
  for (let emptied = -1; ; ) {
    const { mark, numbers } = await lifeIn(register);
    const last = numbers.at(-1) ?? -1;
    if (last <= emptied) return;
    for (const number of numbers) await truncate(versionPath(register, { number, mark })).catch(() => undefined);
    emptied = last;
  }
}

describe('a disk that takes nothing more', () => {
  it.for(['full', 'read-only'])('ends the term with its deadline, lets nobody else lead, is told, and mends: %s', async (how, context) => {
    await using home = await tempDirectory();
    const path = `${home.path}/mount`;
    using disk = mounted(path, 'size=512k');
    if (disk === undefined) return context.skip(unmountable);
    await using one = open(path);
    await using two = open(path);
    using sole = soleLeader(one, two);
    await eventually('one leads', sole.leader);
    if (how === 'full') await expect(writeFile(`${path}/ballast`, Buffer.alloc(1 << 20))).rejects.toMatchObject({ code: 'ENOSPC' });
    else await remount(path, 'ro');
    expect(sole.leader()?.role(0).remainingMs() ?? 0).toBeLessThanOrEqual(thresholdMs);
    await eventually('nobody leads any more', () => sole.leader() === undefined);
    // Not before: until the disk takes nothing more, a lease that lapses on a starved machine is followed by another.
    const { token } = sole;
    await eventually('both say why', () =>
      [one, two].every((source) => says(source, how === 'full' ? 'the disk is full: make room' : 'is mounted read-only: use')),
    );
    const since = performance.now();
    await eventually('nobody leads for some time', () => performance.now() - since > 3 * thresholdMs);
    expect(sole.token).toBe(token);
    if (how === 'full') await rm(`${path}/ballast`);
    else await remount(path, 'rw');
    await eventually('one leads again', sole.leader);
    expect(sole.token).toBeGreaterThan(token);
    await eventually('both are well again', () => [one, two].every((source) => source.health().ok));
    expect(sole.wrongs).toEqual([]);
  });
});

describe('a disk that hangs', () => {
  it('ends the term with its deadline, is told, and keeps nobody who closes', async (context) => {
    await using home = await tempDirectory();
    const path = `${home.path}/mount`;
    using disk = freezable(path);
    if (disk === undefined) return context.skip('this machine lets us mount no disk of our own: one that hangs stays untried');
    const one = open(path);
    await using asker = openMember(path);
    await asker.opened();
    await asker.ledger.wants?.ask({ partition: 1, id: 'x/1', incarnation: 'x', member: 'x', thresholdMs }, new AbortController().signal);
    await eventually('it leads', () => one.role(0).isLeading());
    {
      using _ = freeze(path);
      await eventually('it leads no more', () => !one.role(0).isLeading());
      await eventually('it says why', () => says(one, 'no answer within'));
      await Promise.all([one.close(), asker.ledger.close()]);
    }
    await using two = open(path);
    await eventually('another leads once it goes on', () => two.role(0).isLeading());
  });
});

describe('files emptied as after a power loss', () => {
  it('are a stranger’s hold: nobody leads before that has lapsed, and tokens grow', async () => {
    await using home = await tempDirectory();
    await using one = open(home.path);
    await using two = open(home.path);
    using sole = soleLeader(one, two);
    await eventually('one leads', sole.leader);
    const { token } = sole;
    await empty(layoutOf(home.path, 'g').register(0));
    let contradicts = false;
    await eventually('one leads with a greater token', () => {
      contradicts ||= [one, two].some((source) => says(source, 'the store contradicts'));
      return sole.token > token;
    });
    expect(sole.wrongs).toEqual([]);
    expect([one, two].some((source) => (source.health().ignored['unreadable-version'] ?? 0) > 0)).toBe(true);
    expect(contradicts).toBe(true);
  });

  it('refuse who starts where the pin is one of them, with what to do; who has read it goes on (R3)', async () => {
    await using home = await tempDirectory();
    const layout = layoutOf(home.path, 'g');
    await using one = open(home.path);
    using sole = soleLeader(one);
    await eventually('it leads', sole.leader);
    const { token } = sole;
    await Promise.all([empty(layout.register(-1)), empty(layout.register(0))]);
    await using late = open(home.path);
    const advice = `${layout.register(-1)}: the pin of the group in it is unreadable: stop all members, remove the directory`;
    await expect(late.ready()).rejects.toMatchObject({ code: 'misconfigured-backend', message: expect.stringContaining(advice) });
    await eventually('it leads with a greater token', () => sole.token > token);
    await one.close();
    await rename(layout.group, `${home.path}/gone`);
    await using anew = open(home.path);
    await eventually('another leads once that was done', () => (anew.role(0).term()?.token ?? 0n) > sole.token);
    expect(late.held().size).toBe(0);
  });
});
