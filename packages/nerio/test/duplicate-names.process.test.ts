// Two processes run under one member name: both of them, and every other member, must report it.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@leadership/testkit/adapter';
import { freePorts, type ProcessMember, spawnMember } from '@leadership/testkit/faults';
import { expect, test } from 'vitest';
import { displacements } from './support/proposals.mjs';

/** T of these members. Milliseconds. */
const thresholdMs = 1000;
const names = ['m1', 'm2', 'm3'];

const ofSelf =
  /^another live process takes part as member "m2": incarnation (\S+), which member "m[13]" meets at 127\.0\.0\.1\S*\. It and this process, incarnation (\S+), displace each other\. Give each process a name of its own$/m;

test('two live processes of one member name each name the other in their own health, with the remedy', async () => {
  const state = await mkdtemp(join(tmpdir(), 'leadership-nerio-'));
  const [one = 0, two = 0, three = 0, other = 0] = await freePorts(4);
  const addresses = { m1: `127.0.0.1:${one}`, m2: `127.0.0.1:${two}`, m3: `127.0.0.1:${three}` };
  const folderOf = (listen: number): string => join(state, `${listen}`);
  const start = async (member: string, listen: number): Promise<ProcessMember> => {
    await mkdir(folderOf(listen));
    const module = new URL('./support/proxied.mjs', import.meta.url);
    module.searchParams.set(
      'place',
      JSON.stringify({ listen, addresses, proposals: folderOf(listen) }),
    );
    const url = `nerio://${names.join()}/duplicates`;
    return spawnMember({
      url,
      module: module.href,
      options: { member, partitions: 1, thresholdMs },
      work: { kind: 'idle' },
    });
  };
  const members = await Promise.all([start('m1', one), start('m2', two), start('m3', three)]);
  try {
    await Promise.all(members.map((member) => member.until(({ kind }) => kind === 'ready')));
    expect(displacements(folderOf(two), 'm2')).toBe('');
    members.push(await start('m2', other));
    const reported = (listen: number): RegExpExecArray | null =>
      ofSelf.exec(displacements(folderOf(listen), 'm2'));
    await eventually(
      'each of the two names the other',
      () => reported(two) !== null && reported(other) !== null,
    );
    const [, ofSecond, first] = reported(two) ?? [];
    const [, ofFirst, second] = reported(other) ?? [];
    expect([ofFirst, ofSecond]).toEqual([first, second]);
    const all = /two live processes take part as member "m2" and displace each other/;
    await eventually('a third member names both', () =>
      all.test(displacements(folderOf(one), 'm1')),
    );
  } finally {
    await Promise.all(members.map((member) => member.kill()));
    await rm(state, { recursive: true, force: true, maxRetries: 5 });
  }
});
